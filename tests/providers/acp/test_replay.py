"""A session that is loaded or resumed: what the agent tells of its history."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from craze.engine.intents import Set
from craze.engine.ports import AskOpened, Opened, Start
from tests.fakes.acp_bench import PERMISSION_OPTIONS, Step, bench, initialized, request, text, update
from tests.fakes.acp_session import stage

BOTH = {"loadSession": True, "sessionCapabilities": {"resume": {}}}
OPTION: dict[str, Any] = {
    "id": "m",
    "category": "model",
    "type": "select",
    "currentValue": "a",
    "options": [{"value": "a"}, {"value": "b"}],
}


def said(words: str, message: str) -> Step:
    return update("user_message_chunk", content={"type": "text", "text": words}, messageId=message)


def history(method: str) -> list[Step]:
    return [
        *initialized(agentCapabilities=BOTH),
        {"expect": {"method": method, "params": {"sessionId": "s"}}},
        said("fix ", "1"),
        said("it", "1"),
        text("done", messageId="2"),
        update("tool_call", toolCallId="t", title="ls"),
        update("config_option_update", configOptions=[OPTION]),
        update("usage_update", used=5, size=10),
        request(0, "session/request_permission", toolCall={"toolCallId": "t"}, options=PERMISSION_OPTIONS),
        {"expect": {"id": 0, "result": {"outcome": {"outcome": "cancelled"}}}},
        said("again", "3"),
        {"send": {"jsonrpc": "2.0", "id": 2, "result": {"configOptions": [{**OPTION, "currentValue": "b"}]}}},
    ]


@pytest.mark.rule("ACP-120", "ACP-122", "ACP-123", "ACP-T46")
async def test_a_loaded_history_is_told_whole_between_brackets(tmp_path: Path) -> None:
    start = Start(workspace=str(tmp_path), reopen="s")
    async with stage(tmp_path, *history("session/load"), start=start) as test:
        await test.ready()
        await test.until(lambda: len(test.of("replay")) == 2)

        kinds = [
            event.text or (event.replay.phase if event.replay else (event.tool.status if event.tool else event.type))
            for event in test.events
            if not (event.state and event.state.slash)
        ]
        assert kinds == ["start", "fix it", "done", "pending", "again", "meta", "completed", "end"]
        assert all(event.replayed for event in test.events if event.type in ("user", "text", "tool"))
        assert test.session.view.state.model == "b"
        assert test.of("permission") == []


@pytest.mark.rule("ACP-122", "ACP-T46", "ACP-T47")
@pytest.mark.parametrize("resumes", [True, False])
async def test_a_session_with_a_history_of_its_own_draws_nothing_twice(tmp_path: Path, resumes: bool) -> None:
    start = Start(workspace=str(tmp_path), reopen="s", has_history=True)
    can = BOTH if resumes else {"loadSession": True}
    first = initialized(agentCapabilities=can)
    steps = [*first, *history("session/resume" if resumes else "session/load")[2:]]
    async with stage(tmp_path, *steps, start=start) as test:
        await test.until(lambda: test.session.view.status == "idle")

        assert test.of("text", "user", "tool", "replay") == []
        assert test.session.view.state.model == "b"
        assert test.session.view.usage is not None
        assert ("resume-replayed" in test.lints()) is resumes


@pytest.mark.rule("ACP-42", "ACP-31")
@pytest.mark.parametrize("result", [None, {}])
async def test_settings_that_the_answer_leaves_out_stay_as_told(tmp_path: Path, result: Any) -> None:
    steps = [
        *initialized(agentCapabilities=BOTH),
        {"expect": {"method": "session/load"}},
        update("config_option_update", configOptions=[OPTION]),
        {"reply": {"result": result}},
    ]
    start = Start(workspace=str(tmp_path), reopen="s")
    async with bench(tmp_path, *steps, start=start) as test:
        test.open()
        await test.one(Opened)

        assert [event.state.model for event in test.events("meta") if event.state] == ["a"]
        assert [event.type for event in test.events()] == ["replay", "meta", "replay"]
        assert isinstance(test.reports[-1], Opened)


@pytest.mark.rule("ACP-40")
async def test_an_id_that_changed_is_adopted(tmp_path: Path) -> None:
    steps = [
        *initialized(agentCapabilities=BOTH),
        {"expect": {"method": "session/load"}},
        {"reply": {"result": {"sessionId": "other"}}},
    ]
    async with bench(tmp_path, *steps, start=Start(workspace=str(tmp_path), reopen="s")) as test:
        test.open()

        assert (await test.one(Opened)).info.provider_session == "other"
        assert test.lints() == {"session-id-changed": 1}


@pytest.mark.rule("ACP-82", "ACP-120")
async def test_a_failed_load_still_ends_its_replay(tmp_path: Path) -> None:
    steps = [
        *initialized(agentCapabilities={"loadSession": True}),
        {"expect": {"method": "session/load"}},
        said("fix", "1"),
        {"reply": {"error": {"code": -32603, "message": "no"}}},
    ]
    async with bench(tmp_path, *steps, start=Start(workspace=str(tmp_path), reopen="s")) as test:
        test.open()
        await test.until(lambda: len(test.events("replay")) == 2)

        assert [event.text for event in test.events("user")] == ["fix"]
        assert test.of(AskOpened) == []


@pytest.mark.rule("ACP-127", "ACP-111")
async def test_after_a_reconnect_the_last_choice_is_applied_again(tmp_path: Path) -> None:
    option = {**OPTION, "currentValue": "a"}
    steps = [
        *initialized(agentCapabilities={"loadSession": True}),
        {"expect": {"method": "session/load"}},
        {"reply": {"result": {"configOptions": [option]}}},
        {"expect": {"method": "session/set_config_option", "params": {"value": "b"}}},
        {"reply": {"result": {"configOptions": [{**option, "currentValue": "b"}]}}},
    ]
    start = Start(workspace=str(tmp_path), reopen="s")
    async with bench(tmp_path, *steps, start=start) as test:
        test.open()
        await test.one(Opened)
        from craze.engine.ports import Returned

        test.provider.set("c-1/1", Set(kind="model", value="b"))
        await test.one(Returned)
        test.open()
        await test.one(Opened, 2)

        assert len(test.sent("session/set_config_option")) == 2
        assert [event.cause for event in test.events("meta")][-1] == ""
