"""The replay screen over a stored session that is really played."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot

from craze.codec import Ask, Event, Permission, Record, Stamp, Turn, encode, stamp
from craze.engine.facts import Info
from craze.providers.replay.pace import Pace
from craze.providers.replay.stored import Stored
from craze.tui.desk import Replay
from craze.tui.screens.replay import ReplayScreen
from craze.tui.transcript.view import TranscriptView
from tests.conftest import Golden
from tests.fakes.desk import MemoryDesk
from tests.fakes.dialogs import GOLDEN, THREE, Showing, brush, find, text_of

SIZE = (80, 24)
BEGAN = 1_700_000_000


def at(seconds: int) -> Stamp:
    return stamp((BEGAN + seconds) * 10**9)


EVENTS = (
    Event("turn", turn=Turn(id="t1", phase="started", text="first", origin="submit"), at=at(0)),
    Event("text", text="One.", at=at(10)),
    Event("permission", permission=Permission(id="a1", tool="touch it", options=THREE), at=at(20)),
    Event("ask", ask=Ask(id="a1", kind="permission", outcome="answered", by="client", option_id="once"), at=at(30)),
    Event("turn", turn=Turn(id="t1", phase="ended", stop_reason="end_turn"), at=at(40)),
    Event("turn", turn=Turn(id="t2", phase="started", text="second", origin="submit"), at=at(50)),
    Event("text", text="Two.", at=at(60)),
)


class _Control:
    """The controls in the screen's words."""

    def __init__(self, stored: Stored) -> None:
        self._control = stored.control
        self.speeds: list[tuple[float, bool]] = []

    @property
    def playing(self) -> bool:
        return self._control.playing

    @property
    def ended(self) -> bool:
        return self._control.ended

    def play(self) -> None:
        self._control.play()

    def pause(self) -> None:
        self._control.pause()

    def step(self, events: int = 1) -> None:
        self._control.step(events)

    def speed(self, factor: float, *, cut_idle: bool = True) -> None:
        self.speeds.append((factor, cut_idle))
        self._control.speed(Pace("real", factor=factor) if factor else Pace())

    def seek(self, seq: int) -> None:
        self._control.seek(seq)


def replay_of(events: tuple[Event, ...]) -> tuple[Replay, Stored]:
    """A replay that waits at its begin."""
    records = [Record.of(seq, encode(event)) for seq, event in enumerate(events, 1)]
    stored = Stored(lambda first: [each for each in records if each.seq >= first], Info(session="s-1", agent="demo"))
    times = [int(BEGAN + 10 * n) * 10**9 for n in range(len(records))]
    turns = [record.seq for record in records if record.event.turn and record.event.turn.phase == "started"]
    replay = Replay(session=stored, control=_Control(stored), title="demo", recorded="", times=times, turns=turns)
    return replay, stored


@asynccontextmanager
async def playing(
    *events: Event,
    first: int = 0,
    size: tuple[int, int] = SIZE,
    desk: MemoryDesk | None = None,
    escaped: list[str] | None = None,
) -> AsyncIterator[tuple[Any, Pilot[None], ReplayScreen]]:
    """The screen, paused at the event `first`."""
    replay, stored = replay_of(events or EVENTS)
    control = replay.control
    stored.control.pause()
    stored.begin()
    records = replay.times
    held = escaped if escaped is not None else []
    screen = ReplayScreen(
        replay, (desk or MemoryDesk()).desk, brush(), lambda text: held.append(text) is None, factor=0.0
    )
    app = Showing(screen)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: screen.bar.seq == len(records))
        if first:
            control.pause()
            control.seek(first)
            await until(pilot, lambda: screen.bar.seq == first and not screen.feed.loading)
        yield app, pilot, screen


async def until(pilot: Pilot[None], true: Any) -> None:
    async with asyncio.timeout(20):
        while not true():
            await pilot.pause(0.01)
    await pilot.pause()


@pytest.mark.rule("TUI-175", "TUI-177")
async def test_a_session_is_played_to_its_end_with_a_bar_that_says_how_far() -> None:
    async with playing() as (app, pilot, screen):
        await until(pilot, lambda: screen.bar.ended)
        shown = text_of(app)

    assert "› first" in shown
    assert "Two." in shown
    assert "■ max" in shown
    assert "turn 2/2" in shown
    assert "1:00/1:00" in shown
    assert "7/7" in shown
    assert "░" not in shown


@pytest.mark.rule("TUI-178")
async def test_seeking_shows_exactly_what_came_up_to_there() -> None:
    async with playing(first=2) as (app, _, _):
        shown = text_of(app)

        assert "One." in shown
        assert "second" not in shown
        assert "turn 1/2" in shown
        assert "2/7" in shown


