"""The end of the agent: its own, ours, and what is left of it."""

from __future__ import annotations

import asyncio
import os
import select
from pathlib import Path

import pytest

from craze.engine.intents import Reconnect, Set, Submit
from craze.engine.ports import Gone, Opened, Returned
from tests.fakes.acp_bench import Step, bench, initialized, opened, prompted, request, text
from tests.fakes.acp_session import stage

LOADS = {"loadSession": True}


def dies_once(flag: Path, *before: Step, after: tuple[Step, ...] = ()) -> list[Step]:
    """The first process plays `before`, every later one `after`."""
    return [{"once": str(flag), "first": list(before), "then": list(after)}]


@pytest.mark.rule("ACP-24", "ACP-126", "ACP-T50", "ACP-127")
async def test_a_death_in_a_turn_is_told_and_the_session_goes_on_after_reconnecting(tmp_path: Path) -> None:
    first = [
        *opened(LOADS),
        {"expect": {"method": "session/prompt"}},
        text("working"),
        {"stderr": "one\ntwo\n"},
        {"exit": 3},
    ]
    second = [
        *initialized(agentCapabilities=LOADS),
        {"expect": {"method": "session/load", "params": {"sessionId": "s"}}},
        {"reply": {"result": {}}},
        *prompted(text("back")),
    ]
    async with stage(tmp_path, *dies_once(tmp_path / "flag", *first, after=tuple(second))) as test:
        await test.ready()
        await test.turn("go")
        (error,) = test.of("error")
        assert test.session.view.status == "stopped"
        await test.send(Reconnect())
        await test.turn("again", 2)

        assert error.err is not None
        assert (error.err.error_class, error.err.code) == ("agent_exit_status", 3)
        assert error.err.message == "the agent exited with status 3\none\ntwo"
        assert [event.text for event in test.of("text")] == ["working", "back"]


@pytest.mark.rule("ACP-T79")
async def test_a_prompt_to_a_stopped_session_starts_its_agent(tmp_path: Path) -> None:
    second = [
        *initialized(agentCapabilities=LOADS),
        {"expect": {"method": "session/load"}},
        {"reply": {"result": {}}},
        *prompted(text("back")),
    ]
    async with stage(tmp_path, *dies_once(tmp_path / "flag", *opened(LOADS), {"exit": 0}, after=tuple(second))) as test:
        await test.until(lambda: test.session.view.status == "stopped" and test.of("error"))
        await test.send(Submit(text="go"))
        await test.ended()

        assert [event.text for event in test.of("text")] == ["back"]


@pytest.mark.rule("ACP-18", "ACP-T10")
async def test_an_agent_that_closes_its_output_is_gone(tmp_path: Path) -> None:
    steps = [
        *opened(),
        {"expect": {"method": "session/prompt"}},
        {"close_stdout": True},
        {"ignore_term": True},
        {"sleep_ms": 60_000},
    ]
    async with stage(tmp_path, *steps) as test:
        await test.ready()
        ended = await test.turn("go")

        assert ended.turn is not None
        assert ended.turn.err_class == "closed"


@pytest.mark.rule("ACP-18")
async def test_nothing_waits_for_an_agent_that_is_gone(tmp_path: Path) -> None:
    steps = [
        *opened(),
        {"expect": {"method": "session/prompt"}},
        request(0, "terminal/create", command="sleep 600"),
        {"expect": {"id": 0}},
        request(1, "terminal/wait_for_exit", terminalId="term-1"),
        {"exit": 1},
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Opened)
        test.prompt("go")
        await test.one(Gone)
        test.provider.cancel()
        test.provider.set("c-1/1", Set(kind="model", value="x"))

        returned = await test.one(Returned)
        assert returned.failure is not None


@pytest.mark.rule("ACP-T96")
async def test_a_set_that_is_open_when_the_agent_dies_is_over_once(tmp_path: Path) -> None:
    option = {
        "id": "m",
        "category": "model",
        "type": "select",
        "currentValue": "a",
        "options": [{"value": "a"}, {"value": "b"}],
    }
    steps = [*opened(configOptions=[option]), {"expect": {"method": "session/set_config_option"}}, {"exit": 1}]
    async with stage(tmp_path, *steps) as test:
        await test.ready()
        result = await test.send(Set(kind="model", value="b"))

        assert getattr(result, "code", "") == "failed"


