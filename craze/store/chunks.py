"""Whole lines of a file in large pieces; the one place that looks for newlines.

A piece never ends inside a line, however long the line is; what follows the last newline comes alone and marked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct

FIRST: Final = 64 << 10
LONGEST: Final = 128 << 20
"""Bytes in which a first line has to end."""
NEXT: Final = 256 << 10


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int, /) -> bytes: ...


class Peeked:
    """A stream whose beginning was read already and is given again."""

    def __init__(self, stream: Readable) -> None:
        self._stream, self._again = stream, b""

    def first_line(self) -> bytes:
        """The first line that is not blank, without its newline; b"" when there is none."""
        while not (line := _first_line(self._again)):
            data = self._to_a_newline()
            self._again += data
            if b"\n" not in data:
                return self._again.strip()
        return line

    def _to_a_newline(self) -> bytes:
        parts: list[bytes] = []
        size = 0
        while size < LONGEST and (data := self._stream.read(FIRST)):
            parts.append(data)
            size += len(data)
            if b"\n" in data:
                break
        return b"".join(parts)

    def read(self, size: int, /) -> bytes:
        """What was peeked at, then the rest."""
        if self._again:
            data, self._again = self._again[:size], self._again[size:]
            return data
        return self._stream.read(size)


class Chunk(Struct, frozen=True):
    """Lines from byte `offset` on. Not `whole`: the rest of the file, without a newline."""

    offset: int
    data: bytes
    whole: bool = True


def chunks(source: Path | Readable, start: int = 0, stop: int | None = None) -> Iterator[Chunk]:
    """The lines of a file from byte `start` (where a line begins) up to byte `stop`; a stream is read where it is.

    The first piece is small, so that a reader of a large file has its first line at once.
    """
    if not isinstance(source, Path):
        yield from _cut(source, start, stop)
        return
    with source.open("rb", buffering=0) as file:
        file.seek(start)
        yield from _cut(file, start, stop)


def _cut(file: Readable, at: int, stop: int | None) -> Iterator[Chunk]:
    parts: list[bytes] = []
    held, size = 0, FIRST
    while data := file.read(size if stop is None else max(0, min(size, stop - at - held))):
        size = NEXT
        end = data.rfind(b"\n") + 1
        if end:
            whole = b"".join((*parts, memoryview(data)[:end]))
            yield Chunk(at, whole)
            at, parts, held = at + len(whole), [], 0
            data = data[end:]
        if data:
            parts.append(data)
            held += len(data)
    if parts:
        yield Chunk(at, b"".join(parts), whole=False)


def _first_line(data: bytes) -> bytes:
    lines = data.split(b"\n")[:-1]
    return next((line for line in lines if line.strip()), b"")


class Tail:
    """A file that is still written to: each call gives the lines that have become complete since the last one."""

    def __init__(self, path: Path, start: int = 0) -> None:
        self.path, self.offset = path, start

    def more(self) -> bytes:
        """The complete lines that are new; b"" when there are none, or no file yet."""
        try:
            if os.stat(self.path).st_size <= self.offset:
                return b""
        except FileNotFoundError:
            return b""
        data = b"".join(chunk.data for chunk in chunks(self.path, self.offset) if chunk.whole)
        self.offset += len(data)
        return data
