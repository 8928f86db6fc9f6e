"""How parts of the chat screen give way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from craze.tui.fit import SHORT, TRANSCRIPT, Rows, Wishes, composer_most, fit, too_small

WISHES = st.builds(
    Wishes,
    todos=st.integers(0, 9),
    agents=st.integers(0, 3),
    queue=st.integers(0, 7),
    activity=st.integers(0, 1),
    ask=st.integers(0, 40),
    ask_least=st.integers(0, 20),
    composer=st.integers(1, 6),
    bare=st.booleans(),
    bar=st.integers(0, 3),
    inline=st.integers(0, 8),
    hints=st.integers(0, 1),
)


def total(rows: Rows) -> int:
    return sum(astuple(rows)[:11])


@pytest.mark.rule("TUI-20", "TUI-26")
@given(WISHES)
def test_every_height_is_filled_exactly_and_the_transcript_keeps_its_rows(wishes: Wishes) -> None:
    for height in range(12, 61):
        rows = fit(height, wishes)

        assert total(rows) == height
        assert rows.transcript >= TRANSCRIPT
        assert min(astuple(rows)[:11]) >= 0


@pytest.mark.rule("TUI-22")
@given(WISHES, st.integers(SHORT, 60))
def test_nothing_gives_way_while_everything_fits(wishes: Wishes, height: int) -> None:
    rows = fit(height, wishes)
    wanted = sum((wishes.todos, wishes.agents, wishes.queue, wishes.activity, wishes.ask, wishes.bar, wishes.inline))

    if TRANSCRIPT + wanted + wishes.composer + (0 if wishes.bare else 2) + 1 + wishes.hints <= height:
        assert (rows.todos, rows.agents, rows.queue) == (wishes.todos, wishes.agents, wishes.queue)
        assert (rows.activity, rows.ask, rows.hints) == (wishes.activity, wishes.ask, wishes.hints)


@pytest.mark.rule("TUI-22")
def test_parts_give_way_in_their_order() -> None:
    wishes = Wishes(todos=9, agents=3, queue=7, activity=1, composer=6, ask=10, ask_least=5)
    full = 3 + 9 + 3 + 7 + 1 + 10 + 6 + 2 + 1 + 1

    gave = [fit(height, wishes) for height in range(full, 29, -1)]

    assert gave[0].agents == 3
    assert gave[1].agents == 2
    assert (gave[2].todos, gave[2].composer) == (1, 8)
    assert next(rows for rows in gave if rows.composer == 5).queue == 7
    assert next(rows for rows in gave if rows.queue == 2).composer == 5


@pytest.mark.rule("TUI-21", "TUI-22")
def test_a_short_screen_has_no_hints_and_the_activity_in_the_status() -> None:
    rows = fit(20, Wishes(todos=9, agents=1, queue=2, activity=1, composer=6))

    assert (rows.hints, rows.activity, rows.merged) == (0, 0, True)
    assert (rows.todos, rows.agents, rows.queue, rows.composer) == (1, 1, 2, 5)
    assert (composer_most(29), composer_most(30)) == (3, 6)


@pytest.mark.rule("TUI-22")
def test_an_ask_that_does_not_fit_shows_what_it_needs_to_be_answered_and_what_else_there_is_room_for() -> None:
    rows = fit(12, Wishes(ask=20, ask_least=5, composer=1, bare=True, agents=1, todos=1))

    assert (rows.ask, rows.transcript, rows.cropped, rows.counted) == (7, 3, True, True)


@pytest.mark.rule("TUI-22")
def test_an_ask_that_gives_way_leaves_the_queue_and_the_bar_their_rows() -> None:
    rows = fit(20, Wishes(ask=20, ask_least=5, composer=1, bare=True, queue=2, bar=1))

    assert (rows.ask, rows.queue, rows.bar, rows.transcript) == (12, 2, 1, 3)


@pytest.mark.rule("TUI-23")
@pytest.mark.parametrize(("size", "small"), [((40, 12), False), ((39, 12), True), ((40, 11), True), ((200, 60), False)])
def test_below_forty_by_twelve_a_terminal_is_too_small(size: tuple[int, int], small: bool) -> None:
    assert too_small(*size) is small
