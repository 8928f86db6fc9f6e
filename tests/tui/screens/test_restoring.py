"""A stored session that goes on: what is stored is there at once, and lines tell where the live part begins."""

from __future__ import annotations

import pytest

from craze.codec import Event, Failure
from craze.engine.facts import Info
from craze.tui.screens.opening import Opening
from tests.fakes.screen import FakeSession, Stand, settled


def stored() -> Stand:
    session = FakeSession()
    session.begin_turn("the first")
    session.say("from before")
    session.end_turn()
    session.tell(Info(session="s-1", agent="demo", status="starting"))
    return Stand(session, opening=Opening(agent="demo", resumed=True))


def lines(stand: Stand) -> list[str]:
    return [line.strip() for line in stand.text.splitlines()]


@pytest.mark.rule("TUI-158")
async def test_lines_tell_that_a_session_is_restored_and_where_the_live_part_begins() -> None:
    stand = stored()
    async with stand.run() as pilot:
        await settled(pilot)
        assert "● from before" in stand.text
        assert "restoring…" in lines(stand)
        assert "restored" not in lines(stand)

        stand.session.can("reopen")
        stand.session.begin_turn("go on", "t2")
        stand.session.say("live")
        await settled(pilot)

        told = [line for line in lines(stand) if line in ("● from before", "restoring…", "restored", "● live")]
        assert told == ["● from before", "restoring…", "restored", "● live"]


@pytest.mark.rule("TUI-158")
async def test_an_agent_that_cannot_load_leaves_the_session_to_be_read() -> None:
    stand = stored()
    async with stand.run() as pilot:
        await settled(pilot)
        failure = Failure(message="this agent cannot reopen sessions", error_class="other", code=0)
        stand.session.publish(Event("error", err=failure))
        stand.session.tell(Info(session="s-1", agent="demo", status="stopped"))
        await settled(pilot)

        assert "● from before" in stand.text
        assert "this agent cannot resume: opened to read; /new starts a session here" in lines(stand)
        assert "n new session" in stand.text
        assert "restored" not in lines(stand)


@pytest.mark.rule("TUI-14", "TUI-158")
async def test_a_stored_session_whose_agent_does_not_even_start_says_that() -> None:
    stand = stored()
    async with stand.run() as pilot:
        await settled(pilot)
        failure = Failure(message="it exited", error_class="agent_exit_status", code=3)
        stand.session.publish(Event("error", err=failure))
        stand.session.tell(Info(session="s-1", agent="demo", status="stopped"))
        await settled(pilot)

        assert "demo did not start" in stand.text


@pytest.mark.rule("TUI-158")
async def test_a_session_that_begins_has_nothing_to_restore() -> None:
    stand = Stand(FakeSession(status="starting"), opening=Opening(agent="demo", resumed=True))
    async with stand.run() as pilot:
        stand.session.can("reopen")
        stand.session.begin_turn()
        await settled(pilot)

        assert "restor" not in stand.text
