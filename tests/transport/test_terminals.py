"""Terminals: output, exits, waiters, and that nothing runs on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from craze.errors import AgentNotFound
from craze.transport import Exit, Terminals, TooManyTerminalsError, UnknownTerminalError
from craze.transport.terminals import MOST_LIVE, command_line
from tests.transport.hearing import gone


@pytest.fixture
def printed() -> asyncio.Queue[str]:
    """The last lines of what terminals print."""
    return asyncio.Queue()


@pytest.fixture
async def terminals(tmp_path: Path, printed: asyncio.Queue[str]) -> AsyncIterator[Terminals]:
    held = Terminals(str(tmp_path), lambda _name, line: printed.put_nowait(line))
    yield held
    await held.close()


@pytest.mark.rule("ACP-97", "ACP-98", "ACP-101")
async def test_a_command_line_runs_in_the_shell_and_its_output_is_complete_before_its_exit(
    terminals: Terminals,
) -> None:
    name = await terminals.create("echo hi && exit 3")

    end = await terminals.wait(name)

    assert (name, end) == ("term-1", Exit(code=3))
    assert terminals.output(name).text == "hi\n"
    assert terminals.output(name).end == end
    assert await terminals.wait(name) == end


@pytest.mark.rule("ACP-100")
async def test_output_over_the_limit_is_cut_at_a_character(terminals: Terminals) -> None:
    name = await terminals.create("printf", ["ééé"], limit=5)
    await terminals.wait(name)

    assert (terminals.output(name).text, terminals.output(name).truncated) == ("éé", True)


@pytest.mark.rule("ACP-99")
async def test_a_program_that_cannot_start_uses_up_no_id(terminals: Terminals) -> None:
    with pytest.raises(AgentNotFound, match="/no/such"):
        await terminals.create("/no/such")

    assert await terminals.create("true") == "term-1"


@pytest.mark.rule("ACP-97")
async def test_a_command_has_its_folder_its_variables_no_input_and_one_pipe(
    terminals: Terminals, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    script = "pwd; echo $SAID; cat; echo err >&2; echo out"
    name = await terminals.create("sh", ["-c", script], {"SAID": "hello"}, str(tmp_path / "in"))
    await terminals.wait(name)

    assert terminals.output(name).text == f"{tmp_path}/in\nhello\nerr\nout\n"


@pytest.mark.rule("ACP-101")
async def test_every_waiter_is_answered_and_a_signal_is_named(terminals: Terminals) -> None:
    name = await terminals.create("sleep", ["600"])
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        waiters = [group.create_task(terminals.wait(name)) for _ in range(3)]
        await terminals.kill(name)

    assert {waiter.result() for waiter in waiters} == {Exit(signal="SIGTERM")}


@pytest.mark.rule("ACP-101")
async def test_a_grandchild_that_holds_the_pipe_does_not_hold_the_exit(terminals: Terminals) -> None:
    name = await terminals.create("sleep 600 & echo $!")

    async with asyncio.timeout(20):
        end = await terminals.wait(name)
    grandchild = int(terminals.output(name).text)
    await terminals.kill(name)

    assert end == Exit(code=0)
    await gone(grandchild)


@pytest.mark.rule("ACP-102")
async def test_a_command_that_ignores_term_is_killed_and_its_id_stays_valid(
    terminals: Terminals, printed: asyncio.Queue[str]
) -> None:
    name = await terminals.create("trap '' TERM; echo up; while :; do sleep 0.05; done")
    await printed.get()

    await terminals.kill(name)
    await terminals.kill(name)

    assert terminals.output(name).end == Exit(signal="SIGKILL")


@pytest.mark.rule("ACP-102", "ACP-103")
async def test_a_released_terminal_is_unknown_and_its_waiters_are_answered(
    terminals: Terminals, printed: asyncio.Queue[str]
) -> None:
    name = await terminals.create("echo before; exec sleep 600")
    await printed.get()
    waiter = asyncio.ensure_future(terminals.wait(name))
    await asyncio.sleep(0)

    output = await terminals.release(name)

    assert output.text == "before\n"
    assert (await waiter).signal == "SIGTERM"
    for use in (terminals.wait, terminals.kill, terminals.release):
        with pytest.raises(UnknownTerminalError):
            await use(name)
    with pytest.raises(UnknownTerminalError):
        terminals.output(name)


@pytest.mark.rule("ACP-104")
async def test_sixty_four_may_run_and_all_die_with_the_session(tmp_path: Path) -> None:
    terminals = Terminals(str(tmp_path))
    names = [await terminals.create("sleep", ["600"]) for _ in range(MOST_LIVE)]
    with pytest.raises(TooManyTerminalsError):
        await terminals.create("true")
    waiters = [asyncio.ensure_future(terminals.wait(name)) for name in names]
    await asyncio.sleep(0)

    await terminals.close()

    assert {(await waiter).signal for waiter in waiters} == {"SIGKILL"}
    assert names[0] not in terminals


async def test_what_a_terminal_prints_is_told_by_its_last_line(tmp_path: Path) -> None:
    told: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
    terminals = Terminals(str(tmp_path), lambda name, line: told.put_nowait((name, line)))
    await terminals.create(r"printf 'one\ntwo\n'; sleep 600")  # in one piece

    async with asyncio.timeout(20):
        assert await told.get() == ("term-1", "two")
    await terminals.close()


@pytest.mark.rule("ACP-98")
@pytest.mark.parametrize(
    ("command", "args", "argv"),
    [
        ("ls", ("-l", "a b"), ("ls", "-l", "a b")),
        ("echo hi && true", ("x",), ("echo hi && true", "x")),
        ("ls", (), ("ls",)),
        ("ls -l", (), ("/bin/dash", "-c", "ls -l")),
        ("no-such-program", (), ("no-such-program",)),
    ],
)
def test_the_argv_that_is_meant(command: str, args: tuple[str, ...], argv: tuple[str, ...]) -> None:
    assert command_line(command, args, {"SHELL": "/bin/dash"}) == argv


@pytest.mark.rule("ACP-98")
def test_a_program_whose_path_has_a_space_is_no_shell_line(tmp_path: Path) -> None:
    program = tmp_path / "my program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)

    assert command_line(str(program), (), {}) == (str(program),)
