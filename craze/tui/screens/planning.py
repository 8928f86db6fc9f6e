"""Whether there is a plan to be carried out now. Pure."""

from __future__ import annotations

import re
from typing import Final

from craze.engine.slash import mode_kind
from craze.engine.view import View
from craze.tui.moment import Moment
from craze.tui.panels.status_bar import mode_of, option

_STEP: Final = re.compile(r"^\s*\d+[.)]\s+\S", re.MULTILINE)
_PLAN_HEAD: Final = re.compile(r"^(?:#|\*\*).*\bplan\b", re.MULTILINE | re.IGNORECASE)


def planned(view: View, moment: Moment) -> bool:
    """Whether a turn of a plan mode has just ended with a text, where another mode can carry plans out."""
    found = option(view.state, "mode")
    kinds = {each.value: mode_kind(each.value, each.name) for each in (found.select_values if found else ())}
    planning = kinds.get(mode_of(view.state)[0]) == "plan" and "implement" in kinds.values()
    return planning and moment.ended_well and moment.said and not view.queue and not view.asks


def is_plan(text: str) -> bool:
    """Whether a message reads as a plan, numbered steps or a heading that says so; a mere answer is nothing to do."""
    return len(_STEP.findall(text)) > 1 or _PLAN_HEAD.search(text) is not None
