"""The frame of a dialog: a title and a count above, the keys below; and the dialog that holds one framed widget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from msgspec.structs import replace
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.strip import Strip

from craze.tui.dialogs.rows import Hint, Row, Rows, RowsWidget, hint_row, indented
from craze.tui.fit import is_narrow
from craze.tui.lines import cells
from craze.tui.scrub import cut

T = TypeVar("T")
SIDES: Final = 4
"""Cells that the frame takes of a row."""
ENDS: Final = 2
WIDEST: Final = 100


def framed(
    width: int, title: str, right: str, rows: Iterable[Row], hints: Sequence[Hint], rule: Style | None = None
) -> Rows:
    """Rows inside of a frame, their hits moved along. `rule`: the style of the sides of rows that a painter drew."""
    inside = width - SIDES
    return [_top(width, title, right), *(_side(row, inside, rule) for row in rows), _bottom(width, hints)]


def _top(width: int, title: str, right: str) -> Row:
    right = f" {right} " if right and cells(right) + 12 < width else ""
    said = cut(title, width - cells(right) - 8)
    fill = "─" * max(0, width - cells(said) - cells(right) - 5)
    return Row(
        Content.assemble(("┌ ", "$rule"), (said, "bold"), (f" {fill}", "$rule"), (right, "$thought"), ("─┐", "$rule"))
    )


def _side(row: Row, inside: int, rule: Style | None) -> Row:
    if not isinstance(row.text, Content):
        left, right = Strip([Segment("│ ", rule)], 2), Strip([Segment(" │", rule)], 2)
        moved = indented([row], 2)[0]
        return replace(moved, text=Strip.join([left, row.text.adjust_cell_length(inside), right]))
    text = row.text.truncate(inside, ellipsis=True, pad=True)
    text = text.stylize_before(row.ground) if row.ground else text
    moved = indented([replace(row, text=text)], 2)[0]
    assert isinstance(moved.text, Content)
    return Row(Content.assemble(("│ ", "$rule"), text, (" │", "$rule")), moved.hits)


def _bottom(width: int, hints: Sequence[Hint]) -> Row:
    row = hint_row(width - 4, hints, "")
    assert isinstance(row.text, Content)
    if not hints:
        return Row(Content.styled(f"└{'─' * max(0, width - 2)}┘", "$rule"))
    fill = "─" * max(0, width - row.text.cell_length - 4)
    text = Content.assemble(("└ ", "$rule"), row.text, (f" {fill}┘", "$rule"))
    return Row(text, indented([row], 2)[0].hits)


class Box(RowsWidget, can_focus=True):
    """A framed widget. `wish`: the cells and rows that it would like on a screen of a width and a height."""

    DEFAULT_CSS = "Box { background: $background; color: $foreground; width: 60; height: 10; }"

    class Resized(Message):
        """It wishes for another size."""

    def __init__(self, rows: Callable[[int, int], Rows], wish: Callable[[int, int], tuple[int, int]]) -> None:
        super().__init__(rows)
        self.wish = wish


class Dialog(ModalScreen[T], inherit_bindings=False):
    """One box over the screen. A click outside of it closes the dialog and applies nothing."""

    DEFAULT_CSS = "Dialog { align: center middle; background: $background 50%; }"

    def __init__(self, box: Box) -> None:
        super().__init__()
        self.box = box
        self._most = (0, 0)
        """The largest size so far: a dialog does not shrink under the eye."""

    def compose(self) -> ComposeResult:
        yield self.box

    def on_mount(self) -> None:
        self.fit()
        self.box.focus()

    def on_resize(self) -> None:
        self._most = (0, 0)
        self.fit()

    def fit(self) -> None:
        """Give the box its place: on a narrow screen the whole width."""
        width, height = self.size
        wide, high = self.box.wish(min(width, WIDEST) if not is_narrow(width) else width, height)
        self._most = (max(wide, self._most[0]), max(high, self._most[1]))
        self.box.styles.width = width if is_narrow(width) else min(self._most[0], width)
        self.box.styles.height = max(3, min(self._most[1], height))

    def on_box_resized(self) -> None:
        self.fit()

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.action_close()

    def action_close(self) -> None:
        self.dismiss(None)
