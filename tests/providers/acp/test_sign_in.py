"""Signing in and out of a session that is open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from craze.engine.ports import Opened, Returned, TurnFailed
from tests.fakes.acp_bench import Step, bench, initialized, text

METHODS = [{"id": "key", "name": "Key"}]


def signed_in(can: Any) -> list[Step]:
    return [
        *initialized(agentCapabilities=can, authMethods=METHODS),
        {"expect": {"method": "session/new"}},
        {"reply": {"result": {"sessionId": "$sid"}}},
    ]


@pytest.mark.rule("ACP-37", "ENG-120")
async def test_who_is_signed_in_is_told_and_signing_out_asks_the_agent(tmp_path: Path) -> None:
    status = {"jsonrpc": "2.0", "method": "_auth/status_update", "params": {"authStatus": {"label": "me@x.org"}}}
    steps = [
        *signed_in({"auth": {"logout": {}}}),
        {"send": status},
        {"send": status},
        {"expect": {"method": "logout"}},
        {"reply": {"result": {}}},
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.until(lambda: len(test.facts("login")) == 2)
        test.provider.authenticate("c-1/1", None)
        await test.one(Returned)

        assert [fact.get("label", "") for fact in test.facts("login")] == ["", "me@x.org", ""]
        assert [row["id"] for row in test.facts("login")[0]["methods"]] == ["key"]
        assert not any(fact.get("required") for fact in test.facts("login"))


@pytest.mark.rule("ACP-37")
async def test_an_agent_that_cannot_sign_out_is_not_asked_to(tmp_path: Path) -> None:
    async with bench(tmp_path, *signed_in({})) as test:
        test.open()
        await test.one(Opened)
        test.provider.authenticate("c-1/1", None)

        assert (await test.one(Returned)).failure is not None
        assert test.sent("logout") == []


@pytest.mark.rule("ACP-36")
async def test_a_turn_that_wants_a_sign_in_fails_and_names_the_ways(tmp_path: Path) -> None:
    steps = [
        *signed_in({}),
        {"expect": {"method": "session/prompt"}},
        {"reply": {"error": {"code": -32000, "message": "Authentication required"}}},
        {"expect": {"method": "authenticate", "params": {"methodId": "key"}}},
        {"reply": {"result": {}}},
        text("after"),
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Opened)
        test.prompt("go")
        failed = await test.one(TurnFailed)
        test.provider.authenticate("c-1/1", "key")
        await test.until(lambda: test.events("text"))

        assert failed.failure.error_class == "auth"
        assert [fact.get("required", False) for fact in test.facts("login")] == [False, True, False]
        assert len(test.sent("session/prompt")) == 1


@pytest.mark.rule("ACP-T96")
async def test_a_refused_sign_in_comes_back_with_its_reason(tmp_path: Path) -> None:
    steps = [
        *signed_in({}),
        {"expect": {"method": "authenticate"}},
        {"reply": {"error": {"code": -32603, "message": "wrong key"}}},
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Opened)
        test.provider.authenticate("c-1/1", "key")
        test.provider.authenticate("c-1/2", "unknown")
        await test.one(Returned, 2)

        assert {report.call: report.failure.message for report in test.of(Returned)} == {
            "c-1/1": "wrong key",
            "c-1/2": "the agent has no sign-in method unknown",
        }


@pytest.mark.rule("ACP-33")
async def test_a_method_of_an_unknown_type_is_shown_and_never_sent(tmp_path: Path) -> None:
    methods = [{"id": "key", "type": "env_var", "description": "Set KEY"}]
    steps = initialized(authMethods=methods)
    refused = {"reply": {"error": {"code": -32000, "message": "Authentication required"}}}
    async with bench(tmp_path, *steps, {"expect": {"method": "session/new"}}, refused) as test:
        test.open()
        await test.until(lambda: test.facts("login"))
        test.provider.authenticate("c-1/1", "key")
        failure = (await test.one(Returned)).failure

        assert test.facts("login")[0]["methods"][0]["kind"] == "env_var"
        assert "env_var" in failure.message
        assert test.sent("authenticate") == []
