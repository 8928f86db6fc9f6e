"""How many lines one read of the pipe brings changes nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from craze.engine.answers import Pick
from craze.engine.clock import LoopClock
from craze.engine.core import Core
from craze.engine.facts import Policies
from craze.engine.intents import Answer, Cancel, Set, Submit
from craze.engine.ports import Start
from craze.engine.session import Session
from craze.engine.situation import Settings
from craze.providers.acp.connect import AcpProvider
from craze.providers.acp.declaration import Declaration
from craze.store.memory import MemoryLog
from tests.fakes.acp_bench import PERMISSION_OPTIONS, updated
from tests.fakes.acp_memory import Memory
from tests.fakes.acp_session import Stage

MODES = {"currentModeId": "ask", "availableModes": [{"id": "ask"}, {"id": "plan"}]}


def said(text: str) -> dict[str, Any]:
    return line("agent_message_chunk", content={"type": "text", "text": text})


def line(kind: str, /, **fields: Any) -> dict[str, Any]:
    made = updated(kind, **fields)
    made["params"]["sessionId"] = "s"
    return made


def answer(number: int, **result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "result": result}


def permission(number: int, tool: str) -> dict[str, Any]:
    params = {"sessionId": "s", "toolCall": {"toolCallId": tool}, "options": PERMISSION_OPTIONS}
    return {"jsonrpc": "2.0", "id": number, "method": "session/request_permission", "params": params}


async def told(tmp: str, *, at_once: bool, policy: str) -> tuple[list[Any], list[Any]]:
    """A session in which everything happens at once: its events, and what was written."""
    outside = Memory()
    clock = LoopClock()
    provider = AcpProvider(Declaration(argv=("agent",)), clock, lambda: outside)
    core = Core(Settings(policies=Policies(permission=policy)), session="s", start=Start(workspace=tmp))
    session = Session(core, provider, clock=clock, log=MemoryLog())
    stage = Stage(session, provider, None)  # pyright: ignore[reportArgumentType]
    following = asyncio.ensure_future(stage.follow())
    await asyncio.sleep(0)
    session.begin()
    waiting = [session.submit(Submit(text=text)) for text in ("one", "two")]
    await outside.say([answer(1, protocolVersion=1)], at_once=at_once)
    await outside.say([said("early"), answer(2, sessionId="s", modes=MODES), said("banner")], at_once=at_once)
    await outside.say(
        [
            said("a"),
            line("tool_call", toolCallId="t", title="t"),
            permission(0, "t"),
            said("b"),
            permission(1, "u"),
            said("c"),
        ],
        at_once=at_once,
    )
    if policy == "ask":
        waiting.append(session.submit(Answer(ask="perm-1", answer=Pick(option="once"))))
    waiting.append(session.submit(Set(kind="mode", value="plan")))
    await outside.say([line("current_mode_update", currentModeId="plan"), said("d"), answer(4)], at_once=at_once)
    waiting.append(session.submit(Cancel()))
    await outside.say([said("e"), answer(3, stopReason="end_turn"), said("f")], at_once=at_once)
    await outside.say([said("g"), answer(5, stopReason="end_turn"), said("h")], at_once=at_once)
    await asyncio.gather(*waiting)
    await session.close()
    await following
    assert outside.link is not None
    return stage.keys(), outside.link.written


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(held) for key, held in value.items() if key != "queuedAt"}
    return [without_times(held) for held in value] if isinstance(value, list) else value


@pytest.mark.rule("ACP-T89", "ACP-14", "ENG-134")
@pytest.mark.parametrize("policy", ["ask", "all", "deny"])
async def test_events_and_written_lines_do_not_depend_on_the_reads(policy: str, tmp_path: object) -> None:
    events, written = await told(str(tmp_path), at_once=True, policy=policy)
    same_events, same_written = await told(str(tmp_path), at_once=False, policy=policy)

    assert without_times(events) == without_times(same_events)
    assert written == same_written
    assert [event["turn"]["phase"] for event in events if event["type"] == "turn"] == ["started", "ended"] * 2
