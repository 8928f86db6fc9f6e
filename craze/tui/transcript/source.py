"""The text of one block: chunks as they come, bounded, with the middle left out of what is too long. Pure."""

from __future__ import annotations

from typing import Final

HEAD: Final = 64 << 10
TAIL: Final = 128 << 10
STEP: Final = 64 << 10
"""The shown end moves on in steps of this, so that what was painted of it stays good between two steps. One step more
is kept than shown: two texts that turn out to be one then have the end that the whole would have."""
MOST: Final = HEAD + TAIL + STEP


class Source:
    """Raw text. What is kept depends on the text alone, not on how it was cut into chunks."""

    __slots__ = ("_chunks", "_head", "_tail_at", "lines", "size")

    def __init__(self, text: str = "") -> None:
        self._chunks: list[str] | str = ""
        self._head = ""
        self._tail_at = 0
        self.size = self.lines = 0
        self.append(text)

    def append(self, chunk: str) -> None:
        """More text; `lines` counts the newlines of all of it, `size` its characters."""
        if not chunk:
            return
        if isinstance(self._chunks, str):
            self._chunks = [self._chunks] if self._chunks else []
        self._chunks.append(chunk)
        self.size += len(chunk)
        self.lines += chunk.count("\n")
        if self.size > MOST:
            self._trim()

    def extend(self, later: Source) -> None:
        """The same text goes on with all of `later`."""
        size, lines = self.size + later.size, self.lines + later.lines
        self.append(later._head or later._joined())
        if later._head:
            self._head = self._head or self._joined()[:HEAD]
            self._chunks, self._tail_at = later._joined(), size - later.size + later._tail_at
            self.size = size
            self._trim()
        self.lines = lines

    def pack(self) -> None:
        """No more is expected: the chunks become one string."""
        self._chunks = self._joined()

    @property
    def hidden(self) -> int:
        """How many characters of the middle are not shown."""
        return _behind(self.size, TAIL) - HEAD if self._head else 0

    def parts(self) -> list[tuple[int, str]]:
        """The shown text with where it begins: all of it, or the head and the tail."""
        text = self._joined()
        if not self._head:
            return [(0, text)]
        start = _behind(self.size, TAIL)
        return [(0, self._head), (start, text[start - self._tail_at :])]

    @property
    def text(self) -> str:
        """Head and tail; of a text within the bounds all of it."""
        return "".join(text for _, text in self.parts())

    def _joined(self) -> str:
        if not isinstance(self._chunks, str):
            self._chunks = ["".join(self._chunks)]
            return self._chunks[0]
        return self._chunks

    def _trim(self) -> None:
        start = _behind(self.size, TAIL + STEP)
        if self._head and start <= self._tail_at:
            return
        text = self._joined()
        self._head = self._head or text[:HEAD]
        self._chunks = [text[start - self._tail_at :]]
        self._tail_at = start


def _behind(size: int, tail: int) -> int:
    """The first multiple of `STEP` that is at most `tail` before the end."""
    return -(-(size - tail) // STEP) * STEP
