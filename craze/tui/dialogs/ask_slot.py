"""The place of the ask panels: one panel for each open ask, of which one is shown.

The oldest ask comes first; the person may turn to the next one, and each answer turns back to the oldest. A panel is
drawn at once and gets the keyboard only when the composer has been quiet, or when the person asks for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Final

from textual.message import Message
from textual.widget import Widget

from craze.codec import Permission, Plan, Question
from craze.engine.answers import OpenAsk
from craze.engine.view import View
from craze.tui.dialogs.ask_panel import AskPanel
from craze.tui.dialogs.context import context
from craze.tui.transcript.paint.brush import Brush

QUIET: Final = 0.7
"""Seconds without a key in the composer after which a panel takes the keyboard."""


class AskSlot(Widget):
    """Shows the asks of a view. `idle` tells how long the composer has had no key; None while the keyboard is elsewhere;
    `brush` gives what texts are painted with; `locked`: the asks of a recording, which nothing here answers;
    `agent` is what the person calls the agent."""

    DEFAULT_CSS = "AskSlot { height: auto; display: none; } AskSlot.-open { display: block; }"

    class Emptied(Message):
        """The last ask is gone while its panel had the keyboard."""

    def __init__(
        self,
        idle: Callable[[], float | None],
        brush: Callable[[], Brush],
        *,
        now: Callable[[], float] = time.monotonic,
        locked: bool = False,
        agent: str = "",
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self._idle, self._brush, self._now, self._locked, self._agent = idle, brush, now, locked, agent
        self._panels: dict[str, AskPanel] = {}
        self._shown = ""

    @property
    def panel(self) -> AskPanel | None:
        """The panel that is shown."""
        return self._panels.get(self._shown)

    def show(self, view: View) -> None:
        """Bring the panels up to the open asks."""
        held = self.panel is not None and self.panel.has_focus
        gone = [id_ for id_ in self._panels if all(ask.id != id_ for ask in view.asks)]
        for id_ in gone:
            self._panels.pop(id_).remove()
        for ask in view.asks:
            panel = self._panels.get(ask.id)
            if panel is None:
                panel = self._panels[ask.id] = self._made(ask, view)
                panel.display = False
                panel.locked, panel.can_focus = self._locked, not self._locked
                self.mount(panel)
            else:
                panel.take_ask(ask)
                panel.brush = self._brush()
                panel.context = context(view, ask, panel.context.tool, self._agent)
        if self._shown not in self._panels:
            self._turn_to(view.asks[0].id if view.asks else "", keyboard=held)
        self.set_class(bool(self._panels), "-open")
        if held and not self._panels:
            self.post_message(self.Emptied())

    def next(self) -> None:
        """Turn to the next open ask."""
        ids = list(self._panels)
        if len(ids) > 1:
            self._turn_to(ids[(ids.index(self._shown) + 1) % len(ids)], keyboard=True)

    def take(self) -> None:
        """Give the keyboard to the panel."""
        if self.panel is not None and not self._locked:
            self.panel.focus()

    def refused(self, ask: str, detail: Mapping[str, str]) -> None:
        """An answer did not fit; its panel comes back with it."""
        if panel := self._panels.get(ask):
            panel.refused(detail)

    def wished(self, width: int) -> tuple[int, int]:
        """Rows that the panel would like, and the least that it can be answered in."""
        return (self.panel.wished(width), self.panel.least(width)) if self.panel else (0, 0)

    def _made(self, ask: OpenAsk, view: View) -> AskPanel:
        # Not before there is an ask: the first picture has none.
        from craze.tui.dialogs.permission import PermissionPanel
        from craze.tui.dialogs.plan import PlanPanel
        from craze.tui.dialogs.question import QuestionPanel

        told, brush = context(view, ask, agent=self._agent), self._brush()
        match ask.body:
            case Permission():
                return PermissionPanel(ask, told, brush, self._now)
            case Question():
                return QuestionPanel(ask, told, brush, self._now)
            case Plan():
                return PlanPanel(ask, told, brush, self._now)

    def _turn_to(self, id_: str, *, keyboard: bool) -> None:
        self._shown = id_
        for each, panel in self._panels.items():
            panel.display = each == id_
        if self.panel is None:
            return
        if keyboard:
            self.screen.call_after_refresh(self.take)
        else:
            self._wait()

    def _wait(self) -> None:
        """Take the keyboard when the composer has been quiet for long enough."""
        idle = self._idle()
        if self.panel is None or self.panel.has_focus or self._locked:
            return
        if idle is not None and idle >= QUIET and self.screen.is_active:
            self.take()
        else:
            self.set_timer(QUIET - idle if idle is not None and idle < QUIET else QUIET, self._wait)
