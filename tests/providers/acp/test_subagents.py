"""Children: with a session of their own, or told apart by `_meta` alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from craze.codec import Event
from craze.engine.intents import CancelSubagent, Submit
from craze.engine.ports import ToolPatch
from craze.providers.acp.results import PromptResult
from tests.fakes.acp_bench import opened, text, update
from tests.fakes.acp_lines import AT, Lines
from tests.fakes.acp_session import stage


def story(lines: Lines) -> list[str]:
    """What was reported, in order: changes of rows, texts and calls with whose they are."""
    said: list[str] = []
    for report in lines.reports:
        if isinstance(report, Event) and report.subagent:
            said.append(f"{report.subagent_change} {report.subagent.status}")
        elif isinstance(report, Event) and report.type == "text":
            said.append(f"text {report.agent}")
        elif isinstance(report, ToolPatch):
            said.append(f"tool {report.id} {report.agent}".strip())
    return said


def child(lines: Lines, state: str, **fields: Any) -> None:
    lines.say("subagent_update", sessionId="c", state={"state": state, **fields})


@pytest.mark.rule("ACP-114", "ACP-115", "ACP-T44")
def test_a_child_with_a_session_is_spawned_speaks_and_finishes() -> None:
    lines = Lines()

    lines.say("subagent_update", sessionId="c", title="look", description="coder", state={"state": "running"})
    lines.say("agent_message_chunk", session="c", content={"type": "text", "text": "hi"})
    child(lines, "requires_action")
    child(lines, "idle", stopReason="end_turn")

    assert story(lines) == ["spawned running", "text c", "progress running", "finished completed"]
    rows = [event.subagent for event in lines.events("subagent") if event.subagent]
    assert [(row.description, row.subagent_type, row.activity) for row in rows] == [
        ("look", "coder", ""),
        ("look", "coder", "waiting"),
        ("look", "coder", ""),
    ]


@pytest.mark.rule("ACP-114")
@pytest.mark.parametrize(
    ("state", "status", "error"),
    [
        ({"state": "idle", "stopReason": "cancelled"}, "cancelled", ""),
        ({"state": "idle", "stopReason": "refusal"}, "failed", "refusal"),
        ({"state": "idle"}, "completed", ""),
        ({"state": "error", "message": "boom"}, "failed", "boom"),
    ],
)
def test_the_end_of_a_child_is_read_from_its_state(state: Any, status: str, error: str) -> None:
    lines = Lines()

    child(lines, "running")
    lines.say("subagent_update", sessionId="c", state=state)

    row = lines.events("subagent")[-1].subagent
    assert row is not None
    assert (row.status, row.error) == (status, error)


@pytest.mark.rule("ACP-114")
def test_a_child_that_runs_again_is_another_attempt() -> None:
    lines = Lines()

    for state in ("running", "idle", "running"):
        child(lines, state)

    row = lines.events("subagent")[-1].subagent
    assert story(lines) == ["spawned running", "finished completed", "spawned running"]
    assert row is not None
    assert row.attempt_id == "c#2"


@pytest.mark.rule("ACP-115")
def test_a_message_to_a_child_is_its_prompt_and_names_its_call() -> None:
    lines = Lines()

    lines.call("t", title="Task")
    child(lines, "running")
    lines.say(
        "session_message",
        messageId="t",
        senderSessionId="s",
        recipientSessionId="c",
        content=[{"type": "text", "text": "do it"}],
    )

    row = lines.events("subagent")[-1].subagent
    assert row is not None
    assert (row.prompt, row.tool_call_id) == ("do it", "t")
    assert lines.tool().task is not None


@pytest.mark.rule("ACP-116", "ACP-117")
def test_a_flat_child_finishes_before_its_call_ends() -> None:
    lines = Lines()
    meta = {"claudeCode": {"parentToolUseId": "t"}}

    lines.call("t", title="Task", name="Task", rawInput={"description": "d", "prompt": "p"})
    lines.text("hi", _meta=meta)
    lines.call("u", title="ls", _meta=meta)
    lines.update("u", status="completed")
    lines.update("t", status="completed")

    assert story(lines) == [
        "tool t",
        "spawned running",
        "text t",
        "tool u t",
        "tool u t",
        "finished completed",
        "tool t",
    ]
    row = lines.events("subagent")[0].subagent
    assert row is not None
    assert (row.id, row.tool_call_id, row.description, row.prompt) == ("t", "t", "d", "p")


@pytest.mark.rule("ACP-116", "ACP-T71")
def test_a_tagged_child_belongs_to_the_youngest_call_that_starts_one() -> None:
    lines = Lines()
    meta = {"github.com/copilot": {"agentId": "a1"}}

    lines.call("t", title="explore", rawInput={"agent_type": "explore", "prompt": "p"})
    lines.call("u", title="ls", _meta=meta)
    lines.update("u", status="completed", _meta=meta)
    lines.update("t", status="completed")

    assert story(lines) == [
        "tool t",
        "tool t",
        "spawned running",
        "tool u a1",
        "tool u a1",
        "finished completed",
        "tool t",
    ]
    assert lines.tool().task is not None


@pytest.mark.rule("ACP-116")
def test_a_tagged_child_without_a_call_ends_with_the_turn() -> None:
    lines = Lines()

    lines.text("hi", _meta={"github.com/copilot": {"agentId": "a1"}})
    lines.take(lines.state.ended(PromptResult(stop_reason="end_turn"), AT))

    assert story(lines) == ["spawned running", "text a1", "finished completed"]


@pytest.mark.rule("ACP-116", "ACP-117")
def test_an_asynchronous_flat_child_outlives_its_call_and_the_turn() -> None:
    lines = Lines()
    meta = {"claudeCode": {"parentToolUseId": "t"}}

    lines.call("t", title="Task", name="Agent")
    lines.update("t", _meta={"claudeCode": {"toolResponse": {"isAsync": True, "agentId": "x"}}})
    lines.call("u", title="ls", _meta=meta)
    lines.update("t", status="completed")
    lines.take(lines.state.ended(PromptResult(stop_reason="end_turn"), AT))
    lines.update("u", status="completed")

    assert story(lines)[-2:] == ["tool u t", "finished completed"]
    assert [event.subagent_change for event in lines.events("subagent")] == ["spawned", "finished"]


@pytest.mark.rule("ACP-117", "ACP-T72")
async def test_a_child_that_still_runs_outlives_the_turn(tmp_path: Path) -> None:
    def of_child(kind: str, **fields: Any) -> Any:
        line = update(kind, **fields)
        line["send"]["params"]["sessionId"] = "c"
        return line

    steps = [
        *opened(),
        {"expect": {"method": "session/prompt"}},
        update("subagent_update", sessionId="c", title="look", state={"state": "running"}),
        {"reply": {"result": {"stopReason": "end_turn"}}},
        of_child("agent_message_chunk", content={"type": "text", "text": "late"}),
        update("subagent_update", sessionId="c", state={"state": "idle", "stopReason": "end_turn"}),
        text("end"),
    ]
    async with stage(tmp_path, *steps) as test:
        await test.ready()
        await test.turn("go")
        await test.until(lambda: len(test.of("text")) == 2)

        types = [
            event.subagent_change or (event.turn.phase if event.turn else event.type + event.agent)
            for event in test.events
            if event.type in ("turn", "subagent", "text")
        ]
        assert types == ["started", "spawned", "progress", "ended", "textc", "finished", "text"]


@pytest.mark.rule("ACP-118", "ACP-T61")
@pytest.mark.parametrize("can", [True, False])
async def test_a_child_is_stopped_only_where_it_says_that_it_can(tmp_path: Path, can: bool) -> None:
    capabilities = {"cancel": {}} if can else {}
    steps = [
        *opened(),
        {"expect": {"method": "session/prompt"}},
        update("subagent_update", sessionId="c", capabilities=capabilities, state={"state": "running"}),
    ]
    async with stage(tmp_path, *steps) as test:
        await test.ready()
        await test.send(Submit(text="go"))
        await test.until(lambda: test.of("subagent"))
        result = await test.send(CancelSubagent(agent="c"))

        assert type(result).__name__ == ("Accepted" if can else "Refused")
        assert [line["params"] for line in test.sent("session/cancel")] == ([{"sessionId": "c"}] if can else [])


def test_settings_of_a_child_are_not_the_sessions() -> None:
    lines = Lines()

    child(lines, "running")
    option = {"id": "model", "category": "model", "type": "select", "currentValue": "x", "options": [{"value": "x"}]}
    lines.say("config_option_update", session="c", configOptions=[option])
    lines.say("usage_update", session="c", used=5, size=10)

    assert lines.events("meta") == []
    assert len(lines.reports) == 1


@pytest.mark.rule("ACP-114")
def test_a_session_is_no_child_of_itself() -> None:
    lines = Lines()

    lines.say("subagent_update", sessionId="s", title="me", state={"state": "running"})

    assert story(lines) == []


def strange(lines: Lines, update: str = "agent_message_chunk", **fields: Any) -> None:
    lines.say(update, session="other", **(fields or {"content": {"type": "text", "text": "x"}}))


@pytest.mark.rule("ACP-124", "ACP-117")
def test_a_session_that_nobody_announced_ends_with_the_turn_and_its_open_calls() -> None:
    lines = Lines()

    strange(lines, "tool_call", toolCallId="t", title="T", status="in_progress")
    lines.take(lines.state.ended(PromptResult(stop_reason="end_turn"), AT))

    assert story(lines) == ["spawned running", "tool t other", "finished completed"]


@pytest.mark.rule("ACP-124")
def test_a_session_that_nobody_announced_holds_nothing_up_outside_a_turn() -> None:
    lines = Lines(prompt=None)

    strange(lines)
    strange(lines)

    assert story(lines) == ["spawned running", "text other", "finished completed", "text other"]


@pytest.mark.rule("ACP-124", "ACP-114")
def test_a_strange_session_that_is_announced_later_outlives_the_turn() -> None:
    lines = Lines()

    strange(lines)
    lines.say("subagent_update", sessionId="other", title="look", state={"state": "running"})
    lines.take(lines.state.ended(PromptResult(stop_reason="end_turn"), AT))

    rows = [event.subagent for event in lines.events("subagent") if event.subagent]
    assert [(row.description, row.status, row.background) for row in rows] == [
        ("other", "running", False),
        ("look", "running", False),
        ("look", "running", True),
    ]
