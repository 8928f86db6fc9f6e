"""The screen in a pseudo terminal: the real command and the demo agent. Waits for what is shown, never for time."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Craze
from tests.end_to_end.pty_screen import IDLE, READY, PtyScreen, leave, quit_screen, screen


@pytest.mark.rule("TUI-10")
def test_textual_is_not_in_memory_when_the_agent_is_started(craze: Craze) -> None:
    code = (
        "import sys, asyncio\n"
        "import craze.cli.screening as screen\n"
        "from craze.cli import stdio\n"
        "stdio.is_terminal = lambda: True\n"
        "rows = []\n"
        "class Noted(screen.Underway):\n"
        "    def __call__(self, row):\n"
        "        rows.append((row, 'textual' in sys.modules)); super().__call__(row)\n"
        "screen.Underway = Noted\n"
        "async def show(wanted, session):\n"
        "    await session.close()\n"
        "    return 'done'\n"
        "import types; fake = types.ModuleType('craze.cli.showing'); fake.show = show\n"
        "sys.modules['craze.cli.showing'] = fake\n"
        "from craze.cli.main import main\n"
        "main(['--agent', 'demo'])\n"
        "first = rows[0]\n"
        "print('initialize' in first[0].decode(), first[1], 'textual' in sys.modules)\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=craze.work,
        env=craze.environment,
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert done.stdout.decode().split() == ["True", "False", "False"], done.stderr.decode()


@pytest.mark.rule("TUI-11")
def test_without_a_terminal_nothing_starts(craze: Craze) -> None:
    done = craze("--agent", "demo")

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == "craze: the screen needs a terminal\nhint: craze run PROMPT runs without one\n"
    assert craze.sessions == []


@pytest.mark.rule("TUI-12")
async def test_the_first_picture_has_everything_in_its_place(craze: Craze) -> None:
    async with screen(craze) as terminal:
        await terminal.until("›")

        rows = terminal.text.rstrip().splitlines()
        assert rows[next(at for at, row in enumerate(rows) if "›" in row) - 1].startswith("── craze ──")


@pytest.mark.rule("TUI-12", "TUI-15")
async def test_a_prompt_streams_an_answer_and_leaving_restores_the_terminal(craze: Craze) -> None:
    async with screen(craze) as terminal:
        await terminal.until(READY)
        terminal.type("hello\r")
        await terminal.until("● You said: hello")
        await leave(terminal)

        assert await terminal.exit() == 0
        await terminal.until("to continue")
        assert terminal.modes_restored
        assert b"\x1b[?1049l" in terminal.raw
        assert b"\x1b[?1000l" in terminal.raw
        assert b"\x1b[23;2t" in terminal.raw
        assert f"session {craze.sessions[0].name} · craze -r {craze.sessions[0].name[:8]}" in terminal.text


@pytest.mark.rule("TUI-15")
async def test_nothing_is_said_of_a_session_in_which_nothing_was_prompted(craze: Craze) -> None:
    async with screen(craze) as terminal:
        await terminal.until(READY)
        await leave(terminal)

        assert await terminal.exit() == 0
        assert "to continue" not in terminal.text


@pytest.mark.rule("TUI-10", "TUI-12")
async def test_the_prompt_of_the_command_line_is_sent_and_the_session_can_be_continued(craze: Craze) -> None:
    async with screen(craze, "the first one") as terminal:
        await terminal.until("● You said: the first one")
        await leave(terminal)
        assert await terminal.exit() == 0

    async with screen(craze, "-c", "and another") as terminal:
        await terminal.until("● You said: and another")
        assert "› the first one" in terminal.text
        await leave(terminal)
        assert await terminal.exit() == 0
    assert len(craze.sessions) == 1


@pytest.mark.rule("CLI-58", "ENG-108")
async def test_the_flags_of_a_run_hold_for_the_screen(craze: Craze) -> None:
    flags = ["--model", "large-1", "--mode", "ask", "--effort", "low", "--title", "Mine"]
    async with screen(craze, *flags, "--answers", "deny", "--no-wire", "--theme", "craze-light", "hello") as terminal:
        await terminal.until("● You said: hello")
        await terminal.until("Large 1 (Low) · ◆ Ask")
        assert terminal.text.count("› hello") == 1
        await leave(terminal)
        assert await terminal.exit() == 0

    (session,) = craze.sessions
    kept = json.loads((session / "session.json").read_bytes())
    assert (kept["title"], kept["pinned"]) == ("Mine", True)
    assert not list(session.glob("*.wire.jsonl"))
    assert not list(craze.home.rglob("*.toml"))


@pytest.mark.rule("CLI-58")
@pytest.mark.parametrize(
    "words",
    [
        ("-c", "-r", "0194"),
        ("--agent-command", "x"),
        ("--title", "t", "-"),
        ("--model",),
        ("--image", "none.png"),
        ("--add-dir", "none"),
    ],
    ids=" ".join,
)
async def test_flags_that_do_not_go_together_start_nothing(craze: Craze, words: tuple[str, ...]) -> None:
    async with screen(craze, *words) as terminal:
        assert await terminal.exit() == 2

    assert craze.sessions == []


@pytest.mark.rule("TUI-93", "TUI-150", "TUI-152")
async def test_prompts_queue_while_the_agent_works_and_esc_cancels(craze: Craze) -> None:
    async with screen(craze) as terminal:
        await terminal.until(READY)
        terminal.type("stall\r")
        await terminal.until("working 0:0")
        terminal.type("the next one\r")
        await terminal.until("queue 1")
        terminal.type(b"\x1b")
        await terminal.until("● You said: the next one")
        await leave(terminal)
        assert await terminal.exit() == 0


@pytest.mark.rule("TUI-131", "TUI-134")
async def test_an_ask_is_answered_by_its_number(craze: Craze) -> None:
    async with screen(craze) as terminal:
        await terminal.until(READY)
        terminal.type("permission\r")
        await terminal.until("asks · ")
        await terminal.until("1-3 or enter")  # the panel has the keyboard

        def answered() -> bool:
            """Its keys count only a moment later, so that nothing typed ahead answers: press until one does."""
            if "craze-demo asks" not in terminal.text and "demo asks" not in terminal.text:
                return True
            terminal.type("y")
            return False

        await terminal.until(answered)
        await terminal.until("✓ allowed once")
        await leave(terminal)
        assert await terminal.exit() == 0


@pytest.mark.rule("TUI-16")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_ends_the_screen_without_a_question(craze: Craze, number: signal.Signals) -> None:
    async with screen(craze) as terminal:
        await terminal.until(READY)
        terminal.type("stall\r")
        await terminal.until("working 0:0")
        os.kill(terminal.process.pid, number)

        assert await terminal.exit() == 0
        assert terminal.modes_restored
        assert b"\x1b[?1049l" in terminal.raw


@pytest.mark.rule("TUI-20", "TUI-25")
async def test_a_storm_of_resizes_ends_in_a_whole_screen(craze: Craze) -> None:
    async with screen(craze) as terminal:
        await terminal.until(READY)
        terminal.type("hello\r")
        await terminal.until("● You said: hello")
        await terminal.until(IDLE)
        for step in range(30):
            terminal.resize(40 + (step * 37) % 160, 12 + (step * 13) % 48)
        terminal.resize(30, 8)
        await terminal.until("40x12 needed, 30x8 now")
        terminal.resize(80, 24)
        await terminal.until(lambda: READY in terminal.text and "● You said: hello" in terminal.text)
        await quit_screen(terminal)
        assert await terminal.exit() == 0


COLOURS = frozenset(str(base + by) for base in (30, 40, 90, 100) for by in range(9))


def colours_in(raw: bytes) -> set[str]:
    """The codes of colours in what was written to a terminal; 39 and 49, the terminal's own, are none."""
    runs = re.findall(r"\x1b\[([\d;]*)m", raw.decode(errors="replace"))
    return {code for run in runs for code in run.split(";")} & COLOURS


