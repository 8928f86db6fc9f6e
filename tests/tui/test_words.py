"""Numbers and times as they are written."""

from __future__ import annotations

import pytest

from craze.engine.facts import Cost, SpendPart
from craze.tui.words import clock, count, money, spend, tokens


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "0:00"), (42.9, "0:42"), (725, "12:05"), (3723, "1:02:03"), (-3, "0:00")]
)
def test_clocks(seconds: float, said: str) -> None:
    assert clock(seconds) == said


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "0"),
        (812, "812"),
        (4100, "4.1k"),
        (9949, "9.9k"),
        (9950, "10k"),
        (41_400, "41k"),
        (999_499, "999k"),
        (999_500, "1.0M"),
    ],
)
def test_tokens(number: int, said: str) -> None:
    assert tokens(number) == said


@pytest.mark.rule("TUI-166")
@pytest.mark.parametrize(
    ("amount", "currency", "said"),
    [
        ("0.042", "USD", "$0.04"),
        ("0.001", "USD", "<$0.01"),
        ("0", "USD", "$0.00"),
        ("1.2", "EUR", "€1.20"),
        ("3", "CHF", "3.00 CHF"),
        ("x", "USD", ""),
    ],
)
def test_money(amount: str, currency: str, said: str) -> None:
    assert money(Cost(amount=amount, currency=currency)) == said


@pytest.mark.rule("TUI-166")
def test_a_spend_says_when_a_part_had_no_price_and_nothing_when_none_had() -> None:
    assert spend(SpendPart(cost_pico_usd=40_000_000_000, unpriced=True)) == "$0.04+"
    assert spend(SpendPart(cost_pico_usd=0, unpriced=True)) == ""
    assert spend(SpendPart(input=5)) == ""


def test_counts_have_their_plural() -> None:
    assert (count(1, "prompt"), count(2, "prompt")) == ("1 prompt", "2 prompts")
