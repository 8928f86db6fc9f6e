"""Tokens, context and cost."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from craze.engine.facts import Fact
from craze.providers.acp.quirks import NONE, quirks_of
from craze.providers.acp.results import PromptResult
from tests.fakes.acp_lines import AT, Lines


def facts(lines: Lines) -> list[dict[str, Any]]:
    return [
        msgspec.json.decode(report.data)
        for report in lines.reports
        if isinstance(report, Fact) and report.kind == "usage"
    ]


@pytest.mark.rule("ACP-112", "ACP-T16", "ENG-81", "ENG-82", "ENG-84")
def test_what_is_not_reported_keeps_its_value_and_money_is_exact() -> None:
    lines = Lines()

    lines.say("usage_update", used=None, size=200000)
    lines.say("usage_update", used=12, size=None, cost={"amount": 0.1 + 0.2, "currency": "USD"})
    lines.say("usage_update", used=12)
    lines.say("usage_update", used="many", cost={"amount": "x"})
    lines.text("later")

    assert facts(lines) == [
        {"source": "agent", "contextWindow": 200000},
        {"source": "agent", "contextTokens": 12, "contextWindow": 200000, "cost": {"amount": "0.3", "currency": "USD"}},
    ]
    assert lines.texts() == ["later"]


@pytest.mark.rule("ACP-112")
@pytest.mark.parametrize(
    ("amount", "currency", "told"),
    [
        ("1e99999999", "EUR", None),
        ("1e-99999999", "EUR", None),
        ("1e99999999", "USD", None),
        ("NaN", "EUR", None),
        ("0.25", "EUR", "0.25"),
    ],
)
def test_an_amount_that_nobody_can_mean_is_not_reported(amount: str, currency: str, told: str | None) -> None:
    lines = Lines()

    lines.say("usage_update", used=1, cost={"amount": amount, "currency": currency})

    assert facts(lines)[0].get("cost", {}).get("amount") == told


@pytest.mark.rule("ACP-112")
def test_a_count_that_is_none_is_not_reported() -> None:
    lines = Lines()

    lines.say("usage_update", used=-1, size=1 << 64)
    lines.say("usage_update", used=1, size=2)

    assert facts(lines) == [{"source": "agent", "contextTokens": 1, "contextWindow": 2}]


@pytest.mark.rule("ENG-83", "ACP-153", "ACP-192", "ACP-T85")
@pytest.mark.parametrize(
    ("agent", "turns"),
    [("Copilot", [12, 163, 29]), ("@mistralai/mistral-vibe", [12, 163, 29]), ("unknown", [12, 175, 204])],
)
def test_a_running_total_is_told_as_growth_where_the_agent_counts_so(agent: str, turns: list[int]) -> None:
    lines = Lines(quirks=quirks_of(agent))

    for total in (12, 175, 204):
        lines.state.prompted("go")
        usage = msgspec.json.decode(b'{"outputTokens":%d}' % total, type=type(PromptResult().usage) | Any)
        result = msgspec.convert({"stopReason": "end_turn", "usage": usage}, PromptResult)
        lines.take(lines.state.ended(result, AT))

    assert [fact["turn"]["output"] for fact in facts(lines)] == turns


def test_a_total_that_falls_begins_anew() -> None:
    lines = Lines(quirks=quirks_of("Copilot"))

    for total in (100, 30):
        result = msgspec.convert({"stopReason": "end_turn", "usage": {"outputTokens": total}}, PromptResult)
        lines.take(lines.state.ended(result, AT))

    assert [fact["turn"]["output"] for fact in facts(lines)] == [100, 30]
    assert facts(lines)[-1]["session"]["output"] == 130


@pytest.mark.rule("ACP-158")
def test_an_unknown_agent_has_no_quirks_and_a_declaration_may_name_some() -> None:
    assert quirks_of("nobody") == NONE
    assert quirks_of("nobody", "Copilot").own_input
