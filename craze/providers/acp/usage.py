"""Tokens, context and cost as an agent reports them, for the fact `usage`; pure."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, InvalidOperation, Overflow

from msgspec import Raw

from craze.engine.facts import Cost, Fact, SpendPart, UsageFact, fact
from craze.providers.acp.decode import value_of
from craze.providers.acp.results import Tokens
from craze.providers.acp.types import Money, UsageUpdate

_PICODOLLAR = Decimal("1e-12")
_DIGITS = 30  # of an amount that somebody may mean, before the point and behind it
_NAMES = {
    "input": "input_tokens",
    "output": "output_tokens",
    "reasoning": "thought_tokens",
    "cache_read": "cached_read_tokens",
    "cache_creation": "cached_write_tokens",
}


class Usage:
    """What was reported so far; what an agent leaves out keeps its value."""

    def __init__(self, *, totals: bool = False) -> None:
        self.totals = totals
        self._context: int | None = None
        self._window: int | None = None
        self._cost: Cost | None = None
        self._turn: dict[str, int] = {}
        self._session: dict[str, int] = {}
        self._last_total: dict[str, int] = {}
        self._told: Fact | None = None

    def update(self, update: UsageUpdate) -> list[Fact]:
        self._context = _counted(update.used, self._context)
        self._window = _counted(update.size, self._window)
        self._cost = _cost(update.cost) or self._cost
        return self._news()

    def turn(self, tokens: Tokens | None) -> list[Fact]:
        """The usage of a prompt's answer."""
        read: dict[str, int | None] = {name: getattr(tokens, key, None) for name, key in _NAMES.items()}
        told = {name: value for name, value in read.items() if value is not None and value >= 0}
        if not told:
            return []
        self._turn = self._growth(told) if self.totals else told
        for name, value in self._turn.items():
            self._session[name] = self._session.get(name, 0) + value
        return self._news()

    def _growth(self, total: dict[str, int]) -> dict[str, int]:
        """This total without the last one; one that fell is a new start."""
        last, self._last_total = self._last_total, total
        if any(value < last.get(name, 0) for name, value in total.items()):
            last = {}
        return {name: value - last.get(name, 0) for name, value in total.items()}

    def _news(self) -> list[Fact]:
        said = fact(
            UsageFact(
                source="agent",
                context_tokens=self._context,
                context_window=self._window,
                turn=_spend(self._turn),
                session=_spend(self._session),
                cost=self._cost,
            )
        )
        if said == self._told or said == _NOTHING:
            return []
        self._told = said
        return [said]


def _counted(number: int | None, before: int | None) -> int | None:
    return before if number is None or number < 0 else number


_NOTHING = fact(UsageFact(source="agent"))


def _spend(parts: dict[str, int]) -> SpendPart | None:
    if not parts:
        return None
    return SpendPart(
        input=parts.get("input"),
        output=parts.get("output"),
        reasoning=parts.get("reasoning"),
        cache_read=parts.get("cache_read"),
        cache_creation=parts.get("cache_creation"),
    )


def _cost(money: Money | None) -> Cost | None:
    """The amount as the exact decimal text of its number; never through a float."""
    if money is None or not isinstance(money.amount, Raw):
        return None
    raw = bytes(money.amount).decode("utf-8", "replace")
    value = value_of(money.amount)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    currency = money.currency or "USD"
    try:
        amount = Decimal(value if isinstance(value, str) else raw)
        if currency == "USD":
            amount = amount.quantize(_PICODOLLAR, ROUND_HALF_UP)
    except (InvalidOperation, Overflow):
        return None
    if not amount.is_finite() or not -_DIGITS < amount.adjusted() < _DIGITS:
        return None
    return Cost(amount=f"{amount.normalize():f}", currency=currency)
