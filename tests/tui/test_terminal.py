"""Escapes of the terminal: title, notification, clipboard."""

from __future__ import annotations

import base64
import os

import pytest

from craze.tui.terminal import (
    CLIPBOARD,
    POP_TITLE,
    PUSH_TITLE,
    Lasting,
    Surroundings,
    clipboard,
    notification,
    title,
    way_of,
)


class Terminal:
    def __init__(self, **environment: str) -> None:
        self.written: list[str] = []
        self.now = 100.0
        self.around = Surroundings(
            self.written.append, titles=True, notify="osc9", now=lambda: self.now, environment=environment
        )


@pytest.mark.rule("TUI-191")
def test_a_title_is_scrubbed_and_has_forty_cells_at_most() -> None:
    said = title("!", "a\x1b]0;evil\x07b" + "x" * 99)

    assert said.startswith("\x1b]2;! ab")
    assert len(said) == len("\x1b]2;") + 40 + 1


@pytest.mark.rule("TUI-191")
def test_the_title_is_pushed_written_when_it_changes_and_popped() -> None:
    terminal = Terminal()
    terminal.around.begin()
    terminal.around.show("✦", "one")
    terminal.around.show("✦", "one")
    terminal.around.show("❖", "one")
    terminal.around.end()

    assert terminal.written == [PUSH_TITLE, "\x1b]2;✦ one\x07", "\x1b]2;❖ one\x07", POP_TITLE]


@pytest.mark.rule("TUI-191")
def test_no_title_is_written_where_it_is_switched_off() -> None:
    written: list[str] = []
    around = Surroundings(written.append, titles=False, notify="off", now=lambda: 0.0, environment={})
    around.begin()
    around.show("✦", "one")
    around.end()

    assert written == []


@pytest.mark.rule("TUI-190")
def test_a_terminal_is_notified_at_most_once_in_five_seconds_and_never_while_it_is_looked_at() -> None:
    terminal = Terminal()
    terminal.around.call("needs you", "title")
    terminal.around.call("done", "title")
    terminal.now += 5
    terminal.around.call("done", "title")
    terminal.around.focused = True
    terminal.now += 50
    terminal.around.call("done", "title")

    assert terminal.written == ["\x1b]9;craze: needs you · title\x07", "\x1b]9;craze: done · title\x07"]


@pytest.mark.rule("TUI-190")
@pytest.mark.parametrize(
    ("environment", "way"),
    [
        ({"TERM_PROGRAM": "iTerm.app"}, "osc9"),
        ({"TERM_PROGRAM": "WezTerm"}, "osc9"),
        ({"TERM": "rxvt-unicode"}, "osc777"),
        ({"VTE_VERSION": "7200"}, "osc777"),
        ({"TERM": "xterm"}, "bell"),
    ],
)
def test_the_way_to_notify_follows_the_terminal(environment: dict[str, str], way: str) -> None:
    assert way_of("auto", environment) == way
    assert way_of("off", environment) == "off"


@pytest.mark.rule("TUI-190")
def test_tmux_hands_a_notification_on() -> None:
    assert notification("osc9", "hi", tmux=True) == "\x1bPtmux;\x1b\x1b]9;hi\x07\x1b\\"
    assert notification("bell", "hi", tmux=True) == "\x07"


def test_a_text_goes_to_the_clipboard_unless_it_is_too_long_for_it() -> None:
    assert clipboard("hé", tmux=False) == f"\x1b]52;c;{base64.b64encode('hé'.encode()).decode()}\x07"
    assert clipboard("x" * (CLIPBOARD + 1), tmux=False) == ""


@pytest.mark.rule("TUI-16")
def test_a_window_that_was_closed_does_not_break_what_is_written() -> None:
    read, write = os.pipe()
    os.close(read)
    file = Lasting(os.fdopen(write, "w"))

    file.write("nobody reads this")
    file.flush()

    assert file.fileno() == write
    assert not file.isatty()


@pytest.mark.rule("TUI-16")
def test_a_write_that_a_signal_cut_short_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    whole = os.write
    monkeypatch.setattr(os, "write", lambda number, data: whole(number, data[:3]))

    with os.fdopen(write, "w") as file:
        Lasting(file).write("a picture, whole")

    assert os.read(read, 100) == b"a picture, whole"
    os.close(read)
