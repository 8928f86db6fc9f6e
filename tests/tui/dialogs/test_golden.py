"""How each panel and dialog looks, as text that people read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
from msgspec.structs import replace
from textual.app import App

from craze.codec import Diff, Plan, Subagent, Todo, Tool
from craze.engine.answers import OpenAsk
from craze.engine.facts import Login
from craze.engine.view import View
from craze.tui import palette
from craze.tui.desk import Agents, Library
from craze.tui.dialogs.confirm import Choice, Confirm
from craze.tui.dialogs.help import HelpDialog
from craze.tui.dialogs.models import ModelPicker
from craze.tui.dialogs.offers import offers
from craze.tui.dialogs.search import SearchLine
from craze.tui.dialogs.sign_in import SignIn
from craze.tui.dialogs.themes import ThemePicker
from craze.tui.dialogs.typed import end_of
from craze.tui.dialogs.viewer import Viewer
from craze.tui.keys import remap
from craze.tui.screens.agents import AgentPicker
from craze.tui.screens.sessions import SessionPicker
from tests.conftest import Golden
from tests.fakes.dialogs import GOLDEN, Asking, Showing, options, permission, text_of, view
from tests.fakes.library import Crew, Shelf
from tests.tui.dialogs.test_pickers import ALL, ITEMS, THEMES
from tests.tui.dialogs.test_question import DATABASES, asked
from tests.tui.dialogs.test_reading import LONG, METHODS, QUIT, Desk
from tests.tui.screens.test_agents import DEMO, OTHER, THIRD
from tests.tui.screens.test_sessions import NOW, ROWS

BEFORE = "    def wait(self, attempt: int) -> float:\n        time.sleep(2 ** attempt)\n        return attempt\n"
EDIT = Tool(
    id="t1",
    kind="edit",
    title="Edit",
    diffs=(Diff(path="src/client.py", old_text=BEFORE, new_text=BEFORE.replace("time.sleep", "self._clock.sleep")),),
)
EDITS = options(
    ("1", "Yes", "allow_once"),
    ("2", "Yes, allow all edits during this session", "allow_always"),
    ("3", "No, tell it what to do instead", "reject_once"),
)
STEPS = "\n".join(f"{n}. Step number {n}\n   - keep the public signature" for n in range(1, 20))
RETRY = Plan(
    id="p1",
    name="Retry rework",
    overview="Less sleeping in the tests.",
    plan=f"## Steps\n\n{STEPS}",
    todos=tuple(Todo(id=text, content=text, status="pending") for text in ("inject clock", "replace sleeps", "tests")),
)


def _of_a_child() -> View:
    ask = replace(permission(EDITS), agent="c1")
    return replace(view(ask, tools=(EDIT,)), roster=(Subagent(id="c1", subagent_type="explore", status="running"),))


def _searching() -> SearchLine:
    line = SearchLine()
    line.set_reactive(SearchLine.typed, end_of("retry"))
    line.set_reactive(SearchLine.told, "3/17")
    return line


SHOWN: dict[str, tuple[Callable[[], App[Any]], tuple[str, ...]]] = {
    "ask_permission": (lambda: Asking(view(permission(), asked(DATABASES))), ()),
    "ask_edit": (lambda: Asking(_of_a_child()), ()),
    "ask_tell": (lambda: Asking(view(permission(), can=())), ("t", *"use echo")),
    "ask_question": (lambda: Asking(view(asked(DATABASES))), ("enter", "down")),
    "ask_review": (lambda: Asking(view(asked(DATABASES))), ("enter", "enter", "enter")),
    "ask_plan": (lambda: Asking(view(OpenAsk(body=RETRY, id="p1", tool="t9"))), ()),
    "dialog_confirm": (lambda: Showing(Confirm("a turn is running", "Stop it and quit? The draft is kept.", QUIT)), ()),
    "dialog_model": (lambda: Showing(ModelPicker(offers(ALL, ["large-1"]))), ("m",)),
    "dialog_theme": (lambda: Showing(ThemePicker(THEMES, "craze-dark", lambda _: None)), ()),
    "dialog_help": (lambda: Showing(HelpDialog(remap({}).keys, (), {"craze": "1.0"})), ()),
    "dialog_sign_in": (
        lambda: Showing(SignIn("other", Login(methods=METHODS), Desk().authenticate, Desk().run, can_leave=True)),
        (),
    ),
    "dialog_viewer": (lambda: Showing(Viewer("output of pytest", LONG, print)), ("/", *"line 15")),
    "dialog_palette": (lambda: Showing(palette.PaletteDialog(ITEMS)), ("t", "h")),
    "dialog_delete": (
        lambda: Showing(Confirm("delete the session?", "spike: 7 turns.", Choice("d", "delete", "d"))),
        (),
    ),
    "line_search": (lambda: Showing(_searching()), ()),
    "screen_sessions": (lambda: Showing(SessionPicker(cast(Library, Shelf(ROWS)), now=lambda: NOW)), ("down",)),
    "screen_agents": (lambda: Showing(AgentPicker(cast(Agents, Crew(THIRD, DEMO, OTHER)))), ("i",)),
}


@pytest.mark.parametrize("size", [(100, 30), (60, 20), (40, 12)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", SHOWN)
async def test_a_dialog_looks_as_its_golden_screen(name: str, size: tuple[int, int], golden: Golden) -> None:
    make, keys = SHOWN[name]
    app = make()

    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        if isinstance(app, Asking):
            app.pass_time()
        await pilot.pause()
        await pilot.press(*keys)
        await pilot.pause()
        text = text_of(app)

    golden(GOLDEN / f"{name}.{size[0]}x{size[1]}.txt", (text.rstrip("\n") + "\n").encode())
