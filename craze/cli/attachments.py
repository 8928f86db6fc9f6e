"""Images of a prompt: copied into the session's folder, named by what is in them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from craze.config import saved, whole
from craze.errors import UsageError
from craze.store.folder import Folder, make_folder

MOST_IMAGE: Final = 15 * whole.MIB
_KINDS = {b"\x89PNG\r\n": ".png", b"\xff\xd8\xff": ".jpg", b"GIF8": ".gif", b"RIFF": ".webp"}


def attach(folder: Folder, images: Iterable[Path]) -> tuple[str, ...]:
    """
    Raises:
        UsageError: A file cannot be read, or is no image of a known kind.
    """
    return tuple(str(_attached(folder, path)) for path in images)


def _attached(folder: Folder, path: Path) -> Path:
    try:
        return copied(folder, whole.read(path, most=MOST_IMAGE, name="it"))
    except OSError as error:
        raise UsageError(f"--image {path}: {error.strerror}") from error
    except UsageError as error:
        raise UsageError(f"--image {path}: {error}") from error


def is_image(content: bytes) -> bool:
    return any(map(content.startswith, _KINDS))


def copied(folder: Folder, content: bytes) -> Path:
    """The session's own copy of an image.

    Raises:
        UsageError: It is no image of a known kind.
    """
    suffix = next((suffix for start, suffix in _KINDS.items() if content.startswith(start)), "")
    if not suffix:
        raise UsageError("it is no PNG, JPEG, GIF or WebP image")
    make_folder(folder.attachments)
    copy = folder.attachments / (hashlib.sha256(content).hexdigest()[:32] + suffix)
    if not copy.exists():
        saved.write(copy, content)
    return copy
