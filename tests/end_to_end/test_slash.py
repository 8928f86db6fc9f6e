"""Every row of the slash catalog, typed in a real terminal: each does what its description says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from craze.engine.slash import BUILTINS
from tests.cli.conftest import Craze
from tests.end_to_end.pty_screen import READY, PtyScreen
from tests.end_to_end.walking import BACKSPACE, DOWN, ENTER, ESC, Steps, ctrl, walk

AGENTS = f"""
[agents.talker]
provider = "control"
command = ["{sys.executable}", "-m", "craze.demo.control"]
[agents.locked]
provider = "acp"
command = ["{sys.executable}", "-m", "craze", "demo-agent", "--script", "login"]
"""

DEMO: Steps = [
    ("help", "/help" + ENTER, "type to filter"),
    ("", ESC, "-type to filter"),
    ("keys", "/keys" + ENTER, "type to filter"),
    ("", ESC, "-type to filter"),
    ("text", "/text" + ENTER, "a second message"),
    ("", "", "enter send"),
    ("search", "/search pieces" + ENTER, "search: pieces"),
    ("", ESC, "-search: pieces"),
    ("copy", "/copy" + ENTER, "copied "),
    ("copy", "/copy 1" + ENTER, "the last reply has 0 blocks of code"),
    ("", BACKSPACE * 7, "-/copy"),
    ("theme", "/theme" + ENTER, "▸ craze-dark"),
    ("", ESC, "-▸ craze-dark"),
    ("theme", "/theme nord" + ENTER + "/theme" + ENTER, "▸ nord"),
    ("", ESC, "-▸ nord"),
    ("answers", "/answers" + ENTER, "permissions"),
    ("export", "/export out.md" + ENTER, "out.md"),
    ("editor", "/editor" + ENTER, "› edited"),
    ("", ctrl("c"), "-› edited"),
    ("image", "/image one.png" + ENTER, "[image 1]"),
    ("", BACKSPACE * 2, "-[image 1]"),
    ("log", "/log" + ENTER, "── log"),
    ("", "q", "-── log"),
    ("mouse", "/mouse" + ENTER, "mouse"),
    ("model", "/model" + ENTER, "┌ model"),
    ("", ESC, "-┌ model"),
    ("model", "/model large-1 low" + ENTER, "Large 1 (Low)"),
    ("mode", "/mode" + ENTER, "┌ mode"),
    ("", DOWN + ENTER, "◆ Ask"),
    ("mode", "/mode code" + ENTER, "◆ Code"),
    ("plan", "/plan" + ENTER, "◆ Plan"),
    ("ask", "/ask" + ENTER, "◆ Ask"),
    ("agent", "/agent" + ENTER, "◆ Code"),
    ("rename", "/rename A title of mine" + ENTER, "── A title of mine ──"),
    ("text", "//plan" + ENTER, "All three steps are done."),
    ("", "", "enter send"),
    ("tasks", "/tasks" + ENTER, "✓ Change it"),
    ("clear", "/clear" + ENTER, "view cleared"),
    ("sessions", "/sessions" + ENTER, "┌ sessions"),
    ("", ESC, "-┌ sessions"),
    ("agents", "/agents" + ENTER, "┌ choose an agent"),
    ("", ESC, "-┌ choose an agent"),
    ("restart", "/restart" + ENTER, "starting demo"),
    ("", "", "-starting demo"),
    ("", "", "enter send"),
    ("new", "/new" + ENTER, "-view cleared"),
    ("", "", "ask for something"),
    ("help", "/craze:help" + ENTER, "type to filter"),
    ("", ESC, "-type to filter"),
    ("quit", "/quit" + ENTER, ""),
]
LOCKED: Steps = [
    ("", "", "sign in to locked"),
    ("", ENTER, READY),
    ("connect", "/connect" + ENTER, "sign in to locked"),
]
TALKER: Steps = [
    ("btw", "/btw why" + ENTER, "about that: why"),
]
WALKS = {"demo": DEMO, "locked": LOCKED, "talker": TALKER}


@pytest.mark.rule("TUI-111", "TUI-113", "TUI-227")
@pytest.mark.parametrize("agent", WALKS)
async def test_the_commands(craze: Craze, tmp_path: Path, agent: str) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf edited > "$1"\n')
    editor.chmod(0o755)
    craze.variables |= {"EDITOR": str(editor), "VISUAL": ""}
    craze.configure(AGENTS)
    (craze.work / "one.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(16))
    async with PtyScreen(craze.command("--agent", agent), craze.work, craze.environment) as terminal:
        await terminal.until("enter ")
        await walk(terminal, WALKS[agent])
        if agent == "demo":
            assert await terminal.exit() == 0
            assert "a second message" in (craze.work / "out.md").read_text()


@pytest.mark.rule("TUI-227")
def test_every_row_of_craze_itself_is_walked() -> None:
    walked = {name for steps in WALKS.values() for name, _, _ in steps if name}

    assert {row.name for row in BUILTINS} - walked == set()
