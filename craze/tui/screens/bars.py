"""What the bar over the composer says: an agent that is gone, or one that does not stop. Pure."""

from __future__ import annotations

from typing import Final

from craze.engine.limits import CANCEL_OFFER
from craze.engine.view import View
from craze.tui.moment import Moment
from craze.tui.panels.bar import DEAD
from craze.tui.scrub import line
from craze.tui.told import stopping
from craze.tui.words import clock

HANGS: Final = "the agent does not stop"


def bar(view: View, moment: Moment, *, now: float, dismissed: str, ready: bool) -> tuple[str, tuple[str, ...]] | None:
    """The text and the ids of the keys that can act now; None when there is nothing to decide.

    Args:
        dismissed: The text that the person has put away.
        ready: The agent has been ready before; a start that failed has a screen of its own.
    """
    reopens = "reopen" in view.info.can
    since = stopping(view)
    if since and now - since >= CANCEL_OFFER:
        return f"{HANGS} · {clock(now - since)}", ("cancel.restart",) if reopens else ("cancel.new",)
    if view.status != "stopped" or not ready:
        return None
    said = line(moment.error.message) if moment.error else "the agent is gone"
    if said == dismissed:
        return None
    return said, DEAD if reopens else DEAD[1:]
