"""Tokens and money: what a turn spent, the session so far, how full the context is. Pure.

The agent's totals count sub-agents, compactions and aborted calls, its usage of a turn does not: what a turn spent is
the growth of the totals, which begin with a process, or go on over a resume where the agent says what is new.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from craze.engine.facts import Cost, Fact, SpendPart, UsageFact, fact
from craze.providers.control.types import ModelSpend, Result, Tokens

_PICO: Final = Decimal(10) ** 12
_FULL: Final = 0.75
_COUNTS: Final = ("input", "output", "reasoning", "cache_read", "cache_creation", "cost_pico_usd")


class Spent(Struct, frozen=True, rename="camel"):
    """Tokens as billed and their price in picodollars; `unpriced`: some of it has no price."""

    input: int = 0
    output: int = 0
    reasoning: int = 0
    cache_read: int = 0
    cache_creation: int = 0
    cost_pico_usd: int = 0
    unpriced: bool = False

    def plus(self, more: Spent) -> Spent:
        counts = {name: getattr(self, name) + getattr(more, name) for name in _COUNTS}
        return Spent(**counts, unpriced=self.unpriced or more.unpriced)

    def since(self, last: Spent) -> Spent:
        """The growth since the last total; one that fell is a new start."""
        counts = {name: getattr(self, name) - getattr(last, name) for name in _COUNTS}
        return self if min(counts.values()) < 0 else Spent(**counts, unpriced=self.unpriced)

    def part(self) -> SpendPart:
        return SpendPart(**asdict(self))


class Usage:
    """The usage of one session. `before`: what it had spent, by the names of its last fact."""

    def __init__(self, before: Mapping[str, int] | None = None) -> None:
        self._session = msgspec.convert(before or {}, Spent)
        self._totals: dict[str, Spent] = {}
        self._turn: Spent | None = None
        self._context: int | None = None
        self._window: int | None = None
        self._told: Fact | None = None

    @property
    def nearly_full(self) -> bool:
        """Whether the context is known to be so full that an agent makes room before it asks its model again."""
        return bool(self._window) and (self._context or 0) >= _FULL * (self._window or 0)

    @property
    def has_room(self) -> bool:
        """Whether the context is known to be far from full."""
        return bool(self._window) and self._context is not None and not self.nearly_full

    def renew(self) -> None:
        """Another process counts from its own beginning."""
        self._totals = {}

    def call(self, tokens: Tokens, *, whole: bool) -> list[Fact]:
        """A model call of the main transcript; `whole`: with its real output."""
        cached = (tokens.cache_read_input_tokens or 0) + (tokens.cache_creation_input_tokens or 0)
        self._context = tokens.input_tokens + cached + (tokens.output_tokens if whole else 0)
        return self._news() if whole else []

    def compacted(self, tokens: int) -> list[Fact]:
        self._context = tokens or self._context
        return self._news()

    def result(self, line: Result, model: str) -> list[Fact]:
        """The end of a turn, ours or not. `model`: the one in use, whose context counts."""
        totals = line.model_usage or {}
        if line.since_last is not None:
            parts = [_spent(each) for each in line.since_last.values()]
        else:
            parts = [_spent(each).since(self._totals.get(name, Spent())) for name, each in totals.items()]
        self._totals = {name: _spent(each) for name, each in totals.items()}
        self._window = _window(totals, model) or self._window
        if totals or line.since_last:
            self._turn = _sum(parts)
            self._session = self._session.plus(self._turn)
        return self._news()

    def _news(self) -> list[Fact]:
        cost = Decimal(self._session.cost_pico_usd) / _PICO
        said = fact(
            UsageFact(
                source="agent",
                context_tokens=self._context,
                context_window=self._window,
                turn=self._turn.part() if self._turn else None,
                session=self._session.part() if self._turn else None,
                cost=Cost(amount=f"{cost.normalize():f}", currency="USD") if self._turn else None,
            )
        )
        if said in (self._told, _NOTHING):
            return []
        self._told = said
        return [said]


_NOTHING: Final = fact(UsageFact(source="agent"))


def _window(totals: Mapping[str, ModelSpend], model: str) -> int:
    spend = totals.get(model)
    return spend.context_window if spend else max((each.context_window for each in totals.values()), default=0)


def _spent(told: ModelSpend) -> Spent:
    known = told.cost is not None and told.cost.is_finite()
    cost = told.cost if known and told.cost is not None else Decimal(0)
    return Spent(
        input=told.input_tokens,
        output=told.output_tokens,
        reasoning=told.thinking_tokens,
        cache_read=told.cache_read_input_tokens,
        cache_creation=told.cache_creation_input_tokens,
        cost_pico_usd=int((cost * _PICO).to_integral_value(ROUND_HALF_UP)),
        unpriced=not known or told.cost_basis == "unknown",
    )


def _sum(parts: Iterable[Spent]) -> Spent:
    total = Spent()
    for part in parts:
        total = total.plus(part)
    return total
