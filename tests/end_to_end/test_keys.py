"""Every key of the list, pressed in a real terminal: each walk is one session, each step one key and what it does."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from craze.tui.keys import BY_ID, KEYS
from tests.cli.conftest import Craze
from tests.end_to_end.pty_screen import READY, PtyScreen, leave, screen
from tests.end_to_end.walking import (
    BACK_TAB,
    BACKSPACE,
    DELETE,
    DOWN,
    END,
    ENTER,
    ESC,
    ESC_ESC,
    F1,
    F2,
    F6,
    HOME,
    LEFT,
    PAGE_DOWN,
    PAGE_UP,
    RIGHT,
    SHIFT_F6,
    TAB,
    UP,
    Steps,
    alt,
    ctrl,
    sent,
    shift,
    walk,
)

PROGRAMS = {
    "editor": 'printf edited > "$1"',
    "wl-paste": f"exec {sys.executable} -c 'import sys; from craze.demo.scripts.files import _png; sys.stdout.buffer.write(_png(4, 4))'",
    "wl-copy": "cat > /dev/null",
    "xdg-open": "exit 0",
}
AGENTS = f"""
[agents.talker]
provider = "control"
command = ["{sys.executable}", "-m", "craze.demo.control"]
[agents.patient]
provider = "acp"
command = ["{sys.executable}", "-m", "craze", "demo-agent", "--speed", "0.25"]
[agents.broken]
provider = "acp"
command = ["sh", "-c", "test -e tried || {{ touch tried; exit 1; }}; exec {sys.executable} -m craze demo-agent"]
[agents.locked]
provider = "acp"
command = ["{sys.executable}", "-m", "craze", "demo-agent", "--script", "login", "--script", "noauth"]
[agents.forgetful]
provider = "acp"
command = ["sh", "-c", "{sys.executable} -m craze demo-agent | sed -u 's/.loadSession.: *true/\\"loadSession\\":false/; s/.resume.:/\\"none\\":/'"]
[keys]
"{"z" * 120}" = "x"
"""

EDITING: Steps = [
    ("prompt.newline", f"one two{alt('enter')}three four", "  three four"),
    ("prompt.line_start", f"{ctrl('a')}X", "  Xthree four"),
    ("prompt.line_end", f"{ctrl('e')}Y", "  Xthree fourY"),
    ("prompt.word_left", f"{ctrl('left')}Z", "  Xthree ZfourY"),
    ("prompt.word_right", f"{ctrl('right')}!", "  Xthree ZfourY!"),
    ("prompt.left", f"{LEFT}-", "ZfourY-!"),
    ("prompt.right", f"{RIGHT}+", "ZfourY-!+"),
    ("prompt.backspace", BACKSPACE + ctrl("h") + BACKSPACE, "-ZfourY-"),
    ("prompt.kill_word", ctrl("w"), "-ZfourY"),
    ("prompt.yank", alt("y"), "  Xthree ZfourY"),
    ("prompt.kill_start", ctrl("u"), "-Xthree"),
    ("prompt.undo", sent("ctrl+underscore"), "  Xthree ZfourY"),
    ("prompt.redo", alt("underscore"), "-Xthree"),
    ("prompt.undo", sent("ctrl+slash"), "  Xthree ZfourY"),
    ("prompt.line_start prompt.line_end", f"{HOME}<{END}>", "  <Xthree ZfourY>"),
    ("prompt.word_left", f"{alt('b')}({alt('left')})", "  <Xthree ZfourY)(>"),
    ("prompt.word_right", f"{HOME}{alt('f')}1{alt('right')}2", "  <1Xthree2 ZfourY)(>"),
    ("prompt.kill_word", alt("backspace"), "  < ZfourY"),
    ("prompt.kill_word", alt("f") + sent("ctrl+backspace"), "-ZfourY"),
    ("prompt.kill_end", f"{ctrl('u')}below{ctrl('a')}{ctrl('k')}up", "  up"),
    ("prompt.older", f"{UP}{ctrl('e')}.", "› one two."),
    ("prompt.newer", f"{DOWN}below", "  upbelow"),
    ("prompt.select_left prompt.select_right", shift("left") * 3 + shift("right") + "#", "  upbel#"),
    ("prompt.select_up", shift("up") + "^", "-upbel"),
    ("prompt.select_down", shift("down") + "$", "^$"),
    ("prompt.newline", sent("shift+enter") + ctrl("j") + "last", "  last"),
    ("prompt.delete", ctrl("a") + DELETE, "  ast"),
    ("app.cancel", ctrl("c"), "-  ast"),
    ("prompt.complete", "/mo" + TAB, "› /mouse"),
    ("app.escape", ESC, "esc again clears"),
    ("app.escape", ESC_ESC, "-› /mouse"),  # twice: the first may have been too long ago
    ("prompt.search", ctrl("r") + "on", "earlier prompts"),
    ("app.escape", ESC, "-earlier prompts"),
    ("prompt.editor", ctrl("g"), "› edited"),
    ("prompt.line_start", ctrl("a") + "x", "› xedited"),
    ("app.eof", ctrl("d"), "› xdited"),
    ("prompt.kill_start", ctrl("e") + ctrl("u"), "-› x"),
    ("prompt.paste", ctrl("v"), "[image 1]"),
    ("prompt.backspace", BACKSPACE * 2, "-[image 1]"),
    ("app.help", F1, "type to filter"),
    ("list.close", ESC, "-type to filter"),
    ("mode.next", BACK_TAB, "◆ Ask"),
    ("prompt.send", "hello" + ENTER, "lists it all."),
    ("transcript.copy_reply", ctrl("y"), "copied"),
    ("", "", "enter send"),
    ("prompt.older", UP, "new line"),
    ("app.quit", ctrl("q"), ""),
]

LISTS: Steps = [
    ("app.palette", ctrl("p"), "enter run"),
    ("", ">", "▸ Send now"),
    ("list.down", DOWN, "▸ Search earlier"),
    ("list.up", UP, "▸ Send now"),
    ("list.down", sent("ctrl+down"), "▸ Search earlier"),
    ("list.up", sent("ctrl+up"), "▸ Send now"),
    ("list.page_down", PAGE_DOWN, "-▸ Send now"),
    ("list.page_up", PAGE_UP, "▸ Send now"),
    ("list.last", END, "-▸ Send now"),
    ("list.first", HOME, "▸ Send now"),
    ("list.close", ESC, "-enter run"),
    ("model.pick", alt("p"), "┌ model"),
    ("list.next_tab", TAB, "▸ High"),
    ("list.previous_tab", BACK_TAB, "-▸ High"),
    ("list.next_tab", TAB, "▸ High"),
    ("list.value_left", LEFT, "[Effort: Medium]"),
    ("list.value_right", RIGHT, "[Effort: High]"),
    ("list.value_left", LEFT, "[Effort: Medium]"),
    ("list.choose", ENTER, "Small 1 (Medium)"),
    ("", "/agents" + ENTER, " ready ─┐"),
    ("pick.command_line", "i", "demo-agent"),
    ("list.close", ESC, "-choose an agent"),
    ("prompt.send", "first" + ENTER, "● You said: first"),
    ("", "", "enter send"),
    ("prompt.send", "second" + ENTER, "● You said: second"),
    ("", "", "enter send"),
    ("app.escape", ESC_ESC, "┌ your prompts"),
    ("pick.copy", DOWN + ctrl("y"), "-┌ your prompts"),
    ("", "", "› first"),
]

READING: Steps = [
    ("prompt.send", "markdown" + ENTER, "The end."),
    ("prompt.send", "bigdiff" + ENTER, "1-3 or enter"),
    ("", "", "esc stop"),
    ("ask.scroll_down", shift("down") * 3, "-value_0 = 0"),
    ("ask.scroll_up", shift("up") * 3, "value_0 = 0"),
    ("ask.view", "v", "esc close"),
    ("viewer.close", "q", "1-3 or enter"),
    ("ask.down", DOWN + DOWN, "▸ 3"),
    ("ask.up", UP, "▸ 2"),
    ("ask.tell", "t", "tell:"),
    ("ask.stop", ESC, "-tell:"),
    ("ask.pick", "3", "✗ rejected"),
    ("prompt.send", "hello" + ENTER, "● You said: hello"),
    ("transcript.page_up", PAGE_UP + PAGE_UP, "-● You said: hello"),
    ("transcript.bottom", ctrl("end"), "● You said: hello"),
    ("transcript.top", ctrl("home"), "› markdown"),
    ("transcript.page_down", PAGE_DOWN * 9, "● You said: hello"),
    ("focus.next", F6, "enter open"),
    ("transcript.first", "g", "▌ markdown"),
    ("transcript.last", "G", "▌ You said: hello"),
    ("transcript.first", HOME, "▌ markdown"),
    ("transcript.last", END, "▌ You said: hello"),
    ("transcript.up", UP, "▌ hello"),
    ("transcript.down", DOWN, "▌ You said: hello"),
    ("transcript.previous_prompt", "[", "▌ hello"),
    ("transcript.previous_tool", "{", "▌ ✗ edit"),
    ("transcript.next_prompt", "]", "▌ hello"),
    ("transcript.previous_diff", "D", "▌ ✗ edit"),
    ("transcript.first", "g", "▌ markdown"),
    ("transcript.next_diff", "d", "▌ ✗ edit"),
    ("transcript.first", "g", "▌ markdown"),
    ("transcript.next_tool", "}", "▌ ✗ edit"),
    ("transcript.open", RIGHT, "-more lines"),
    ("transcript.close", LEFT, "more lines"),
    ("transcript.last", "G", "▌ You said: hello"),
    ("transcript.copy", "y", "copied"),
    ("transcript.find", "/", "search:"),
    ("", "h.llo", "nothing found"),
    ("find.regex", alt("r"), "3/3"),
    ("find.next", DOWN, "1/3"),
    ("find.previous", UP, "3/3"),
    ("find.stay", ENTER, "n next hit"),
    ("transcript.first", "g", "▌ markdown"),
    ("transcript.down", "j", "▌ A heading"),
    ("transcript.source", "r", "# A heading"),
    ("transcript.source", "r", "-# A heading"),
    ("transcript.previous_hit", "N", "● You said: hello"),
    ("transcript.first", "g", "-● You said: hello"),
    ("transcript.next_hit", "n", "▌ You said: hello"),
    ("transcript.leave", "i", "enter send"),
    ("transcript.search", ctrl("f"), "regex:"),
    ("find.close", ESC, "-regex:"),
    ("transcript.focus", alt("up"), "enter open"),
    ("transcript.leave", ESC, "enter send"),
    ("focus.previous", SHIFT_F6, "enter open"),
    ("transcript.leave", "q", "enter send"),
    ("transcript.detail", ctrl("o") + ctrl("home"), "› markdown"),
]

BLOCKS: Steps = [
    ("", "\x1b[200~so:\n\n[one](https://example.org)\n\n```sh\necho " + "word " * 25 + "\n```\x1b[201~", "```"),
    ("", ENTER, "● You said: so"),
    ("", "", "enter send"),
    ("prompt.send", "noauth" + ENTER, "Authentication required"),
    ("prompt.send", "shellfail" + ENTER, "ended with status 3."),
    ("transcript.focus", alt("up"), "enter open"),
    ("transcript.previous_error", "E", "▌ ✗ "),
    ("transcript.first", "g", "▌ so:"),
    ("transcript.next_error", "e", "▌ ✗ "),
    ("transcript.first", "g", "▌ so:"),
    ("transcript.down", DOWN, "▌ You said"),
    ("transcript.link", "o", "esc "),
    ("", ESC, "-open this link?"),
    ("transcript.wrap", "w", "word ›"),
    ("transcript.copy_code", "c", "copied"),
    ("transcript.up", "k", "▌ so:"),
    ("transcript.select", "v", "extend"),
]

ASKS: Steps = [
    ("", "permission" + ENTER, "touch demo.txt"),
    ("", "", "esc stop"),
    ("ask.yes", "y", "✓ allowed once"),
    ("", "", "enter send"),
    ("", "manyoptions" + ENTER, "Reject always"),
    ("", "", "esc stop"),
    ("ask.always", "a", "always allowed"),
    ("", "", "enter send"),
    ("", "reject" + ENTER, "rm -r build"),
    ("", "", "esc stop"),
    ("ask.no", "n", "After a no"),
    ("", "", "enter send"),
    ("", "manyoptions 12" + ENTER, "Place 9"),
    ("", "", "esc stop"),
    ("ask.filter", "/place 12", "-Reject always"),
    ("ask.stop", ESC, "Reject always"),
    ("", ESC, "-filter:"),
    ("ask.never", "N", "option h."),
    ("", "", "enter send"),
    ("", "twoasks" + ENTER, "1 of 2 · edit"),
    ("", "", "esc stop"),
    ("ask.next", TAB, "2 of 2"),
    ("ask.tell", "t", "tell:"),
    ("ask.newline", "not" + alt("enter") + "now", "       now"),
    ("ask.choose", ENTER, "-2 of 2"),
    ("", "", "esc stop"),
    ("ask.stop", ESC, "  stopped"),
]

PLANS: Steps = [
    ("", "planexit" + ENTER, "proposes a plan"),
    ("", "", "esc stop"),
    ("ask.feedback", "f", "feedback:"),
    ("", ESC, "-feedback:"),
    ("ask.edit", "e", "edited"),
    ("ask.reject", "r", "plan rejected"),
    ("", "", "enter send"),
]

QUESTIONS: Steps = [
    ("", "form" + ENTER, "question 1/7"),
    ("", "", "esc clear"),
    ("ask.forward", RIGHT, "question 2/7"),
    ("ask.back", HOME + LEFT, "question 1/7"),
    ("ask.skip", ctrl("n"), "question 2/7"),
    ("ask.skip", ctrl("n"), "question 3/7"),
    ("ask.stop", ESC, "skipped"),
    ("", "", "enter send"),
    ("", "multi" + ENTER, "Integration"),
    ("", "", "esc skip"),
    ("ask.mark", " ", "1 [x] Unit"),
    ("ask.choose", ENTER, "answered Unit"),
]

WAITING: Steps = [
    ("prompt.send", "stall" + ENTER, "twenty seconds"),
    ("prompt.send", "one" + ENTER + "two" + ENTER, "queue 2"),
    ("prompt.older", UP, "▸ 2 two"),
    ("queue.up", UP, "▸ 1 one"),
    ("queue.down", DOWN, "▸ 2 two"),
    ("queue.earlier", "K", "▸ 1 two"),
    ("queue.later", "J", "▸ 2 two"),
    ("queue.earlier", alt("up"), "▸ 1 two"),
    ("queue.later", alt("down"), "▸ 2 two"),
    ("queue.toggle_hold", "h", "held"),
    ("queue.toggle_hold", "h", "-held"),
    ("queue.edit", ENTER, "editing 2"),
    ("prompt.send", "!" + ENTER, "two!"),
    ("queue.hold", sent("ctrl+@"), "held"),
    ("queue.hold", sent("ctrl+space"), "-held"),
    ("prompt.send", "three" + ENTER + "four" + ENTER, "queue 4"),
    ("prompt.older", UP, "▸ 4 four"),
    ("queue.remove", DELETE, "-four"),
    ("queue.remove", "x", "-three"),
    ("queue.remove", BACKSPACE, "-two!"),
    ("queue.leave", "q", "enter queue"),
    ("prompt.older", UP, "[now]"),
    ("queue.leave", ESC, "enter queue"),
    ("prompt.older", UP, "[now]"),
    ("queue.now", "s", "● You said: one"),
    ("", "", "enter send"),
    ("prompt.send", "plan" + ENTER, "All three steps are done."),
    ("todos.cycle", ctrl("t"), "✓ Change it"),
    ("focus.next", F6, "↑ move"),
    ("focus.next", F6, "enter open · esc back"),
    ("todos.up", UP, "▸ ✓ Change it"),
    ("todos.down", DOWN, "▸ ✓ Run the tests"),
    ("todos.up", "k", "▸ ✓ Change it"),
    ("todos.down", "j", "▸ ✓ Run the tests"),
    ("todos.expand", ENTER, "-✓ Change it"),
    ("todos.expand", " ", "✓ Change it"),
    ("todos.leave", ESC, "enter send"),
    ("focus.previous", SHIFT_F6, "enter open · esc back"),
    ("todos.leave", "q", "enter send"),
    ("prompt.send_now", "stall" + sent("ctrl+enter"), "working"),
    ("prompt.send_now", "next" + ctrl("s"), "send this now?"),
    ("confirm.no", ESC, "-send this now?"),
    ("prompt.send_now", ctrl("s"), "send this now?"),
    ("confirm.no", "n", "-send this now?"),
    ("app.cancel", ctrl("c"), "-esc to stop"),
]

CHILDREN: Steps = [
    ("", "subagent" + ENTER, "explorer asks"),
    ("", "", "esc stop"),
    ("", "1", "found one file."),
    ("", "", "enter send"),
    ("", "subagent" + ENTER, "explorer asks"),
    ("", "", "esc stop"),
    ("focus.next", F6 + F6, "enter open · [ prompts"),
    ("focus.next", F6, "▸ ✓ explorer"),
    ("agents.next", RIGHT, "▸ ◐ explorer"),
    ("agents.previous", LEFT, "▸ ✓ explorer"),
    ("agents.next", DOWN, "▸ ◐ explorer"),
    ("agents.previous", UP, "▸ ✓ explorer"),
    ("agents.next", "j", "▸ ◐ explorer"),
    ("agents.previous", "k", "▸ ✓ explorer"),
    ("agents.leave", "q", "tab answer"),
    ("focus.next", F6 + F6, "▸ ✓ explorer"),
    ("agents.leave", ESC, "tab answer"),
    ("focus.next", F6 + F6 + RIGHT, "▸ ◐ explorer"),
    ("agents.stop", "x", "stop explorer?"),
    ("confirm.no", "n", "-stop explorer?"),
    ("agents.stop", DELETE, "stop explorer?"),
    ("confirm.no", "n", "-stop explorer?"),
    ("agents.open", ENTER, "tab next"),
    ("child.next", TAB, "(Find the tests) ✓"),
    ("child.previous", BACK_TAB, "(Find the tests) ◐"),
    ("child.stop", "x", "stop explorer?"),
    ("confirm.no", "n", "-stop explorer?"),
    ("child.stop", DELETE, "stop explorer?"),
    ("confirm.no", "n", "-stop explorer?"),
    ("child.leave", "q", "-tab next"),
    ("focus.next", F6 * 2 + RIGHT, "▸ ◐ explorer"),
    ("", ENTER, "tab next"),
    ("child.leave", ESC, "-tab next"),
]

SESSIONS: Steps = [
    ("prompt.send", "slow" + ENTER, "and to cancel."),
    ("", "", "enter send"),
    ("prompt.send", "/sessions" + ENTER, "1/1"),
    ("sessions.rename", F2, "title:"),
    ("sessions.rename", "named", "named"),
    ("list.choose", ENTER, "-title:"),
    ("list.next_tab", TAB, "all workspaces"),
    ("sessions.search", ctrl("f"), "search:"),
    ("sessions.search", "to cancel" + ENTER, "1 hit"),
    ("list.close", ESC, "-1 hit"),
    ("sessions.delete", DELETE, "delete the session?"),
    ("confirm.no", ESC, "-delete the session?"),
    ("sessions.replay", "p", "recorded"),
    ("", END, "■"),
    ("replay.slower", "--", "¼x"),
    ("replay.play", " ", "▶"),
    ("replay.end", END, "■"),
    ("replay.play", " ", "▶"),
    ("replay.play", " ", "‖"),
    ("replay.start", HOME, "  0/"),
    ("replay.next_event", ".", "  1/"),
    ("replay.next_event", ".", "  2/"),
    ("replay.previous_event", ",", "  1/"),
    ("replay.next_turn", ">", "turn 1/1"),
    ("replay.previous_turn", "<", "turn 0/1"),
    ("replay.next_turn", RIGHT, "turn 1/1"),
    ("replay.previous_turn", LEFT, "turn 0/1"),
    ("replay.faster", "+", "½x"),
    ("replay.seek", "9", "turn 1/1"),
    ("replay.idle", "i", "short pauses"),
    ("replay.goto", ":", "turn or time:"),
    ("replay.choose", "1" + ENTER, "-turn or time:"),
    ("replay.leave", "q", "enter send"),
    ("", "/sessions" + ENTER, "1/1"),
    ("", "p", "recorded"),
    ("replay.leave", ESC, "enter send"),
    ("", "/log" + ENTER, "esc close"),
    ("", "", "\nzzz"),
    ("viewer.wrap", "w", "-\nzzz"),
    ("viewer.close", ESC, "enter send"),
]

VIEWER: Steps = [
    ("", "bigdiff" + ENTER, "1-3 or enter"),
    ("ask.view", "v", "esc close"),
    ("viewer.down", DOWN, "-Edit values.py"),
    ("viewer.up", UP, "Edit values.py"),
    ("viewer.down", "j", "-Edit values.py"),
    ("viewer.up", "k", "Edit values.py"),
    ("viewer.page_down", PAGE_DOWN, "value_20 = 20"),
    ("viewer.page_up", PAGE_UP, "Edit values.py"),
    ("viewer.page_down", " ", "value_20 = 20"),
    ("viewer.first", HOME, "Edit values.py"),
    ("viewer.last", END, "value_4998"),
    ("viewer.first", "g", "Edit values.py"),
    ("viewer.last", "G", "value_4998"),
    ("viewer.find", "/", "search:"),
    ("viewer.find", "value_777", "1/2"),
    ("find.stay", ENTER, "-search:"),
    ("viewer.last", "G", "-value_777"),
    ("viewer.next_hit", "n", "value_777"),
    ("viewer.last", "G", "-value_777"),
    ("viewer.previous_hit", "N", "value_777"),
    ("viewer.find", ctrl("f"), "search:"),
    ("find.close", ESC, "-search:"),
    ("viewer.copy", "y", "copied"),
    ("viewer.close", "q", "1-3 or enter"),
    ("", "", "esc stop"),
    ("ask.side", "s", "│"),
    ("", "y", "enter send"),
    ("transcript.focus", alt("up"), "enter open"),
    ("", "{", "▌ ✓ edit"),
    ("transcript.side", "s", "│"),
    ("transcript.toggle", ENTER, "-more lines"),
    ("transcript.toggle", " ", "more lines"),
]

ASIDE: Steps = [
    ("", "\x1b[200~/btw " + "word " * 400 + "\x1b[201~", "word"),
    ("", ENTER, "about that"),
    ("focus.next", F6 + F6, "↑↓ scroll"),
    ("aside.down", DOWN, "-about that"),
    ("aside.up", UP, "about that"),
    ("aside.down", "j", "-about that"),
    ("aside.up", "k", "about that"),
    ("aside.copy", "y", "copied"),
    ("aside.view", "v", "pgup pgdn scroll"),
    ("", ESC, "-pgup pgdn scroll"),
    ("aside.close", "q", "-about that"),
    ("", "/btw again" + ENTER, "about that"),
    ("focus.next", F6 + F6, "↑↓ scroll"),
    ("aside.close", ESC, "-about that"),
]

DEAD: Steps = [
    ("", "crash" + ENTER, "restart and resume"),
    ("agent.log", "l", "esc close"),
    ("", ESC, "restart and resume"),
    ("agent.restart", "r", "-restart and resume"),
    ("", "", "enter send"),
    ("", "crash" + ENTER, "restart and resume"),
    ("agent.dismiss", ESC, "-restart and resume"),
    ("", "crash" + ENTER, "restart and resume"),
    ("agent.new", "n", "-giving up"),
    ("", "", "ask for something"),
]

HANGS: Steps = [
    ("", "deaf" + ENTER, "Cancel me."),
    ("", ESC, "does not stop"),
    ("cancel.restart", "r", "-does not stop"),
    ("", "", "enter send"),
]
STUCK: Steps = [
    ("", "deaf" + ENTER, "Cancel me."),
    ("", ESC, "does not stop"),
    ("cancel.new", "n", "start a new session?"),
    ("", "y", "-Cancel me."),
    ("", "", "ask for something"),
]

STOPPED: Steps = [
    ("app.suspend", ctrl("z"), "Stopped"),
    ("", "fg\n", READY),
    ("app.redraw", ctrl("l"), "-Stopped"),
]

BROKEN: Steps = [
    ("", "", "did not start"),
    ("start.other", "p", "choose an agent"),
    ("", ESC, "did not start"),
    ("start.retry", "r", READY),
]
LOCKED: Steps = [
    ("", "", "sign in to locked"),
    ("", ENTER, "did not start"),
    ("start.sign_in", "s", "sign in to locked"),
    ("", ESC, "did not start"),
    ("start.quit", "q", ""),
]


@dataclass(frozen=True)
class Scene:
    """A session and what is typed in it.

    Attributes:
        ready: What is on the screen before the first step.
        job: It is started by a shell.
    """

    steps: Steps
    agent: str = "demo"
    ready: str = READY
    job: bool = False


JOBS = ["sh", "-i"]
AT_ONCE = (
    "from craze.tui.dialogs import ask_panel, ask_slot; ask_panel.GRACE = ask_slot.QUIET = 0\n"
    "from craze.tui.screens import bars; bars.CANCEL_OFFER = 0.2\n"
    "from craze.tui.panels import roster_view; roster_view.LINGER = 600\n"
    "from craze.cli.main import main; main(sys.argv[1:])"
)
"""craze without the waits that keep a person from answering by mistake, which `test_screen` has, and without haste."""


SCENES: dict[str, Scene] = {
    "composer": Scene(EDITING),
    "lists": Scene(LISTS),
    "transcript": Scene(READING),
    "blocks": Scene(BLOCKS),
    "permissions": Scene(ASKS),
    "plans": Scene(PLANS),
    "questions": Scene(QUESTIONS),
    "queue and todos": Scene(WAITING, "patient"),
    "sub-agents": Scene(CHILDREN),
    "sessions and replay": Scene(SESSIONS),
    "viewer": Scene(VIEWER),
    "side question": Scene(ASIDE, "talker", ready="enter send"),
    "dead agent": Scene(DEAD),
    "deaf agent": Scene(HANGS),
    "deaf agent that cannot go on": Scene(STUCK, "forgetful"),
    "job": Scene(STOPPED, job=True),
    "start that fails once": Scene(BROKEN, "broken", ready=""),
    "start without sign-in": Scene(LOCKED, "locked", ready=""),
}


@pytest.fixture
def tools(craze: Craze, tmp_path: Path) -> Craze:
    """Programs that craze looks for, and agents that begin in other ways."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, script in PROGRAMS.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    craze.variables |= {"PATH": f"{programs}:{craze.environment['PATH']}", "EDITOR": "editor", "VISUAL": ""}
    craze.configure(AGENTS)
    return craze


