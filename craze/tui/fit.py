"""How many rows each part of the chat screen gets: `(size, wishes) -> rows`.

Pure, and the only place that knows in which order parts give way when there is not enough room.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

SMALLEST: Final = (40, 12)
SHORT: Final = 30
NARROW: Final = 80
TRANSCRIPT: Final = 3
"""Rows that the transcript keeps whatever happens."""


class Wishes(Struct, frozen=True):
    """Rows that each part would like. `composer` counts text rows; its two rules come on top unless it is `bare`
    (an ask is open, or a sub-agent is looked at: one line without rules). `ask_least` is title, options and keys."""

    todos: int = 0
    agents: int = 0
    queue: int = 0
    activity: int = 0
    ask: int = 0
    ask_least: int = 0
    composer: int = 1
    bare: bool = False
    bar: int = 0
    """A line that stands above the composer: the search line, or what can be done with a dead agent."""
    inline: int = 0
    """Rows of a menu that must not float."""
    hints: int = 1


class Rows(Struct, frozen=True):
    """Rows that each part gets; they add up to the height. `merged`: the activity stands in the status row;
    `counted`: agents are hidden and counted there; `cropped`: the ask shows only what must be read to answer."""

    transcript: int
    todos: int
    agents: int
    queue: int
    activity: int
    ask: int
    bar: int
    composer: int
    inline: int
    status: int
    hints: int
    merged: bool = False
    counted: bool = False
    cropped: bool = False


class _Plan(Struct, frozen=True):
    wishes: Wishes
    hints: int = 1
    merged: bool = False
    counted: bool = False
    cropped: bool = False
    ask: int = 0
    """Rows that an ask which gave way would have liked."""

    def all(self) -> int:
        wishes = self.wishes
        rules = 0 if wishes.bare else 2
        activity = 0 if self.merged else wishes.activity
        return (
            TRANSCRIPT
            + (wishes.todos + wishes.agents + wishes.queue + activity + wishes.ask + wishes.bar + wishes.inline)
            + (wishes.composer + rules + 1 + self.hints)
        )


def is_short(height: int) -> bool:
    return height < SHORT


def is_narrow(width: int) -> bool:
    return width < NARROW


def too_small(width: int, height: int) -> bool:
    return width < SMALLEST[0] or height < SMALLEST[1]


def composer_most(height: int) -> int:
    """The most text rows of the composer."""
    return 3 if is_short(height) else 6


def fit(height: int, wishes: Wishes) -> Rows:
    """Rows of each part, from the top of the screen to its bottom."""
    plan = _Plan(wishes, hints=wishes.hints)
    for number, step in enumerate(_STEPS, 1):
        if plan.all() > height or (is_short(height) and number in _WHEN_SHORT):
            plan = step(plan)
    return _rows(height, plan)


def _rows(height: int, plan: _Plan) -> Rows:
    wishes = plan.wishes
    composer = wishes.composer + (0 if wishes.bare else 2)
    activity = 0 if plan.merged else wishes.activity
    left = height - TRANSCRIPT - composer - 1 - plan.hints
    bar = min(wishes.bar, left)
    others = activity + wishes.queue + wishes.inline + wishes.todos + wishes.agents
    ask = min(max(wishes.ask, min(plan.ask, left - bar - others)), left := left - bar)
    activity = min(activity, left := left - ask)
    queue = min(wishes.queue, left := left - activity)
    inline = min(wishes.inline, left := left - queue)
    todos = min(wishes.todos, left := left - inline)
    agents = min(wishes.agents, left := left - todos)
    return Rows(
        transcript=TRANSCRIPT + left - agents,
        todos=todos,
        agents=agents,
        queue=queue,
        activity=activity,
        ask=ask,
        bar=bar,
        composer=composer,
        inline=inline,
        status=1,
        hints=plan.hints,
        merged=plan.merged and bool(wishes.activity),
        counted=plan.counted or agents < wishes.agents,
        cropped=plan.cropped or ask < wishes.ask,
    )


def _limit(part: str, most: int) -> Callable[[_Plan], _Plan]:
    def step(plan: _Plan) -> _Plan:
        wished = min(getattr(plan.wishes, part), most)
        return replace(plan, wishes=replace(plan.wishes, **{part: wished}))

    return step


def _hide_agents(plan: _Plan) -> _Plan:
    return replace(plan, wishes=replace(plan.wishes, agents=0), counted=plan.wishes.agents > 0)


def _crop_ask(plan: _Plan) -> _Plan:
    """To what must be read to answer, and as much of the rest as there is room for."""
    wished = plan.wishes.ask
    least = min(wished, plan.wishes.ask_least)
    return replace(plan, wishes=replace(plan.wishes, ask=least), cropped=least < wished, ask=wished)


_STEPS: Final[tuple[Callable[[_Plan], _Plan], ...]] = (
    _limit("agents", 2),
    _limit("todos", 1),
    _limit("composer", 3),
    _limit("queue", 2),
    _hide_agents,
    _limit("todos", 0),
    lambda plan: replace(plan, hints=0),
    lambda plan: replace(plan, merged=True),
    _crop_ask,
)
_WHEN_SHORT: Final = frozenset({1, 2, 3, 7, 8})
