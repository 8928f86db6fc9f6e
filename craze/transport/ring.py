"""The last lines of something that may talk without end: an agent's stderr, its noise."""

from __future__ import annotations

from collections import deque


class Ring:
    """The newest lines, at most `lines` of them, `size` bytes together and `each` bytes a line."""

    def __init__(self, lines: int = 200, size: int = 64 << 10, each: int = 64 << 10) -> None:
        self._rows: deque[bytes] = deque()
        self._lines, self._size, self._each = lines, size, each
        self._held = 0

    def add(self, line: bytes) -> None:
        row = line[: self._each]
        self._rows.append(row)
        self._held += len(row)
        while len(self._rows) > self._lines or self._held > self._size:
            self._held -= len(self._rows.popleft())

    def lines(self) -> list[str]:
        return [row.decode("utf-8", "replace") for row in self._rows]

    def tail(self, size: int = 512) -> str:
        """The last whole lines that fit in `size` bytes; of one longer line its end."""
        text = b"\n".join(self._rows).strip()
        if len(text) <= size:
            return text.decode("utf-8", "replace")
        cut = text[-size:]
        whole = cut.split(b"\n", 1)[-1] if text[-size - 1 : -size] != b"\n" else cut
        return whole.decode("utf-8", "replace").lstrip("\ufffd")
