"""Files that are read whole, up to a size: what a person names may be a device that never ends."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Protocol

from craze.errors import UsageError

MIB: Final = 1 << 20


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int, /) -> bytes: ...


def read(source: Path | Readable, *, most: int, name: str) -> bytes:
    """All that is in it.

    Args:
        most: Bytes.
        name: What the source is called in an error.

    Raises:
        UsageError: There is more in it.
        OSError: It cannot be read.
    """
    if isinstance(source, Path):
        with source.open("rb") as file:
            return read(file, most=most, name=name)
    content = source.read(most + 1)
    if len(content) > most:
        raise UsageError(f"{name} is larger than {most // MIB} MiB")
    return content
