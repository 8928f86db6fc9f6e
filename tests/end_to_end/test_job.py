"""The screen as a job of a shell: it stops and comes back, and it goes with the window it is in."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess

import pytest

from craze.codec import decode
from tests.cli.conftest import Craze
from tests.end_to_end.pty_screen import READY, PtyScreen, leave, screen

needs_bash = pytest.mark.skipif(not shutil.which("bash"), reason="a shell with jobs is needed")
STOPPED = "Stopped"
GIVEN_BACK = (b"\x1b[?1049l", b"\x1b[?1000l", b"\x1b[?1004l", b"\x1b[?2004l", b"\x1b[<u", b"\x1b[?25h", b"\x1b[23;2t")
TAKEN = (b"\x1b[?1049h", b"\x1b[?1000h", b"\x1b[?1004h", b"\x1b[?2004h", b"\x1b[?25l", b"\x1b[22;2t\x1b]2;")


def shell(craze: Craze) -> PtyScreen:
    environment = {**craze.environment, "PS1": "$ ", "HISTFILE": ""}
    return PtyScreen(["bash", "--norc", "--noediting", "-i"], craze.work, environment)


def descendants(pid: int) -> list[int]:
    """The processes that were started by a process, and by those."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    rows = [tuple(map(int, row.split())) for row in listed.splitlines()]
    children = [child for child, parent in rows if parent == pid]
    return [each for child in children for each in (child, *descendants(child))]


def state(pid: int) -> str:
    """The letter of a process, "" when there is none."""
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return listed.stdout[:1]


@needs_bash
@pytest.mark.rule("TUI-16")
@pytest.mark.parametrize("wrapped", [False, True], ids=["itself", "under a program that waits for it"])
async def test_ctrl_z_stops_craze_and_the_agent_runs_on(craze: Craze, wrapped: bool) -> None:
    command = shlex.join(craze.command("--agent", "demo"))
    async with shell(craze) as terminal:
        terminal.type(f"sh -c {shlex.quote(command + '; true')}\n" if wrapped else f"{command}\n")
        await terminal.until(READY)
        terminal.type("slow\r")
        await terminal.until("Twenty words")
        begun = len(terminal.raw)
        terminal.type(b"\x1a")
        await terminal.until(STOPPED)

        assert [mode for mode in GIVEN_BACK if mode not in terminal.raw[begun:]] == []
        assert terminal.modes_restored
        agent = descendants(terminal.process.pid)[-1]
        assert state(agent) in ("S", "R")

        begun = len(terminal.raw)
        terminal.type("fg\n")
        await terminal.until("and to cancel.")
        assert "› slow" in terminal.text
        assert [mode for mode in TAKEN if mode not in terminal.raw[begun:]] == []
        terminal.type("again")
        await terminal.until("› again")
        terminal.type(b"\x03")
        await leave(terminal)
        await terminal.until("to continue")
        terminal.type("exit\n")
        assert await terminal.exit() == 0


@needs_bash
@pytest.mark.rule("TUI-16")
async def test_a_job_that_somebody_else_stopped_comes_back_too(craze: Craze) -> None:
    async with shell(craze) as terminal:
        terminal.type("before=$(stty -g)\n")
        terminal.type(shlex.join(craze.command("--agent", "demo")) + "\n")
        await terminal.until(READY)
        os.kill(descendants(terminal.process.pid)[0], signal.SIGSTOP)
        await terminal.until(STOPPED)
        begun = len(terminal.raw)
        # Not others: the shell takes the modes of now back at the end of the job, sooner or later.
        terminal.type("stty $before\n")
        terminal.type("fg\n")
        # What was due while it stood still is painted before the terminal has its modes again; the title comes after.
        await terminal.until(lambda: TAKEN[-1] in terminal.raw[begun:])
        terminal.type("hello\r")
        await terminal.until("● You said: hello")
        await leave(terminal)
        await terminal.until("to continue")
        assert terminal.modes_restored


@pytest.mark.rule("TUI-16")
async def test_ctrl_z_changes_nothing_where_no_shell_could_bring_it_back(craze: Craze) -> None:
    async with screen(craze) as terminal:
        await terminal.until(READY)
        begun = len(terminal.raw)
        terminal.type(b"\x1a")
        # What is typed while the terminal is given back is the shell's: it is thrown away here.
        await terminal.until(lambda: TAKEN[-1] in terminal.raw[begun:])
        terminal.type("hello\r")
        await terminal.until("● You said: hello")
        await leave(terminal)
        assert await terminal.exit() == 0


@pytest.mark.rule("TUI-16")
@pytest.mark.parametrize("said", ["slow", "permission", "stubborn"])
async def test_a_closed_window_ends_craze_and_its_agent_and_keeps_the_session(craze: Craze, said: str) -> None:
    async with screen(craze) as terminal:
        await terminal.until(READY)
        terminal.type(f"{said}\rhalf a thought")  # at once: an ask takes the keyboard from a composer that is quiet
        await terminal.until("› half a thought")
        await terminal.until(lambda: "●" in terminal.text or " asks" in terminal.text)
        agents = descendants(terminal.process.pid)
        terminal.close_window()

        assert await terminal.exit() == 0
        assert agents
        assert {state(agent) for agent in agents} <= {"", "Z"}
    (session,) = craze.sessions
    assert '"half a thought"' in (session / "session.json").read_text()
    dumped = craze("dump", str(craze.journals[0]))
    turns = [event.turn.phase for line in dumped.stdout.splitlines() if (event := decode(line)).turn]
    assert turns == ["started", "ended"]
    assert craze("run", "-c", "hello").returncode == 0
