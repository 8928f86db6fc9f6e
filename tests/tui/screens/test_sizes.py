"""Every size a terminal may have, and what changes it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import astuple

from tests.fakes.screen import FakeSession, Stand, settled
from tests.tui.screens.test_golden import STORIES

SIZE = st.tuples(st.integers(40, 200), st.integers(12, 60))


@pytest.mark.rule("TUI-20", "TUI-26")
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(SIZE, min_size=1, max_size=3), st.sampled_from(sorted(STORIES)))
async def test_a_screen_of_any_size_is_filled_and_fitted_once_a_frame(sizes: list[tuple[int, int]], story: str) -> None:
    stand = Stand(FakeSession())
    async with stand.run(*sizes[0]) as pilot:
        STORIES[story](stand.session)
        await settled(pilot)
        for width, height in sizes:
            before = stand.chat.does.layout.fits
            await pilot.resize_terminal(width, height)
            await settled(pilot)
            lines = stand.text.split("\n")

            assert len(lines) == height
            assert all(len(line) <= width for line in lines)
            assert stand.chat.does.layout.rows is not None
            assert sum(astuple(stand.chat.does.layout.rows)[:11]) == height
            assert stand.chat.transcript.size.height == stand.chat.does.layout.rows.transcript >= 3
            assert stand.chat.does.layout.fits - before <= 4


@pytest.mark.rule("TUI-31")
async def test_equal_state_causes_no_further_frame() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        STORIES["held"](stand.session)
        await settled(pilot)
        text, fits = stand.text, stand.chat.does.layout.fits

        await settled(pilot)

        assert (stand.text, stand.chat.does.layout.fits) == (text, fits)
