"""Real agent CLIs of the control kind against the rig's scripted model, from the prompt to the derived capture.

What they need, and when they are skipped, is `control_rig`'s.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from craze.engine.answers import AnswerValue, Judge, Pick, Reply, Skip
from craze.engine.facts import Policies
from craze.engine.intents import Answer, Aside, Cancel, Reconnect, Set, Steer, Submit
from craze.engine.ports import Start
from craze.providers.control.toolserver import ServedTool, ToolResult
from tests.end_to_end.control_rig import CLIS, MARKS, build_of, environment, scripted_model
from tests.fakes.control_session import ControlStage, control

FORMS = Path(__file__).resolve().parents[1] / "fakes" / "form_server.py"
ALL = Policies(permission="all", question="all", plan="all")
ALLOWS = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}
Stage = Callable[..., AbstractAsyncContextManager[ControlStage]]

pytestmark = MARKS


@pytest.fixture(params=CLIS, ids=build_of)
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    with scripted_model() as model:
        base = environment(tmp_path / "home", model)
        yield lambda env=None, **more: control(
            tmp_path, argv=(str(request.param),), env={**base, **(env or {})}, **more
        )


async def answered(stage: ControlStage, prompt: str, kind: str, value: AnswerValue) -> None:
    """One turn with one ask of this kind."""
    await stage.send(Submit(text=prompt))
    await stage.until(lambda: stage.session.view.asks)
    assert kind in type(stage.session.view.asks[0].body).__name__.lower()
    await stage.send(Answer(ask=stage.session.view.asks[0].id, answer=value))
    await stage.ended()


def said(stage: ControlStage) -> str:
    return "".join(event.text for event in stage.of("text") if not event.agent)


def last_status(stage: ControlStage) -> str:
    tools = [event.tool for event in stage.of("tool") if event.tool]
    return tools[-1].status


async def test_a_prompt_is_answered(stage: Stage) -> None:
    async with stage() as s:
        ended = await s.turn("[[mock:text]] hi")

        assert ended.turn
        assert ended.turn.stop_reason == "end_turn"
        assert said(s) == "Hello from the mock model."
        assert [event.text for event in s.of("thought")] == ["Let me think."]
        assert s.facts("usage")[-1]["turn"]["output"] == 20


@pytest.mark.parametrize(
    ("pick", "status", "words"),
    [
        (Pick(option="allow"), "completed", "made"),
        (Pick(option="allow", input=msgspec.Raw(b'{"command":"echo changed"}')), "completed", "changed"),
        (Pick(option="always:0:session"), "completed", "made"),
        (Pick(option="reject", feedback="use make"), "failed", "use make"),
    ],
)
async def test_a_tool_runs_or_not_as_was_answered(stage: Stage, pick: Pick, status: str, words: str) -> None:
    async with stage() as s:
        await answered(s, "[[mock:bash]] go", "permission", pick)

        assert last_status(s) == status
        assert words in said(s)


@pytest.mark.rule("CTL-32")
@pytest.mark.parametrize(("option", "asks"), [("allow", 2), ("always:0:session", 1), ("always:0", 1)])
async def test_what_is_allowed_always_is_not_asked_again(stage: Stage, option: str, asks: int) -> None:
    async with stage() as s:
        await answered(s, "[[mock:make]] go", "permission", Pick(option=option))
        await s.send(Submit(text="[[mock:make]] again"))
        await s.until(lambda: len(s.of("permission")) == 2 or len(s.of("done")) == 2)

        assert len(s.of("permission")) == asks


async def test_a_refusal_can_end_the_turn(stage: Stage) -> None:
    async with stage() as s:
        await answered(s, "[[mock:bash]] go", "permission", Pick(option="reject_stop"))

        assert [event.stop_reason for event in s.of("done")] == ["cancelled"]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(answers={"q0": ("Blue",), "q1": ("Audit", "Auth")}), '"Which checks?"="Auth, Audit"'),
        (Reply(answers={"q0": ("neither",)}), '"Which colour?"="neither"'),
        (Skip(), "The user skipped the questions."),
    ],
)
async def test_questions_are_understood(stage: Stage, reply: AnswerValue, words: str) -> None:
    async with stage() as s:
        await answered(s, "[[mock:ask]] go", "question", reply)

        assert words in said(s)


@pytest.mark.rule("CTL-47")
@pytest.mark.parametrize(
    ("judge", "mode", "words"),
    [
        (Judge(accepted=False, feedback="make it shorter"), "plan", "make it shorter"),
        (Judge(accepted=True), "default", "approved"),
    ],
)
async def test_a_plan_is_judged(stage: Stage, judge: Judge, mode: str, words: str) -> None:
    async with stage() as s:
        await s.ready()
        await s.send(Set(kind="mode", value="plan"))
        await s.send(Submit(text="[[mock:planfile]] go"))
        plan = await s.opened("plan")
        assert plan.plan
        assert plan.plan.plan.startswith("# Plan")
        await s.send(Answer(ask=plan.plan.id, answer=judge))
        await s.ended()

        assert words in said(s)
        assert s.session.view.state.mode == mode


async def test_an_interrupt_ends_a_streaming_turn_and_the_next_one_runs(stage: Stage) -> None:
    async with stage() as s:
        await s.send(Submit(text="[[mock:slow]] go"))
        await s.until(lambda: len(s.of("text")) > 3)
        await s.send(Cancel())
        ended = await s.ended()
        again = await s.turn("[[mock:text]] hi", 2)

        assert ended.turn
        assert again.turn
        assert (ended.turn.stop_reason, again.turn.stop_reason) == ("cancelled", "end_turn")
        assert not s.of("error", "user")


@pytest.mark.rule("CTL-T21")
@pytest.mark.parametrize("script", ["nap", "bash"])
async def test_an_interrupt_ends_a_tool_and_an_ask(stage: Stage, script: str) -> None:
    async with stage(policies=ALL if script == "nap" else None) as s:
        await s.send(Submit(text=f"[[mock:{script}]] go"))
        await s.until(lambda: s.of("tool")[1:] if script == "nap" else s.of("permission"))
        await s.send(Cancel())
        ended = await s.ended()

        assert ended.turn
        assert ended.turn.stop_reason == "cancelled"
        assert not s.session.view.asks


async def test_a_sub_agent_has_a_transcript_and_one_ending(stage: Stage) -> None:
    async with stage(policies=ALL) as s:
        await s.turn("[[mock:task]] go")
        rows = await s.until(lambda: [e.subagent for e in s.of("subagent") if e.subagent_change == "finished"])

        assert [(row.status, row.output) for row in rows] == [("completed", "There are some files.")]
        assert "Counting." in [event.text for event in s.of("text") if event.agent == rows[0].id]


class Desk:
    """A server of craze with one tool."""

    name = "desk"

    def tools(self) -> list[ServedTool]:
        schema = {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}
        return [ServedTool("add", "add two numbers", schema)]

    async def call(self, name: str, arguments: Any, cancel: object) -> ToolResult:
        return ToolResult(({"type": "text", "text": str(arguments["a"] + arguments["b"])},))


@pytest.mark.rule("CTL-55", "CTL-56")
async def test_tools_of_craze_are_called(stage: Stage) -> None:
    async with stage(policies=ALL, servers=[Desk()]) as s:
        await s.turn("[[mock:mcp]] go")

        assert said(s) == "Sum: 5"


@pytest.mark.rule("CTL-59", "CTL-61")
@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Reply(answers={"name": ("Ada",)}), {"action": "accept", "content": {"name": "Ada"}}),
        (Skip(), {"action": "decline"}),
    ],
)
async def test_a_form_of_a_tool_server_is_answered(stage: Stage, value: AnswerValue, words: dict[str, Any]) -> None:
    servers = {"form": {"command": sys.executable, "args": [str(FORMS)]}}
    async with stage(mcp_servers=servers, policies=Policies(permission="all")) as s:
        await answered(s, "[[mock:form]] go", "question", value)

        assert json.loads(said(s).removeprefix("Form: ")) == words


async def test_what_is_set_holds(stage: Stage) -> None:
    async with stage() as s:
        await s.ready()
        await s.send(Set(kind="model", value="haiku"))
        await s.send(Set(kind="mode", value="acceptEdits"))
        aside = await s.send(Aside(question="[[mock:text]] why"))
        await s.turn("[[mock:text]] hi")

        assert getattr(aside, "text", "") == "Hello from the mock model."
        assert "haiku" in (s.session.view.state.model or "")
        assert s.session.view.state.mode == "acceptEdits"


async def test_a_compaction_that_a_person_asks_for_has_its_sizes(stage: Stage) -> None:
    async with stage() as s:
        for number, prompt in enumerate(("[[mock:text]] one", "[[mock:text]] two", "/compact keep the names"), 1):
            await s.turn(prompt, number)

        told = [event.compaction for event in s.of("compaction") if event.compaction]
        assert [(each.phase, each.reason, each.err) for each in told] == [
            ("started", "manual", ""),
            ("ended", "manual", ""),
        ]
        assert told[1].tokens_before > 0


@pytest.mark.rule("CTL-97")
@pytest.mark.parametrize(("script", "reason"), [("full", "auto"), ("over", "overflow")])
async def test_a_compaction_of_the_agents_own_has_its_reason(
    stage: Stage, tmp_path: Path, script: str, reason: str
) -> None:
    start = Start(workspace=str(tmp_path / "work"), settings=(Set(kind="model", value="haiku"),))
    # Its window for this makes the first build compact as well; it has none where the model itself refuses.
    window = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"} if script == "full" else {}
    async with stage(start=start, env=window) as s:
        for number in range(1, 4):
            await s.turn("[[mock:look]] hello", number)
        await s.turn(f"[[mock:{script}]] much", 4)
        await s.turn("[[mock:text]] after", 5)

        told = [event.compaction for event in s.of("compaction") if event.compaction]
        assert [(each.phase, each.reason, each.err) for each in told] == [
            ("started", reason, ""),
            ("ended", reason, ""),
        ]
        assert not s.of("error")


@pytest.mark.rule("CTL-76")
async def test_a_model_that_refuses_ends_the_turn_as_refused(stage: Stage) -> None:
    async with stage(dialog_kinds=("refusal_fallback_prompt",)) as s:
        ended = await s.turn("[[mock:refuse]] go")
        again = await s.turn("[[mock:text]] hi", 2)

        assert ended.turn
        assert again.turn
        assert (ended.turn.stop_reason, again.turn.stop_reason) == ("refusal", "end_turn")


@pytest.mark.rule("CTL-54", "CTL-76")
@pytest.mark.parametrize(
    ("told", "stop", "status", "words"),
    [
        ({"decision": "block", "reason": "not here"}, "end_turn", "failed", "not here"),
        ({"continue": False, "stopReason": "enough"}, "cancelled", "completed", "Running it."),
        (ALLOWS, "end_turn", "completed", "made"),
    ],
)
async def test_hooks_of_the_agents_own_settings_decide(
    stage: Stage, tmp_path: Path, told: dict[str, Any], stop: str, status: str, words: str
) -> None:
    hook = {"type": "command", "command": f"echo '{json.dumps(told)}'"}
    settings = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}
    (tmp_path / "home" / ".claude" / "settings.json").write_text(json.dumps(settings))
    async with stage(policies=Policies() if told is ALLOWS else ALL) as s:
        ended = await s.turn("[[mock:bash]] go")

        assert ended.turn
        assert (ended.turn.stop_reason, last_status(s)) == (stop, status)
        assert words in said(s)
        stopped = [notice["text"] for notice in s.facts("notice") if "hook" in notice["text"]]
        assert stopped == (["a hook stopped the turn"] if stop == "cancelled" else [])


async def test_a_steer_is_folded_into_the_turn(stage: Stage) -> None:
    async with stage(policies=ALL) as s:
        await s.send(Submit(text="[[mock:nap]] go"))
        await s.until(lambda: s.of("tool"))
        await s.send(Steer(text="also say please"))
        await s.ended()

        assert not s.of("foreign_turn")
        assert said(s) == "Seen."


async def test_a_steer_that_comes_too_late_runs_as_a_turn_of_its_own(stage: Stage) -> None:
    async with stage() as s:
        await s.send(Submit(text="[[mock:mid]] go"))
        await s.until(lambda: len(s.of("text")) > 20)
        await s.send(Steer(text="[[mock:text]] and this"))
        await s.ended()
        await s.until(lambda: s.of("foreign_turn")[1:] or s.of("turn")[2:])

        begun = s.of("foreign_turn")[0].foreign_turn
        assert begun
        assert begun.text == "[[mock:text]] and this"


@pytest.mark.rule("CTL-102")
async def test_a_session_goes_on_in_another_process(stage: Stage) -> None:
    async with stage() as s:
        await s.turn("[[mock:text]] one")
        before = s.session.view.info.provider_session
        await s.send(Reconnect())
        await s.turn("[[mock:text]] two", 2)

        assert s.session.view.info.provider_session == before
        assert s.facts("usage")[-1]["session"]["output"] == 40


@pytest.mark.rule("CTL-102")
async def test_a_session_that_is_not_there_is_told(stage: Stage, tmp_path: Path) -> None:
    start = Start(workspace=str(tmp_path / "work"), reopen="11111111-2222-3333-4444-555555555555")
    async with stage(start=start) as s:
        await s.until(lambda: s.of("error"))

        error = s.of("error")[0].err
        assert error
        assert "does not know the session" in error.message


async def test_an_error_of_the_model_fails_the_turn_and_the_next_one_runs(stage: Stage) -> None:
    async with stage() as s:
        failed = await s.turn("[[mock:fail]] go")
        again = await s.turn("[[mock:busy]] go", 2)

        assert failed.turn
        assert again.turn
        assert (failed.turn.err_class, again.turn.stop_reason) == ("provider", "end_turn")
        assert len(s.of("error")) == 1
