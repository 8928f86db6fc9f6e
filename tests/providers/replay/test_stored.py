"""A stored session takes the road of a live one: the same stream, the same views, the bytes of the file."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import pytest

from craze.codec import Event, Queued, Record, Turn, encode
from craze.engine.facts import Fact, Info, Notice, fact
from craze.engine.hub import Snapshot
from craze.engine.intents import Refused, Submit
from craze.engine.ports import Missing
from craze.errors import UsageError
from craze.providers.replay.pace import Gaps, Pace, pace
from craze.providers.replay.stored import Item, Stored


def records() -> list[Item]:
    events = [
        Event("turn", turn=Turn(id="turn-1", phase="started", text="hello", origin="submit")),
        Event("text", text="Hi"),
        Event("queue", queue=Queued(id="q-1", text="next"), queue_change="queued"),
        Event("turn", turn=Turn(id="turn-1", phase="ended", stop_reason="end_turn", pending=1)),
    ]
    return [Record.of(seq, encode(event)) for seq, event in enumerate(events, 1)]


def since(items: list[Item], first: int) -> list[Item]:
    """The items from the event of that number on."""
    at = next((at for at, item in enumerate(items) if isinstance(item, Record) and item.seq >= first), len(items))
    return items[0 if first <= 1 else at :]


def stored(items: Iterable[Item], pace: Pace | None = None) -> Stored:
    items = list(items)
    return Stored(
        lambda first: since(items, first), Info(session="s-1", agent="demo", can=frozenset({"steer"})), pace=pace
    )


async def played(session: Stored) -> list[object]:
    async with asyncio.timeout(20):
        stream = session.subscribe(lossless=True)
        session.begin()
        await session.finished()
        await session.close()
        return [item async for item in stream]


@pytest.mark.rule("STORE-30", "STORE-31")
async def test_a_replay_gives_the_records_of_the_file_and_takes_no_prompt() -> None:
    notice = fact(Notice(severity="info", text="kept"))
    session = stored([*records(), notice])

    stream = await played(session)
    refused = await session.send(Submit(text="more"))

    assert isinstance(stream[0], Snapshot)
    assert [item for item in stream[1:] if isinstance(item, Record)] == records()
    assert [item for item in stream if isinstance(item, Fact)] == [notice]
    assert isinstance(refused, Refused)
    assert refused.code == "unsupported"
    assert session.view.info.can == frozenset()
    assert session.view.seq == 4
    assert [row.id for row in session.view.queue] == ["q-1"]


@pytest.mark.rule("STORE-32")
async def test_a_seek_shows_what_folding_up_to_there_gives() -> None:
    session = stored(records())
    session.control.pause()
    session.begin()
    stream = session.subscribe()

    session.control.seek(2)
    snapshot = await anext(aiter(stream))
    await session.close()

    assert isinstance(snapshot, Snapshot)
    assert snapshot.view.seq == 2
    assert snapshot.view.turn == "turn-1"
    assert snapshot.view.queue == ()


@pytest.mark.rule("TUI-178")
async def test_a_seek_folds_from_the_nearest_view_that_was_kept() -> None:
    events = [Event("queue", queue=Queued(id=f"q-{n}"), queue_change="queued", queue_pos=0) for n in range(9000)]
    items: list[Item] = [Record.of(seq, encode(event)) for seq, event in enumerate(events, 1)]
    asked: list[int] = []

    def read(first: int) -> list[Item]:
        asked.append(first)
        return since(items, first)

    session = Stored(read, Info(session="s-1"))
    session.control.pause()
    session.begin()
    for seq in (9000, 8999, 4001, 4000, 2, 0, 6500):
        session.control.seek(seq)
        assert session.view.seq == seq
        assert len(session.view.queue) == seq
    await session.close()

    assert asked == [1, 1, 8001, 4001, 2001, 1, 1, 6001]


@pytest.mark.rule("TUI-178")
async def test_the_pause_behind_a_seek_is_that_of_the_recording() -> None:
    events = [Event("text", text="x", at=f"2026-01-01T00:00:{second:02}Z") for second in (0, 10, 11)]
    session = stored([Record.of(seq, encode(event)) for seq, event in enumerate(events, 1)])
    session.begin()
    await session.finished()

    session.control.pause()
    session.control.seek(2)

    assert session.gaps.before(Record.of(3, encode(events[2]))) == 1.0
    await session.close()


async def test_a_paused_replay_goes_on_event_by_event() -> None:
    session = stored(records())
    session.control.pause()
    stream = aiter(session.subscribe(lossless=True))
    session.begin()

    seen: list[int] = []
    async with asyncio.timeout(20):
        assert isinstance(await anext(stream), Snapshot)
        for _ in range(2):
            session.control.step()
            item = await anext(stream)
            assert isinstance(item, Record)
            seen.append(item.seq)
    await session.close()

    assert seen == [1, 2]
    assert not session.control.playing


async def test_history_reads_a_range_of_the_file() -> None:
    session = stored([*records(), Missing(first=5, last=9)])

    items = [item async for item in session.history(2, 3)]

    assert items == records()[1:3]


@pytest.mark.rule("STORE-32")
@pytest.mark.parametrize(
    ("text", "gap", "wait"),
    [("instant", 9, 0), ("real", 1, 1), ("real", 9, 2), ("2x", 1, 0.5), ("0.5x", 1, 2), ("fixed:50ms", 9, 0.05)],
)
def test_a_pace_says_how_long_to_wait(text: str, gap: float, wait: float) -> None:
    assert pace(text).wait(gap) == pytest.approx(wait)


@pytest.mark.parametrize("text", ["fast", "0x", "-1x", "fixed:", "fixed:3"])
def test_a_pace_that_is_none_is_refused_with_the_forms(text: str) -> None:
    with pytest.raises(UsageError, match="no pace"):
        pace(text)


def test_gaps_come_from_the_events_own_times() -> None:
    gaps = Gaps()
    times = ["2026-11-30T12:00:00Z", "2026-11-30T12:00:00.5Z", ""]

    found = [gaps.before(Record.of(1, encode(Event("text", text="x", at=at)))) for at in times]  # pyright: ignore[reportArgumentType]

    assert found == [0.0, 0.5, 0.0]
