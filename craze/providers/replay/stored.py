"""A stored session as a session: the same stream and views as live, from records that keep their bytes.

    session = Stored(items, info)         items(first): Record | Fact | Missing in their order, read on demand
    session.begin()                       starts to play
    session.control                       play, pause, step, speed, seek

Nothing is numbered, timed or written here: numbers, times and bytes are the file's, so prompts are refused and a screen
cannot tell the stream from a live one.
"""

from __future__ import annotations

import asyncio
import contextlib
from bisect import bisect_right
from collections.abc import AsyncIterator, Callable, Iterable, Iterator

from msgspec.structs import replace

from craze.codec import CodecError, Record
from craze.engine.facts import Fact, Info, fact
from craze.engine.hub import Hub, Snapshot, Subscription
from craze.engine.intents import Intent, Refused
from craze.engine.ports import Missing
from craze.engine.view import View, fold, fold_fact
from craze.providers.replay.pace import Gaps, Pace

Item = Record | Fact | Missing
Items = Callable[[int], Iterable[Item]]
"""Reads the source from event `first` on, with 1 from its beginning; called again for each seek and for `history`."""

_BURST = 256
KEPT_EVERY = 2000
"""Events between two views that are kept, so that a seek folds no more than those."""


class Stored:
    """Implements what front ends use of a `Session` over a stored one."""

    def __init__(self, items: Items, info: Info, *, pace: Pace | None = None) -> None:
        self._items = items
        self._opening = fact(replace(info, can=frozenset(), status="idle"))
        self._hub = Hub(self._hold, lambda: self.view)
        self._gate = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._source: Iterator[Item] = iter(())
        self.gaps = Gaps()
        self._kept: list[tuple[int, View]] = []
        """What held before the events of these numbers."""
        self.control = Control(self, pace or Pace())
        self.view = fold_fact(View(), self._opening)
        self._kept.append((1, self.view))

    def begin(self) -> None:
        """Start to play."""
        self._source = iter(self._items(1))
        self._gate.set()
        self._task = asyncio.get_running_loop().create_task(self._play())

    async def send(self, intent: Intent) -> Refused:
        """A stored session takes no wishes."""
        _ = intent
        return Refused(code="unsupported", detail={"message": "this is a replay"})

    def subscribe(self, *, lossless: bool = False) -> Subscription:
        return self._hub.join(lossless=lossless)

    async def history(self, first: int, last: int) -> AsyncIterator[Item]:
        for item in self._items(first):
            if isinstance(item, Record) and item.seq > last:
                return
            yield item

    def keep_draft(self, text: str) -> None:
        """Nothing of a replay is stored."""

    async def finished(self) -> None:
        """Until the end of the source was played."""
        if self._task is not None:
            await asyncio.shield(self._task)

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        self._hub.end()

    async def _play(self) -> None:
        for number, item in enumerate(self._source):
            if isinstance(item, Record):
                await self._wait_before(item)
            await self._gate.wait()
            self.show(item)
            if number % _BURST == 0:
                await asyncio.sleep(0)  # readers get their turn however fast the file is read
        self.control.ended = True

    async def _wait_before(self, record: Record) -> None:
        pace = self.control.pace
        wait = 0.0 if pace.kind == "instant" else pace.wait(self.gaps.before(record))
        if wait:
            await asyncio.sleep(wait)
        await self.control.turn()

    def show(self, item: Item) -> None:
        """Fold and hand out one item; a hole in the file is nothing that could be folded."""
        if not isinstance(item, Missing):
            self._fold(item)
            self._hub.publish(item)

    def _fold(self, item: Record | Fact) -> None:
        if isinstance(item, Record) and item.seq >= self._kept[-1][0] + KEPT_EVERY:
            self._kept.append((item.seq, self.view))
        self.view = folded(self.view, item)

    def seek(self, seq: int) -> None:
        """Show what folding everything up to `seq` gives, and go on from there."""
        first, self.view = self._kept[max(0, bisect_right(self._kept, seq, key=_number) - 1)]
        source = iter(self._items(first))
        self.gaps = Gaps()
        for item in source if seq > 0 else ():
            if isinstance(item, Missing):
                continue
            self._fold(item)
            if isinstance(item, Record) and item.seq >= seq:
                self.gaps.before(item)
                break
        running = self._task is not None and not self._task.done()
        if running and self._task is not None:
            self._task.cancel()
        self._source = source
        self._hub.restate(Snapshot(view=self.view))
        self._task = asyncio.get_running_loop().create_task(self._play())

    def _hold(self, holding: bool) -> None:
        if holding:
            self._gate.clear()
        else:
            self._gate.set()


class Control:
    """What a person does to a replay."""

    def __init__(self, stored: Stored, pace: Pace) -> None:
        self._stored = stored
        self._going = asyncio.Event()
        self._going.set()
        self._steps = 0
        self.pace = pace
        self.ended = False

    @property
    def playing(self) -> bool:
        return self._going.is_set()

    def play(self) -> None:
        self._steps = 0
        self._going.set()

    def pause(self) -> None:
        self._going.clear()

    def step(self, events: int = 1) -> None:
        """Show the next events and pause again."""
        self._steps = events
        self._going.set()

    def speed(self, pace: Pace) -> None:
        self.pace = pace

    def seek(self, seq: int) -> None:
        """Jump to event `seq`; 0 is the beginning."""
        self.ended = False
        self._stored.seek(seq)

    async def turn(self) -> None:
        """Until the next event may be shown."""
        await self._going.wait()
        if self._steps:
            self._steps -= 1
            if not self._steps:
                self._going.clear()


def _number(kept: tuple[int, View]) -> int:
    return kept[0]


def folded(view: View, item: Record | Fact) -> View:
    """The view after one item; an event that cannot be read changes nothing but the number."""
    if isinstance(item, Fact):
        return fold_fact(view, item)
    with contextlib.suppress(CodecError):
        view = fold(view, item.event)
    return replace(view, seq=item.seq) if item.seq else view
