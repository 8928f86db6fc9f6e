"""Numbers and times as the screen writes them. Pure."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Final

from craze.engine.facts import Cost, SpendPart

_SIGNS: Final = {"USD": "$", "EUR": "€", "GBP": "£"}


def clock(seconds: float) -> str:
    """`0:42`, `12:05`, `1:02:03`."""
    whole = max(0, int(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, rest = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def tokens(count: int) -> str:
    """`812`, `4.1k`, `41k`, `1.2M`."""
    if count < 1000:
        return str(count)
    if count < 999_500:
        return f"{count / 1000:.1f}k" if count < 9950 else f"{round(count / 1000)}k"
    return f"{count / 1e6:.1f}M"


def money(cost: Cost, *, more: bool = False) -> str:
    """Two digits; `more`: a part of it had no price."""
    try:
        amount = Decimal(cost.amount)
    except InvalidOperation:
        return ""
    sign = _SIGNS.get(cost.currency)
    small = 0 < amount < Decimal("0.01")
    text = "0.01" if small else f"{amount:.2f}"
    said = f"{'<' if small else ''}{sign}{text}" if sign else f"{'<' if small else ''}{text} {cost.currency}"
    return said + ("+" if more else "")


def spend(part: SpendPart) -> str:
    """What a part cost in dollars, "" when nothing of it is priced."""
    if part.cost_pico_usd is None or (part.unpriced and not part.cost_pico_usd):
        return ""
    return money(Cost(amount=str(Decimal(part.cost_pico_usd) / 10**12), currency="USD"), more=bool(part.unpriced))


def count(number: int, one: str, many: str = "") -> str:
    """`1 row`, `3 rows`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
