"""The screen over real agent CLIs of the control kind: keys in, and what the agent makes of them on the screen."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.cli.conftest import Craze
from tests.end_to_end.control_rig import CLIS, MARKS, build_of, environment, scripted_model
from tests.end_to_end.pty_screen import IDLE, PtyScreen, leave

READY = "◆ Default"
pytestmark = MARKS


@pytest.fixture(params=CLIS, ids=build_of)
def agent(request: pytest.FixtureRequest, craze: Craze, tmp_path: Path) -> Iterator[Craze]:
    """craze with the CLI declared as `claude`."""
    with scripted_model() as model:
        base = environment(tmp_path / "agents-home", model)
        rows = [f"{name} = {msgspec.json.encode(value).decode()}" for name, value in base.items()]
        folder = craze.home / "agents"
        folder.mkdir(parents=True)
        (folder / "claude.toml").write_text(
            f'provider = "control"\ncommand = ["{request.param}"]\n[env]\n' + "\n".join(rows)
        )
        yield craze


AT_ONCE = (
    "import sys\n"
    "from craze.tui.dialogs import ask_panel, ask_slot; ask_panel.GRACE = ask_slot.QUIET = 0\n"
    "from craze.cli.main import main; sys.exit(main(sys.argv[1:]))"
)
"""craze without the waits that keep a person from answering by mistake."""


def opened(craze: Craze, *arguments: str) -> PtyScreen:
    command = [sys.executable, "-c", AT_ONCE, "--agent", "claude", *arguments]
    return PtyScreen(command, craze.work, craze.environment, rows=40)


async def write(terminal: PtyScreen, key: str, field: str, text: str) -> None:
    """Open a field with a key, and send what is written there."""
    terminal.type(key)
    await terminal.until(field)
    terminal.type(text)
    await terminal.until(f"{field} {text}")
    terminal.type("\r")
    await terminal.until(lambda: field not in terminal.text)


FAKES = Path(__file__).resolve().parents[1] / "fakes"


def embedding(how: str, prompt: str) -> list[str]:
    """A program that serves the agent a tool of its own, with a screen or without."""
    return [sys.executable, str(FAKES / "serving.py"), how, "claude", prompt]


async def left(terminal: PtyScreen) -> None:
    await leave(terminal)
    assert await terminal.exit() == 0


async def test_a_tool_is_allowed_and_refused_with_a_reason(agent: Craze) -> None:
    async with opened(agent) as terminal:
        await terminal.until(READY)
        terminal.type("[[mock:bash]] make it\r")
        await terminal.until("1-7 or enter")  # the panel has the keyboard
        terminal.type("y")
        await terminal.until("✓ allowed once")
        await terminal.until("● Result was: made")
        assert (agent.work / "made.txt").exists()

        await terminal.until(IDLE)
        terminal.type("[[mock:bash]] again\r")
        await terminal.until("1-7 or enter")  # the panel has the keyboard
        await write(terminal, "t", "tell:", "use make")
        await terminal.until("● Result was: use make")
        await left(terminal)


async def test_questions_are_answered_with_one_and_with_several_choices(agent: Craze) -> None:
    async with opened(agent, "[[mock:ask]] ask me") as terminal:
        await terminal.until("1-3 · enter next")
        terminal.type("2")
        await terminal.until("question 2/2")
        terminal.type("21")
        await terminal.until(lambda: "[x] Auth" in terminal.text and "[x] Audit" in terminal.text)
        terminal.type("\r")
        await terminal.until("review")
        terminal.type("\r")
        await terminal.until("✓ answered Blue · Auth, Audit")
        await terminal.until('"Which checks?"="Auth,')
        await left(terminal)


async def test_a_plan_is_sent_back_with_words_and_then_accepted(agent: Craze) -> None:
    async with opened(agent, "--mode", "plan", "[[mock:planfile]] plan it") as terminal:
        await terminal.until("a accept")
        await write(terminal, "f", "feedback:", "shorter")
        await terminal.until("● Plan outcome: shorter")

        await terminal.until("enter send")
        terminal.type("[[mock:planfile]] again\r")
        await terminal.until("a accept")
        terminal.type("a")
        await terminal.until("plan accepted")
        await terminal.until(READY)
        await left(terminal)


async def test_a_streaming_turn_is_stopped_and_the_session_goes_on_in_another_process(agent: Craze) -> None:
    async with opened(agent, "[[mock:slow]] talk") as terminal:
        await terminal.until("● word word")
        terminal.type(b"\x1b")
        await terminal.until("stopped")
        await left(terminal)

    async with opened(agent, "-c") as terminal:
        await terminal.until("› [[mock:slow]] talk")
        await terminal.until(READY)
        terminal.type("[[mock:text]] hi\r")
        await terminal.until("● Hello from the mock model.")
        await left(terminal)
    assert len(agent.sessions) == 1


@pytest.mark.rule("CTL-55")
async def test_a_tool_that_craze_serves_is_asked_about_called_and_shown(agent: Craze) -> None:
    command = embedding("screen", "[[mock:mcp]] add")
    async with PtyScreen(command, agent.work, agent.environment, rows=40) as terminal:
        await terminal.until("1-5 or enter")
        await terminal.until("Always allow mcp__desk__add in this session")
        terminal.type("y")
        await terminal.until("✓ other   desk: add")
        await terminal.until("● Sum: 5")
        await terminal.until(IDLE)
        terminal.type(b"\x0f")
        await terminal.until('"b": 3')
        await left(terminal)


@pytest.mark.rule("CTL-55")
def test_a_tool_that_craze_serves_is_called_without_a_screen(agent: Craze) -> None:
    ran = subprocess.run(
        embedding("run", "[[mock:mcp]] add"), cwd=agent.work, env=agent.environment, capture_output=True, timeout=60
    )

    assert (ran.returncode, ran.stdout.decode().strip()) == (0, "Sum: 5")


@pytest.mark.rule("CTL-59", "CTL-61")
async def test_a_form_of_a_tool_server_is_filled_in(agent: Craze) -> None:
    agent.configure(f'[mcp.form]\ncommand = "{sys.executable}"\nargs = ["{FAKES / "form_server.py"}"]\n')
    declaration = agent.home / "agents" / "claude.toml"
    declaration.write_text(f'mcp = ["form"]\n{declaration.read_text()}')
    async with opened(agent, "[[mock:form]] ask") as terminal:
        await terminal.until("1-5 or enter")
        terminal.type("y")
        await terminal.until(lambda: "Your name?" in terminal.text and "tab " not in terminal.text)
        terminal.type("Ada")
        await terminal.until("▸ Ada")
        terminal.type("\r")
        await terminal.until('"content": {"name": "Ada"}')
        await left(terminal)


@pytest.mark.rule("CTL-54", "CTL-76")
@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"decision": "block", "reason": "not here"}, "not here"),
        ({"continue": False, "stopReason": "enough"}, "a hook stopped the turn"),
    ],
)
async def test_what_a_hook_decided_is_seen(agent: Craze, told: dict[str, object], words: str) -> None:
    hook = {"type": "command", "command": f"echo '{json.dumps(told)}'"}
    settings = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}
    (agent.home.parent / "agents-home" / ".claude" / "settings.json").write_text(json.dumps(settings))
    async with opened(agent, "[[mock:bash]] go") as terminal:
        if "continue" in told:
            await terminal.until("1-7 or enter")
            terminal.type("y")
        await terminal.until(words)
        await left(terminal)
