"""Every key that a terminal can send, pressed in a real one: each walk is one session, each step one key and what it does.

An expectation is a text that is shown, or with `-` in front one that is gone.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import pytest

from craze.tui.keys import BY_ID
from tests.cli.conftest import Craze
from tests.end_to_end.pty_screen import READY, PtyScreen, screen

Step: TypeAlias = tuple[str, str, str]
"""Ids of keys, divided by blanks; what is typed; what is shown then."""

ENTER, ESC, TAB, BACK_TAB = "\r", "\x1b", "\t", "\x1b[Z"
UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
HOME, END, DELETE, PAGE_UP, PAGE_DOWN = "\x1b[H", "\x1b[F", "\x1b[3~", "\x1b[5~", "\x1b[6~"
F1, F2, F6, SHIFT_F6 = "\x1bOP", "\x1bOQ", "\x1b[17~", "\x1b[17;2~"


def ctrl(letter: str) -> str:
    return chr(ord(letter.upper()) & 0x1F)


def shift(arrow: str) -> str:
    return f"\x1b[1;2{arrow[-1]}"


def alt(key: str) -> str:
    return f"\x1b[1;3{key[-1]}" if key.startswith("\x1b[") else f"\x1b{key}"


def with_ctrl(key: str) -> str:
    return f"\x1b[1;5{key[-1]}"


EDITING: list[Step] = [
    ("prompt.newline", f"one two{alt(ENTER)}three four", "  three four"),
    ("prompt.line_start", f"{ctrl('a')}X", "  Xthree four"),
    ("prompt.line_end", f"{ctrl('e')}Y", "  Xthree fourY"),
    ("prompt.word_left", f"{with_ctrl(LEFT)}Z", "  Xthree ZfourY"),
    ("prompt.word_right", f"{with_ctrl(RIGHT)}!", "  Xthree ZfourY!"),
    ("prompt.left", f"{LEFT}-", "ZfourY-!"),
    ("prompt.right", f"{RIGHT}+", "ZfourY-!+"),
    ("prompt.backspace", "\x7f\x7f\x7f", "-ZfourY-"),
    ("prompt.kill_word", ctrl("w"), "-ZfourY"),
    ("prompt.yank", alt("y"), "  Xthree ZfourY"),
    ("prompt.kill_start", ctrl("u"), "-Xthree"),
    ("prompt.undo", "\x1f", "  Xthree ZfourY"),
    ("prompt.redo", alt("_"), "-Xthree"),
    ("prompt.undo", "\x1f", "  Xthree ZfourY"),
    ("prompt.kill_end", ctrl("a") + ctrl("k"), "-Xthree"),
    ("prompt.older", f"{UP}{ctrl('e')}.", "› one two."),
    ("prompt.newer", f"{DOWN}below", "  below"),
    ("prompt.select_left prompt.select_right", shift(LEFT) * 3 + shift(RIGHT) + "#", "  bel#"),
    ("prompt.select_up", shift(UP) + "^", "-bel"),
    ("prompt.select_down", shift(DOWN) + "$", "› one ^$"),
    ("prompt.delete", ctrl("a") + DELETE, "› ne ^$"),
    ("app.cancel", ctrl("c"), "-› ne ^$"),
    ("prompt.complete", "/mo" + TAB, "› /mouse"),
    ("app.escape", ESC, "esc again clears"),
    ("app.escape", ESC, "-› /mouse"),
    ("prompt.search", ctrl("r") + "on", "earlier prompts"),
    ("app.escape", ESC, "-earlier prompts"),
    ("prompt.editor", ctrl("g"), "› edited"),
    ("prompt.line_start", ctrl("a") + "x", "› xedited"),
    ("app.eof", ctrl("d"), "› xdited"),
    ("prompt.kill_start", ctrl("e") + ctrl("u"), "-› x"),
    ("app.help", F1, "type to filter"),
    ("list.close", ESC, "-type to filter"),
    ("app.palette", ctrl("p"), "enter run"),
    ("list.close", ESC, "-enter run"),
    ("mode.next", BACK_TAB, "◆ Ask"),
    ("model.pick", alt("p"), "┌ model"),
    ("list.next_tab", TAB, "Medium"),
    ("list.close", ESC, "-┌ model"),
    ("app.redraw", ctrl("l"), "◆ Ask"),
    ("prompt.send", "hello" + ENTER, "lists it all."),
    ("transcript.copy_reply", ctrl("y"), "copied"),
    ("", "", "enter send"),
    ("prompt.older", UP, "› hello"),
    ("app.quit", ctrl("q"), ""),
]

READING: list[Step] = [
    ("prompt.send", "markdown" + ENTER, "The end."),
    ("prompt.send", "bigdiff" + ENTER, "1-3 or enter"),
    ("ask.side", "s", "more lines (v)"),
    ("ask.scroll_down", shift(DOWN) * 3, "more lines (v)"),
    ("ask.scroll_up", shift(UP) * 3, "more lines (v)"),
    ("ask.view", "v", "esc close"),
    ("viewer.close", "q", "1-3 or enter"),
    ("ask.down ask.choose", DOWN + DOWN, "▸ 3"),
    ("ask.up", UP, "▸ 2"),
    ("ask.tell", "t", "tell:"),
    ("ask.stop", ESC, "-tell:"),
    ("ask.pick", "3", "rejected"),
    ("prompt.send", "hello" + ENTER, "● You said: hello"),
    ("transcript.page_up", PAGE_UP + PAGE_UP, "-● You said: hello"),
    ("transcript.bottom", with_ctrl(END), "● You said: hello"),
    ("transcript.top", with_ctrl(HOME), "› markdown"),
    ("transcript.page_down", PAGE_DOWN * 9, "● You said: hello"),
    ("focus.next", F6, "enter open"),
    ("transcript.first", "g", "▌ markdown"),
    ("transcript.last", "G", "▌ You said: hello"),
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
    ("transcript.open", RIGHT, "rejected"),
    ("transcript.close", LEFT, "▌ ✗ edit"),
    ("transcript.last", "G", "▌ You said: hello"),
    ("transcript.copy", "y", "copied"),
    ("transcript.find", "/", "search:"),
    ("find.next", "A heading", "1/1"),
    ("find.next", DOWN, "1/1"),
    ("find.previous", UP, "1/1"),
    ("find.regex", alt("r"), "1/1"),
    ("find.stay", ENTER, "n next hit"),
    ("transcript.first", "g", "▌ markdown"),
    ("transcript.down", "j", "▌ A heading"),
    ("transcript.source", "r", "# A heading"),
    ("transcript.source", "r", "-# A heading"),
    ("transcript.next_hit", "n", "A heading"),
    ("transcript.previous_hit", "N", "A heading"),
    ("transcript.leave", "i", "enter send"),
    ("transcript.search", ctrl("f"), "regex:"),
    ("find.close", ESC, "-regex:"),
    ("transcript.focus", alt(UP), "enter open"),
    ("transcript.leave", ESC, "enter send"),
    ("focus.previous", SHIFT_F6, "enter open"),
    ("transcript.leave", "q", "enter send"),
    ("transcript.detail", ctrl("o") + with_ctrl(HOME), "› markdown"),
]

WAITING: list[Step] = [
    ("prompt.send", "stall" + ENTER, "twenty seconds"),
    ("prompt.send", "one" + ENTER + "two" + ENTER, "queue 2"),
    ("prompt.older", UP, "▸ 2 two"),
    ("queue.up", UP, "▸ 1 one"),
    ("queue.down", DOWN, "▸ 2 two"),
    ("queue.earlier", "K", "1 two"),
    ("queue.later", "J", "1 one"),
    ("queue.toggle_hold", "h", "held"),
    ("queue.toggle_hold", "h", "-held"),
    ("queue.edit", ENTER, "editing 2"),
    ("prompt.send", "!" + ENTER, "two!"),
    ("queue.hold", "\x00", "held"),
    ("queue.hold", "\x00", "-held"),
    ("prompt.older", UP, "▸ 2 two!"),
    ("queue.remove", DELETE, "-two!"),
    ("queue.leave", "q", "enter queue"),
    ("prompt.older", UP, "[now]"),
    ("queue.now", "s", "● You said: one"),
    ("prompt.send", "plan" + ENTER, "All three steps are done."),
    ("todos.cycle", ctrl("t"), "✓ Change it"),
    ("focus.next", F6, "↑ move"),
    ("focus.next", F6, "enter open · esc back"),
    ("todos.up", UP, "▸"),
    ("todos.down", DOWN, "▸"),
    ("todos.expand", ENTER, "-✓ Change it"),
    ("todos.leave", ESC, "enter send"),
    ("prompt.send_now", "stall" + ENTER, "working"),
    ("prompt.send_now", "next" + ctrl("s"), "send this now?"),
    ("confirm.no", ESC, "-send this now?"),
    ("app.cancel", ctrl("c"), "stopped"),
]

STORED: list[Step] = [
    ("prompt.send", "hello" + ENTER, "lists it all."),
    ("", "", "enter send"),
    ("prompt.send", "/sessions" + ENTER, "1/1"),
    ("sessions.rename", F2, "title:"),
    ("sessions.rename", "named", "title: "),
    ("list.choose", ENTER, "▸ "),
    ("list.next_tab", TAB, "all workspaces"),
    ("sessions.replay", "p", "recorded"),
    ("replay.slower", "--", "¼x"),
    ("replay.end", END, "■"),
    ("replay.play", " ", "▶"),
    ("replay.play", " ", "‖"),
    ("replay.start", HOME, "  0/"),
    ("replay.next_event", ".", "  1/"),
    ("replay.next_event", ".", "  2/"),
    ("replay.previous_event", ",", "  1/"),
    ("replay.next_turn", ">", "turn 1/1"),
    ("replay.previous_turn", "<", "turn "),
    ("replay.faster", "+", "½x"),
    ("replay.seek", "5", "turn 1/1"),
    ("replay.idle", "i", "short pauses"),
    ("replay.goto", ":", "turn or time:"),
    ("replay.choose", "1" + ENTER, "-turn or time:"),
    ("replay.leave", "q", "enter send"),
    ("prompt.send", "/log" + ENTER, "esc close"),
    ("viewer.find", "/nothing" + ENTER, "log"),
]


class Walk:
    def __init__(self, terminal: PtyScreen) -> None:
        self.terminal = terminal

    async def take(self, steps: list[Step]) -> None:
        for ids, typed, shown in steps:
            self.terminal.type(typed)
            assert set(ids.split()) <= set(BY_ID)
            gone, text = shown.startswith("-"), shown.removeprefix("-")
            try:
                await self.terminal.until(lambda gone=gone, text=text: (text in self.terminal.text) != gone)
            except AssertionError as error:
                raise AssertionError(f"{ids}: {error}") from None


@pytest.mark.rule("TUI-100", "TUI-102", "TUI-103", "TUI-195", "TUI-200")
async def test_the_keys_of_the_composer(craze: Craze, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf edited > "$1"\n')
    editor.chmod(0o755)
    async with screen(craze, EDITOR=str(editor), VISUAL="") as terminal:
        await terminal.until(READY)
        await Walk(terminal).take(EDITING)
        assert await terminal.exit() == 0


@pytest.mark.rule("TUI-60", "TUI-61", "TUI-62", "TUI-64", "TUI-65", "TUI-134", "TUI-195", "TUI-200")
async def test_the_keys_of_the_transcript_and_of_an_ask(craze: Craze) -> None:
    async with screen(craze) as terminal:
        await terminal.until(READY)
        await Walk(terminal).take(READING)


@pytest.mark.rule("TUI-90", "TUI-93", "TUI-95", "TUI-195", "TUI-200")
async def test_the_keys_of_the_queue_and_the_todos(craze: Craze) -> None:
    async with screen(craze) as terminal:
        await terminal.until(READY)
        await Walk(terminal).take(WAITING)


@pytest.mark.rule("TUI-157", "TUI-176", "TUI-195", "TUI-200")
async def test_the_keys_of_the_session_list_and_of_a_replay(craze: Craze) -> None:
    async with screen(craze) as terminal:
        await terminal.until(READY)
        await Walk(terminal).take(STORED)
