"""Whole sessions with the scripted agent: what comes of each of its scripts. Each capture is derived again by the fake."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from craze.engine.answers import Judge, Pick, Reply, Skip
from craze.engine.facts import Policies
from craze.engine.intents import Answer, Aside, Cancel, Reconnect, Set, Submit
from craze.providers.control.toolserver import ServedTool, ToolResult
from tests.fakes.control_session import ControlStage, control

ALL = Policies(permission="all", question="all", plan="all")
DENY = Policies(permission="deny", question="deny", plan="deny")


def answered(stage: ControlStage) -> dict[str, Any]:
    """What the agent says it was answered."""
    text = next(event.text for event in stage.of("text") if event.text.startswith("Answered: "))
    return json.loads(text.removeprefix("Answered: "))


@pytest.mark.rule("CTL-3", "CTL-23", "CTL-27", "CTL-75", "CTL-77")
async def test_a_prompt_is_answered_by_thought_text_usage_and_one_ending(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        ended = await stage.turn("hello")

        assert ended.turn
        assert ended.turn.stop_reason == "end_turn"
        assert [event.text for event in stage.of("thought", "text")] == [
            "Let me think.",
            "Hello ",
            "from the ",
            "demo.",
        ]
        kinds = [item.event.type if hasattr(item, "event") else item.kind for item in stage.items]
        assert kinds.index("usage") < kinds.index("done")
        assert stage.session.view.info.provider_session
        assert "steer" in stage.session.view.info.can


@pytest.mark.rule("CTL-29", "CTL-30", "CTL-32")
async def test_an_allowed_tool_runs_with_the_input_that_was_asked_about(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        await stage.send(Submit(text="[[bash]]"))
        ask = await stage.opened("permission")
        assert ask.permission
        assert [(option.option_id, option.kind) for option in ask.permission.options] == [
            ("allow", "allow_once"),
            ("always:0:session", "allow_always"),
            ("always:0", "allow_always"),
            ("always:1", "allow_always"),
            ("reject", "reject_once"),
            ("reject_stop", "reject_once"),
        ]
        assert ask.permission.options[1].name == "Always allow Bash(touch *) in this session"
        await stage.send(Answer(ask=ask.permission.id, answer=Pick(option="allow")))
        await stage.ended()

        given = {"command": "touch made.txt && echo made", "description": "make a file"}
        assert answered(stage) == {"behavior": "allow", "updatedInput": given}
        tools = [event.tool for event in stage.of("tool") if event.tool]
        assert [tool.status for tool in tools] == ["pending", "in_progress", "completed"]
        assert tools[-1].output
        assert tools[-1].output.stdout == "made"
        assert tools[-1].output.exit_code is None


async def test_a_changed_input_is_what_runs_and_what_is_shown(tmp_path: Path) -> None:
    import msgspec

    async with control(tmp_path) as stage:
        await stage.send(Submit(text="[[bash]]"))
        ask = await stage.opened("permission")
        assert ask.permission
        changed = msgspec.Raw(b'{"command":"true"}')
        await stage.send(Answer(ask=ask.permission.id, answer=Pick(option="allow", input=changed)))
        await stage.ended()

        assert answered(stage) == {"behavior": "allow", "updatedInput": {"command": "true"}}
        shown = [event.tool.raw_input for event in stage.of("tool") if event.tool]
        assert shown[-1] == '{"command":"true"}'


@pytest.mark.rule("CTL-32")
@pytest.mark.parametrize(
    ("option", "rules"),
    [
        ("always:0:session", [("addRules", "session")]),
        ("always:0", [("addRules", "session"), ("addRules", "localSettings")]),
        ("always:1", [("setMode", "session")]),
    ],
)
async def test_always_sends_the_rule_that_was_suggested_for_now_and_for_what_is_remembered(
    tmp_path: Path, option: str, rules: list[tuple[str, str]]
) -> None:
    async with control(tmp_path) as stage:
        await stage.send(Submit(text="[[bash]]"))
        ask = await stage.opened("permission")
        assert ask.permission
        await stage.send(Answer(ask=ask.permission.id, answer=Pick(option=option)))
        await stage.ended()

        sent = answered(stage)["updatedPermissions"]
        assert [(rule["type"], rule["destination"]) for rule in sent] == rules


@pytest.mark.rule("CTL-31", "CTL-33")
@pytest.mark.parametrize(
    ("pick", "body"),
    [
        (Pick(option="reject"), {"behavior": "deny", "message": "The user declined this tool call."}),
        (Pick(option="reject", feedback="use make"), {"behavior": "deny", "message": "use make"}),
        (
            Pick(option="reject_stop"),
            {"behavior": "deny", "interrupt": True, "message": "The user declined this tool call."},
        ),
    ],
)
async def test_a_refusal_says_why(tmp_path: Path, pick: Pick, body: dict[str, Any]) -> None:
    async with control(tmp_path) as stage:
        await stage.send(Submit(text="[[bash]]"))
        ask = await stage.opened("permission")
        assert ask.permission
        await stage.send(Answer(ask=ask.permission.id, answer=pick))
        await stage.ended()

        assert answered(stage) == body
        assert [event.tool.status for event in stage.of("tool") if event.tool][-1] == "failed"


@pytest.mark.rule("CTL-36", "CTL-38", "CTL-39")
async def test_questions_are_answered_by_their_texts_in_the_order_of_the_options(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        await stage.send(Submit(text="[[question]]"))
        ask = await stage.opened("question")
        assert ask.question
        assert ask.question.title == "Colour"
        reply = Reply(answers={"q0": ("none of these",), "q1": ("Audit", "Auth", "more")})
        await stage.send(Answer(ask=ask.question.id, answer=reply))
        await stage.ended()

        body = answered(stage)
        assert body["updatedInput"]["answers"] == {
            "Which colour?": "none of these",
            "Which checks?": "Auth, Audit, more",
        }
        assert len(body["updatedInput"]["questions"]) == 2


@pytest.mark.rule("CTL-41")
async def test_skipped_questions_are_denied(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        await stage.send(Submit(text="[[question]]"))
        ask = await stage.opened("question")
        assert ask.question
        await stage.send(Answer(ask=ask.question.id, answer=Skip()))
        await stage.ended()

        assert answered(stage) == {"behavior": "deny", "message": "The user skipped the questions."}


@pytest.mark.rule("CTL-44", "CTL-45", "CTL-46")
@pytest.mark.parametrize(
    ("judge", "body"),
    [
        (Judge(accepted=False), {"behavior": "deny", "message": "The user wants to keep planning."}),
        (Judge(accepted=False, feedback="shorter"), {"behavior": "deny", "message": "shorter"}),
        (Judge(accepted=True), {"behavior": "allow", "updatedInput": {"plan": "# The plan\n1. Look\n2. Change"}}),
    ],
)
async def test_a_plan_is_judged(tmp_path: Path, judge: Judge, body: dict[str, Any]) -> None:
    async with control(tmp_path) as stage:
        await stage.send(Submit(text="[[plan]]"))
        ask = await stage.opened("plan")
        assert ask.plan
        assert (ask.plan.name, ask.plan.plan) == ("The plan", "# The plan\n1. Look\n2. Change")
        await stage.send(Answer(ask=ask.plan.id, answer=judge))
        await stage.ended()

        assert answered(stage) == body


@pytest.mark.rule("CTL-45")
async def test_an_accepted_plan_can_switch_the_mode(tmp_path: Path) -> None:
    async with control(tmp_path, policies=ALL, accept_mode="acceptEdits") as stage:
        await stage.turn("[[plan]]")

        rule = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
        assert answered(stage)["updatedPermissions"] == [rule]


@pytest.mark.rule("CTL-60", "CTL-61", "CTL-62", "CTL-64")
async def test_a_form_is_answered_by_typed_values(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        await stage.send(Submit(text="[[form]]"))
        ask = await stage.opened("question")
        assert ask.question
        missed = await stage.send(
            Answer(ask=ask.question.id, answer=Reply(answers={"name": ("Ada",), "count": ("12",)}))
        )
        assert getattr(missed, "code", "") == "bad_answer"
        await stage.send(Answer(ask=ask.question.id, answer=Reply(answers={"name": ("Ada",), "count": ("3",)})))
        await stage.ended()

        assert answered(stage) == {"action": "accept", "content": {"name": "Ada", "count": 3}}


async def test_presets_that_refuse_decline_forms(tmp_path: Path) -> None:
    async with control(tmp_path, policies=DENY) as stage:
        await stage.turn("[[form]]")

        assert answered(stage) == {"action": "decline"}


@pytest.mark.rule("CTL-66")
@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (Reply(answers={"choice": ("ok",)}), {"behavior": "completed", "result": "ok"}),
        (Skip(), {"behavior": "cancelled"}),
    ],
)
async def test_a_declared_dialog_is_shown(tmp_path: Path, answer: Reply | Skip, body: dict[str, Any]) -> None:
    async with control(tmp_path, dialog_kinds=("demo",)) as stage:
        await stage.send(Submit(text="[[dialog]]"))
        ask = await stage.opened("question")
        assert ask.question
        await stage.send(Answer(ask=ask.question.id, answer=answer))
        await stage.ended()

        assert answered(stage) == body


@pytest.mark.rule("CTL-67")
async def test_a_dialog_that_nobody_can_show_is_withdrawn_by_the_agent_and_holds_no_turn_up(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        ended = await stage.turn("[[dialog]]")

        assert ended.turn
        assert ended.turn.stop_reason == "end_turn"
        assert not stage.of("question")
        assert not stage.answers()


@pytest.mark.rule("CTL-20", "CTL-51", "CTL-52", "CTL-112")
@pytest.mark.parametrize(
    ("script", "body"),
    [
        ("hook", {}),
        ("mcp", {"error": 'no server is served here: "desk"'}),
        ("strange", {"error": 'unsupported control_request subtype "no_such"'}),
    ],
)
async def test_what_nobody_can_serve_is_answered_at_once(tmp_path: Path, script: str, body: dict[str, Any]) -> None:
    async with control(tmp_path) as stage:
        await stage.turn(f"[[{script}]]")

        assert answered(stage) == body


class Desk:
    """A server of one tool."""

    name = "desk"

    def tools(self) -> list[ServedTool]:
        return [ServedTool("add", "add two numbers", {"type": "object", "required": ["a"]})]

    async def call(self, name: str, arguments: Any, cancel: object) -> ToolResult:
        return ToolResult(({"type": "text", "text": str(arguments)},))


@pytest.mark.rule("CTL-55", "CTL-57")
async def test_tools_of_craze_are_served(tmp_path: Path) -> None:
    async with control(tmp_path, servers=[Desk()]) as stage:
        await stage.turn("[[mcp]]")

        tool = {"name": "add", "description": "add two numbers", "inputSchema": {"type": "object", "required": ["a"]}}
        told = {"jsonrpc": "2.0", "id": 0, "result": {"tools": [tool]}}
        assert answered(stage) == {"mcp_response": told}
        assert stage.frames("control_request", "initialize")[0]["request"]["sdkMcpServers"] == ["desk"]


@pytest.mark.rule("CTL-91")
async def test_an_edit_shows_what_it_changed(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        await stage.turn("[[edit]]")

        tool = stage.of("tool")[-1].tool
        assert tool
        assert [(d.path, d.old_text, d.new_text, d.added, d.removed) for d in tool.diffs] == [
            ("note.txt", "one\ntwo", "one\nthree", 1, 1)
        ]


@pytest.mark.rule("CTL-94")
async def test_todos_are_told_whole_at_each_change(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        await stage.turn("[[todo]]")

        assert [[(todo.id, todo.status) for todo in event.todos] for event in stage.of("todos")] == [
            [("1", "pending")],
            [("1", "completed")],
        ]


@pytest.mark.rule("CTL-95", "CTL-96")
async def test_a_sub_agent_ends_before_the_call_that_started_it(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        await stage.turn("[[task]]")

        told = [(event.subagent_change or (event.tool and event.tool.status)) for event in stage.of("subagent", "tool")]
        assert told == ["pending", "spawned", "progress", "finished", "completed"]
        row = stage.of("subagent")[-1].subagent
        assert row
        assert (row.status, row.output, row.tokens_used) == ("completed", "There are two.", 12)
        assert [event.text for event in stage.of("text") if event.agent == "task-1"] == ["Counting."]


@pytest.mark.rule("CTL-78", "CTL-96")
async def test_a_background_sub_agent_wakes_the_agent_when_it_is_done(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        await stage.turn("[[background]]")
        ended = await stage.until(
            lambda: [e for e in stage.of("foreign_turn") if e.foreign_turn and not e.foreign_turn.running]
        )

        assert ended[0].foreign_turn
        assert ended[0].foreign_turn.reason == "subagent_wake"
        tool = stage.of("tool")[-1].tool
        assert tool
        assert tool.task
        assert (tool.task.agent_id, tool.task.receipt, tool.task.background) == ("task-1", True, True)
        assert [event.subagent_change for event in stage.of("subagent")] == ["spawned", "finished"]


@pytest.mark.rule("CTL-97")
async def test_a_compaction_has_its_sizes(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        await stage.turn("[[compact]]")

        told = [event.compaction for event in stage.of("compaction") if event.compaction]
        assert [(each.phase, each.reason, each.tokens_before, each.tokens_after) for each in told] == [
            ("started", "auto", 0, 0),
            ("ended", "auto", 900, 90),
        ]


@pytest.mark.rule("CTL-76")
async def test_an_error_of_the_model_fails_the_turn_once(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        ended = await stage.turn("[[fail]]")

        assert ended.turn
        assert ended.turn.err_class == "provider"
        errors = [event.err for event in stage.of("error") if event.err]
        assert [(err.message, err.code) for err in errors] == [("API Error: 400 bad request", 400)]


async def test_a_retry_is_a_notice(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        await stage.turn("[[retry]]")

        assert stage.facts("notice")[0]["text"] == "model call failed (529), retry 1 of 3 in 0.6 s"
        assert not stage.of("error")


@pytest.mark.rule("CTL-82")
async def test_an_agent_that_dies_ends_the_turn_with_its_status(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        ended = await stage.turn("[[die]]")

        assert ended.turn
        assert (ended.turn.err_class, stage.session.view.status) == ("agent_exit_status", "stopped")
        assert len(stage.of("error")) == 1

        await stage.send(Reconnect())
        again = await stage.turn("hello", 2)
        assert again.turn
        assert again.turn.stop_reason == "end_turn"


@pytest.mark.rule("CTL-80", "CTL-T21")
async def test_an_interrupt_ends_a_streaming_turn_as_cancelled(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        await stage.send(Submit(text="[[slow]]"))
        await stage.until(lambda: stage.of("text"))
        await stage.send(Cancel())
        await stage.send(Cancel())
        ended = await stage.ended()

        assert ended.turn
        assert ended.turn.stop_reason == "cancelled"
        assert len(stage.frames("control_request", "interrupt")) == 1
        assert not stage.of("error", "user")


def test_an_interrupt_without_a_turn_is_answered_and_the_agent_goes_on() -> None:
    interrupt = {"type": "control_request", "request_id": "c-1", "request": {"subtype": "interrupt"}}
    prompt = {"type": "user", "message": {"role": "user", "content": "hello"}}
    lines = "".join(json.dumps(line) + "\n" for line in (interrupt, prompt))

    done = subprocess.run(
        [sys.executable, "-m", "craze.demo.control"],
        input=lines,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert said[0]["response"] == {"subtype": "success", "request_id": "c-1", "response": {"still_queued": []}}
    assert (said[-1]["type"], said[-1]["is_error"]) == ("result", False)


@pytest.mark.rule("CTL-80", "CTL-35")
async def test_an_interrupt_with_an_open_ask_cancels_both(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        await stage.send(Submit(text="[[bash]]"))
        await stage.opened("permission")
        await stage.send(Cancel())
        ended = await stage.ended()

        assert ended.turn
        assert ended.turn.stop_reason == "cancelled"
        outcomes = [(event.ask.outcome, event.ask.by) for event in stage.of("ask") if event.ask]
        assert outcomes == [("cancelled", "cancel")]
        assert stage.answers()[0]["response"] == {"behavior": "deny", "message": "The user cancelled."}


@pytest.mark.rule("CTL-74", "CTL-T42")
async def test_an_aside_is_answered(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        await stage.ready()
        answer = await stage.send(Aside(question="why"))

        assert getattr(answer, "text", "") == "about that: why"
        assert not stage.of("text", "turn")


@pytest.mark.rule("CTL-101", "CTL-117")
async def test_a_mode_is_set_by_its_reply_alone_with_its_cause(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        await stage.ready()
        refused = await stage.send(Set(kind="mode", value="nonsense"))
        assert getattr(refused, "code", "") == "bad_request"
        await stage.send(Set(kind="mode", value="plan"))

        meta = stage.of("meta")[-1]
        assert meta.state
        assert (meta.mode, meta.state.mode, meta.cause) == ("", "plan", "c-1/2")
        assert [line["request"]["mode"] for line in stage.frames("control_request", "set_permission_mode")] == ["plan"]
