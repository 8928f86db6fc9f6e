"""Agents that go, are sent away, or never come: what was open ends once, and the capture comes to the same again."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from craze.engine.answers import Pick
from craze.engine.intents import Answer, Cancel, Reconnect, Steer, Submit
from tests.fakes.control_session import GREET, PROMPT, ControlStage, Step, control

ASK: Step = {
    "send": {
        "type": "control_request",
        "request_id": "r1",
        "request": {"subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "t1"},
    }
}
INIT: Step = {"begin": {}}
LEAVES_ITS_INPUT = """
import json, os, signal, sys
hello = json.loads(sys.stdin.readline())
os.close(0)
print(json.dumps({"type": "control_response", "response": {"subtype": "success", "request_id": hello["request_id"]}}), flush=True)
signal.pause()
"""


def ended(stage: ControlStage) -> list[tuple[str, str]]:
    return [(event.ask.outcome, event.ask.by) for event in stage.of("ask") if event.ask]


@pytest.mark.rule("CTL-82", "CTL-T7")
@pytest.mark.parametrize("end", [{"exit": 0}, {"exit": 3}, {"kill": "SIGKILL"}])
async def test_an_agent_that_goes_with_an_open_ask(tmp_path: Path, end: Step) -> None:
    async with control(tmp_path, GREET, PROMPT, INIT, ASK, end) as stage:
        await stage.turn("hello")

        assert ended(stage) == [("closing", "provider")]
        assert len(stage.of("error")) == 1
        assert stage.session.view.status == "stopped"


async def test_an_agent_that_goes_before_it_is_greeted_says_why(tmp_path: Path) -> None:
    async with control(tmp_path, {"stderr": "no licence\n"}, {"exit": 2}) as stage:
        await stage.until(lambda: stage.of("error"))

        error = stage.of("error")[0].err
        assert error
        assert (error.error_class, error.code) == ("agent_exit_status", 2)
        assert "no licence" in error.message


async def test_an_agent_that_is_not_there_is_told(tmp_path: Path) -> None:
    async with control(tmp_path, argv=("/no/such/agent",)) as stage:
        await stage.until(lambda: stage.of("error"))

        error = stage.of("error")[0].err
        assert error
        assert "/no/such/agent" in error.message
        assert stage.session.view.status == "stopped"


async def test_what_is_open_ends_when_the_session_closes(tmp_path: Path) -> None:
    async with control(tmp_path, GREET, PROMPT, INIT, ASK) as stage:
        await stage.send(Submit(text="hello"))
        await stage.opened("permission")

    assert ended(stage) == [("closing", "close")]
    assert [event.turn.stop_reason for event in stage.of("turn") if event.turn][-1] == "closing"


@pytest.mark.rule("CTL-93")
async def test_an_answer_to_an_agent_that_is_gone_reaches_nobody(tmp_path: Path) -> None:
    async with control(tmp_path, GREET, PROMPT, INIT, ASK, {"sleep_ms": 50}, {"exit": 0}) as stage:
        await stage.send(Submit(text="hello"))
        await stage.ended()
        late = await stage.send(Answer(ask="perm-1", answer=Pick(option="allow")))

        assert getattr(late, "code", "") == "already_resolved"


@pytest.mark.rule("CTL-13")
async def test_an_agent_that_closes_its_input_and_lives_on_ends_its_turn(tmp_path: Path) -> None:
    async with control(tmp_path, argv=(sys.executable, "-c", LEAVES_ITS_INPUT), line="as_is") as stage:
        ended = await stage.turn("hello")

        error = stage.of("error")[0].err
        assert error
        assert (error.error_class, error.message) == ("agent_exited", "the agent closed its input")
        assert ended.turn
        assert ended.turn.err_class == "agent_exited"
        assert stage.session.view.status == "stopped"


async def test_a_turn_that_hangs_is_left_by_starting_the_agent_again(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        await stage.send(Submit(text="[[slow]]"))
        await stage.until(lambda: stage.of("text"))
        await stage.send(Reconnect())
        again = await stage.turn("hello", 2)

        assert again.turn
        assert again.turn.stop_reason == "end_turn"


async def test_a_steer_and_an_interrupt_leave_nothing_open(tmp_path: Path) -> None:
    async with control(tmp_path) as stage:
        await stage.send(Submit(text="[[slow]]"))
        await stage.until(lambda: stage.of("text"))
        await stage.send(Steer(text="and this"))
        await stage.send(Cancel())
        cancelled = await stage.ended()

        assert cancelled.turn
        assert cancelled.turn.stop_reason == "cancelled"


async def test_broken_lines_around_a_turn_are_lints(tmp_path: Path) -> None:
    noise = {"raw": 'Debugger listening\n\n[1,2]\n{"type":"assistant","message":7}\n{"type":"no_such"}\n'}
    async with control(tmp_path, GREET, noise, PROMPT, noise, {"say": "here"}, {"end": {}}, noise) as stage:
        await stage.turn("hello")

        assert [event.text for event in stage.of("text")] == ["here"]
        assert stage.lints()["unknown-type"] == 1
