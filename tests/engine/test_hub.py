"""Readers of the stream: nothing missed, nothing twice, never a hole without a snapshot."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from craze.codec import Event, Record, Todo
from craze.engine.facts import Fact, Notice, fact
from craze.engine.hub import Hub, Snapshot, Subscription
from craze.engine.limits import SUBSCRIBER_BYTES, SUBSCRIBER_ITEMS
from craze.engine.view import View, fold, fold_fact
from tests.fakes.session import drained, waiting

BODY = b'{"type":"text","text":"a"}'


class Stream:
    """A hub that is fed by hand, and the view that goes with it."""

    def __init__(self) -> None:
        self.holds: list[bool] = []
        self.hub = Hub(self.holds.append, self.view)
        self.seq = 0

    def view(self) -> View:
        return View(seq=self.seq)

    def join(self, *, lossless: bool = False) -> Subscription:
        return self.hub.join(lossless=lossless)

    def publish(self, count: int = 1, body: bytes = BODY) -> None:
        for _ in range(count):
            self.seq += 1
            self.hub.publish(Record.of(self.seq, body, Event("text", text="a")))


def numbers(items: list[object]) -> list[int]:
    return [item.seq for item in items if isinstance(item, Record)]


@pytest.mark.rule("ENG-11", "ENG-12")
def test_a_reader_gets_a_snapshot_and_then_the_very_next_record() -> None:
    stream = Stream()
    stream.publish(3)

    reader = stream.join()
    stream.publish(2)

    snapshot, *rest = drained(reader)
    assert snapshot == Snapshot(view=View(seq=3), reason="joined")
    assert numbers(rest) == [4, 5]


@pytest.mark.rule("ENG-13")
def test_a_reader_that_falls_behind_gets_a_snapshot_and_goes_on_after_it() -> None:
    stream = Stream()
    reader = stream.join()
    drained(reader)

    stream.publish(SUBSCRIBER_ITEMS + 1)
    stream.publish(2)

    snapshot, *rest = drained(reader)
    assert snapshot == Snapshot(view=View(seq=SUBSCRIBER_ITEMS + 1), reason="slow_consumer")
    assert numbers(rest) == [SUBSCRIBER_ITEMS + 2, SUBSCRIBER_ITEMS + 3]
    assert stream.holds == []


@pytest.mark.rule("ENG-13")
def test_bytes_count_as_well_as_items() -> None:
    stream = Stream()
    reader = stream.join()
    drained(reader)

    stream.publish(2, b"x" * (SUBSCRIBER_BYTES // 2))
    assert numbers(drained(reader)) == [1, 2]
    stream.publish(3, b"x" * (SUBSCRIBER_BYTES // 2))

    assert waiting(reader) == ["snapshot slow_consumer 5"]


@pytest.mark.rule("ENG-13")
def test_one_slow_reader_costs_the_others_nothing() -> None:
    stream = Stream()
    slow, quick = stream.join(), stream.join()
    seen: list[int] = []

    for _ in range(SUBSCRIBER_ITEMS * 2):
        stream.publish()
        seen += numbers(drained(quick))

    assert seen == list(range(1, SUBSCRIBER_ITEMS * 2 + 1))
    assert sum(isinstance(item, Snapshot) for item in drained(slow)) == 1


@pytest.mark.rule("ENG-14")
def test_the_agent_waits_for_a_lossless_reader_and_goes_on_at_half() -> None:
    stream = Stream()
    reader = stream.join(lossless=True)
    drained(reader)

    stream.publish(SUBSCRIBER_ITEMS)
    assert stream.holds == []
    stream.publish(10)
    assert stream.holds == [True]

    async def read(count: int) -> list[object]:
        return [await reader.__anext__() for _ in range(count)]

    first = asyncio.run(read(SUBSCRIBER_ITEMS // 2 + 9))
    assert stream.holds == [True]
    second = asyncio.run(read(1))
    assert stream.holds == [True, False]
    assert numbers([*first, *second, *drained(reader)]) == list(range(1, SUBSCRIBER_ITEMS + 11))


@pytest.mark.rule("ENG-14")
def test_the_agent_waits_until_the_last_lossless_reader_has_caught_up() -> None:
    stream = Stream()
    one, other = stream.join(lossless=True), stream.join(lossless=True)
    stream.publish(SUBSCRIBER_ITEMS + 1)

    drained(one)
    assert False not in stream.holds
    other.close()

    assert stream.holds[-1] is False


@pytest.mark.rule("ENG-14")
async def test_a_whole_backlog_can_be_read_at_once() -> None:
    stream = Stream()
    reader = stream.join(lossless=True)
    stream.publish(SUBSCRIBER_ITEMS * 2)

    items = await reader.batch()

    assert numbers(items) == list(range(1, SUBSCRIBER_ITEMS * 2 + 1))
    assert stream.holds == [True, False]


@pytest.mark.rule("ENG-112")
async def test_what_waits_is_delivered_and_then_the_stream_ends() -> None:
    stream = Stream()
    reader = stream.join()
    stream.publish(2)
    stream.hub.end()

    async with asyncio.timeout(20):
        items = [item async for item in reader]

    assert numbers(items) == [1, 2]
    assert await reader.batch() == []


@pytest.mark.rule("ENG-112")
async def test_who_joins_after_the_end_gets_a_snapshot_alone() -> None:
    stream = Stream()
    stream.publish(2)
    stream.hub.end()

    async with asyncio.timeout(20):
        items = [item async for item in stream.join()]

    assert items == [Snapshot(view=View(seq=2))]


async def test_a_reader_that_waits_is_woken_by_the_next_item() -> None:
    stream = Stream()
    reader = stream.join()
    drained(reader)

    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        next_item = group.create_task(reader.__anext__())
        await asyncio.sleep(0)
        stream.publish()

    assert isinstance(next_item.result(), Record)


@given(st.lists(st.tuples(st.sampled_from(["event", "fact", "read", "join"]), st.integers(1, 9)), max_size=40))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.rule("ENG-12", "ENG-13", "ENG-18")
def test_a_reader_however_slow_ends_up_with_the_view_of_the_session(acts: list[tuple[str, int]]) -> None:
    views = [View()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("craze.engine.hub.SUBSCRIBER_ITEMS", 5)
        hub = Hub(lambda holding: None, lambda: views[-1])
        readers = [Folding(hub.join(lossless=False))]
        for act, count in acts:
            for _ in range(count):
                if act == "event":
                    seq = views[-1].seq + 1
                    event = Event("todos", todos=(Todo(id=str(seq), content="x"),))
                    views.append(replace(fold(views[-1], event), seq=seq))
                    hub.publish(Record.of(seq, b"{}", event))
                elif act == "fact":
                    said = fact(Notice(severity="info", text=str(len(views))))
                    views.append(fold_fact(views[-1], said))
                    hub.publish(said)
            if act == "read":
                readers[0].read(count)
            elif act == "join" and len(readers) < 4:
                readers.append(Folding(hub.join(lossless=bool(count % 2))))

        for reader in readers:
            reader.read(10_000)

    assert [reader.view for reader in readers] == [views[-1]] * len(readers)


class Folding:
    """A reader that folds what it gets, and insists on every number."""

    def __init__(self, stream: Subscription) -> None:
        self.stream, self.view = stream, View()

    def read(self, count: int) -> None:
        for item in drained(self.stream, count):
            if isinstance(item, Snapshot):
                self.view = item.view
            elif isinstance(item, Fact):
                self.view = fold_fact(self.view, item)
            else:
                assert item.seq == self.view.seq + 1
                self.view = replace(fold(self.view, item.event), seq=item.seq)


@pytest.mark.rule("ENG-9")
def test_facts_stand_where_they_were_said_and_take_no_number() -> None:
    stream = Stream()
    reader = stream.join()
    notice = fact(Notice(severity="info", text="hello"))

    stream.publish()
    stream.hub.publish(notice)
    stream.publish()

    _, first, said, second = drained(reader)
    assert (first.seq, said, second.seq) == (1, notice, 2)
    assert isinstance(said, Fact)
    assert msgspec.json.decode(said.data) == {"severity": "info", "text": "hello"}


@pytest.mark.rule("ENG-13")
async def test_bytes_that_were_read_or_dropped_no_longer_count() -> None:
    stream = Stream()
    reader = stream.join()
    big = b"x" * (SUBSCRIBER_BYTES // 2)

    stream.publish(2, big)
    await reader.batch()
    stream.publish(2, big)
    assert numbers(drained(reader)) == [3, 4]
    stream.publish(3, big)
    stream.publish(2, big)

    assert waiting(reader)[0] == "snapshot slow_consumer 7"
    assert stream.seq == 9
