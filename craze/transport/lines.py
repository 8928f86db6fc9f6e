"""Bytes to lines: one `\\n` ends a line, nothing else does, and no line grows past a ceiling.

Pure: `LineSplitter` takes blocks of any size and gives lines; reading pipes and stamping is `process`.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

MAX_LINE = 64 << 20
KEPT_HEAD = 64 << 10

Mark = Literal["", "eof", "undelivered", "long"]


class Line(Struct, frozen=True, gc=False):
    """One line without its newline and the `\\r` before it.

    Attributes:
        data: The bytes; of a line over the ceiling the first 64 KiB.
        mark: `long`: over the ceiling; `eof`: no newline ended it.
        size: Bytes of the whole line, only when it was over the ceiling.
    """

    data: bytes
    mark: Mark = ""
    size: int = 0


class LineSplitter:
    """Blocks in, complete lines out; what is behind the last newline waits for the next block.

    Past `limit` the bytes of a line are counted and dropped but for its head, so memory stays under the limit.
    The parts of an open line are pieces of at least `head` bytes: neither many tiny ones nor one that is copied to grow.
    """

    def __init__(self, limit: int = MAX_LINE, head: int = KEPT_HEAD) -> None:
        self._limit, self._head = limit, head
        self._parts: list[bytes] = []
        self._tail = bytearray()
        self._size = 0

    def feed(self, block: bytes) -> list[Line]:
        parts = block.split(b"\n")
        self._hold(parts[0])
        if len(parts) == 1:
            return []
        first, whole = self._take(), parts[1:-1]
        self._hold(parts[-1])
        if len(block) <= self._limit and b"\r" not in block:
            return [first, *map(Line, whole)]
        return [first, *map(self._line, whole)]

    def finish(self) -> list[Line]:
        """The line that no newline ended, if there is one."""
        return [self._take("eof")] if self._size else []

    def _hold(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._limit:
            first = self._parts[0] if self._parts else bytes(self._tail + part[: self._head])
            self._parts, self._tail = [first[: self._head]], bytearray()
            return
        self._tail += part
        if len(self._tail) >= self._head:
            self._parts.append(bytes(self._tail))
            self._tail = bytearray()

    def _take(self, mark: Mark = "") -> Line:
        data, size = b"".join((*self._parts, self._tail)), self._size
        self._parts, self._tail, self._size = [], bytearray(), 0
        if size > self._limit:
            return Line(data, "long", size)
        return Line(data, mark) if mark else Line(data.removesuffix(b"\r"))

    def _line(self, part: bytes) -> Line:
        if len(part) > self._limit:
            return Line(part[: self._head], "long", len(part))
        return Line(part.removesuffix(b"\r"))
