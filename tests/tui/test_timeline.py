"""Where a replay stands, and which event a wish means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craze.tui.timeline import NS, Timeline

TEN = Timeline([at * NS for at in range(100, 110)], [1, 4, 8])


@pytest.mark.rule("TUI-177")
def test_progress_is_told_by_recorded_time() -> None:
    assert (TEN.total, TEN.elapsed(4), TEN.part(10), TEN.turn(5)) == (9.0, 3.0, 1.0, 2)


@pytest.mark.rule("TUI-177")
def test_without_times_progress_is_told_by_event_number() -> None:
    line = Timeline([0] * 8, [1])

    assert (line.timed, line.part(2), line.at(0.5)) == (False, 0.25, 4)


def test_an_event_without_a_time_has_that_of_the_one_before() -> None:
    assert [Timeline([NS, 0, 5 * NS], ()).elapsed(seq) for seq in (1, 2, 3)] == [0.0, 0.0, 4.0]


@pytest.mark.rule("TUI-176", "TUI-178")
@pytest.mark.parametrize(("seq", "before", "behind"), [(0, 0, 1), (1, 0, 4), (5, 4, 8), (4, 1, 8), (9, 8, None)])
def test_turns_are_stepped_to_their_first_event(seq: int, before: int, behind: int | None) -> None:
    assert (TEN.previous_turn(seq), TEN.next_turn(seq)) == (before, behind)


@pytest.mark.rule("TUI-176")
@pytest.mark.parametrize(
    ("text", "seq"),
    [("2", 4), (" 3 ", 8), ("4", None), ("0", None), ("0:03", 4), ("0:00:09", 10), ("9:00", 10), ("x", None)],
)
def test_a_number_is_a_turn_and_a_time_counts_from_the_begin(text: str, seq: int | None) -> None:
    assert TEN.meant(text) == seq


@given(st.lists(st.integers(0, 10**12), max_size=40), st.floats(-1, 2))
def test_every_part_of_any_recording_is_one_of_its_events(times: list[int], part: float) -> None:
    line = Timeline(times, ())

    assert 0 <= line.at(part) <= line.events
    assert 0.0 <= line.part(line.at(part)) <= 1.0
    assert line.at(1.0) == line.events
