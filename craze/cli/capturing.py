"""What a command that takes a wire capture makes sure of first."""

from __future__ import annotations

from pathlib import Path

from craze.errors import UsageError
from craze.store.chunks import Peeked
from craze.store.source import form_of


def expect_capture(path: Path) -> Path:
    """The path itself.

    Raises:
        UsageError: There is no such file, or it is something else, with what it is.
    """
    if not path.is_file():
        raise UsageError(f"{path}: there is no such capture")
    with path.open("rb", buffering=0) as file:
        form = form_of(Peeked(file).first_line(), str(path))
    if form != "wire":
        raise UsageError(f"{path} is no wire capture", hint=f"craze dump {path} prints it")
    return path
