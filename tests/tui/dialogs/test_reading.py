"""The viewer, the confirm dialog, the sign-in and the search line."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from textual import events
from textual.app import App

from craze.engine.facts import Login, LoginMethod
from craze.engine.intents import Accepted, Refused, Result
from craze.tui.dialogs.confirm import Choice, Confirm
from craze.tui.dialogs.search import SearchLine
from craze.tui.dialogs.sign_in import SignIn
from craze.tui.dialogs.typed import Typed, end_of, lines, one_line
from craze.tui.dialogs.viewer import Viewer
from tests.fakes.dialogs import Asking, Showing, find, permission, text_of, view

SIZE = (70, 20)
LONG = "\n".join(f"line {n}" for n in range(1, 201))


async def seen(app: App[Any], *keys: str) -> str:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press(*keys)
        await pilot.pause()
        return text_of(app)


@pytest.mark.parametrize(
    ("keys", "first"),
    [
        ((), "line 1"),
        (("down", "down"), "line 3"),
        (("pagedown",), "line 17"),
        (("G",), "line 183"),
        (("G", "g"), "line 1"),
    ],
)
async def test_the_viewer_scrolls_by_lines_pages_and_to_its_ends(keys: tuple[str, ...], first: str) -> None:
    shown = await seen(Showing(Viewer("log", LONG, print)), *keys)

    assert shown.splitlines()[1].split("▁")[0].strip("▂▃▄▅▆▇ ") == first


async def test_the_viewer_finds_a_text_and_moves_between_its_hits() -> None:
    app = Showing(Viewer("log", LONG, print))

    shown = await seen(app, "/", *"line 15", "down")
    assert "2/11" in shown
    assert "line 150" in shown
    assert "nothing found" in await seen(Showing(Viewer("log", LONG, print)), "/", *"absent")


async def test_the_viewer_shows_hostile_text_harmless_and_wraps_long_lines() -> None:
    shown = await seen(Showing(Viewer("out\x1b]0;x\x07", "a\x1b[2Jb\u202ec\n" + "x" * 100, print)))

    assert "ab‹U+202E›c" in shown
    assert shown.splitlines()[0].startswith("── out ─")
    assert "\x1b" not in shown
    assert sum(row.startswith("x") for row in shown.splitlines()) == 2


async def test_escape_closes_the_viewer_but_first_its_search() -> None:
    app = Showing(Viewer("log", LONG, print))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press("/", "a", "escape")
        await pilot.pause()
        assert app.results == []
        await pilot.press("escape")
        await pilot.pause()
        assert app.results == [None]


# ---- confirm

QUIT = Choice("q", "quit and stop it", "quit")


@pytest.mark.rule("TUI-153")
@pytest.mark.parametrize(("key", "result"), [("q", ["quit"]), ("escape", [None]), ("n", [None]), ("x", [])])
async def test_a_confirm_is_answered_with_one_key(key: str, result: list[object]) -> None:
    app = Showing(Confirm("a turn is running", "Stop it and quit?", QUIT))

    await seen(app, key)

    assert app.results == result


async def test_a_confirm_is_answered_with_the_mouse() -> None:
    app = Showing(Confirm("a turn is running", "Stop it and quit?", QUIT))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.click(offset=find(app, "q quit"))
        await pilot.pause()

    assert app.results == ["quit"]


# ---- sign-in

METHODS = (
    LoginMethod(id="browser", name="Sign in with the browser"),
    LoginMethod(id="tui", name="In the terminal", kind="terminal", command=("other", "login")),
    LoginMethod(id="key", name="API key", kind="env_var", env={"OTHER_API_KEY": "secret"}),
)


DONE = Accepted()


class Desk:
    """Answers a sign-in, and runs the programs of methods."""

    def __init__(self, result: Result = DONE, status: int = 0) -> None:
        self.result, self.status = result, status
        self.asked: list[str | None] = []
        self.ran: list[tuple[str, ...]] = []
        self.answer = asyncio.Event()
        self.answer.set()

    async def authenticate(self, method: str | None) -> Result:
        self.asked.append(method)
        await self.answer.wait()
        return self.result

    async def run(self, method: LoginMethod) -> int:
        self.ran.append(method.command)
        return self.status


def signing(desk: Desk, *, can_leave: bool = False) -> Showing:
    login = Login(required=True, methods=METHODS)
    return Showing(SignIn("other", login, desk.authenticate, desk.run, can_leave=can_leave))


@pytest.mark.rule("TUI-171")
@pytest.mark.parametrize(
    ("keys", "asked", "ran", "results"),
    [
        (("enter",), ["browser"], [], [True]),
        (("down", "enter"), ["tui"], [("other", "login")], [True]),
        (("down", "down", "enter"), [], [], []),
        (("end", "enter"), [None], [], [True]),
        (("escape",), [], [], [None]),
    ],
)
async def test_each_kind_of_method_does_its_own_thing(
    keys: tuple[str, ...], asked: list[str | None], ran: list[tuple[str, ...]], results: list[object]
) -> None:
    desk = Desk()
    app = signing(desk, can_leave=True)

    await seen(app, *keys)

    assert (desk.asked, desk.ran, app.results) == (asked, ran, results)


@pytest.mark.rule("TUI-171")
async def test_an_environment_method_names_its_variables_and_shows_no_value() -> None:
    shown = await seen(signing(Desk()))

    assert "set OTHER_API_KEY and restart" in shown
    assert "secret" not in shown


@pytest.mark.rule("TUI-171")
async def test_a_refused_sign_in_says_why_and_may_be_tried_again() -> None:
    desk = Desk(Refused(code="failed", detail={"message": "the browser was closed"}))

    shown = await seen(signing(desk), "enter")

    assert "the browser was closed" in shown
    assert desk.asked == ["browser"]


async def test_a_program_that_fails_sends_nothing() -> None:
    desk = Desk(status=3)

    shown = await seen(signing(desk), "down", "enter")

    assert "ended with status 3" in shown
    assert desk.asked == []


@pytest.mark.rule("TUI-171")
async def test_while_the_agent_works_on_a_sign_in_the_dialog_says_so_and_asks_once() -> None:
    desk = Desk()
    desk.answer.clear()

    shown = await seen(signing(desk), "enter", "enter")

    assert "waiting for the agent" in shown
    assert desk.asked == ["browser"]


# ---- the search line


class Searching(Showing):
    """Keeps what the search line says."""

    def __init__(self) -> None:
        super().__init__(SearchLine())
        self.said: list[object] = []

    def on_search_line_changed(self, message: SearchLine.Changed) -> None:
        self.said.append((message.query, message.regex))

    def on_search_line_moved(self, message: SearchLine.Moved) -> None:
        self.said.append(message.step)

    def on_search_line_closed(self, message: SearchLine.Closed) -> None:
        self.said.append(message.stays)


@pytest.mark.rule("TUI-65")
async def test_the_search_line_says_what_is_searched_how_and_where_to_go() -> None:
    app = Searching()

    await seen(app, "a", "b", "alt+r", "down", "up", "enter", "escape")

    assert app.said == [("a", False), ("ab", False), ("ab", True), 1, -1, True, False]


# ---- the typed text


@given(st.text(max_size=30), st.text(max_size=10), st.integers(0, 30))
def test_a_text_takes_no_control_characters_and_keeps_its_cursor_inside(text: str, more: str, at: int) -> None:
    typed = replace(Typed("").put(text), at=0)
    typed = replace(typed, at=min(at, len(typed.text))).put(more)

    assert all(ord(character) >= 32 and not 127 <= ord(character) < 160 for character in typed.text)
    assert 0 <= typed.at <= len(typed.text)


KEYS = ("left", "right", "home", "end", "backspace", "delete", "ctrl+w", "ctrl+u", "ctrl+k", "ctrl+left", "ctrl+right")


@given(st.text(alphabet="aé漢🙂🇩🇪 \n", max_size=20), st.lists(st.sampled_from(KEYS), max_size=12), st.integers(4, 20))
def test_editing_keys_never_leave_the_text_and_it_always_fits_its_room(text: str, keys: list[str], width: int) -> None:
    typed = end_of(text)
    for key in keys:
        typed = typed.key(key) or typed
        assert 0 <= typed.at <= len(typed.text)

        assert one_line(typed, width, active=True).cell_length <= width
        assert len(lines(typed, width, 3, active=True)) <= 3
        assert all(row.cell_length <= width for row in lines(typed, width, 99, active=True))


@pytest.mark.parametrize(
    ("key", "text"), [("ctrl+w", "one "), ("ctrl+u", ""), ("backspace", "one tw"), ("ctrl+k", "one two")]
)
def test_killing_removes_words_and_lines(key: str, text: str) -> None:
    typed = end_of("one two").key(key)

    assert typed
    assert typed.text == text


def test_a_key_with_alt_types_nothing() -> None:
    assert Typed("a", 1).take(events.Key("alt+p", "p")) is None


def test_nothing_else_is_an_editing_key() -> None:
    found: Mapping[str, object] = {key: Typed("a").key(key) for key in ("enter", "tab", "escape", "ctrl+n", "up", "f2")}

    assert set(found.values()) == {None}


@pytest.mark.rule("TUI-194")
async def test_with_ascii_signs_no_other_character_is_drawn() -> None:
    app = Showing(Confirm("a turn is running", "Stop it?", QUIT))
    app.add_class("-ascii")
    asked = Asking(view(permission()))
    asked.add_class("-ascii")

    assert (await seen(app)).isascii()
    assert (await seen(asked)).isascii()
