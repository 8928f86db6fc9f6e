"""Where each block begins: heights in chunks with sums, estimated until somebody has measured. Pure.

Appending is constant; a look-up or a change costs one chunk and a bisection over the sums of the chunks, which are added
up again from the first chunk that changed. A new width costs one step a chunk: the blocks of a chunk are estimated
again when it is looked at.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import Final, NamedTuple

SIZE: Final = 128


class Extent(NamedTuple):
    """What a block needs by estimate: `rows` lines at any width, and `cells` that fill lines of the width."""

    rows: int
    cells: int

    def height(self, width: int) -> int:
        return self.rows + self.cells // width


class Layout:
    """Heights of a list of blocks that others keep; `extent` tells about the block at an index."""

    def __init__(self, extent: Callable[[int], Extent], width: int = 80) -> None:
        self._extent = extent
        self._width = max(1, width)
        self._chunks: list[_Chunk] = []
        self._counts: list[int] = []
        self._lines: list[int] = []
        self._valid = 0  # how many chunks the two running sums cover

    def __len__(self) -> int:
        self._sum()
        return self._counts[-1] if self._counts else 0

    @property
    def total(self) -> int:
        """All lines, as far as they are known."""
        self._sum()
        return self._lines[-1] if self._lines else 0

    def append(self, count: int) -> None:
        """So many more blocks at the end of the list."""
        index = len(self)
        while count > 0:
            if not self._chunks or len(self._chunks[-1].heights) >= SIZE:
                self._chunks.append(_Chunk())
            chunk = self._chunks[-1]
            self._freshen(len(self._chunks) - 1, index - len(chunk.heights))
            more = min(count, SIZE - len(chunk.heights))
            chunk.add(self._extent, index, more, self._width)
            self._changed(len(self._chunks) - 1)
            index, count = index + more, count - more

    def prepend(self, count: int) -> None:
        """So many blocks stand before all others now."""
        front: list[_Chunk] = []
        for start in range(0, count, SIZE):
            front.append(_Chunk())
            front[-1].add(self._extent, start, min(SIZE, count - start), self._width)
        self._chunks[:0] = front
        self._changed(0)

    def truncate(self, count: int) -> None:
        """Only the first `count` blocks are left."""
        if count >= len(self):
            return
        at, inside = self._chunk(count)
        del self._chunks[at + 1 :]
        if inside:
            self._chunks[at].cut(inside)
        else:
            del self._chunks[at]
        self._changed(at)
        if inside:
            self._freshen(at, count - inside)

    def remove(self, index: int) -> None:
        """The block at `index` is gone from the list."""
        at, inside = self._chunk(index)
        chunk = self._chunks[at]
        height = chunk.heights.pop(inside)
        chunk.lines -= height if chunk.exact else 0
        if not chunk.heights:
            del self._chunks[at]
        self._changed(at)

    def insert(self, index: int) -> None:
        """A block has come into the list at `index`."""
        if index >= len(self):
            return self.append(1)
        at, inside = self._chunk(index)
        self._chunks[at].heights.insert(inside, 0)
        self._changed(at)
        return self.touch(index)

    def reshape(self, width: int) -> None:
        """Another width, or another way to draw: everything is an estimate again."""
        self._width = max(1, width)
        for chunk in self._chunks:
            chunk.stale(self._width)
        self._changed(0)

    def touch(self, index: int) -> None:
        """The block has changed: its height is an estimate again."""
        self.set(index, self._extent(index).height(self._width))

    def set(self, index: int, height: int) -> None:
        """The height of a block as it was measured."""
        at, inside = self._chunk(index)
        self._freshen(at, index - inside)
        if difference := height - self._chunks[at].heights[inside]:
            self._chunks[at].heights[inside] = height
            self._chunks[at].lines += difference
            self._changed(at)

    def height(self, index: int) -> int:
        at, inside = self._chunk(index)
        self._freshen(at, index - inside)
        return self._chunks[at].heights[inside]

    def top(self, index: int) -> int:
        """The first line of a block; of the index behind the last one all lines."""
        if index >= len(self):
            return self.total
        at, inside = self._chunk(index)
        self._freshen(at, index - inside)
        self._sum()
        return (self._lines[at - 1] if at else 0) + sum(self._chunks[at].heights[:inside])

    def at(self, line: int) -> tuple[int, int]:
        """The block that has the line, and which line of it. Past the end it is the last line there is."""
        self._sum()
        if not self._chunks:
            return 0, 0
        line = max(0, min(line, self.total - 1))
        at = min(bisect_right(self._lines, line), len(self._chunks) - 1)
        first = self._counts[at - 1] if at else 0
        if not self._chunks[at].exact:
            self._freshen(at, first)
            return self.at(line)
        rest = line - (self._lines[at - 1] if at else 0)
        for inside, height in enumerate(self._chunks[at].heights):
            if rest < height:
                return first + inside, rest
            rest -= height
        return first + len(self._chunks[at].heights) - 1, 0

    def _chunk(self, index: int) -> tuple[int, int]:
        self._sum()
        at = bisect_right(self._counts, index)
        return at, index - (self._counts[at - 1] if at else 0)

    def _freshen(self, at: int, first: int) -> None:
        """Estimate the blocks of a chunk at the width that holds."""
        chunk = self._chunks[at]
        if not chunk.exact:
            chunk.estimate(self._extent, first, self._width)
            self._changed(at)

    def _changed(self, at: int) -> None:
        self._valid = min(self._valid, at)

    def _sum(self) -> None:
        at = self._valid
        if at == len(self._chunks) == len(self._counts):
            return
        del self._counts[at:], self._lines[at:]
        rest = self._chunks[at:]
        counts = accumulate((len(chunk.heights) for chunk in rest), initial=self._counts[-1] if at else 0)
        lines = accumulate((chunk.lines for chunk in rest), initial=self._lines[-1] if at else 0)
        next(counts)
        next(lines)
        self._counts.extend(counts)
        self._lines.extend(lines)
        self._valid = len(self._chunks)


class _Chunk:
    """Some neighbouring blocks. `exact`: `heights` are those of the present width, and `lines` is their sum."""

    __slots__ = ("cells", "exact", "heights", "lines", "rows")

    def __init__(self) -> None:
        self.heights = array("i")
        self.lines = self.rows = self.cells = 0
        self.exact = True

    def add(self, extent: Callable[[int], Extent], index: int, count: int, width: int) -> None:
        for each in range(index, index + count):
            rows, cells = extent(each)
            height = rows + cells // width
            self.rows += rows
            self.cells += cells
            self.heights.append(height)
            self.lines += height

    def cut(self, count: int) -> None:
        self.lines -= sum(self.heights[count:])
        del self.heights[count:]

    def estimate(self, extent: Callable[[int], Extent], index: int, width: int) -> None:
        count = len(self.heights)
        self.heights = array("i")
        self.lines = self.rows = self.cells = 0
        self.add(extent, index, count, width)
        self.exact = True

    def stale(self, width: int) -> None:
        self.lines = self.rows + self.cells // width
        self.exact = False
