"""A changed file: unified or side by side, with numbers, signs, changed words and the colours of its language."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, zip_longest

from msgspec import Struct
from rich.style import Style

from craze.codec import Diff
from craze.tui import scrub
from craze.tui.transcript.paint.brush import Brush, coloured, row_of
from craze.tui.transcript.paint.difference import DiffRow
from craze.tui.transcript.paint.highlight import Spans, language_of
from craze.tui.transcript.paint.lines import PLAIN, Line, Run, padded, wrap
from craze.tui.transcript.paint.parts import SECTION

SIDE_FROM = 140


class _Side(Struct, frozen=True):
    """One of the two texts: its place in the block, its colours, and the styles of its changed lines and words."""

    base: int
    spans: Spans | None
    sign: str
    ink: Style
    ground: Style
    word: Style


class DiffPainter:
    """Paints one `Diff` whose texts begin at `base` of the block."""

    def __init__(self, diff: Diff, base: int, brush: Brush, width: int, *, side: bool) -> None:
        self._brush, self._width, self._side_by_side = brush, width, side
        old, new = scrub.exact(diff.old_text), scrub.exact(diff.new_text)
        language = language_of(diff.path)
        colours = brush.highlighter.get
        self._old = self._side(base, colours(language, old), brush.glyphs["minus"], "del")
        self._new = self._side(base + SECTION, colours(language, new), "+", "add")
        self.rows = brush.differ.get(old, new)
        """None: it is being computed."""
        self._digits = max(3, len(str(max(old.count("\n"), new.count("\n")) + 1)))

    def _side(self, base: int, spans: Spans | None, sign: str, name: str) -> _Side:
        brush = self._brush
        return _Side(base, spans, sign, brush[f"diff-{name}"], brush[f"diff-{name}-bg"], brush[f"diff-{name}-word"])

    def lines(self, most: int = 0) -> list[Line]:
        """All lines, or the first `most` rows and how many more there are."""
        if self.rows is None:
            return [Line([self._brush.dim("computing…")])]
        pairs = self._pairs() if self._side_by_side else [(row, None) for row in self.rows]
        shown = pairs if not most or len(pairs) <= most + 1 else pairs[:most]
        paint = self._two if self._side_by_side else self._one
        lines = [line for left, right in shown for line in paint(left, right)]
        if len(shown) < len(pairs):
            lines.append(Line([self._brush.dim(f"{self._brush.glyphs['ellipsis']} {len(pairs) - most} more lines")]))
        return lines

    # ---- unified

    def _one(self, row: DiffRow, _: DiffRow | None) -> list[Line]:
        if row.gap:
            return [Line([self._brush.dim(f"{self._brush.glyphs['gap']} {row.gap}".rjust(self._digits * 2 + 1))])]
        side = self._old if row.sign == "-" else self._new
        sign = Run(f" {side.sign if row.sign != ' ' else ' '} ", side.ink if row.sign != " " else PLAIN)
        numbers = self._brush.dim(f"{row.old or '':>{self._digits}} {row.new or '':>{self._digits}}")
        return self._rows([numbers, sign], self._code(row, side), self._width, (row.sign != " " and side) or None)

    # ---- side by side

    def _pairs(self) -> list[tuple[DiffRow, DiffRow | None]]:
        """Removed and added lines of one change beside each other."""
        pairs: list[tuple[DiffRow, DiffRow | None]] = []
        olds: list[DiffRow] = []
        news: list[DiffRow] = []

        def settle() -> None:
            pairs.extend((old or DiffRow(), new or DiffRow()) for old, new in zip_longest(olds, news))
            olds.clear()
            news.clear()

        for row in self.rows or ():
            if row.sign == "-":
                olds.append(row)
            elif row.sign == "+":
                news.append(row)
            else:
                settle()
                pairs.append((row, row))
        settle()
        return pairs

    def _two(self, left: DiffRow, right: DiffRow | None) -> list[Line]:
        if left.gap or right is None:
            return self._one(left, None)
        half = (self._width - 3) // 2
        lefts = self._half(left, self._old, left.old, half)
        rights = self._half(right, self._new, right.new, half)
        rail = Run(f" {self._brush.glyphs['rail']} ", self._brush["rule"])
        empty = Line([Run(" " * half)])
        lines: list[Line] = []
        for at, (one, two) in enumerate(zip_longest(lefts, rights, fillvalue=empty)):
            one = padded(one, half, PLAIN)
            lines.append(Line([*one.runs, rail, *two.runs], joined=at > 0))
        return lines

    def _half(self, row: DiffRow, side: _Side, number: int, width: int) -> list[Line]:
        if not number:
            return [Line([Run(" " * width)])]
        changed = row.sign != " "
        sign = Run(f" {side.sign if changed else ' '} ", side.ink if changed else PLAIN)
        lead = [self._brush.dim(f"{number:>{self._digits}}"), sign]
        return self._rows(lead, self._code(row, side), width, side if changed else None)

    # ---- the code of a row

    def _code(self, row: DiffRow, side: _Side) -> list[Run]:
        old = side is self._old and row.old
        text, number = (row.old_text, row.old) if old else (row.new_text, row.new)
        offset = side.base + (row.old_offset if old else row.new_offset)
        ground = side.ground if row.sign != " " else PLAIN
        runs = coloured(self._brush, text, offset, row_of(side.spans, number - 1), ground)
        marks = row.old_marks if old else row.new_marks
        return _emphasised(runs, marks, offset, side.word) if marks else runs

    def _rows(self, lead: list[Run], code: list[Run], width: int, side: _Side | None) -> list[Line]:
        before = sum(len(run.text) for run in lead)
        rest = [Run(" " * before)]
        room = max(4, width - before)
        rows: list[Line] = []
        for at, row in enumerate(wrap(code, room, words=False)):
            line = Line(row, joined=at > 0)
            if side is not None:
                line = padded(line, room, side.ground)
            rows.append(line.indented(*(rest if at else lead)))
        return rows


def _emphasised(runs: Sequence[Run], marks: Sequence[tuple[int, int]], offset: int, word: Style) -> list[Run]:
    """The runs with the changed words on their own ground."""
    out: list[Run] = []
    for run in runs:
        start, end = run.offset - offset, run.offset - offset + len(run.text)
        edges = sorted({start, end, *(edge for mark in marks for edge in mark if start < edge < end)})
        if run.copied or len(edges) == 2:
            edges = [start, end]
        for left, right in pairwise(edges):
            inside = any(first <= left < last for first, last in marks)
            part = run.text[left - start : right - start]
            out.append(Run(part, run.style + word if inside else run.style, offset + left, run.copied))
    return out
