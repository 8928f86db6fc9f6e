"""A selection in the transcript: two places, drawn and copied through the window that shows them. Pure."""

from __future__ import annotations

from msgspec import Struct

from craze.tui.transcript.places import Cell, Place, cell_of, end_of, first_offset, marked, selected
from craze.tui.transcript.window import Row, Window

Ends = tuple[tuple[float, Cell], tuple[float, Cell]]


class Selection(Struct, frozen=True):
    """From where it was begun to where it goes; `lines`: whole rows."""

    anchor: Place
    head: Place
    lines: bool = False

    def ends(self, window: Window) -> Ends | None:
        """First and last cell with their blocks, the last one behind what is selected; None when nothing is left."""
        cells: list[tuple[float, Cell]] = []
        for place in (self.anchor, self.head):
            block = window.transcript.block(place.block)
            if block is None:
                return None
            index = window.leader(window.transcript.index(place.block))
            painted = window.painted(window.transcript.blocks[index])
            cells.append((painted.block.id, cell_of(painted.lines, place.offset) or Cell(0, 0)))
        first, last = sorted(cells)
        if self.lines:
            return (first[0], Cell(first[1].line, 0)), (last[0], Cell(last[1].line, 1 << 30))
        return first, (last[0], Cell(last[1].line, last[1].column + (1 if self.anchor != self.head else 0)))

    def text(self, window: Window) -> str:
        """What copying it gives."""
        ends = self.ends(window)
        if ends is None:
            return ""
        (first, start), (last, end) = ends
        blocks = window.transcript.blocks
        out: list[str] = []
        for index in range(window.transcript.index(first), window.transcript.index(last) + 1):
            block = blocks[index]
            if not window.shown(index) and block.kind != "tool":
                continue
            begin, until = (start if block.id == first else None), (end if block.id == last else None)
            lines = window.painted(block).lines if begin or until else ()
            out.append(selected(block, lines, begin, until))
        return "\n".join(out)


def spans(ends: Ends, row: Row) -> list[tuple[int, int]]:
    """The columns of a row that are selected."""
    if row.block is None or row.at < 0:
        return []
    (first, start), (last, end) = ends
    here = (row.block.id, row.at)
    if not (first, start.line) <= here <= (last, end.line):
        return []
    left = start.column if here == (first, start.line) else 0
    right = end.column if here == (last, end.line) else 1 << 30
    return marked(row.line, left, right)


def whole_line(window: Window, place: Place) -> tuple[Place, Place]:
    """The first and last place of the written line around a place, over all rows that it was wrapped to."""
    block = window.transcript.block(place.block)
    if block is None:
        return place, place
    lines = window.painted(block).lines
    at = (cell_of(lines, place.offset) or Cell(0, 0)).line
    first = last = at
    while first > 0 and lines[first].joined:
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].joined:
        last += 1
    end = max((end_of(run) for run in lines[last].runs if run.offset >= 0), default=place.offset + 1)
    return Place(place.block, first_offset(lines[first])), Place(place.block, max(0, end - 1))
