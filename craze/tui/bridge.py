"""Reads one subscription and hands what came to the screen, one `Frame` at a time.

Events keep their order; a frame is sent only when the one before it was handled, and not before the pause that its cost
asks for. Keys that wait are handled first, since a frame is posted behind them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from textual.message import Message

from craze.codec import Record
from craze.engine.facts import Fact
from craze.engine.hub import Item, Snapshot, Subscription
from craze.engine.view import View

LONGEST: Final = 0.25
"""Seconds that something new waits at most."""

COST: Final = 3.0
"""How many times its own cost a frame is followed by a pause, so that keys keep the larger part of the loop."""


class Frame(Message):
    """What came since the last frame. `snapshot`: the reader fell behind or has just joined; `view` replaces all, and
    `events` are what came behind it."""

    def __init__(self, events: tuple[Record, ...], facts: tuple[Fact, ...], view: View, snapshot: bool) -> None:
        super().__init__()
        self.events, self.facts, self.view, self.snapshot = events, facts, view, snapshot
        self.handled = asyncio.Event()
        """Set by the screen when the frame is folded."""


class Bridge:
    """One reader of one session; `run` lasts until the stream ends or it is cancelled."""

    def __init__(
        self,
        stream: Subscription,
        view: Callable[[], View],
        post: Callable[[Frame], bool],
        *,
        fps: int,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._stream, self._view, self._post, self._now = stream, view, post, now
        self._shortest = 1.0 / fps
        self.frames = 0

    async def run(self) -> None:
        while items := await self._stream.batch():
            began = self._now()
            frame = _frame(items, self._view())
            self.frames += 1
            if not self._post(frame):
                return
            await frame.handled.wait()
            await asyncio.sleep(self._pause(self._now() - began))

    def _pause(self, cost: float) -> float:
        return max(0.0, min(max(self._shortest, COST * cost), LONGEST) - cost)


def _frame(items: list[Item], view: View) -> Frame:
    """A snapshot in the middle makes what stands before it void."""
    snapshots = [at for at, item in enumerate(items) if isinstance(item, Snapshot)]
    rest = items[snapshots[-1] + 1 :] if snapshots else items
    return Frame(
        tuple(item for item in rest if isinstance(item, Record)),
        tuple(item for item in rest if isinstance(item, Fact)),
        view,
        bool(snapshots),
    )
