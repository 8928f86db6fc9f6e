"""The list that floats over the transcript while something is completed: commands, files, earlier prompts."""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from craze.tui.fit import is_short
from craze.tui.lines import DIM, cells, spread, stack
from craze.tui.panels.panel import drawn
from craze.tui.scrub import cut

ROWS: Final = 8
ROWS_SHORT: Final = 5


class Row(Struct, frozen=True):
    """A line of the menu: what it is called, an argument hint, what it is, and a word at the right."""

    name: str
    hint: str = ""
    about: str = ""
    tag: str = ""
    dim: bool = False


class Menu(Widget):
    """Rows under a cursor; the composer gives them and reads the cursor."""

    DEFAULT_CSS = "Menu { layer: float; position: absolute; background: $surface; display: none; }"

    rows: reactive[tuple[Row, ...]] = reactive(())
    cursor: reactive[int] = reactive(0)

    class Chosen(Message):
        """A row was clicked."""

    def validate_cursor(self, cursor: int) -> int:
        return max(0, min(cursor, len(self.rows) - 1))

    def open(self, rows: tuple[Row, ...], cursor: int = 0) -> None:
        """Show these rows; none closes the menu."""
        self.rows = rows
        self.cursor = cursor
        self.display = bool(rows)

    def close(self) -> None:
        self.open(())

    def move(self, by: int) -> None:
        """Up or down, around the ends."""
        if self.rows:
            self.cursor = (self.cursor + by) % len(self.rows)

    def wished(self, height: int) -> int:
        """Lines of the screen that it takes."""
        most = ROWS_SHORT if is_short(height) else ROWS
        return min(len(self.rows), most) if self.display else 0

    @drawn
    def render(self) -> Content:
        height, width = self.size.height, self.size.width
        shown = self._window(height)
        names = min(max((cells(_head(self.rows[at])) for at in shown), default=0), max(12, width * 2 // 5))
        return stack([self._line(at, shown, names, width) for at in shown])

    def _window(self, height: int) -> range:
        first = max(0, min(self.cursor - height // 2, len(self.rows) - height))
        return range(first, min(first + height, len(self.rows)))

    def _line(self, at: int, shown: range, names: int, width: int) -> Content:
        row = self.rows[at]
        here = at == self.cursor
        name, hint = cut(row.name, names), cut(row.hint, max(0, names - cells(row.name) - 1))
        gap = " " * (names - cells(name) - cells(hint) - bool(hint) + 2)
        style = DIM if row.dim else "bold" if here else ""
        left = Content.assemble(
            "▸ " if here else "  ", (name, style), (" " + hint if hint else "", DIM), gap, (row.about, DIM)
        )
        right = Content.styled(f" {row.tag}{self._edge(at, shown)}", DIM)
        said = spread(width, left, right)
        return said.stylize("on $boost") if here else said

    def _edge(self, at: int, shown: range) -> str:
        """`k/n` where there are more, and which way they are."""
        if len(self.rows) <= len(shown):
            return ""
        if at == self.cursor:
            return f" {at + 1}/{len(self.rows)}"
        up, down = at == shown.start > 0, at == shown.stop - 1 < len(self.rows) - 1
        return " ▲" if up else " ▼" if down else ""

    def on_click(self, event: events.Click) -> None:
        shown = self._window(self.size.height)
        if event.y < len(shown):
            self.cursor = shown[event.y]
            self.post_message(self.Chosen())


def _head(row: Row) -> str:
    return f"{row.name} {row.hint}".rstrip()
