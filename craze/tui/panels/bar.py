"""A line over the composer for a moment that needs a decision: a dead agent, a cancel that hangs, a question of one key."""

from __future__ import annotations

from typing import Final

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from craze.tui.keys import bindings
from craze.tui.lines import DIM, cells
from craze.tui.panels.hint_bar import Hint, button, press_hint
from craze.tui.panels.panel import drawn
from craze.tui.scrub import cut

DEAD: Final = ("agent.restart", "agent.new", "agent.log", "agent.dismiss")
HANGS: Final = ("cancel.restart", "cancel.new")
LEAST: Final = 12
"""Cells of the words below which they are left out."""


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
        """Where there is no room for all the words give way, then the last keys: the transcript has the words too."""
        width = self.size.width
        room = width - 1 - sum(cells(f" · {key} {word}") for key, word in self.hints)
        words = self.text if cells(self.text) <= room else cut(self.text, room) if room >= LEAST else ""
        said = Content.assemble(" ", (words, "$error"))
        for key, word in self.hints:
            more = Content.styled(" · ", DIM) if said.plain.strip() else Content("")
            more += button(key, word)
            if said.cell_length + more.cell_length > width:
                break
            said += more
        return said

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
