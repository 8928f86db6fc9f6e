"""Paths of images in a paste or drop. Pure."""

from __future__ import annotations

import shlex
from typing import Final
from urllib.parse import unquote, urlsplit

SUFFIXES: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp")
MOST: Final = 10
MOST_BYTES: Final = 15 << 20


def paths_in(text: str) -> list[str]:
    """The paths that a text consists of, when it consists of image paths only; else none."""
    try:
        words = shlex.split(text.strip())
    except ValueError:
        return []
    paths = [_path(word) for word in words]
    return paths if paths and all(_is_image(path) for path in paths) else []


def all_images(text: str) -> bool:
    return len(text) < 20_000 and bool(paths_in(text))


def _path(word: str) -> str:
    if not word.startswith("file://"):
        return word
    return unquote(urlsplit(word).path)


def _is_image(path: str) -> bool:
    return path.lower().endswith(SUFFIXES) and ("/" in path or path.startswith("~"))
