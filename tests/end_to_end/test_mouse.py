"""Everything on the screen by the mouse alone, as a terminal reports it; keys only write prompts."""

from __future__ import annotations

import base64
import re

import pytest

from tests.cli.conftest import Craze
from tests.end_to_end.pty_screen import IDLE, READY, PtyScreen, idle, screen

WHEEL_UP, CTRL = 64, 16


async def awake(terminal: PtyScreen) -> None:
    """Until the panel of an ask has had the keyboard for a second: what comes at once does not answer."""
    await terminal.until(lambda: " · esc " in terminal.text and clock(terminal))
    for _ in range(2):
        before = clock(terminal)
        await terminal.until(lambda before=before: clock(terminal) != before)


def clock(terminal: PtyScreen) -> str:
    return terminal.text.partition("waiting for you ")[2][:4]


async def prompted(terminal: PtyScreen, text: str) -> None:
    await terminal.until(READY)
    terminal.type(f"{text}\r")
    await terminal.until(f"› {text}")


ASKS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "an option": ("permission", [("Allow always", "▸ 2"), ("Allow always", "always allowed")]),
    "the key of an option": ("permission", [("n no", "✗ rejected")]),
    "the way out": ("permission", [("esc stop", "  stopped")]),
    "a plan": ("planexit", [("a accept", "plan accepted")]),
    "no plan": ("planexit", [("n reject", "plan rejected")]),
    "one choice": ("question", [("Blue", "▸ 2"), ("Blue", "answered Blue")]),
    "no answer": ("question", [("esc skip", "– skipped")]),
    "several choices": (
        "multi",
        [("2 [ ]", "2 [x]"), ("3 [ ]", "3 [x]"), ("enter send", "answered Integration, End to end")],
    ),
    "a form": ("form", [("ctrl+n skip", "question 2/7"), ("ctrl+n skip", "question 3/7")]),
    "a link": ("url", [("Decline", "▸ 2"), ("Decline", "answered Decline")]),
    "an option of no known kind": ("manyoptions", [("Maybe", "▸ 4"), ("Maybe", "chose Maybe")]),
}


@pytest.mark.rule("TUI-134", "TUI-138", "TUI-140", "TUI-142", "TUI-145", "TUI-192")
@pytest.mark.parametrize("answered", ASKS)
async def test_an_ask_is_answered_by_clicks(craze: Craze, answered: str) -> None:
    prompt, steps = ASKS[answered]
    async with screen(craze) as terminal:
        await prompted(terminal, prompt)
        await awake(terminal)
        for text, then in steps:
            terminal.click(text)
            await terminal.until(then)


DIALOGS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "the model": ("", [("Small 1 (", "filter:"), ("Large 1  ", "▸ Large 1  "), ("enter apply", "· Large 1 (")]),
    "the mode": ("", [("◆ Code", "filter:"), ("Plan", "▸ Plan"), ("enter", "◆ Plan")]),
    "a theme": ("/theme\r", [("nord", "▸ nord"), ("enter keep", IDLE)]),
    "no theme": ("/theme\r", [("esc restore", IDLE)]),
    "the palette": ("", [("ctrl+p palette", "esc close"), ("/help", "▸ /help"), ("enter run", "type to filter")]),
    "help": ("", [("? help", "esc close"), ("esc close", IDLE)]),
    "the log": ("/log\r", [("nothing yet", "w wrap"), ("esc close", IDLE)]),
    "sessions": ("/sessions\r", [("tab all", "all workspaces")]),
    "agents": ("/agents\r", [("esc leave", IDLE)]),
    "the menu of commands": ("/mod", [("/model", "/model ")]),
    "a mode by its hint": ("", [("shift+tab mode", "◆ Ask")]),
}


@pytest.mark.rule("TUI-155", "TUI-165", "TUI-192")
@pytest.mark.parametrize("opened", DIALOGS)
async def test_a_dialog_is_answered_by_clicks(craze: Craze, opened: str) -> None:
    typed, steps = DIALOGS[opened]
    async with screen(craze) as terminal:
        await terminal.until(READY)
        await terminal.until(IDLE)
        terminal.type(typed)
        for text, then in steps:
            await terminal.until(text)
            terminal.click(text)
            await terminal.until(then)


