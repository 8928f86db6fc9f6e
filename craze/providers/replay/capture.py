"""The replayer: a capture derived again by the real provider and the real core.

The capture is the transport, the clock and the person. `in`, `err` and `exit` rows are the agent, `do` and `timer` rows
the other two inputs; nothing fires by itself. What comes out is handed to `emit`, and compared as it is written: each
line of ours with its `out` row. A recording made elsewhere has no decisions of ours: `foreign` makes them from its rows.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Protocol

import msgspec

from craze.codec import Event, Record, Stamp
from craze.engine.core import Core
from craze.engine.facts import Fact
from craze.engine.intents import Intent, Reconnect
from craze.engine.ports import Close, Kept, Missing, Provider, Start
from craze.engine.session import Session
from craze.engine.situation import Settings
from craze.providers.replay.script import Difference, Script
from craze.store.capture import BadRow, Row
from craze.store.wire import Head

_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_REST = 256
_TURNS = 50
"""Rounds of the loop that a provider's own task gets to write a line that is due."""


class Fed(Protocol):
    """A provider whose whole world is a `Script`; each package of providers has one (`providers.acp.recorded`)."""

    @property
    def provider(self) -> Provider: ...

    def hear(self, row: Row) -> None:
        """An `in`, `err`, `exit` or undelivered `out` row: what the agent did."""
        ...

    def due(self, row: Row) -> None:
        """An `out` row that nothing wrote: what the world did then (the process ran, files, terminals, attachments).

        Called again until the line is written: its provider may take some turns of the loop to ask for it.
        """
        ...

    def timer(self, timer: str) -> None:
        """A wait of the provider's own is about to come back."""
        ...

    def let_go(self) -> None:
        """Whatever the provider's stop waits for is over: the recording goes on without it."""
        ...


Feed = Callable[[Script, "ReplayClock"], Fed]


class ReplayClock:
    """The times of the rows; nothing fires by itself."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._fire: Callable[[str], None] | None = None

    def bind(self, fire: Callable[[str], None]) -> None:
        self._fire = fire

    def now(self) -> Stamp:
        return self._script.now

    def later(self, seconds: float, timer: str) -> None:
        """A timer that fired is a row."""

    def fire(self, timer: str) -> None:
        if self._fire:
            self._fire(timer)

    def stop(self) -> None:
        """Nothing to stop."""


class Emit:
    """The log of a derived session: every record and fact goes to whoever wants it, and to nobody else."""

    def __init__(self, emit: Callable[[Record | Fact], None], numbers: Mapping[str, int]) -> None:
        self._emit, self.last = emit, numbers

    def append(self, line: Record | Fact) -> None:
        self._emit(line)

    async def read(self, first: int, last: int) -> AsyncIterator[Record | Fact | Missing]:
        yield Missing(first=first, last=last)

    async def close(self, timeout: float) -> None:
        """Nothing is kept."""


class Built(msgspec.Struct, frozen=True, kw_only=True):
    """What a core is built from: of our own captures the head says it, of others `foreign` reads it from the rows."""

    settings: Settings = Settings()
    start: Start
    kept: Kept = Kept()
    numbers: Mapping[str, int] = {}
    session: str = ""


class Replayer:
    """One run of a capture.

    Args:
        emit: Given each record and fact in order.
        differs: Given each difference in order.
    """

    def __init__(
        self,
        script: Script,
        feed: Feed,
        built: Built,
        *,
        emit: Callable[[Record | Fact], None],
        differs: Callable[[Difference], None] = lambda difference: None,
    ) -> None:
        self.script = script
        self.clock = ReplayClock(script)
        self.fed = feed(script, self.clock)
        self.core = Core(
            built.settings, session=built.session, start=built.start, kept=built.kept, numbers=built.numbers
        )
        log = Emit(emit, built.numbers)
        self.session = Session(self.core, self.fed.provider, clock=self.clock, log=log, kept=built.kept)
        self._differs = differs
        self._stopping = False

    async def run(self) -> AsyncIterator[None]:
        """Play every row, with a rest now and then; the session ends where the recording does."""
        begun = False
        for row in self.script:
            if not begun:
                begun = True
                self.session.begin()
            if not self.script.is_taken(row):
                await self.play(row)
            if row.number % _REST == 0 and not self._stopping:
                yield
        await self.end()
        yield

    async def play(self, row: Row) -> None:
        match row.dir:
            case "in" | "err":
                self.fed.hear(row)
            case "exit":
                self.fed.hear(row)
                await self.settle()
                self._stopping = False
            case "do":
                self._decide(row)
            case "timer":
                timer = row.payload.decode("utf-8", "replace")
                self.fed.timer(timer)
                self.clock.fire(timer)
            case "out" if row.mark == "undelivered":
                self.fed.hear(row)
            case "out":
                await self._due(row)
            case _:
                pass

    async def end(self) -> None:
        """The rows are over: what still waits for the agent waits for nothing."""
        self.fed.let_go()
        await self.settle()

    async def settle(self) -> None:
        """Let tasks of the provider run until they have nothing left to do at once."""
        for _ in range(_TURNS):
            await asyncio.sleep(0)

    def _decide(self, row: Row) -> None:
        """A wish that stops the agent does it in steps of its own: each is taken when its line is due, not before."""
        try:
            done = _decode_do(row.payload)
        except _UNREADABLE:
            return self.script.bad.append(BadRow(row.number, row.line, "broken"))
        self._stopping |= isinstance(done.intent, Close | Reconnect)
        if isinstance(done.intent, Close):
            return self.session.give(done.intent, self.script.now)
        return self.session.give(done.intent, self.script.now, done.cause)

    async def _due(self, row: Row) -> None:
        """A recorded line that no effect wrote: whatever brings it is done now."""
        for attempt in range(_TURNS):
            self.fed.due(row)
            if self.script.is_taken(row):
                return
            if attempt == _TURNS // 2:
                self.fed.let_go()
            await asyncio.sleep(0)
        if not self.script.is_taken(row):
            self._differs(Difference(row.number, "STORE-16", row.payload, b""))


class _Do(msgspec.Struct):
    intent: Intent | Close
    cause: str = ""


def built_from(head: Head) -> Built:
    """What the core of one of our captures was built from."""
    return Built(
        settings=msgspec.json.decode(head.settings, type=Settings),
        start=msgspec.json.decode(head.start, type=Start),
        kept=msgspec.json.decode(head.kept, type=Kept),
        numbers=head.numbers,
    )


def is_close(row: Row) -> bool:
    """Whether a `do` row is the end that we gave the session."""
    try:
        return isinstance(_decode_do(row.payload).intent, Close)
    except _UNREADABLE:
        return False


def is_index_error(event: Event) -> bool:
    """Events about the disk are the session's own and are left out of a comparison."""
    return (
        event.type == "meta"
        and event.state is not None
        and (bool(event.state.index_err) or event.state.reason == "index_ok")
    )


_decode_do = msgspec.json.Decoder(_Do).decode
