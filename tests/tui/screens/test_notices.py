"""What is said for a moment: where it stands, and that it goes by itself."""

from __future__ import annotations

import pytest

from craze.codec import Event, Subagent
from craze.tui.dialogs.confirm import Confirm
from craze.tui.dialogs.viewer import Viewer
from tests.fakes.screen import Stand, settled, until


@pytest.mark.rule("TUI-152", "TUI-168")
async def test_the_offer_of_a_second_press_goes_when_it_does_not_hold_any_more() -> None:
    stand = Stand(double_press_s=0.3)
    async with stand.run() as pilot:
        await settled(pilot)
        await pilot.press("ctrl+c")
        await settled(pilot)
        assert "ctrl+c again to quit" in stand.text
        stand.clock.now += 0.4
        await until(pilot, lambda: "ctrl+c again" not in stand.text)


@pytest.mark.rule("TUI-168", "TUI-113")
async def test_a_notice_is_seen_while_an_answer_floats_above_it() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        card = stand.chat.parts.widgets.card
        card.ask("why")
        card.tell("why", "because", stand.chat.transcript.brush)
        stand.chat.parts.fit_soon()
        await settled(pilot)
        card.focus()
        await pilot.press("y")
        await settled(pilot)

        assert "copied 7 characters" in stand.text
        assert "because" in stand.text


@pytest.mark.rule("TUI-168")
async def test_the_viewer_says_what_was_copied_until_a_key_is_pressed() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        stand.chat.does.reading.read("a text", "one\ntwo")
        await until(pilot, lambda: isinstance(stand.app.screen, Viewer))
        await pilot.press("y")
        await settled(pilot)
        assert "copied 7 characters" in stand.text
        await pilot.press("down")
        await settled(pilot)

        assert "esc close" in stand.text


@pytest.mark.rule("TUI-92")
async def test_stopping_a_sub_agent_asks_and_leaves_the_conversation_where_it_is() -> None:
    stand = Stand()
    stand.session.can("cancel_subagent")
    async with stand.run() as pilot:
        stand.session.begin_turn("look")
        kid = Subagent(id="kid", status="running", transcript=True)
        stand.session.publish(Event("subagent", subagent=kid, subagent_change="spawned"))
        await settled(pilot)
        stand.chat.parts.widgets.roster.focus()
        await pilot.press("x")
        await until(pilot, lambda: isinstance(stand.app.screen, Confirm))
        await settled(pilot)

        assert stand.chat.parts.child == ""


@pytest.mark.rule("TUI-92")
async def test_one_goes_round_the_sub_agents_also_those_that_run() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        stand.session.begin_turn("look")
        for name, told in (("one", True), ("two", False)):
            kid = Subagent(id=name, status="running", transcript=told)
            stand.session.publish(Event("subagent", subagent=kid, subagent_change="spawned"))
        await settled(pilot)
        stand.chat.does.children.show("one")
        await settled(pilot)
        await pilot.press("tab")
        await settled(pilot)

        assert stand.chat.parts.child == "two"


@pytest.mark.rule("TUI-153")
async def test_the_question_whether_to_stop_the_turn_says_when_it_has_ended() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        stand.session.begin_turn("look")
        await settled(pilot)
        await pilot.press("ctrl+q")
        await settled(pilot)
        assert "Stop it and quit?" in stand.text
        stand.session.end_turn()
        await settled(pilot)

        assert "the turn has ended" in stand.text
        assert "Quit?" in stand.text
        assert "q yes · esc stay" in stand.text
        await pilot.press("q")
        await settled(pilot)
    assert stand.app.return_value is not None
