"""Feeds a transcript: what comes live, what a session had before, and what a slow reader missed.

The newest events are folded first; older pages follow in slices while nothing else waits, and are put above. Live
events wait until the newest page is there, so that the order holds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol, TypeAlias

from craze.codec import Record
from craze.engine.facts import Fact
from craze.engine.ports import Missing
from craze.tui.bridge import Frame
from craze.tui.desk import Session

NEWEST: Final = 2000
PAGE: Final = 500


Item: TypeAlias = Record | Missing


class Drawn(Protocol):
    """What is fed."""

    def fold(self, records: Iterable[Item]) -> None: ...
    def prepend(self, records: Iterable[Item]) -> None: ...
    def restate(self, records: Iterable[Item]) -> None: ...


class Feed:
    """The records of one session on their way into one transcript.

    Args:
        seen: Told each batch of records in the order of time, those of history included, newest page first.
        settled: Told when everything older is there.
    """

    def __init__(
        self,
        session: Session,
        drawn: Drawn,
        *,
        seen: Callable[[Sequence[Record]], None],
        settled: Callable[[], None],
        idle: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._session, self._drawn = session, drawn
        self._seen, self._settled, self._idle = seen, settled, idle
        self._last = 0
        self._first = 1
        self._reading: asyncio.Task[None] | None = None
        self._older: asyncio.Task[None] | None = None
        self._waiting: list[Record] = []

    @property
    def loading(self) -> bool:
        """Whether older events are still on their way."""
        return any(task is not None and not task.done() for task in (self._reading, self._older))

    def take(self, frame: Frame) -> None:
        """The records of a frame, in their order."""
        if frame.snapshot:
            # The view stands behind the events of this frame; what came before those is read from the history.
            joined = frame.events[0].seq - 1 if frame.events else frame.view.seq
            self._restart(joined)
        if self._reading is not None and not self._reading.done():
            self._waiting += frame.events
        else:
            self._fold(frame.events)

    def stop(self) -> None:
        for task in (self._reading, self._older):
            if task is not None:
                task.cancel()

    def _fold(self, records: Sequence[Record]) -> None:
        if records:
            self._drawn.fold(records)
            self._seen(records)
            self._last = max(self._last, *(record.seq for record in records if record.seq), 0)

    def _restart(self, seq: int) -> None:
        back = seq < self._last
        if back and self._older is not None:
            self._older.cancel()
        if seq == self._last and not back:
            return
        self._reading = asyncio.get_running_loop().create_task(self._read(seq, back))

    async def _read(self, seq: int, back: bool) -> None:
        """The newest page up to `seq`, or what was missed since the last event that is drawn."""
        fresh = back or self._last == 0
        first = max(1, seq - NEWEST + 1) if fresh else self._last + 1
        records = await self._page(first, seq)
        draw = self._drawn.restate if back else self._drawn.fold
        draw(records)
        self._seen([record for record in records if isinstance(record, Record)])
        self._last = seq
        waiting, self._waiting = self._waiting, []
        self._fold([record for record in waiting if not record.seq or record.seq > seq])
        if not fresh:
            return
        self._first = first
        if first > 1:
            self._older = asyncio.get_running_loop().create_task(self._read_older())
        else:
            self._settled()

    async def _read_older(self) -> None:
        while self._first > 1:
            first = max(1, self._first - PAGE)
            records = await self._page(first, self._first - 1)
            self._drawn.prepend(records)
            self._first = first
            await asyncio.sleep(self._idle())
        self._settled()

    async def _page(self, first: int, last: int) -> list[Item]:
        return [item async for item in self._session.history(first, last) if not isinstance(item, Fact)]
