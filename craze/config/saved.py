"""Writes the small files that craze itself keeps: whole, at once, for this user alone."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from craze.config.paths import make


def write(path: Path, content: bytes) -> None:
    """Replaces the file in one step: a reader sees the one before or this one.

    Raises:
        OSError: With the path: the disk is full or the folder cannot be written.
    """
    import tempfile  # here, since most commands only read

    make(path.parent)
    handle, name = tempfile.mkstemp(prefix=path.name + ".", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error


def dump(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
