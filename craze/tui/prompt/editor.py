"""The text field of the composer: Textual's editor with whole characters, chips, a kill ring and a size limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rich.cells import split_graphemes
from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget
from textual.widgets import TextArea
from textual.widgets.text_area import Selection

from craze.engine.limits import QUEUE_TEXT
from craze.tui.keys import bindings
from craze.tui.prompt.chips import Chips

Location = tuple[int, int]
_TAKEN: Final = frozenset({"enter", "tab", "shift+tab", "escape"})
"""Keys that Textual's editor would use itself."""


class PromptEditor(TextArea, inherit_bindings=False):
    """What is typed. Keys that mean more than editing are the composer's."""

    BINDINGS = bindings(
        "prompt.left",
        "prompt.right",
        "prompt.word_left",
        "prompt.word_right",
        "prompt.line_start",
        "prompt.line_end",
        "prompt.select_left",
        "prompt.select_right",
        "prompt.select_up",
        "prompt.select_down",
        "prompt.backspace",
        "prompt.delete",
        "prompt.kill_word",
        "prompt.kill_start",
        "prompt.kill_end",
        "prompt.yank",
        "prompt.undo",
        "prompt.redo",
    )
    DEFAULT_CSS = """
    PromptEditor, PromptEditor:focus {
        border: none; padding: 0; background: transparent; height: 1fr; scrollbar-size: 0 0;
        & .text-area--placeholder { color: $thought; }
        & .text-area--selection { background: $selection; }
    }
    """

    class TooLong(Message):
        """The text would pass the limit and was left as it is."""

    class Pasted(Message):
        """A text was pasted, and is not in the draft yet."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, chips: Chips, used: Callable[[events.Key], bool], owner: Widget) -> None:
        """`used`: asked for each key first; True = it was no text. `owner`: has keys of its own for the text."""
        super().__init__(show_line_numbers=False, compact=True, highlight_cursor_line=False, soft_wrap=True)
        self._chips, self._used, self._owner = chips, used, owner
        self.cursor_blink = False  # an idle screen writes nothing
        self.killed = ""

    # ---- what the composer uses

    @property
    def rows(self) -> int:
        """Rows of the screen that the whole text takes."""
        return max(1, self.wrapped_document.height)

    @property
    def on_first_row(self) -> bool:
        return self.cursor_screen_row == 0

    @property
    def on_last_row(self) -> bool:
        return self.cursor_screen_row >= self.wrapped_document.height - 1

    @property
    def cursor_screen_row(self) -> int:
        """The wrapped row of the cursor, from the top of the text."""
        return self.wrapped_document.location_to_offset(self.cursor_location).y

    @property
    def before(self) -> str:
        """What stands in front of the cursor."""
        return self.get_text_range((0, 0), self.cursor_location)

    def set_text(self, text: str, cursor: Location | None = None) -> None:
        """Replace everything in a way that can be undone; the cursor goes to the end."""
        self.replace(text, (0, 0), self.document.end)
        self.move_cursor(cursor if cursor is not None else self.document.end)

    def put(self, text: str) -> bool:
        """Insert at the cursor, in place of a selection; False when that would be too long."""
        if not self.fits(text):
            self.post_message(self.TooLong())
            return False
        result = self.replace(text, *self.selection, maintain_selection_offset=False)
        self.move_cursor(result.end_location)
        return True

    def replace_before(self, count: int, text: str) -> None:
        """Put `text` in place of the `count` characters in front of the cursor, all on its line."""
        row, column = self.cursor_location
        result = self.replace(text, (row, column - count), (row, column), maintain_selection_offset=False)
        self.move_cursor(result.end_location)

    def continue_line(self) -> bool:
        """A backslash in front of the cursor becomes a line's end."""
        if not self.before.endswith("\\"):
            return False
        self.replace_before(1, "\n")
        return True

    def expand_chip(self) -> bool:
        """A paste under the cursor becomes its text."""
        row, column = self.cursor_location
        place = self._chips.at(self.document[row], column + 1)
        if place is None or place[0] != column or place[2].kind != "paste":
            return False
        self.replace(place[2].content, (row, place[0]), (row, place[1]), maintain_selection_offset=False)
        return True

    def fits(self, text: str) -> bool:
        if len(text) + len(self.text) < QUEUE_TEXT // 4:
            return True
        return len((self.text + text).encode(errors="replace")) <= QUEUE_TEXT

    # ---- Textual's editor, where it differs

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        for start, end, _ in self._chips.in_text(line.plain):
            line.stylize("reverse", start, end)
        return line

    def get_cursor_left_location(self) -> Location:
        row, column = self.cursor_location
        if column == 0:
            return super().get_cursor_left_location()
        text = self.document[row]
        chip = self._chips.at(text, column)
        return (row, chip[0]) if chip else (row, _boundaries(text[:column])[-2])

    def get_cursor_right_location(self) -> Location:
        row, column = self.cursor_location
        text = self.document[row]
        if column >= len(text):
            return super().get_cursor_right_location()
        chip = self._chips.at(text, column + 1)
        return (row, chip[1]) if chip else (row, column + _boundaries(text[column:])[1])

    async def _on_key(self, event: events.Key) -> None:
        if self._used(event) or (not event.is_printable and await self._bound(event.key)):
            event.stop()
            event.prevent_default()
        elif event.key in _TAKEN or event.key.startswith("alt+"):
            # A letter with alt has a character too, and types none.
            self._restart_blink()
            event.prevent_default()
        elif event.is_printable and event.character and not self.fits(event.character):
            self.post_message(self.TooLong())
            event.stop()
            event.prevent_default()

    async def _bound(self, key: str) -> bool:
        """Do what a key means here: on its way up to the app the letters typed behind it would overtake it."""
        bound = self.screen.active_bindings.get(key)
        if bound is None or not bound.enabled or bound.node not in (self, self._owner):
            return False
        return await self.app.run_action(bound.binding.action, bound.node)  # pyright: ignore[reportUnknownMemberType]

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.post_message(self.Pasted(event.text))

    # ---- actions

    def action_cursor_right(self, select: bool = False) -> None:
        self.suggestion = ""
        super().action_cursor_right(select)

    def action_kill_word(self) -> None:
        self._kill(self.get_cursor_word_left_location())

    def action_kill_start(self) -> None:
        self._kill((self.cursor_location[0], 0))

    def action_kill_end(self) -> None:
        row, column = self.cursor_location
        end = (row, len(self.document[row]))
        at_end = column == end[1] and row + 1 < self.document.line_count
        self._kill((row + 1, 0) if at_end else end)

    def action_yank(self) -> None:
        if self.killed:
            self.put(self.killed)

    def _kill(self, to: Location) -> None:
        if not self.selection.is_empty:
            to, start = self.selection
        else:
            start = self.cursor_location
        low, high = min(start, to), max(start, to)
        if cut := self.get_text_range(low, high):
            self.killed = cut
            self.delete(low, high, maintain_selection_offset=False)
            self.selection = Selection.cursor(low)


def _boundaries(text: str) -> list[int]:
    """Where whole characters begin and end, 0 included."""
    spans, _ = split_graphemes(text)
    return [0, *(end for _, end, _ in spans)]
