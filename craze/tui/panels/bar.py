"""A line over the composer for a moment that needs a decision: a dead agent, a cancel that hangs, a question of one key."""

from __future__ import annotations

from typing import Final

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from craze.tui.keys import bindings
from craze.tui.lines import DIM
from craze.tui.panels.hint_bar import Hint, button, press_hint
from craze.tui.panels.panel import drawn

DEAD: Final = ("agent.restart", "agent.new", "agent.log", "agent.dismiss")
HANGS: Final = ("cancel.restart", "cancel.new")


class Bar(Widget, can_focus=True):
    """What happened, and the keys that do something about it; the ids that can act now are given."""

    BINDINGS = bindings(*DEAD, *HANGS)
    DEFAULT_CSS = "Bar { height: 1; display: none; background: $panel; }"

    text: reactive[str] = reactive("")
    ids: reactive[tuple[str, ...]] = reactive(())
    hints: reactive[tuple[Hint, ...]] = reactive(())

    class Wanted(Message):
        """`restart`, `new`, `log` or `dismiss`."""

        def __init__(self, what: str) -> None:
            super().__init__()
            self.what = what

    @drawn
    def render(self) -> Content:
        said = Content.assemble(" ", (self.text, "$error"))
        for key, word in self.hints:
            said += Content.styled(" · ", DIM) + button(key, word)
        return said.truncate(self.size.width, ellipsis=True)

    def on_click(self, event: events.Click) -> None:
        press_hint(self, event)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return any(id_.endswith(f".{action}") for id_ in self.ids)

    def action_restart(self) -> None:
        self.post_message(self.Wanted("restart"))

    def action_new(self) -> None:
        self.post_message(self.Wanted("new"))

    def action_log(self) -> None:
        self.post_message(self.Wanted("log"))

    def action_dismiss(self) -> None:
        self.post_message(self.Wanted("dismiss"))