@pytest.mark.rule("TUI-60", "TUI-61", "TUI-62", "TUI-64", "TUI-65", "TUI-134", "TUI-195", "TUI-200")
@pytest.mark.parametrize("name", SCENES)
async def test_the_keys(tools: Craze, name: str) -> None:
    scene = SCENES[name]
    command = [sys.executable, "-c", f"import sys; {AT_ONCE}", "--agent", scene.agent]
    line = f"{shlex.join(command)}\n" if scene.job else ""
    environment = {**tools.environment, "PS1": "$ "}
    async with PtyScreen(JOBS if scene.job else command, tools.work, environment) as terminal:
        terminal.type(line)
        await terminal.until(scene.ready)
        await walk(terminal, scene.steps)
        if scene.steps[-1][0] in ("app.quit", "start.quit"):
            await terminal.exit()


@pytest.mark.rule("TUI-195", "TUI-200")
def test_every_key_of_the_list_is_walked() -> None:
    steps = [step for scene in SCENES.values() for step in scene.steps]
    missing = [
        f"{key.id} {name}"
        for key in KEYS
        for name in ([key.keys] if key.keys[1:2] == "," else key.keys.split(","))
        if not any(key.id in ids.split() and _types(typed, name) for ids, typed, _ in steps)
    ]

    assert missing == []
    assert {id_ for ids, _, _ in steps for id_ in ids.split()} <= set(BY_ID)


def _types(typed: str, name: str) -> bool:
    """Whether the key is among what is typed; one of several digits is enough."""
    return any(sent(key) in typed for key in (name.split(",") if name[1:2] == "," else [name]))


@pytest.mark.rule("TUI-160", "TUI-201", "TUI-202")
async def test_the_persons_own_keys_act_and_stand_in_hints_and_help(craze: Craze) -> None:
    craze.configure('[keys]\n"app.help" = "ctrl+b"\n"app.palette" = "none"\n"mode.next" = "f9, alt+m"\n')
    steps: Steps = [
        ("", "", "enter send · f9 mode · ? help"),
        ("", f"{F1}{ctrl('p')}{BACK_TAB}still", "› still"),
        ("app.help", ctrl("b"), "type to filter"),
        ("", "nextmode", "▸ f9 alt+m"),
        ("list.close", ESC, "-type to filter"),
        ("mode.next", sent("alt+m"), "◆ Ask"),
        ("app.cancel", ctrl("c"), "-› still"),
    ]
    async with screen(craze) as terminal:
        await terminal.until(READY)
        await walk(terminal, steps)
        assert "palette" not in terminal.text
        await leave(terminal)
        assert await terminal.exit() == 0
