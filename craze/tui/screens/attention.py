"""Calls the person: the terminal's title, and a notification when something needs them while they look elsewhere."""

from __future__ import annotations

from typing import Final

from craze.engine.view import View
from craze.tui.moment import Moment
from craze.tui.terminal import Mark, Surroundings

LONG: Final = 10.0
"""Seconds of a turn from which on its end is worth a notification."""


def mark_of(view: View) -> Mark:
    if view.asks:
        return "!"
    if view.status in ("error", "stopped"):
        return "✕"
    if view.turn or view.foreign or view.compacting or view.status == "starting":
        return "❖"
    return "✦"


def reason(before: View, after: View, moment: Moment) -> str:
    """Why the person should be called now, "" when nothing happened."""
    if {ask.id for ask in after.asks} - {ask.id for ask in before.asks}:
        return "needs you"
    if after.status == "stopped" and before.status not in ("stopped", "starting"):
        return "the agent is gone"
    if before.turn and not after.turn and moment.turn_took >= LONG:
        return "done"
    return ""


class Attention:
    """Follows the view of one session."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._view: View | None = None

    def show(self, view: View, moment: Moment) -> None:
        before, self._view = self._view, view
        title = view.title or "craze"
        self._around.show(mark_of(view), title)
        if before is not None and (why := reason(before, view, moment)):
            self._around.call(why, title)
