"""Which ask is shown, when its panel takes the keyboard, and when its keys count."""

from __future__ import annotations

import asyncio

import pytest

from craze.codec import Plan
from craze.engine.answers import OpenAsk, Pick
from craze.engine.facts import details
from craze.engine.view import View, fold_fact
from tests.fakes.dialogs import Asking, permission, text_of, view

SIZE = (80, 20)


@pytest.mark.rule("TUI-131")
async def test_a_panel_is_drawn_at_once_and_waits_for_a_quiet_composer() -> None:
    app = Asking(view(permission()))
    app.idle = 0.1

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        before = text_of(app)
        await pilot.press("1", "y")
        app.idle = 9.0
        async with asyncio.timeout(20):
            while not app.panel.has_focus:
                await pilot.pause(0.05)

    assert "Always allow pytest" in before
    assert "tab to answer" in before
    assert app.answers == []


@pytest.mark.rule("TUI-131")
async def test_a_key_right_after_the_panel_took_the_keyboard_answers_nothing() -> None:
    app = Asking(view(permission()))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        assert app.panel.has_focus
        app.pass_time(0.2)
        await pilot.press("1", "y", "enter")
        early = list(app.answers)
        app.pass_time(0.2)
        await pilot.press("y")

    assert early == []
    assert app.answers == [Pick(option="once")]


@pytest.mark.rule("TUI-131")
async def test_the_person_may_take_the_panel_before_the_composer_is_quiet() -> None:
    app = Asking(view(permission()))
    app.idle = 0.0

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.slot.take()
        await pilot.pause()
        app.pass_time()
        await pilot.press("y")

    assert app.answers == [Pick(option="once")]


@pytest.mark.rule("TUI-130", "ENG-57")
async def test_tab_turns_to_the_next_ask_and_an_ending_back_to_the_oldest() -> None:
    three = [permission(id_="a1"), OpenAsk(body=Plan(id="a2", name="Second", plan="x"), id="a2"), permission(id_="a3")]
    app = Asking(view(*three))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press("tab")
        await pilot.pause()
        second = app.panel.ask.id
        await pilot.press("tab")
        await pilot.pause()
        third = app.panel.ask.id
        app.slot.show(view(*three[:2]))
        await pilot.pause()

        assert (second, third, app.panel.ask.id) == ("a2", "a3", "a1")
        assert app.panel.has_focus


@pytest.mark.rule("TUI-132")
async def test_an_answered_ask_stays_until_its_ending_comes() -> None:
    app = Asking(view(permission()))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.press("y", "n")
        shown = text_of(app)
        app.slot.show(View())
        await pilot.pause()

        assert "sending…" in shown
        assert app.answers == [Pick(option="once")]
        assert app.slot.panel is None
        assert text_of(app).strip() == ""


@pytest.mark.rule("TUI-132")
async def test_a_refused_answer_brings_the_panel_back_with_the_reason_and_what_was_typed() -> None:
    app = Asking(view(permission()))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.press("t", *"why", "enter")
        app.slot.refused("a1", {"option": "was not offered"})
        await pilot.pause()
        shown = text_of(app)

    assert "was not offered" in shown
    assert "tell: why" in shown


@pytest.mark.rule("TUI-222")
async def test_what_the_agent_says_beside_the_call_stands_below_the_title() -> None:
    fact = details(
        "a1", {"decision_reason": "outside of the folder", "blocked_path": "/etc", "options": {"always": "Bash(*)"}}
    )
    app = Asking(fold_fact(view(permission()), fact))

    async with app.run_test(size=(100, 20)) as pilot:
        await pilot.pause()
        rows = text_of(app).splitlines()

    assert rows[1:3] == [" outside of the folder", " /etc"]
    assert any("Always allow" in row and "remembered by the agent · Bash(*)" in row for row in rows)


@pytest.mark.rule("TUI-179")
async def test_a_recorded_ask_is_answered_by_no_key() -> None:
    app = Asking(view(permission()), locked=True)

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.press("y", "1", "tab", "enter")
        shown = text_of(app)

    assert "the recording answers" in shown
    assert app.answers == []


@pytest.mark.rule("TUI-22")
async def test_in_few_rows_title_options_and_keys_remain() -> None:
    app = Asking(view(permission()))

    async with app.run_test(size=(60, 5)) as pilot:
        await pilot.pause()
        rows = text_of(app).splitlines()

    assert rows[0].startswith("── demo asks")
    assert [row[3] for row in rows[1:4]] == ["1", "2", "3"]
    assert rows[4].startswith(" 1-3 or enter")