@pytest.mark.rule("TUI-183")
@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "dumb"])
async def test_no_colours_are_written_where_none_are_wanted(craze: Craze, environment: dict[str, str]) -> None:
    async with screen(craze, **environment) as terminal:
        await terminal.until(READY)
        terminal.type("hello\r")
        await terminal.until("● You said: hello")
        assert colours_in(bytes(terminal.raw)) == set()
        assert b"\x1b[1" in terminal.raw
        await leave(terminal)
        assert await terminal.exit() == 0


@pytest.mark.rule("TUI-170")
async def test_an_agent_that_died_is_started_again_and_goes_on(craze: Craze) -> None:
    async with screen(craze) as terminal:
        await terminal.until(READY)
        terminal.type("crash\r")
        await terminal.until("restart and resume")
        terminal.type("r")
        await terminal.until(lambda: "restart and resume" not in terminal.text)
        await terminal.until("enter send")
        terminal.type("hello again\r")
        await terminal.until("● You said: hello again")
        await leave(terminal)
        assert await terminal.exit() == 0


@pytest.mark.rule("TUI-161", "ACP-25")
async def test_a_new_session_takes_the_place_of_the_open_one(craze: Craze) -> None:
    async with screen(craze, "hello") as terminal:
        await terminal.until("● You said: hello")
        await terminal.until(lambda: IDLE in terminal.text and " tok" in terminal.text)
        terminal.type("/new")
        await terminal.until("tab accept")
        terminal.type("\r")
        await terminal.until(lambda: READY in terminal.text and "You said" not in terminal.text)
        terminal.type("again\r")
        await terminal.until("● You said: again")
        await leave(terminal)
        assert await terminal.exit() == 0

    assert len(craze.sessions) == 2


