"""Runs and lines: styled text that knows where in a block's own text it comes from; wrapping, padding, cutting.

Every place in a text is an offset. An offset of -1 is decoration: rails, numbers, padding. It is never copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from craze.tui.clusters import clusters

PLAIN = Style()


class Run(Struct, frozen=True):
    """A piece of a line in one style. `copied` is what it stands for, where that is not `text` (a tab)."""

    text: str
    style: Style = PLAIN
    offset: int = -1
    copied: str = ""


class Line:
    """One row of cells. `joined`: it goes on with the text of the row before, that is, it was wrapped."""

    __slots__ = ("_strip", "joined", "runs")

    def __init__(self, runs: Iterable[Run] = (), *, joined: bool = False) -> None:
        self.runs = tuple(runs)
        self.joined = joined
        self._strip: Strip | None = None

    @property
    def strip(self) -> Strip:
        if self._strip is None:
            self._strip = Strip([Segment(run.text, run.style) for run in self.runs if run.text])
        return self._strip

    @property
    def text(self) -> str:
        return "".join(run.text for run in self.runs)

    def indented(self, *before: Run) -> Line:
        """The same line behind other runs."""
        return Line((*before, *self.runs), joined=self.joined)

    def __repr__(self) -> str:
        return f"Line({self.text!r})"


EMPTY = Line()


def width_of(runs: Iterable[Run]) -> int:
    return sum(cell_len(run.text) for run in runs)


def spread(left: Sequence[Run], right: Sequence[Run], width: int) -> Line:
    """`left`, and `right` at the right edge; without room for both only `left`, cut."""
    free = width - width_of(left) - width_of(right)
    if right and free >= 1:
        return Line((*left, Run(" " * free), *right))
    return Line(crop(left, width))


def crop(runs: Sequence[Run], width: int, mark: str = "…", style: Style = PLAIN) -> Sequence[Run]:
    """The runs in at most so many cells; `mark` says that something was cut."""
    if width_of(runs) <= width:
        return runs
    kept: list[Run] = []
    room = width - cell_len(mark)
    for run in runs:
        for start, end, cells in clusters(run.text):
            if cells > room:
                kept.append(_part(run, 0, start))
                return [*kept, Run(mark, style or run.style)] if width >= cell_len(mark) else kept
            room -= cells
            del end
        kept.append(run)
    return kept


def padded(line: Line, width: int, style: Style) -> Line:
    """The line up to the right edge, all of it on the ground of `style`."""
    gap = width - width_of(line.runs)
    runs = tuple(replace(run, style=style + run.style) for run in line.runs)
    return Line((*runs, Run(" " * gap, style)) if gap > 0 else runs, joined=line.joined)


def wrap(runs: Sequence[Run], width: int, *, words: bool = True) -> list[list[Run]]:
    """Rows of at most `width` cells, cut between words, else between clusters. Spaces at a cut are not drawn."""
    text = "".join(run.text for run in runs)
    if len(text) <= width and text.isascii():
        return [list(runs)]
    width = max(1, width)
    rows = _ascii_rows(text, width, words) if text.isascii() else _cluster_rows(text, width, words)
    return _sliced(runs, rows)


def _ascii_rows(text: str, width: int, words: bool) -> list[tuple[int, int]]:
    rows: list[tuple[int, int]] = []
    start, size = 0, len(text)
    while size - start > width:
        end = text.rfind(" ", start, start + width + 1) if words else -1
        if end <= start or not text[start:end].strip():
            rows.append((start, start + width))
            start += width
            continue
        rows.append((start, end))
        start = end + 1
        while start < size and text[start] == " ":
            start += 1
    rows.append((start, size))
    return rows


def _cluster_rows(text: str, width: int, words: bool) -> list[tuple[int, int]]:
    rows: list[tuple[int, int]] = []
    start = used = 0
    cut, cut_used, after = 0, 0, 0  # the last place to break: where the row ends, its cells, where the next begins
    for at, end, cells in clusters(text):
        space = text[at:end] == " "
        if used + cells > width and not (space and words):
            if words and cut > start and text[start:cut].strip():
                rows.append((start, cut))
                used -= cut_used
                start = after
            if used + cells > width:
                rows.append((start, at))
                start, used = at, 0
            cut = start
        used += cells
        if space and words:
            # A row of spaces only ends at its first one.
            cut = at if cut < at and (at == start or text[at - 1] != " ") else cut
            cut_used, after = used, end
        elif cells == 2:
            cut, cut_used, after = end, used, end
    end = len(text)
    if words and used > width:  # spaces at the end hang over the edge
        end = start + len(text[start:].rstrip(" "))
    rows.append((start, end))
    return rows


def _sliced(runs: Sequence[Run], rows: Sequence[tuple[int, int]]) -> list[list[Run]]:
    sliced: list[list[Run]] = []
    at, index = 0, 0
    for start, end in rows:
        row: list[Run] = []
        while index < len(runs):
            run = runs[index]
            size = len(run.text)
            if at + size > start and at < end:
                row.append(_part(run, max(0, start - at), min(size, end - at)))
            if at + size > end:
                break
            at, index = at + size, index + 1
        sliced.append(row)
    return sliced


def _part(run: Run, start: int, end: int) -> Run:
    if start == 0 and end >= len(run.text):
        return run
    if run.copied:
        kept = run if start == 0 else Run("", run.style)
        return replace(kept, text=run.text[start:end])
    return Run(run.text[start:end], run.style, run.offset + start if run.offset >= 0 else -1)


def tabbed(run: Run, column: int = 0) -> list[Run]:
    """The run with each tab as spaces up to the next multiple of four; copied it is a tab."""
    if "\t" not in run.text:
        return [run]
    runs: list[Run] = []
    offset = run.offset
    for at, part in enumerate(run.text.split("\t")):
        if at:
            gap = 4 - column % 4
            runs.append(Run(" " * gap, run.style, offset, "\t"))
            column, offset = column + gap, offset + (run.offset >= 0)
        if part:
            runs.append(Run(part, run.style, offset))
            column, offset = column + cell_len(part), offset + (len(part) if run.offset >= 0 else 0)
    return runs


def restyled(strip: Strip, left: int, right: int, style: Style) -> Strip:
    """The strip with the cells between two columns in another style."""
    right = min(right, strip.cell_length)
    if left >= right:
        return strip
    middle = strip.crop(left, right)
    over = Strip([Segment(segment.text, (segment.style or PLAIN) + style) for segment in middle])
    return Strip.join([strip.crop(0, left), over, strip.crop(right)])
