"""The link to an agent that is a recording: nothing is written, and it waits for rows in place of time.

What a line of ours is among the recorded ones, and what recorded lines mean, is each protocol's own `recorded`.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Final, Literal, Protocol, TypeAlias

import msgspec

from craze.codec import Stamp
from craze.store.capture import Row
from craze.transport import Exit, Sent, Stopped

_SENT: Final = 256


class Rows(Protocol):
    """The recording, as far as it must be looked at (`providers.replay.script.Script`)."""

    row: Row | None
    now: Stamp
    over: bool

    def ahead(self) -> Iterator[Row]: ...
    def find(self, wanted: Callable[[Row], bool], until: Callable[[Row], bool]) -> Row | None: ...
    def take(self, row: Row) -> None: ...


Differs: TypeAlias = Callable[[Row | None, bytes, bytes], None]
"""Told of a written line that is recorded otherwise: the row (or None), the recorded bytes, ours."""


class Playback:
    """Every process of a recording, one after the other.

    Args:
        taken: Takes the row that a written line is, and gives it; None = it is not recorded.
    """

    def __init__(self, rows: Rows, taken: Callable[[bytes], Row | None]) -> None:
        self.over = True
        self._rows, self._taken = rows, taken
        self._sent = 0
        self._numbers: OrderedDict[bytes, int] = OrderedDict()
        self._waits: set[asyncio.Future[None]] = set()

    # ---- for the provider

    def send(self, line: bytes) -> Sent:
        self._sent += 1
        row = self._taken(line)
        if row is None:
            return Sent(self._sent, self._rows.now)
        self._numbers[row.payload] = self._sent
        while len(self._numbers) > _SENT:
            self._numbers.popitem(last=False)
        played = self._rows.row
        owed = played is not None and row.number < played.number
        return Sent(self._sent, self._rows.now if owed else Stamp(row.at))

    def waiting(self, number: int) -> bool:
        return False

    def hold(self, holding: bool) -> None:
        """A recording does not wait."""

    def kill(self) -> None:
        self.let_go()

    async def stop(self, *, eof: float = 3.0, term: float = 2.0) -> Stopped:
        await self.wait()
        self.over = True
        return Stopped("eof", ())

    async def wait(self) -> None:
        """Until the recorded process is over, or the recording goes on without what waits."""
        if self.over or self._rows.over:
            return
        wait = asyncio.get_running_loop().create_future()
        self._waits.add(wait)
        try:
            await wait
        finally:
            self._waits.discard(wait)

    # ---- for the replayer

    def start(self) -> None:
        """The next process runs; its lines are numbered from one."""
        self.over = False
        self._sent = 0
        self._numbers.clear()

    def ended(self, row: Row) -> Exit:
        """The process is over, as its row tells."""
        self.over = True
        self.let_go()
        end = msgspec.json.decode(row.payload, type=_Ended)
        return Exit(code=end.code, signal=end.signal or "", error=end.error or "", closed=end.closed)

    def let_go(self) -> None:
        """Nothing waits any longer."""
        for wait in self._waits:
            if not wait.done():
                wait.set_result(None)

    def number(self, line: bytes) -> int:
        """Which line of the process a recorded one was, 0 = none that is remembered."""
        return self._numbers.get(line, 0)


class _Ended(msgspec.Struct):
    code: int | None = None
    signal: str | None = None
    error: str | None = None
    closed: Literal["", "input", "output"] = ""
