"""A line of keys over the composer for a moment that needs a decision: a dead agent, a confirmation of one key."""

from __future__ import annotations

from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from craze.tui.keys import bindings
from craze.tui.lines import DIM, row
from craze.tui.panels.hint_bar import Hint


class Bar(Widget, can_focus=True):
    """The state of an agent that is gone, and what can be done about it."""

    BINDINGS = bindings("agent.restart", "agent.new", "agent.log", "agent.dismiss")
    DEFAULT_CSS = "Bar { height: 1; display: none; background: $panel; }"

    text: reactive[str] = reactive("")
    hints: reactive[tuple[Hint, ...]] = reactive(())

    class Wanted(Message):
        """`restart`, `new`, `log` or `dismiss`."""

        def __init__(self, what: str) -> None:
            super().__init__()
            self.what = what

    def render(self) -> Content:
        parts: list[str | tuple[str, str]] = [" ", (self.text, "$error")]
        for key, word in self.hints:
            parts += [(" · ", DIM), (key, "bold"), f" {word}"]
        return row(self.size.width, *parts)

    def action_restart(self) -> None:
        self.post_message(self.Wanted("restart"))

    def action_new(self) -> None:
        self.post_message(self.Wanted("new"))

    def action_log(self) -> None:
        self.post_message(self.Wanted("log"))

    def action_dismiss(self) -> None:
        self.post_message(self.Wanted("dismiss"))
