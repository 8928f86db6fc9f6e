"""What of a transcript stands on the screen: scrolling, following, measuring and keeping painted blocks.

Pure but for what it keeps; it knows rows and no terminal. Blocks are painted only when they meet the screen, and one
more above and below; heights elsewhere are estimates, and correcting one never moves the first row that is seen.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from craze.codec import Tool
from craze.tui.transcript.blocks import Asked, Block
from craze.tui.transcript.folding import Transcript
from craze.tui.transcript.joining import Joined
from craze.tui.transcript.layout import Extent, Layout
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.paint.lines import EMPTY, Line
from craze.tui.transcript.paint.measure import extent, gap, grouped, hidden, together
from craze.tui.transcript.places import first_offset, line_of

if TYPE_CHECKING:
    from craze.tui.transcript.paint.painter import Painted

KEPT: Final = 64


class Row(Struct, frozen=True):
    """One row of the screen: line `at` of a block, or an empty one (`at` < 0) above it."""

    block: Block | None
    at: int
    line: Line


BLANK: Final = Row(None, -1, EMPTY)


class Window:
    """A part of a transcript, `height` rows of it.

    Attributes:
        rows: What is on the screen after `settle`.
        top: Which line of all lines the first row is.
        following: The end is seen and stays seen.
        paints: How many blocks were painted, for those who count.
        hidden_before: Blocks below this id are not drawn (the view was cleared).
    """

    def __init__(self, transcript: Transcript, brush: Brush, width: int, height: int) -> None:
        self.transcript, self.brush = transcript, brush
        self.width, self.height = width, height
        self.roomy = True
        self.following = True
        self.top = self.paints = 0
        self.rows: list[Row] = []
        self.hidden_before = 0.0
        self._anchor, self._inside, self._above = 0.0, 0, 0
        self._painted: OrderedDict[float, Painted] = OrderedDict()
        self._visible: set[float] = set()
        self._layout = Layout(self._extent, width)
        transcript.take_changes()
        self._layout.append(len(transcript.blocks))

    # ---- what has changed

    def changed(self) -> None:
        """Take what was folded since the last time."""
        changes = self.transcript.take_changes()
        blocks = self.transcript.blocks
        low = min(changes.low, len(self._layout))
        known = len(self._layout)
        self._layout.truncate(low)
        self._layout.append(len(blocks) - low)
        for id_ in changes.touched:
            self._touch(self.transcript.index(id_))
        if known != len(blocks):
            self._neighbours(low)

    def joined(self, joined: Joined) -> None:
        """An older page has come above."""
        for at in joined.removed:
            self._layout.remove(at)
        for at in joined.inserted:
            self._layout.insert(at)
        self._layout.prepend(joined.added)
        for id_ in joined.touched:
            self._touch(self.transcript.index(id_))
        self._neighbours(joined.added)
        for old, new in joined.renamed.items():
            painted = self._painted.pop(old, None)
            if self._anchor == old and painted is not None and not self.following:
                self._stand_in_longer(self.transcript.index(new), len(painted.lines) - self._inside + self._above)

    def _stand_in_longer(self, index: int, rows_below: int) -> None:
        """The block of the first row has become the end of a longer one: as many of its rows are below as were."""
        if self.shown(index):
            self._stand(index, max(0, self._exact(index) - rows_below))

    def resize(self, width: int, height: int) -> None:
        """Another size; the first visible place of the text stays where it is."""
        self.height = height
        if width != self.width:
            self._keeping_place(width)

    def _keeping_place(self, width: int) -> None:
        """The text in the first row is in the first row again, wherever the new width breaks the lines."""
        row = self.rows[0] if self.rows and not self.following else BLANK
        offset = first_offset(row.line)
        self.width = width
        self._forget()
        if row.block is None or self.transcript.block(row.block.id) is None:
            return
        index = self.transcript.index(row.block.id)
        if row.at < 0:
            self._stand(index, 0)
        elif self.shown(index):
            lines = self._paint(index).lines
            line = line_of(lines, offset) if offset >= 0 else min(row.at, len(lines) - 1)
            self._stand(index, self._gap(index) + line)

    def restyle(self, brush: Brush) -> None:
        """Another way to draw; only what is seen is painted again."""
        self.brush = brush
        self._forget()

    def breathe(self, roomy: bool) -> None:
        """Whether there are empty lines between blocks."""
        if roomy != self.roomy:
            self.roomy = roomy
            self._layout.reshape(self.width)

    def repaint(self, block: Block) -> None:
        """Paint it anew where it stands."""
        self.painted(block).update()
        self.paints += 1

    def redraw(self, block: Block) -> None:
        """The person wants it drawn in another way; its first row stays in view."""
        index = self.transcript.index(block.id)
        self.following = False
        for each in self._group_around(index):
            self._painted.pop(self.transcript.blocks[each].id, None)
            self._layout.touch(each)
        if self._anchor == block.id:
            self._inside = min(self._inside, 0)

    # ---- moving

    def scroll(self, by: int) -> None:
        """So many rows down, or up when negative."""
        if not self.transcript.blocks:
            return
        self.following = False
        index, inside = self._standing()
        inside += by
        while inside < 0 and index > 0:
            index -= 1
            inside += self._exact(index)
        while index < len(self._layout) - 1 and inside >= (height := self._exact(index)):
            inside -= height
            index += 1
        self._stand(index, max(0, inside))

    def scroll_to(self, line: int) -> None:
        """That one of all lines is the first row."""
        if abs(line - self.top) <= 2 * self.height:
            return self.scroll(line - self.top)
        self.following = False
        return self._stand(*self._layout.at(line))

    def follow(self) -> None:
        self.following = True

    def reveal(self, id_: float, line: int = 0, *, at_top: bool = False) -> None:
        """Bring a line of a block into view; at the top, or where it needs the least scrolling."""
        index = self.transcript.index(id_)
        if index >= len(self._layout):
            return
        inside = self._gap(index) + line if line else 0
        row = next((y for y, row in enumerate(self.rows) if row.block and row.block.id == id_ and row.at == line), None)
        if row is not None and not at_top:
            return
        self.following = False
        height = self._exact(index)
        self._stand(index, min(inside, max(0, height - 1)))
        if not at_top:
            self.scroll(-(self.height // 3))

    def settle(self) -> None:
        """Measure and paint what is seen, and fill `rows`."""
        self._visible = set()
        if not self.transcript.blocks or self.height <= 0:
            self.rows, self.top = [], 0
            return
        if not self.following:
            self._from_anchor()
        if self.following:
            self._from_end()
        self._fill()

    @property
    def total(self) -> int:
        return self._layout.total

    # ---- looking

    def painted(self, block: Block) -> Painted:
        """The block as it is drawn; painted if it has to be."""
        return self._paint(self.transcript.index(block.id))

    def place_at(self, y: int) -> tuple[float, int] | None:
        """Block and line of a row."""
        if not 0 <= y < len(self.rows) or (row := self.rows[y]).block is None:
            return None
        return row.block.id, max(0, row.at)

    def leader(self, index: int) -> int:
        """The block that stands for this one on the screen: the first of its group."""
        blocks = self.transcript.blocks
        while index > 0 and together(blocks[index - 1], blocks[index], self.brush):
            index -= 1
        return index

    def shown(self, index: int) -> bool:
        """Whether the block has rows of its own."""
        blocks = self.transcript.blocks
        block = blocks[index]
        if block.id < self.hidden_before or hidden(block, self.brush):
            return False
        return not (index > 0 and together(blocks[index - 1], block, self.brush))

    def waiting(self) -> list[Painted]:
        """Painted blocks on the screen whose colours or differences are not there yet."""
        return [painted for id_ in self._visible if (painted := self._painted.get(id_)) and painted.waits]

    def recolour(self, painted: Painted) -> None:
        before = len(painted.lines)
        painted.colour()
        self.paints += 1
        if len(painted.lines) != before:
            self._measured(self.transcript.index(painted.block.id), painted)

    def clear(self) -> None:
        """Draw none of the blocks so far."""
        self.hidden_before = self.transcript.blocks[-1].id + 0.001 if self.transcript.blocks else 0.0
        self._forget()
        self.following = True

    # ---- painting and measuring

    def _from_anchor(self) -> None:
        index, inside = self._standing()
        inside = min(inside, max(0, self._exact(index) - 1))
        y, at = -inside, index
        while at < len(self._layout) and y < self.height:
            y += self._exact(at)
            at += 1
        if at >= len(self._layout) and y <= self.height:
            self.following = True
            return
        self._stand(index, inside)

    def _standing(self) -> tuple[int, int]:
        """The block of the first row and which of its rows that is; an empty row above it may have come or gone."""
        index = min(self.transcript.index(self._anchor), len(self._layout) - 1)
        return index, max(0, self._inside + self._gap(index) - self._above)

    def _from_end(self) -> None:
        at = len(self._layout)
        room = self.height
        while at > 0 and room > 0:
            at -= 1
            room -= self._exact(at)
        self._stand(at, max(0, -room))

    def _fill(self) -> None:
        index = self.transcript.index(self._anchor)
        rows: list[Row] = []
        skip, at = self._inside, index
        while at < len(self._layout) and len(rows) < self.height:
            rows += self._rows(at, skip, self.height - len(rows))
            skip, at = 0, at + 1
        self.rows = rows
        self._beside(index, -1)
        self._beside(at - 1, 1)
        self._evict()
        self.top = self._layout.top(index) + self._inside

    def _beside(self, index: int, step: int) -> None:
        """Measure the next block beyond the screen."""
        index += step
        while 0 <= index < len(self._layout) and not self.shown(index):
            index += step
        if 0 <= index < len(self._layout) and self.transcript.blocks[index].id not in self._painted:
            self._exact(index)

    def _rows(self, index: int, skip: int, most: int) -> list[Row]:
        """At most so many rows of a block, from row `skip` on."""
        if not self.shown(index):
            return []
        block = self.transcript.blocks[index]
        self._visible.add(block.id)
        above = self._gap(index)
        lines = self._paint(index).lines
        rows = [Row(block, -1, EMPTY)] * max(0, above - skip)
        first = max(0, skip - above)
        return [*rows, *(Row(block, first + at, line) for at, line in enumerate(lines[first : first + most]))][:most]

    def _exact(self, index: int) -> int:
        """The height of a block, measured."""
        if not self.shown(index):
            self._layout.set(index, 0)
            return 0
        return self._measured(index, self._paint(index))

    def _measured(self, index: int, painted: Painted) -> int:
        height = self._gap(index) + len(painted.lines)
        self._layout.set(index, height)
        return height

    def _paint(self, index: int) -> Painted:
        block = self.transcript.blocks[index]
        group = self.group(index)
        painted = self._painted.get(block.id)
        if painted is None or painted.group != group or painted.block is not block:
            from craze.tui.transcript.paint.painter import Painted  # the first picture has no block

            painted = Painted(block, self.width, self.brush, group, self._call_of(block))
            self._painted[block.id] = painted
            self.paints += 1
        elif painted.revision != block.revision:
            painted.update()
            self.paints += 1
        self._painted.move_to_end(block.id)
        return painted

    def _call_of(self, block: Block) -> Tool | None:
        """The call that an ended ask was about."""
        opening = block.data.opening if isinstance(block.data, Asked) else None
        call = self.transcript.tool(opening.permission.tool) if opening and opening.permission else None
        return call.data if call is not None and isinstance(call.data, Tool) else None

    def _evict(self) -> None:
        for id_ in list(self._painted):
            if len(self._painted) <= KEPT:
                break
            if id_ not in self._visible:
                del self._painted[id_]

    def _forget(self) -> None:
        self._painted.clear()
        self._layout.reshape(self.width)

    def _stand(self, index: int, inside: int) -> None:
        self._anchor, self._inside = self.transcript.blocks[index].id, inside
        self._above = self._gap(index)

    def _touch(self, index: int) -> None:
        if index >= len(self._layout):
            return
        self._layout.touch(index)
        self._neighbours(index + 1)

    def _neighbours(self, index: int) -> None:
        """The block at `index` is another or has changed: what is drawn at it and before it may be too."""
        if 0 < index < len(self._layout):
            self._layout.touch(index)
        if 0 < index <= len(self._layout):
            first = self.leader(index - 1)
            if first != index - 1:
                self._layout.touch(first)

    def _gap(self, index: int) -> int:
        if not self.roomy:
            return 0
        blocks = self.transcript.blocks
        before = index - 1
        while before >= 0 and not self.shown(before) and not grouped(blocks[before], self.brush):
            before -= 1
        if before < 0 or blocks[before].id < self.hidden_before:
            return 0
        return gap(blocks[before], blocks[index])

    def group(self, index: int) -> tuple[Block, ...]:
        """The blocks that are one line with the first one at `index`; () when it stands for itself alone."""
        blocks = self.transcript.blocks
        end = index + 1
        while end < len(blocks) and together(blocks[end - 1], blocks[end], self.brush):
            end += 1
        return tuple(blocks[index:end]) if end > index + 1 else ()

    def _group_around(self, index: int) -> range:
        first = self.leader(index)
        return range(first, min(len(self._layout), max(first + max(1, len(self.group(first))), index + 2)))

    def _extent(self, index: int) -> Extent:
        if not self.shown(index):
            return Extent(0, 0)
        rows, cells = extent(self.transcript.blocks[index], self.brush)
        return Extent(rows + self._gap(index), cells)
