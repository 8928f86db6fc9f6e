"""Keys that come in one piece, as over a slow line: each finds what the one before has made."""

from __future__ import annotations

import pytest
from textual import events

from tests.fakes.screen import Stand, settled
from tests.tui.screens.test_asking import asking


def at_once(stand: Stand, *keys: str) -> None:
    """All of them before any of them is handled."""
    for key in keys:
        stand.app.post_message(events.Key(key, key if len(key) == 1 else None))


@pytest.mark.rule("TUI-131", "TUI-137")
async def test_the_first_letters_of_a_reason_answer_nothing() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        asking(stand)
        await settled(pilot)
        stand.clock.now += 1
        at_once(stand, "t", "a", "n", "y")
        await settled(pilot)

        assert stand.session.sent == []
        assert "tell: any" in stand.text


@pytest.mark.rule("TUI-60")
async def test_a_key_right_behind_one_that_moves_the_keyboard_goes_where_it_is_then() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        stand.session.begin_turn("hello")
        stand.session.end_turn()
        await settled(pilot)
        at_once(stand, "alt+up", "g", "i", "x", "alt+up", "v")
        await settled(pilot)

        assert stand.chat.composer.drafts.whole == "x"
        assert "extend" in stand.text


async def test_keys_keep_their_order_and_none_is_lost() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        at_once(stand, *"the quick brown fox".replace(" ", "_"))
        stand.app.post_message(events.Paste(" jumps"))
        at_once(stand, "!")
        await settled(pilot)

        assert stand.chat.composer.drafts.whole == "the_quick_brown_fox jumps!"


async def test_a_key_whose_widget_goes_holds_up_no_other() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        at_once(stand, "f1", "escape", "ctrl+p", "escape", "h", "i")
        await settled(pilot)

        assert stand.chat.composer.drafts.whole == "hi"


async def test_text_behind_a_key_waits_for_it_also_when_text_came_before() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        at_once(stand, *"abc", "f1", *"theme", "escape", "escape", *"def")
        await settled(pilot)

        assert stand.chat.composer.drafts.whole == "abcdef"
