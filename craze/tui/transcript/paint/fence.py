"""A fenced code block: rail, language, soft wrap, at most 400 lines, colours when they are known."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len

from craze.tui.transcript.paint.brush import Brush, coloured, row_of
from craze.tui.transcript.paint.lines import Line, Run, crop, padded, width_of, wrap

LINES: Final = 400
NARROWEST: Final = 6
GROWTH: Final = 1.5
"""An open fence is coloured again when it has grown by this, so that the work stays in proportion to its length."""


class Fence:
    """One fence; `code` keeps the lines that are drawn."""

    def __init__(
        self, marker: str, language: str, column: int, indent: int, width: int, brush: Brush, cut: bool
    ) -> None:
        self._marker, self.language, self._column = marker, language.lower(), column
        self._brush, self._cut = brush, cut
        self._indent = max(0, min(indent, width - NARROWEST - 2))
        self._width = width - self._indent - 2
        self.code: list[tuple[str, int]] = []
        self.open = True
        self._hidden = self._size = self._coloured = 0
        self._first = self._last = -1
        self._lexed = False

    def copy(self) -> Fence:
        twin = object.__new__(Fence)
        twin.__dict__.update(self.__dict__)
        twin.code = [*self.code]
        return twin

    @property
    def plain(self) -> bool:
        """Whether it waits for colours."""
        grown = self._size > self._coloured * GROWTH and self._size - self._coloured > 200
        return bool(self.language) and bool(self.code) and not self._lexed and (grown or not self.open)

    def closes(self, line: str) -> bool:
        text = line.strip()
        return len(text) >= len(self._marker) and set(text) == {self._marker[0]}

    def add(self, line: str, offset: int, out: list[Line]) -> None:
        """One line of code, painted plain."""
        if len(self.code) >= LINES:
            self._hidden += 1
            return
        cut = min(self._column, len(line) - len(line.lstrip(" ")))
        self.code.append((line[cut:], offset + cut))
        self._size += len(line) - cut + 1
        if self._first < 0:
            self._first = len(out)
        out += self._rows(len(self.code) - 1, None)
        self._last = len(out)

    def end(self, out: list[Line]) -> None:
        """It is closed, or the text is over."""
        self.open = False
        if not self.code:
            out += [Line([*self._rail(), Run(" " * self._width, self._ground)])]
        if self._hidden:
            out.append(Line([*self._rail(), self._brush.dim(f"{self._brush.glyphs['ellipsis']} {self._hidden} more")]))
        if self.plain and self._brush.highlighter.get(self.language, self._text):
            self.colour(out)

    def colour(self, out: list[Line]) -> None:
        """Paint its lines in `out` again if its colours are known; else they are wanted."""
        if not self.plain or self._last > len(out):
            return
        text = self._text
        spans = self._brush.highlighter.get(self.language, text)
        if spans is None:
            self._lexed = self._brush.highlighter.hopeless(self.language, text)
            return
        rows: list[Line] = []
        for at in range(len(self.code)):
            rows += self._rows(at, row_of(spans, at))
        out[self._first : self._first + len(rows)] = rows
        self._coloured, self._lexed = self._size, not self.open

    @property
    def _text(self) -> str:
        return "\n".join(line for line, _ in self.code)

    @property
    def _ground(self):
        return self._brush["code-bg"]

    def _rail(self, mark: str = "rail") -> list[Run]:
        rail = Run(f"{self._brush.glyphs[mark]} ", self._brush["rule"])
        return [Run(" " * self._indent), rail] if self._indent else [rail]

    def _rows(self, at: int, spans: list[tuple[int, str]] | None) -> list[Line]:
        line, offset = self.code[at]
        runs = coloured(self._brush, line, offset, spans, self._ground)
        rows: list[Line] = []
        goes_on = at > 0 and self.code[at - 1][1] + len(self.code[at - 1][0]) == offset
        cut = [list(crop(runs, self._width, self._brush.glyphs["cut"], self._brush["rule"]))] if self._cut else None
        for wrapped, row in enumerate(cut or wrap(runs, self._width, words=False)):
            joined = wrapped > 0 or goes_on
            code = padded(Line(row, joined=joined), self._width, self._ground)
            if not at and not wrapped and self.language:
                code = self._labelled(row) or code
            rows.append(code.indented(*self._rail("wrap" if joined else "rail")))
        return rows

    def _labelled(self, row: list[Run]) -> Line | None:
        """The first row with the language at its right edge, if there is room for it."""
        gap = self._width - width_of(row) - cell_len(self.language)
        if gap < 2:
            return None
        label = crop([self._brush.dim(self.language)], self._width)
        return padded(Line([*row, Run(" " * gap), *label]), self._width, self._ground)