@pytest.mark.rule("TUI-14")
async def test_a_start_that_fails_stays_on_the_screen_and_ends_with_its_own_code(craze: Craze) -> None:
    craze.configure(
        f'[agents.broken]\nprovider = "acp"\ncommand = ["{sys.executable}", "-m", "craze", "demo-agent", "--script", "crashstart"]\n'
    )
    command = craze.command("--agent", "broken")
    async with PtyScreen(command, craze.work, craze.environment) as terminal:
        await terminal.until("broken did not start")
        terminal.type("q")
        assert await terminal.exit() == 1


@pytest.mark.rule("TUI-10", "TUI-156", "TUI-158")
async def test_without_an_agent_the_picker_comes_first(craze: Craze) -> None:
    async with PtyScreen(craze.command(), craze.work, craze.environment) as terminal:
        await terminal.until("choose an agent")
        await terminal.until("demo")
        terminal.type(b"\x1b")
        assert await terminal.exit() == 0
    assert craze.sessions == []

    async with PtyScreen(craze.command(), craze.work, craze.environment) as terminal:
        await terminal.until("1 ready")
        terminal.type("demo")
        await terminal.until("filter: demo")
        terminal.type("\r")
        await terminal.until(READY)
        await leave(terminal)
        assert await terminal.exit() == 0


@pytest.mark.rule("TUI-107")
async def test_a_shell_command_runs_in_the_folder(craze: Craze) -> None:
    (craze.work / "here.txt").write_text("x")
    async with screen(craze) as terminal:
        await terminal.until(READY)
        terminal.type("!ls\r")
        await terminal.until("[!ls, 1 line]")
        await terminal.until("here.txt")
        await leave(terminal)
        assert await terminal.exit() == 0


@pytest.mark.rule("TUI-104")
async def test_the_persons_editor_gets_the_terminal_and_gives_the_draft_back(craze: Craze, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf " and edited" >> "$1"\n')
    editor.chmod(0o755)
    async with screen(craze, EDITOR=str(editor), VISUAL="") as terminal:
        await terminal.until(READY)
        terminal.type("draft")
        await terminal.until("› draft")
        terminal.type(b"\x07")
        await terminal.until("› draft and edited")
        terminal.type(b"\x03")
        await leave(terminal)
        assert await terminal.exit() == 0


@pytest.mark.rule("TUI-31", "TUI-218")
async def test_an_idle_screen_writes_nothing(craze: Craze) -> None:
    async with screen(craze) as terminal:
        await terminal.until(READY)
        terminal.type("hello\r")
        await terminal.until("● You said: hello")
        await terminal.until("enter send")
        size = -1
        async with asyncio.timeout(20):
            while size != len(terminal.raw):  # everything that was under way is drawn
                size = len(terminal.raw)
                await asyncio.sleep(1.2)

        assert len(terminal.raw) == size
        await leave(terminal)
        assert await terminal.exit() == 0


@pytest.mark.rule("TUI-16")
async def test_a_crash_restores_the_terminal_and_keeps_the_draft(craze: Craze) -> None:
    code = (
        "import sys\n"
        "from craze.tui.screens.chat import ChatScreen\n"
        "def broken(self): raise ZeroDivisionError('a bug')\n"
        "ChatScreen.action_cycle_todos = broken\n"
        "from craze.cli.main import main\n"
        "sys.exit(main(['--agent', 'demo']))\n"
    )
    async with PtyScreen([sys.executable, "-c", code], craze.work, craze.environment) as terminal:
        await terminal.until(READY)
        terminal.type("my draft")
        await terminal.until("› my draft")
        terminal.type(b"\x14")

        assert await terminal.exit() == 1
        await terminal.until(lambda: b"ZeroDivisionError" in terminal.raw)
        assert terminal.modes_restored
        assert b"\x1b[?1049l" in terminal.raw
    assert '"my draft"' in (craze.sessions[0] / "session.json").read_text()