@pytest.mark.rule("ACP-22", "ACP-177")
async def test_a_stop_closes_the_session_then_the_input(tmp_path: Path) -> None:
    can = {"sessionCapabilities": {"close": {}}}
    steps = [
        *opened(can),
        {"expect": {"method": "session/prompt"}},
        {"expect": {"method": "session/cancel"}},
        {"send": {"jsonrpc": "2.0", "id": 3, "result": {"stopReason": "cancelled"}}},
        {"expect": {"method": "session/close", "params": {"sessionId": "s"}}},
        {"reply": {"result": {}}},
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Opened)
        test.prompt("go")
        await test.provider.close(2)

        assert [line["method"] for line in test.sent()][2:] == ["session/prompt", "session/cancel", "session/close"]
        assert [row for row, _, _ in test.rows][-1] == "exit"
        assert test.of(Gone) == []


@pytest.mark.rule("ACP-22")
async def test_a_second_stop_kills_at_once(tmp_path: Path) -> None:
    steps = [*opened(), {"ignore_eof": True}, {"ignore_term": True}, text("ready")]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.until(lambda: test.events("text"))
        first = asyncio.ensure_future(test.provider.close(0))
        await asyncio.sleep(0)
        await test.provider.close(0)
        await first

        assert [line for row, line, _ in test.rows if row == "exit"] == [b'{"signal":"SIGKILL"}']


@pytest.mark.rule("ACP-23", "ACP-T51")
async def test_no_process_of_the_group_is_left(tmp_path: Path) -> None:
    child = f"echo $$ > {tmp_path}/pid; mv {tmp_path}/pid {tmp_path}/child; exec sleep 600"
    steps = [*opened(), {"spawn_child": child}, {"wait_file": f"{tmp_path}/child"}, {"exit": 0}]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Gone)

    pid = int((tmp_path / "child").read_text())
    assert _ends(pid)


@pytest.mark.rule("ACP-127")
async def test_reopening_a_live_agent_sends_it_away_first_and_tells_nothing_of_it(tmp_path: Path) -> None:
    steps = [*opened(), {"stderr": "bye\n"}]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Opened)
        test.open()
        returned = await test.one(Returned)

        assert "cannot reopen" in returned.failure.message
        assert test.of(Gone) == []
        assert [row for row, _, _ in test.rows].count("exit") >= 1


@pytest.mark.rule("ACP-22")
async def test_a_start_under_way_when_the_session_closes_leaves_nothing(tmp_path: Path) -> None:
    async with bench(tmp_path, {"sleep_ms": 60_000}) as test:
        test.open()
        await test.provider.close(0)

        assert [row for row, _, _ in test.rows if row == "out"] == []
    await test.until(lambda: [row for row, _, _ in test.rows if row == "exit"])


@pytest.mark.rule("ACP-201", "ACP-12")
async def test_a_timer_of_the_process_before_is_none_of_this_one(tmp_path: Path) -> None:
    second = [*initialized(agentCapabilities=LOADS), {"expect": {"method": "session/load"}}]
    steps = dies_once(tmp_path / "flag", *opened(LOADS), {"exit": 0}, after=tuple(second))
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Gone)
        test.open()
        await test.until(lambda: test.sent("session/load"))
        for timer in ("provider:request:1", "provider:request:2"):
            test.provider.fired(timer, test.clock.now())

        assert [line["id"] for line in test.sent() if "id" in line] == [1, 2, 3, 4]
        assert test.of(Returned) == []


@pytest.mark.rule("ACP-21")
async def test_a_flood_of_stderr_is_few_facts(tmp_path: Path) -> None:
    steps = [
        *opened(),
        {"stderr": "x" * 100 + "\n"},
        *[{"stderr": "y\n" * 1000}] * 5,
        text("after"),
        {"sleep_ms": 100},
        {"exit": 1},
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Gone)

        facts = test.facts("agent_stderr")
        assert 10 < len(facts) < 40
        assert len(facts[-1]["lines"]) == 200


def _ends(pid: int) -> bool:
    """Whether the process is gone, or goes within 20 s."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], 20)[0])
    finally:
        os.close(process)
