"""One frame at a time."""

from __future__ import annotations

import asyncio

import pytest

from craze.codec import Event, Record, encode
from craze.engine.hub import Hub, Snapshot
from craze.engine.view import View
from craze.tui.bridge import LONGEST, Bridge, Frame


def record(seq: int) -> Record:
    event = Event("text", text=f"t{seq}")
    return Record.of(seq, encode(event), event)


class Reader:
    """A bridge over a hub; frames are kept, and handled when the test says so."""

    def __init__(self, fps: int = 60) -> None:
        self.hub = Hub(lambda held: None, View)
        self.frames: list[Frame] = []
        self.came = asyncio.Event()
        self.bridge = Bridge(self.hub.join(lossless=False), View, self.post, fps=fps)

    def post(self, frame: Frame) -> bool:
        self.frames.append(frame)
        self.came.set()
        return True

    async def next(self) -> Frame:
        async with asyncio.timeout(20):
            await self.came.wait()
        self.came.clear()
        return self.frames[-1]


@pytest.mark.rule("TUI-30")
async def test_a_frame_waits_until_the_one_before_it_was_handled() -> None:
    reader = Reader()
    task = asyncio.create_task(reader.bridge.run())
    first = await reader.next()
    for seq in range(1, 101):
        reader.hub.publish(record(seq))
        await asyncio.sleep(0)
    assert len(reader.frames) == 1

    first.handled.set()
    second = await reader.next()

    assert [each.seq for each in second.events] == list(range(1, 101))
    assert (first.snapshot, second.snapshot) == (True, False)
    task.cancel()


@pytest.mark.rule("TUI-32")
async def test_a_snapshot_makes_void_what_stands_before_it() -> None:
    reader = Reader()
    task = asyncio.create_task(reader.bridge.run())
    (await reader.next()).handled.set()
    reader.hub.publish(record(1))
    reader.hub.restate(Snapshot(view=View(), reason="slow_consumer"))
    reader.hub.publish(record(2))

    frame = await reader.next()

    assert ([each.seq for each in frame.events], frame.snapshot) == ([2], True)
    task.cancel()


@pytest.mark.rule("TUI-30")
@pytest.mark.parametrize(("cost", "pause"), [(0.0, 1 / 30), (0.02, 0.04), (0.1, LONGEST - 0.1), (1.0, 0.0)])
def test_the_pause_follows_the_cost_of_the_frame_and_has_an_end(cost: float, pause: float) -> None:
    bridge = Bridge(Hub(lambda held: None, View).join(lossless=False), View, lambda frame: True, fps=30)

    assert bridge._pause(cost) == pytest.approx(pause)


async def test_the_end_of_the_stream_ends_the_reader() -> None:
    reader = Reader()
    task = asyncio.create_task(reader.bridge.run())
    (await reader.next()).handled.set()

    reader.hub.end()

    async with asyncio.timeout(20):
        await task
