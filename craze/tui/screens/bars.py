"""What the bar over the composer says: an agent that is gone, or one that does not stop. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from craze.codec import SlashItem
from craze.engine.limits import CANCEL_OFFER
from craze.engine.view import View
from craze.tui.moment import Moment
from craze.tui.panels.bar import DEAD
from craze.tui.scrub import line
from craze.tui.told import stopping
from craze.tui.words import clock

_FIXES: Final = {
    "auth": ("connect", "/connect signs in"),
    "context_too_large": ("compact", "/compact makes room"),
    "model_not_found": ("model", "/model chooses another"),
}
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
    # Its last words stand in the transcript; the keys have to fit behind it here.
    said = line(moment.error.message.partition("\n")[0]) if moment.error else "the agent is gone"
    if said == dismissed:
        return None
    return said, DEAD if reopens else DEAD[1:]


def fix(view: View, shown: Sequence[SlashItem]) -> str:
    """What may help after a turn that failed, when there is a command for it; "" otherwise."""
    turn = view.last.turn if view.last else None
    name, said = _FIXES.get(turn.err_class if turn else "", ("", ""))
    return said if any(row.name == name for row in shown) else ""
