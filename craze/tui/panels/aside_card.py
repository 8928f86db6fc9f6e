"""A side question and its answer: a card that floats over the transcript's upper right corner and takes no keys by itself."""

from __future__ import annotations

from typing import Final

from textual import events
from textual.message import Message
from textual.reactive import reactive

from craze.tui.dialogs.frame import ENDS, SIDES, framed
from craze.tui.dialogs.rows import Hint, Rows, RowsWidget, text_row
from craze.tui.keys import bindings
from craze.tui.lines import DIM
from craze.tui.scrub import line
from craze.tui.transcript.paint.brush import Brush

WIDEST: Final = 72
LEAST: Final = 3
"""Rows of the frame and one of text."""

WAITS: Final = "asked beside the turn…"
WHEEL: Final = 3


class AsideCard(RowsWidget, can_focus=True):
    """Shows one question at a time, the last one that was asked."""

    BINDINGS = bindings("aside.up", "aside.down", "aside.copy", "aside.view", "aside.close")
    DEFAULT_CSS = """
    AsideCard {
        layer: float; position: absolute; display: none; background: $background; color: $foreground;
        width: 10; height: 4;
    }
    """

    question: reactive[str] = reactive("", init=False)
    answer: reactive[str] = reactive("", init=False)
    top: reactive[int] = reactive(0, init=False)
    """The first row of the answer that is shown."""

    class Wanted(Message):
        """`copy`, `view` or `close`."""

        def __init__(self, what: str) -> None:
            super().__init__()
            self.what = what

    def __init__(self) -> None:
        super().__init__(self.rows)
        self.brush: Brush | None = None
        self._most = 0

    def ask(self, question: str) -> None:
        """A question is on its way."""
        self.question, self.answer, self.top, self.display = question, "", 0, True

    def tell(self, question: str, answer: str, brush: Brush) -> None:
        """Its answer; that of an earlier question is not wanted any more."""
        if question == self.question:
            self.brush, self.answer = brush, answer

    def place(self, width: int, height: int) -> None:
        """Take the room that it needs of the upper right `width` x `height` cells."""
        wide = min(width, WIDEST)
        high = max(LEAST, min(height, ENDS + len(self._text(wide - SIDES))))
        self.styles.width, self.styles.height = wide, high
        self.styles.offset = (width - wide, 0)

    # ---- drawing

    def rows(self, width: int, height: int) -> Rows:
        text, room = self._text(width - SIDES), max(1, height - ENDS)
        self._most = max(0, len(text) - room)
        first = min(self.top, self._most)
        right = f"{first + room}/{len(text)}" if self._most else ""
        rule = self.brush["rule"] if self.brush else None
        return framed(width, line(self.question), right, text[first : first + room], self._hints(), rule)

    def _text(self, width: int) -> Rows:
        if not self.answer or self.brush is None:
            return [text_row((WAITS, DIM))]
        from craze.tui.dialogs.call import prose_rows  # the first picture has no card

        return prose_rows(self.answer, width, self.brush)

    def _hints(self) -> list[Hint]:
        """Those that stay come first: a click brings the keyboard here, and its place must not move meanwhile."""
        hints = [Hint("esc", "close", "close")]
        if self.answer:
            hints += [Hint("v", "full", "view"), Hint("y", "copy", "copy")]
            hints += [Hint("↑↓", "scroll") if self.has_focus else Hint("f6", "to it", "focus_it")]
        return hints

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    # ---- keys and mouse

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self._scroll(-WHEEL)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self._scroll(WHEEL)

    def _scroll(self, by: int) -> None:
        self.top = max(0, min(self.top + by, self._most))

    def action_focus_it(self) -> None:
        self.focus()

    def action_up(self) -> None:
        self._scroll(-1)

    def action_down(self) -> None:
        self._scroll(1)

    def action_copy(self) -> None:
        self.post_message(self.Wanted("copy"))

    def action_view(self) -> None:
        self.post_message(self.Wanted("view"))

    def action_close(self) -> None:
        self.post_message(self.Wanted("close"))