@pytest.mark.rule("TUI-176")
@pytest.mark.parametrize(
    ("first", "keys", "seq"),
    [
        (2, ">", 6),
        (2, "right", 6),
        (7, "<", 6),
        (6, "left", 1),
        (4, "comma", 3),
        (4, ".", 5),
        (4, "home", 0),
        (2, "end", 7),
        (2, "5", 4),
        (7, "0", 0),
    ],
)
async def test_keys_move_by_event_turn_and_tenth(first: int, keys: str, seq: int) -> None:
    async with playing(first=first) as (_, pilot, screen):
        await pilot.press(keys)
        await until(pilot, lambda: screen.bar.seq == seq)


@pytest.mark.rule("TUI-176")
async def test_a_turn_or_a_time_can_be_typed() -> None:
    async with playing(first=2) as (app, pilot, screen):
        await pilot.press(":", "2", "enter")
        await until(pilot, lambda: screen.bar.seq == 6)
        await pilot.press(":", *"0:10", "enter")
        await until(pilot, lambda: screen.bar.seq == 2)
        await pilot.press(":", "9", "enter")
        await pilot.pause()
        assert "no turn and no time: 9" in text_of(app)


@pytest.mark.rule("TUI-176")
async def test_space_plays_pauses_and_starts_over_at_the_end() -> None:
    async with playing(first=2) as (app, pilot, screen):
        await pilot.press("space")
        await until(pilot, lambda: screen.bar.ended)
        await pilot.press("space")
        await until(pilot, lambda: screen.bar.ended and screen.bar.seq == 7)
        assert screen.replay.control.playing
        assert text_of(app).count("› first") == 1


@pytest.mark.rule("TUI-176")
async def test_speed_and_pauses_go_to_the_control() -> None:
    async with playing(first=2) as (_, pilot, screen):
        await pilot.press("-", "-", "+", "i")
        await pilot.pause()
        control: Any = screen.replay.control
        assert control.speeds == [(0.0, True), (16.0, True), (8.0, True), (16.0, True), (16.0, False)]


@pytest.mark.rule("TUI-179")
async def test_an_ask_appears_as_it_did_and_only_the_recording_closes_it() -> None:
    async with playing(first=3) as (app, pilot, screen):
        asked = text_of(app)
        await pilot.press("y", "enter", "tab")
        await pilot.pause()
        still = text_of(app)
        await pilot.press(".")
        await until(pilot, lambda: screen.bar.seq == 4)
        closed = text_of(app)

    assert "Always allow pytest" in asked
    assert "the recording answers" in asked
    assert "Always allow pytest" in still
    assert "Always allow pytest" not in closed
    assert "allowed once" in closed


@pytest.mark.rule("TUI-179")
async def test_a_recording_that_ends_in_the_middle_of_a_turn_says_so() -> None:
    async with playing() as (app, pilot, screen):
        await until(pilot, lambda: screen.bar.ended and screen.bar.told)
        assert "the recording ends here" in text_of(app)


@pytest.mark.rule("TUI-177")
async def test_a_click_on_the_bar_seeks() -> None:
    async with playing(first=7) as (app, pilot, screen):
        x, y = find(app, "█")
        await pilot.click(offset=(x, y))
        await until(pilot, lambda: screen.bar.seq == 1)


@pytest.mark.rule("TUI-176")
async def test_escape_leaves_and_closes_the_session() -> None:
    async with playing(first=2) as (app, pilot, _):
        await pilot.press("escape")
        await pilot.pause()
        assert app.results == [None]


@pytest.mark.rule("TUI-176")
async def test_the_keys_of_the_transcript_work_beside_the_bar() -> None:
    async with playing() as (app, pilot, screen):
        await pilot.press("ctrl+f", *"One", "enter")
        await pilot.pause()
        assert screen.transcript.has_focus
        await pilot.press("escape")
        await pilot.pause()
        assert screen.bar.has_focus
        assert app.results == []


async def test_what_a_replay_shows_is_copied_and_its_links_open_once_the_person_has_agreed() -> None:
    desk = MemoryDesk()
    escaped: list[str] = []
    async with playing(desk=desk, escaped=escaped) as (app, pilot, screen):
        screen.action_copy_reply()
        await until(pilot, lambda: "copied 4 characters" in text_of(app))
        assert (escaped, desk.workspace.copied) == (["Two."], ["Two."])

        screen.transcript.post_message(TranscriptView.OpenLink("https://example.com/a", "a"))
        await until(pilot, lambda: "open this link?" in text_of(app))
        assert desk.workspace.opened == []
        await pilot.press("enter")
        await until(pilot, lambda: desk.workspace.opened == ["https://example.com/a"])


@pytest.mark.parametrize("size", [(100, 30), (60, 20), (40, 12)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.rule("TUI-177", "TUI-179")
async def test_a_replay_looks_as_its_golden_screen(size: tuple[int, int], golden: Golden) -> None:
    async with playing(first=3, size=size) as (app, _, _):
        text = text_of(app)

    golden(GOLDEN / f"screen_replay.{size[0]}x{size[1]}.txt", (text.rstrip("\n") + "\n").encode())
