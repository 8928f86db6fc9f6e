"""Markdown painted line by line as it comes: what a finished line has become is never painted again.

`Prose` is fed pieces of scrubbed text; `lines` is what it looks like. Only the unfinished last line, a table that may
grow and the colours of a fence are done anew. A line break stays a line break, and inline marks do not cross it.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from msgspec.structs import replace
from rich.style import Style

from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.paint.fence import Fence
from craze.tui.transcript.paint.inline import inline
from craze.tui.transcript.paint.lines import EMPTY, PLAIN, Line, Run, tabbed, width_of, wrap
from craze.tui.transcript.paint.table import Row, cells_of, is_delimiter, table

LONGEST: Final = 1024
"""A line that is longer is painted in pieces, so that one without end costs no more than others."""

NARROWEST: Final = 4
"""Cells that are left for the text of the deepest item."""

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_RULE = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_QUOTE = re.compile(r" {0,3}(?:>[ ]?)+")
_ITEM = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])(?:[ \t]+|$)(?:\[([ xX])\][ \t]+)?")
_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})[ \t]*([^\s`{]*)[^`]*$")
_ITALIC = Style(italic=True)


class Prose:
    """The lines of one Markdown text at one width. `base` is added to every offset; `cut`: long lines of code are
    cut and not wrapped."""

    def __init__(self, width: int, brush: Brush, base: int = 0, *, cut: bool = False) -> None:
        self._width, self._brush = max(8, width), brush
        self._at = base
        self._rest = ""
        self._done: list[Line] = []
        self._parser = _Parser(self._width, brush, self._done, cut)
        self._tail: list[Line] | None = None
        self.parsed = 0
        """How many characters were looked at, as a measure of the work."""

    def feed(self, text: str) -> None:
        """More of the text, as it can be drawn."""
        if not text:
            return
        self._tail = None
        self._rest += text
        if "\n" in text or len(self._rest) > LONGEST:
            self._freeze()

    def close(self) -> None:
        """The text is over: an open table or fence is as it is."""
        if self._rest:
            self._take(self._rest, ended=True)
        self._rest, self._tail = "", []
        self._parser.flush()

    @property
    def lines(self) -> list[Line]:
        if self._tail is None:
            self._tail = self._provisional()
        return self._done + self._tail if self._tail else self._done

    @property
    def plain_fences(self) -> bool:
        """Whether a fence is still without its colours."""
        return any(fence.plain for fence in self._parser.fences)

    def colour(self) -> None:
        """Draw fences anew whose colours are known by now; they keep their number of lines."""
        for fence in self._parser.fences:
            fence.colour(self._done)
        self._parser.fences[:] = [fence for fence in self._parser.fences if fence.plain or fence.open]

    def _freeze(self) -> None:
        *whole, rest = self._rest.split("\n")
        for line in whole:
            self._take(line, ended=True)
        while len(rest) > LONGEST:
            size = rest.rfind(" ", LONGEST // 2, LONGEST) + 1 or LONGEST
            self._take(rest[:size], ended=False)
            rest = rest[size:]
        self._rest = rest

    def _take(self, line: str, *, ended: bool) -> None:
        while len(line) > LONGEST:
            size = line.rfind(" ", LONGEST // 2, LONGEST) + 1 or LONGEST
            self._take(line[:size], ended=False)
            line = line[size:]
        self.parsed += len(line)
        self._parser.take(line, self._at, ended=ended)
        self._at += len(line) + ended

    def _provisional(self) -> list[Line]:
        """The unfinished end, painted by a copy of the parser."""
        parser = self._parser.copy()
        if self._rest:
            self.parsed += len(self._rest)
            parser.take(self._rest, self._at, ended=True)
        parser.flush()
        return parser.out


class _Piece(NamedTuple):
    text: str
    offset: int


class _Parser:
    """What a line means depends on a few things before it; they are all here."""

    def __init__(self, width: int, brush: Brush, out: list[Line], cut: bool) -> None:
        self.width, self.brush, self.out, self._cut = width, brush, out, cut
        self.fences: list[Fence] = []
        self._fence: Fence | None = None
        self._indents: tuple[tuple[int, int], ...] = ()  # of each open list: column of its text, column drawn
        self._held: _Piece | None = None  # a line that may be the head of a table
        self._table: tuple[Row, ...] = ()
        self._aligned: tuple[str, ...] = ()
        self._blank = self._blank_before = self._inside = False
        self._begun = bool(out)
        self._inside_style = PLAIN
        self._inside_hang = 0

    def copy(self) -> _Parser:
        twin = object.__new__(_Parser)
        twin.__dict__.update(self.__dict__)
        twin.out, twin.fences = [], []
        twin._fence = self._fence.copy() if self._fence else None
        return twin

    def take(self, line: str, offset: int, *, ended: bool) -> None:
        """One line; not `ended`: a piece of a very long one."""
        if self._fence is not None:
            self._in_fence(line, offset)
        elif self._inside:
            self._text(line, offset, self._inside_style, self._inside_hang, ())
        elif not self._in_table(line, offset):
            self._block(line, offset)
        self._inside = not ended

    def flush(self) -> None:
        """Nothing more comes."""
        self._drop_held()
        self._end_table()
        if self._fence is not None:
            self._fence.open = False
            self._fence.end(self.out)
            self._fence = None

    # ---- what spans lines

    def _in_fence(self, line: str, offset: int) -> None:
        fence = self._fence
        assert fence is not None
        if fence.closes(line):
            fence.end(self.out)
            self._fence = None
        else:
            fence.add(line, offset, self.out)

    def _in_table(self, line: str, offset: int) -> bool:
        if self._table:
            if "|" in line and line.strip():
                self._table = (*self._table, cells_of(line, offset))
                return True
            self._end_table()
        if self._held is not None:
            head, self._held = self._held, None
            aligned = is_delimiter(line)
            cells = cells_of(*head)
            if aligned and len(aligned) == len(cells):
                self._table, self._aligned = (cells,), aligned
                return True
            self._block(head.text, head.offset, again=True)
        return False

    def _end_table(self) -> None:
        if self._table:
            self._gap()
            self.out += table(self._table, self._aligned, self.width, self.brush)
            self._table = ()

    def _drop_held(self) -> None:
        if self._held is not None:
            head, self._held = self._held, None
            self._block(head.text, head.offset, again=True)

    # ---- one line

    def _block(self, line: str, offset: int, *, again: bool = False) -> None:
        if not line.strip():
            self._blank = True
        elif fence := _FENCE.match(line):
            self._gap()
            indent = self._drawn_indent(_columns(fence[1]))
            self._fence = Fence(fence[2], fence[3], _columns(fence[1]), indent, self.width, self.brush, self._cut)
            self.fences.append(self._fence)
        elif "|" in line and not again:
            self._held = _Piece(line, offset)
        else:
            self._gap()
            self._line(line, offset)

    def _line(self, line: str, offset: int) -> None:
        brush = self.brush
        if heading := _HEADING.match(line):
            self._indents = ()
            style = brush["syntax-heading"] + (Style(underline=True) if len(heading[1]) == 1 else PLAIN)
            self._text(heading[2], offset + heading.start(2), style, 0, ())
        elif _RULE.match(line):
            self._indents = ()
            self.out.append(Line([Run(brush.glyphs["rule"] * self.width, brush["rule"])]))
        elif quote := _QUOTE.match(line):
            depth = quote[0].count(">")
            rail = tuple(Run(f"{brush.glyphs['rail']} ", brush["rule"]) for _ in range(min(depth, self.width // 6)))
            self._item_or_text(line[quote.end() :], offset + quote.end(), _ITALIC, rail)
        else:
            self._item_or_text(line, offset, PLAIN, ())

    def _item_or_text(self, line: str, offset: int, style: Style, rail: tuple[Run, ...]) -> None:
        item = _ITEM.match(line)
        if item is None:
            spaces = len(line) - len(line.lstrip(" \t"))
            indent = self._continued(_columns(line[:spaces]), spaces)
            skipped = spaces if indent or rail else 0
            self._text(line[skipped:], offset + skipped, style, indent, rail)
            return
        indent = self._nested(_columns(item[1]), _columns(item[1]) + len(item[2]) + 1)
        mark = self._mark(item)
        room = self.width - width_of(rail) - NARROWEST
        if len(mark.text) > room:
            mark = replace(mark, text=mark.text[:1])
        indent = max(0, min(indent, room - len(mark.text)))
        first = (*rail, Run(" " * indent), mark)
        hang = indent + len(mark.text)
        self._indents = (*self._indents[:-1], (self._indents[-1][0], hang))
        self._text(line[item.end() :], offset + item.end(), style, hang, rail, first)

    def _mark(self, item: re.Match[str]) -> Run:
        brush = self.brush
        if item[3]:
            done = item[3] != " "
            return Run(brush.glyphs["boxed" if done else "box"] + " ", brush["tool-done" if done else "thought"])
        bullet = item[2] if item[2][0].isdigit() else brush.glyphs["bullet"]
        return Run(bullet + " ", brush["thought"])

    def _nested(self, column: int, text_column: int) -> int:
        """The drawn indent of an item whose marker stands in `column`; deeper than half the width it grows no more."""
        while self._indents and column < self._indents[-1][0]:
            self._indents = self._indents[:-1]
        drawn = min(self._indents[-1][1] if self._indents else 0, self.width // 2)
        self._indents = (*self._indents, (text_column, drawn))
        return drawn

    def _continued(self, column: int, spaces: int) -> int:
        """The drawn indent of a line without a marker: under the text of the item that it belongs to."""
        if not spaces and self._blank_before:
            self._indents = ()
        return self._drawn_indent(column)

    def _drawn_indent(self, column: int) -> int:
        for text_column, drawn in reversed(self._indents):
            if column >= min(text_column, 2) and column >= text_column - 2:
                return min(drawn, self.width // 2)
        return 0

    def _gap(self) -> None:
        """One empty line for any number of blank ones between two things."""
        self._blank_before = self._blank
        if self._blank and self._begun:
            self.out.append(EMPTY)
        self._blank, self._begun = False, True

    def _text(
        self,
        text: str,
        offset: int,
        style: Style,
        hang: int,
        rail: tuple[Run, ...],
        first: tuple[Run, ...] | None = None,
    ) -> None:
        self._inside_style, self._inside_hang = style, hang
        runs = inline(text, offset, self.brush, style)
        hang = min(hang, max(0, self.width - width_of(rail) - NARROWEST))
        rest = (*rail, Run(" " * hang)) if hang else rail
        width = max(1, self.width - width_of(rest))
        for at, row in enumerate(wrap(runs, width)):
            self.out.append(
                Line(((rest if at or first is None else first) + tuple(row)), joined=at > 0 or self._inside)
            )


def _columns(space: str) -> int:
    return len(space.expandtabs(4))


def prose_lines(text: str, width: int, brush: Brush, base: int = 0) -> list[Line]:
    """A whole Markdown text."""
    prose = Prose(width, brush, base)
    prose.feed(text)
    prose.close()
    return prose.lines


def source_lines(text: str, width: int, style: Style, base: int = 0) -> list[Line]:
    """A text as it is written, wrapped."""
    lines: list[Line] = []
    for part in text.split("\n"):
        rows = wrap(tabbed(Run(part, style, base)), width)
        lines += [Line(row, joined=at > 0) for at, row in enumerate(rows)]
        base += len(part) + 1
    return lines
