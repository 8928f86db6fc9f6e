"""The head of a sub-agent's transcript, and the line of keys that stands in place of the composer meanwhile."""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from craze.codec import Subagent
from craze.tui.keys import bindings
from craze.tui.lines import DIM, row
from craze.tui.panels.hint_bar import Hint, press_hint
from craze.tui.panels.hint_bar import line as hint_line
from craze.tui.panels.panel import drawn
from craze.tui.panels.roster_view import elapsed, name, sign
from craze.tui.scrub import line


class ChildBanner(Widget):
    """`explore (reads the code) ◐ 0:31`."""

    DEFAULT_CSS = "ChildBanner { height: 1; display: none; background: $panel; }"

    agent: reactive[Subagent | None] = reactive(None)

    def __init__(self, now: Callable[[], float], *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._now = now

    @drawn
    def render(self) -> Content:
        if self.agent is None:
            return Content("")
        agent = self.agent
        about = f" ({line(agent.description)})" if agent.description and agent.description != name(agent) else ""
        return row(
            self.size.width,
            " ",
            (name(agent), "bold"),
            (about, DIM),
            " ",
            sign(agent),
            f" {elapsed(agent, self._now())}",
        )


class ChildKeys(Widget, can_focus=True):
    """Has the keyboard while a sub-agent is looked at."""

    BINDINGS = bindings("child.leave", "child.next", "child.previous", "child.stop")
    DEFAULT_CSS = "ChildKeys { height: 1; display: none; color: $thought; }"

    hints: reactive[tuple[Hint, ...]] = reactive(())
    stoppable: reactive[bool] = reactive(False)

    class Wanted(Message):
        """`leave`, `next`, `previous` or `stop`."""

        def __init__(self, what: str) -> None:
            super().__init__()
            self.what = what

    @drawn
    def render(self) -> Content:
        return hint_line(self.hints, self.size.width)

    def on_click(self, event: events.Click) -> None:
        press_hint(self, event)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.stoppable if action == "stop" else True

    def action_leave(self) -> None:
        self.post_message(self.Wanted("leave"))

    def action_next(self) -> None:
        self.post_message(self.Wanted("next"))

    def action_previous(self) -> None:
        self.post_message(self.Wanted("previous"))

    def action_stop(self) -> None:
        self.post_message(self.Wanted("stop"))
