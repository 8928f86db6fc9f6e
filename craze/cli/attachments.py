"""Images of a prompt: copied into the session's folder, named by what is in them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from craze.config import saved, whole
from craze.errors import UsageError
from craze.store.folder import Folder, make_folder

MOST_IMAGE: Final = 15 * whole.MIB
_KINDS = {b"\x89PNG\r\n": ".png", b"\xff\xd8\xff": ".jpg", b"GIF8": ".gif", b"RIFF": ".webp"}
_NO_IMAGE: Final = "it is no PNG, JPEG, GIF or WebP image"


def read_images(paths: Iterable[Path]) -> tuple[bytes, ...]:
    """
    Raises:
        UsageError: A file cannot be read, or is no image of a known kind.
    """
    return tuple(map(_read, paths))


def attach(folder: Folder, images: Iterable[bytes]) -> tuple[str, ...]:
    """The paths of the session's own copies."""
    return tuple(str(copied(folder, image)) for image in images)


def _read(path: Path) -> bytes:
    try:
        content = whole.read(path, most=MOST_IMAGE, name="it")
    except OSError as error:
        raise UsageError(f"--image {path}: {error.strerror}") from error
    except UsageError as error:
        raise UsageError(f"--image {path}: {error}") from error
    if not is_image(content):
        raise UsageError(f"--image {path}: {_NO_IMAGE}")
    return content


def is_image(content: bytes) -> bool:
    return any(map(content.startswith, _KINDS))


def copied(folder: Folder, content: bytes) -> Path:
    """The session's own copy of an image.

    Raises:
        UsageError: It is no image of a known kind.
    """
    import hashlib  # here, since most sessions have no image

    suffix = next((suffix for start, suffix in _KINDS.items() if content.startswith(start)), "")
    if not suffix:
        raise UsageError(_NO_IMAGE)
    make_folder(folder.attachments)
    copy = folder.attachments / (hashlib.sha256(content).hexdigest()[:32] + suffix)
    if not copy.exists():
        saved.write(copy, content)
    return copy
