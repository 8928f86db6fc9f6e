"""The screen for those who hear it: what changes is told by lines, nothing floats, the cursor is where the keys go."""

from __future__ import annotations

import pytest

from craze.codec import Event, Permission, PermissionOption, Todo, Tool
from craze.engine.intents import Refused, Submit
from tests.fakes.screen import Stand, models, settled


def told(stand: Stand) -> list[str]:
    return [line.strip() for line in stand.text.splitlines() if line.startswith("  ")]


def permission() -> Event:
    options = (
        PermissionOption(option_id="once", name="Yes", kind="allow_once"),
        PermissionOption(option_id="no", name="No", kind="reject_once"),
    )
    return Event("permission", permission=Permission(id="a1", tool="c1", options=options))


@pytest.mark.rule("TUI-194")
async def test_what_changes_is_told_by_lines_in_their_order() -> None:
    stand = Stand(screen_reader=True)
    async with stand.run() as pilot:
        await settled(pilot)
        stand.session.begin_turn()
        await settled(pilot)
        stand.session.publish(Event("todos", todos=(Todo(id="1", content="look", status="in_progress"),)))
        await settled(pilot)
        stand.session.queue("the next one")
        await settled(pilot)
        stand.session.publish(Event("tool", tool=Tool(id="c1", kind="execute", title="touch x", status="pending")))
        stand.session.publish(permission())
        await settled(pilot)

        expected = [
            "working",
            "todo 0 of 1 done: look",
            "1 prompt in the queue",
            "demo asks: run a command: touch x",
        ]
        assert [line for line in told(stand) if line in expected] == expected


@pytest.mark.rule("TUI-194")
async def test_a_line_does_not_cut_a_text_that_grows() -> None:
    stand = Stand(screen_reader=True)
    async with stand.run() as pilot:
        await settled(pilot)
        stand.session.begin_turn()
        stand.session.say("one sen")
        await settled(pilot)
        stand.session.queue("the next one")
        await settled(pilot)
        stand.session.say("tence")
        await settled(pilot)

        assert "* one sentence" in stand.text
        assert "1 prompt in the queue" in told(stand)


@pytest.mark.rule("TUI-194")
async def test_a_notice_is_a_line_and_does_not_float() -> None:
    stand = Stand(screen_reader=True)
    stand.session.replies[Submit] = lambda intent: Refused(code="queue_full")
    async with stand.run() as pilot:
        await pilot.press("x", "enter")
        await settled(pilot)

        assert "the queue is full (32 prompts)" in told(stand)
        assert stand.text.count("the queue is full") == 1


@pytest.mark.rule("TUI-194")
async def test_nothing_is_told_where_nobody_listens() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        stand.session.begin_turn()
        stand.session.end_turn()
        await settled(pilot)

        assert "ready" not in stand.text


@pytest.mark.rule("TUI-194")
async def test_the_terminals_cursor_is_in_the_field_that_has_the_keys() -> None:
    stand = Stand(screen_reader=True)
    stand.session.offers(models())
    async with stand.run() as pilot:
        await settled(pilot)
        await pilot.press("a", "b")
        await settled(pilot)
        x, y = stand.app.cursor_position
        assert stand.text.splitlines()[y][:x] == "> ab"

        stand.session.begin_turn()
        stand.session.publish(permission())
        await settled(pilot)
        await pilot.press("tab", "down")
        await settled(pilot)
        x, y = stand.app.cursor_position
        assert stand.text.splitlines()[y][x:].startswith("> 2")
        assert "No" in stand.text.splitlines()[y]
