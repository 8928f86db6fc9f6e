"""Text that grows: bounded memory for a stream of pieces, and cuts that fall between characters.

All sizes are bytes of UTF-8. A `Tail` keeps the beginning and the end of a text of any length.
"""

from __future__ import annotations

from craze.engine.limits import TOOL_FINAL_TAIL, TOOL_HEAD


class Tail:
    """The first 4 KiB and at least the last 256 KiB of everything that was added.

    Adding costs the size of the piece, whatever is there already.
    """

    __slots__ = ("_end", "_head", "size")

    def __init__(self, text: str = "") -> None:
        self._head = b""
        self._end = bytearray()
        self.size = 0
        self.add(text)

    @property
    def held(self) -> int:
        """Bytes in memory."""
        return len(self._head) + len(self._end)

    def add(self, text: str) -> None:
        piece = to_bytes(text)
        self.size += len(piece)
        if len(self._head) < TOOL_HEAD:
            self._head += piece[: TOOL_HEAD - len(self._head)]
        self._end += piece
        if len(self._end) > 2 * TOOL_FINAL_TAIL:
            del self._end[:-TOOL_FINAL_TAIL]

    def last(self, limit: int) -> str:
        """The end of the text: `limit` bytes at most, whole characters."""
        return last_of(bytes(self._end[-limit:]), limit)

    def head(self) -> str:
        return first_of(self._head, TOOL_HEAD)


def to_bytes(text: str) -> bytes:
    """UTF-8; a lone surrogate becomes U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def first_of(data: bytes, limit: int) -> str:
    """The beginning of `data` as text: `limit` bytes at most, without the character that the cut would split."""
    return data[:limit].decode(errors="ignore")


def last_of(data: bytes, limit: int) -> str:
    """The end of `data` as text: `limit` bytes at most, without the character that the cut would split."""
    return data[-limit:].decode(errors="ignore")