@pytest.mark.rule("TUI-153", "TUI-192")
async def test_a_click_quits(craze: Craze) -> None:
    async with screen(craze) as terminal:
        await prompted(terminal, "stall")
        await terminal.until("twenty seconds")
        terminal.type(b"\x11")
        await terminal.until("quit and stop it")
        terminal.click("quit and stop it")
        assert await terminal.exit() == 0


@pytest.mark.rule("TUI-61", "TUI-192")
async def test_a_click_on_its_head_line_opens_a_call(craze: Craze) -> None:
    async with screen(craze) as terminal:
        await prompted(terminal, "shell")
        await terminal.until("✓ run ")
        terminal.click("run ")
        await terminal.until("greeting.py")


@pytest.mark.rule("TUI-47", "TUI-48", "TUI-192")
async def test_the_wheel_scrolls_and_a_click_on_the_mark_follows_again(craze: Craze) -> None:
    async with screen(craze, rows=14) as terminal:
        await prompted(terminal, "stall")
        await terminal.until("esc stop")
        terminal.type("!seq 60\r")
        await terminal.until("[!seq 60, 60 lines]")
        terminal.type("\x15and then\r")
        await terminal.until("⧗ 1")
        for _ in range(25):
            terminal.mouse(WHEEL_UP, 10, 3)
        await terminal.until("› stall")
        terminal.type(b"\x1b")
        await terminal.until(lambda: "↓ 3 new" in terminal.text and "esc stop" not in terminal.text)
        terminal.click("↓ 3 new")
        await terminal.until("● You said: and then")


@pytest.mark.rule("TUI-63", "TUI-64", "TUI-192")
async def test_dragging_selects_and_ctrl_c_copies_to_the_terminals_clipboard(craze: Craze) -> None:
    async with screen(craze) as terminal:
        await prompted(terminal, "hello")
        await terminal.until("You said: hello")
        column, row = terminal.place("You said: hello")
        ground = terminal.ground(column, row)
        terminal.drag((column, row), (column + 7, row))
        await terminal.until(lambda: terminal.ground(column, row) != ground)
        terminal.type(b"\x03")
        await terminal.until("copied 8 characters")
        (sent,) = re.findall(rb"\x1b\]52;c;([^\x07]*)\x07", terminal.raw)
        assert base64.b64decode(sent) == b"You said"


@pytest.mark.rule("TUI-93", "TUI-192")
async def test_the_queue_is_worked_on_by_clicks(craze: Craze) -> None:
    async with screen(craze) as terminal:
        await prompted(terminal, "stall")
        terminal.type("one more\r")
        await terminal.until("queue 1")
        terminal.click("one more")
        await terminal.until("[edit]")
        terminal.click("[edit]")
        await terminal.until("editing 1")
        terminal.type("x\r")
        await terminal.until(lambda: "one morex" in terminal.text and "editing 1" not in terminal.text)
        terminal.click("one morex")
        await terminal.until("[×]")
        terminal.click("[×]")
        await terminal.until(lambda: "one morex" not in terminal.text)


@pytest.mark.rule("TUI-55", "TUI-192")
async def test_ctrl_and_a_click_on_a_link_shows_where_it_goes(craze: Craze) -> None:
    async with screen(craze, rows=50) as terminal:
        await prompted(terminal, "markdown")
        await terminal.until("The end.")
        terminal.click("link", held=CTRL)
        await terminal.until("open this link")
        await terminal.until("esc stay")
        terminal.click("esc stay")
        await terminal.until(lambda: "open this link" not in terminal.text)


@pytest.mark.rule("TUI-90", "TUI-192")
async def test_a_click_opens_the_todos(craze: Craze) -> None:
    async with screen(craze) as terminal:
        await prompted(terminal, "plan")
        await terminal.until(lambda: "todos   3/3" in terminal.text and idle(terminal))
        terminal.click("todos   3/3")
        await terminal.until("✓ Change it")
        terminal.click("todos   3/3")
        await terminal.until(lambda: "✓ Change it" not in terminal.text)


@pytest.mark.rule("TUI-170", "TUI-192")
async def test_a_click_starts_a_dead_agent_again(craze: Craze) -> None:
    async with screen(craze) as terminal:
        await prompted(terminal, "crash")
        await terminal.until("r restart and resume")
        terminal.click("r restart and resume")
        await terminal.until(lambda: "restart and resume" not in terminal.text and IDLE in terminal.text)
