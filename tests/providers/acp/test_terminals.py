"""`terminal/*`: commands that the agent runs here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from craze.codec import ToolOutput
from craze.engine.ports import Opened, ToolPatch
from tests.fakes.acp_bench import Bench, Step, bench, opened, request, text, update


def run(*calls: Step, **create: Any) -> list[Step]:
    """Create a terminal, then these calls, each expected to be answered."""
    steps = [*opened(), request(0, "terminal/create", **create), {"expect": {"id": 0}}]
    for call in calls:
        steps += [call, {"expect": {"id": call["send"]["id"]}}] if "id" in call.get("send", {}) else [call]
    return [*steps, text("done")]


async def answers(test: Bench) -> dict[int, Any]:
    test.open()
    await test.until(lambda: test.events("text"))
    lines = [line for line in test.sent() if "method" not in line]
    return {line["id"]: line.get("result", line.get("error")) for line in lines}


WAIT = request(1, "terminal/wait_for_exit", terminalId="term-1")
OUTPUT = request(2, "terminal/output", terminalId="term-1")


@pytest.mark.rule("ACP-97", "ACP-98", "ACP-101", "ACP-T37")
async def test_a_line_for_the_shell_is_run_by_one(tmp_path: Path) -> None:
    async with bench(tmp_path, *run(WAIT, OUTPUT, command="echo hi && exit 3")) as test:
        assert await answers(test) == {
            0: {"terminalId": "term-1"},
            1: {"exitCode": 3, "signal": None},
            2: {"output": "hi\n", "truncated": False, "exitStatus": {"exitCode": 3, "signal": None}},
        }


@pytest.mark.rule("ACP-100", "ACP-T38")
async def test_output_is_cut_from_the_front_between_characters(tmp_path: Path) -> None:
    steps = run(WAIT, OUTPUT, command="printf", args=["ééé"], outputByteLimit=5)
    async with bench(tmp_path, *steps) as test:
        output = (await answers(test))[2]

        assert (output["output"], output["truncated"]) == ("éé", True)


@pytest.mark.rule("ACP-99", "ACP-T39")
async def test_a_program_that_cannot_start_has_no_id(tmp_path: Path) -> None:
    async with bench(tmp_path, *run(WAIT, command="/no/such")) as test:
        said = await answers(test)

        assert said[0]["code"] == -32603
        assert "/no/such" in said[0]["message"]
        assert (said[1]["code"], said[1]["data"]) == (-32002, {"uri": "terminal:term-1"})


@pytest.mark.rule("ACP-102", "ACP-103")
async def test_a_killed_terminal_keeps_its_id_until_it_is_released(tmp_path: Path) -> None:
    calls = (
        request(1, "terminal/kill", terminalId="term-1"),
        request(2, "terminal/kill", terminalId="term-1"),
        request(3, "terminal/output", terminalId="term-1"),
        request(4, "terminal/release", terminalId="term-1"),
        request(5, "terminal/output", terminalId="term-1"),
    )
    async with bench(tmp_path, *run(*calls, command="sleep", args=["60"])) as test:
        said = await answers(test)

        assert said[1] == said[2] == said[4] == {}
        assert said[3]["exitStatus"] == {"exitCode": None, "signal": "SIGTERM"}
        assert said[5]["code"] == -32002


@pytest.mark.rule("ACP-97")
async def test_a_command_runs_only_in_the_folders_of_the_session(tmp_path: Path) -> None:
    async with bench(tmp_path, *run(command="true", cwd="/etc")) as test:
        assert (await answers(test))[0]["code"] == -32602


@pytest.mark.rule("ACP-189")
async def test_terminals_that_are_not_offered_are_an_unknown_method(tmp_path: Path) -> None:
    async with bench(tmp_path, *run(command="true"), terminal=False) as test:
        assert (await answers(test))[0]["code"] == -32601
        assert test.lints() == {"gated-call": 1}


@pytest.mark.rule("ACP-68", "ACP-T94")
async def test_each_tool_that_shows_a_terminal_says_what_was_answered(tmp_path: Path) -> None:
    shows = [{"type": "terminal", "terminalId": "term-1"}]
    steps = [
        *opened(),
        {"expect": {"method": "session/prompt"}},
        request(0, "terminal/create", command="echo hi"),
        {"expect": {"id": 0}},
        update("tool_call", toolCallId="a", title="a", content=shows),
        update("tool_call", toolCallId="b", title="b", content=shows),
        WAIT,
        {"expect": {"id": 1}},
        OUTPUT,
        {"expect": {"id": 2}},
        update("tool_call", toolCallId="c", title="c", content=shows),
        text("done"),
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Opened)
        test.prompt("go")
        await test.until(lambda: test.events("text"))

        said = [(patch.id, patch.output) for patch in test.of(ToolPatch) if isinstance(patch.output, ToolOutput)]
        code, whole = ToolOutput(exit_code=0), ToolOutput(exit_code=0, stdout="hi\n")
        assert said == [("a", code), ("b", code), ("a", whole), ("b", whole), ("c", whole)]
        outs = {at for at, reports in test.lines if any(isinstance(r, ToolPatch) and r.output for r in reports)}
        assert len(outs) == 3
        assert test.lints() == {}


@pytest.mark.rule("ACP-104", "ACP-22")
async def test_no_command_outlives_the_session(tmp_path: Path) -> None:
    pid, ready = tmp_path / "pid", tmp_path / "ready"
    steps = [
        *run(command=f"echo $$ > {pid}; mv {pid} {ready}; exec sleep 600")[:-1],
        request(1, "terminal/create", command=f"until [ -e {ready} ]; do sleep 0.01; done"),
        {"expect": {"id": 1}},
        request(2, "terminal/wait_for_exit", terminalId="term-2"),
        {"expect": {"id": 2}},
        text("done"),
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.until(lambda: test.events("text"))

    assert not _runs(ready.read_text().strip())


def _runs(pid: str) -> bool:
    return Path(f"/proc/{pid}").exists()


@pytest.mark.rule("ACP-15", "ACP-99")
@pytest.mark.parametrize(
    ("create", "code"),
    [
        ({"command": "true", "cwd": "a\0b"}, -32602),
        ({"command": "true", "cwd": "loop"}, -32602),
        ({"command": ""}, -32602),
        ({"command": "a\0b"}, -32603),
        ({"command": "env", "env": [{"name": "A=B", "value": ""}]}, -32603),
        ({"command": "true", "args": ["x" * (3 << 20)]}, -32603),
    ],
)
async def test_a_command_that_nobody_can_run_is_refused_at_once(
    tmp_path: Path, create: dict[str, Any], code: int
) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "loop").symlink_to("loop")
    async with bench(tmp_path, *run(**create)) as test:
        assert (await answers(test))[0]["code"] == code
