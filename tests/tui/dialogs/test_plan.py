"""Plans: accept, reject, with feedback or with a text that was changed."""

from __future__ import annotations

import msgspec
import pytest
from msgspec import UNSET

from craze.codec import Plan, Todo
from craze.engine.answers import Judge, OpenAsk
from craze.tui.dialogs.ask_panel import AskPanel
from tests.fakes.dialogs import Asking, find, text_of, view

PLAN = Plan(
    id="p1",
    name="Retry rework",
    overview="Less sleeping.",
    plan="1. Inject a clock\n2. **Replace** sleeps",
    todos=(Todo(id="1", content="inject clock", status="pending"),),
)
SIZE = (80, 20)


def showing(*can: str) -> Asking:
    return Asking(view(OpenAsk(body=PLAN, id="p1", tool="t1"), can=can))


@pytest.mark.rule("TUI-145")
@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ("a", Judge(accepted=True)),
        ("y", Judge(accepted=True)),
        ("n", Judge(accepted=False)),
        ("r", Judge(accepted=False)),
    ],
)
async def test_one_key_judges_a_plan(keys: str, answer: Judge) -> None:
    app = showing()

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.press(*keys)

    assert app.answers == [answer]


@pytest.mark.rule("TUI-145")
async def test_the_plan_is_drawn_with_its_name_overview_and_todos() -> None:
    app = showing()

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        shown = text_of(app)

    assert shown.startswith("── demo proposes a plan · Retry rework ──")
    assert "Less sleeping." in shown
    assert "2. Replace sleeps" in shown
    assert "○ inject clock" in shown


@pytest.mark.rule("TUI-145")
async def test_feedback_of_several_lines_goes_with_a_no() -> None:
    app = showing("feedback")

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.press("f", *"keep it", "alt+enter", *"small", "enter")

    assert app.answers == [Judge(accepted=False, feedback="keep it\nsmall")]


@pytest.mark.rule("TUI-145")
async def test_a_changed_plan_goes_with_the_yes_where_the_agent_takes_it() -> None:
    app = showing("edit_input")

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.press("e")
        asked = app.said[0]
        assert isinstance(asked, AskPanel.Edit)
        asked.panel.edited(asked.text + "\n3. Test")
        await pilot.press("a")

    answer = app.answers[0]
    assert isinstance(answer, Judge)
    assert answer.input is not UNSET
    assert msgspec.json.decode(answer.input) == {"plan": PLAN.plan + "\n3. Test"}


@pytest.mark.rule("TUI-145")
async def test_a_changed_plan_goes_back_with_a_no_where_the_agent_takes_none() -> None:
    app = showing()

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        app.panel.edited("Mine")
        await pilot.press("a")
        assert app.answers == []
        await pilot.press("n")

    assert app.answers == [Judge(accepted=False, feedback="Mine")]


@pytest.mark.rule("TUI-138")
async def test_escape_stops_the_turn() -> None:
    app = showing()

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press("escape")

    assert [type(each) for each in app.said] == [AskPanel.StopTurn]


async def test_the_mouse_alone_accepts_a_plan() -> None:
    app = showing()

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.click(offset=find(app, "a accept"))

    assert app.answers == [Judge(accepted=True)]
