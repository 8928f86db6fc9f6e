"""The session: takes one input after another through the core, publishes what it says, does what it asks.

    session = Session(core, provider, clock=clock, log=log, keep=keep, capture=capture)
    session.begin()                                   starts the agent
    async for item in session.subscribe(): ...        a Snapshot, then every Record and Fact
    await session.send(Submit(text="hello"))          Accepted or Refused
    await session.close()

One publish point, one FIFO: whatever is reported, sent or fires while a step is under way waits until its effects are
done, so the order of events and of written lines does not depend on how many lines one read of the pipe brought.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from craze.codec import EncodeError, Event, Failure, Omitted, Record, Stamp, State, encode
from craze.engine.core import Core
from craze.engine.facts import Fact
from craze.engine.gates import GATES
from craze.engine.hub import Hub, Snapshot, Subscription
from craze.engine.intents import Accepted, Intent, Refused, Result
from craze.engine.limits import CLOSE_LOG, CLOSE_PROVIDER, DRAFT_EVERY, RECORD_BODY
from craze.engine.ports import (
    Begin,
    Capture,
    Clock,
    Close,
    CloseAgent,
    Effect,
    Given,
    Gone,
    Keep,
    Kept,
    Log,
    Mark,
    Missing,
    Open,
    Provider,
    Report,
    Row,
    SaveKept,
    SignIn,
    StartTimer,
    Step,
    StopChild,
    TimerFired,
    WriteAnswer,
    WriteAside,
    WriteCancel,
    WritePrompt,
    WriteSet,
    WriteSteer,
)
from craze.engine.view import View, fold, fold_fact

_log = logging.getLogger(__name__)
_NO_STEP = Stamp("")


class SessionClock(Clock, Protocol):
    """A clock that says where its timers come back to."""

    def bind(self, fire: Callable[[str], None]) -> None: ...
    def stop(self) -> None: ...


def no_capture(row: Row, payload: bytes, at: Stamp, mark: Mark = "", size: int = 0) -> None:
    """A capture that keeps nothing."""


class Session:
    """One session with one agent; what front ends get."""

    def __init__(
        self,
        core: Core,
        provider: Provider,
        *,
        clock: SessionClock,
        log: Log,
        keep: Keep = lambda kept: None,
        capture: Capture = no_capture,
        kept: Kept | None = None,
        began: Stamp = _NO_STEP,
    ) -> None:
        self._core, self._provider, self._clock = core, provider, clock
        self._began = began
        self._log, self._keep, self._capture = log, keep, capture
        self._kept = kept or Kept()
        self._seq = log.last.get("seq", 0)
        self._view = View(seq=self._seq, draft=self._kept.draft, stored_title=self._kept.title)
        self._hub = Hub(provider.hold, lambda: self.view)
        self._fifo: deque[tuple[Given, Stamp, str]] = deque()
        self._busy = False
        self._step_at = _NO_STEP
        self._causes = 0
        self._waiting: dict[str, asyncio.Future[Result]] = {}
        self._draft_timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None
        self._effects = self._effect_table()
        clock.bind(self._fired)

    # ---- what front ends use

    @property
    def view(self) -> View:
        """The folded state up to the last published record."""
        if self._view.seq != self._seq:
            self._view = replace(self._view, seq=self._seq)
        return self._view

    def begin(self) -> None:
        """Take the first input: rows come back, the agent is started. It has the time of the capture's head."""
        self.give(Begin(), self._began or self._clock.now())

    async def send(self, intent: Intent) -> Result:
        """What became of a wish; never raises for a refusal. Its events are in every buffer before this returns."""
        return await self.submit(intent)

    def submit(self, intent: Intent) -> asyncio.Future[Result]:
        """`send` without waiting: intents given one after another keep their order."""
        self._causes += 1
        cause = f"c-1/{self._causes}"
        future = self._waiting[cause] = asyncio.get_running_loop().create_future()
        self.give(intent, self._clock.now(), cause)
        return future

    def subscribe(self, *, lossless: bool = False) -> Subscription:
        """The stream from now on; its first item is a snapshot. `lossless`: the agent waits for this reader."""
        return self._hub.join(lossless=lossless)

    def history(self, first: int, last: int) -> AsyncIterator[Record | Fact | Missing]:
        """Records and facts of the whole session, whichever journal holds them; a hole is a `Missing`."""
        return self._log.read(first, last)

    def keep_draft(self, text: str) -> None:
        """What the editor holds; stored at most every 500 ms, and at close."""
        if text != self._kept.draft:
            self._kept = replace(self._kept, draft=text)
            if self._draft_timer is None:
                self._draft_timer = asyncio.get_running_loop().call_later(DRAFT_EVERY, self._store_draft)

    async def close(self) -> None:
        """End everything that is open, stop the agent, close the log. Twice is once."""
        if self.view.status not in ("closing", "closed"):
            self.give(Close(), self._clock.now())
        if self._closing is not None:
            await asyncio.shield(self._closing)

    # ---- the sink of the provider

    def report(self, at: Stamp, *reports: Report) -> None:
        if self._busy or not at or len(reports) != 1 or not self._core.passes(piece := reports[0], at):
            self.give(reports, at or self._step_at or self._clock.now())
            return
        self._busy = True  # the step of nearly every line
        try:
            self._publish(piece)
        except Exception as error:  # noqa: BLE001 - as in any step
            self._failed(error, at, "")
        finally:
            self._busy = False
        if self._fifo:
            self._drain()

    def may_wake(self) -> bool:
        return self._core.may_wake()

    def index_error(self, text: str) -> None:
        """The log or the session file failed (or, with "", works again): said once, the session goes on."""
        if (self._view.state.index_err or "") != text:
            delta = State(index_err=text, reason="" if text else "index_ok")
            self._publish(Event("meta", state=delta, at=self._clock.now()))

    # ---- steps

    def give(self, given: Given, at: Stamp, cause: str = "") -> None:
        """Take one input now, or as soon as the step under way is done. For the replayer too, whose capture holds the
        times and causes; everybody else uses `send`, `report` and `close`."""
        self._fifo.append((given, at, cause))
        if not self._busy:
            self._drain()

    def _drain(self) -> None:
        self._busy = True
        try:
            while self._fifo:
                self._step(*self._fifo.popleft())
        finally:
            self._busy = False
            self._step_at = _NO_STEP

    def _step(self, given: Given, at: Stamp, cause: str) -> None:
        self._step_at = at
        try:
            step = self._core.take(given, at, cause)
            if type(given) is not tuple:
                self._capture_input(given, at, cause, step)
            self._perform(step)
        except Exception as error:  # noqa: BLE001 - a bug must not take the session's transcript with it
            self._failed(error, at, cause)

    def _perform(self, step: Step) -> None:
        for item in step.out:
            self._publish(item)
        for cause, result in step.results:
            self._resolve(cause, result)
        for effect in step.effects:
            self._effects[type(effect)](effect)

    def _resolve(self, cause: str, result: Result) -> None:
        waiting = self._waiting.pop(cause, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(result)

    def _capture_input(self, given: Given, at: Stamp, cause: str, step: Step) -> None:
        """A row for what a person decided (unless it was refused) or a timer that fired, before what follows from it."""
        if type(given) is TimerFired:
            self._capture("timer", given.timer.encode(), at)
        elif type(given) is Close:
            self._capture("do", _json({"intent": given}), at)
        elif type(given) in GATES and not any(c == cause and isinstance(r, Refused) for c, r in step.results):
            self._capture("do", _json({"cause": cause, "intent": given}), at)

    def _publish(self, item: Event | Fact) -> None:
        """The only way an event comes into being: encoded, numbered, folded, logged, handed out."""
        told: Record | Fact
        if isinstance(item, Event):
            told = _record(self._seq + 1, item)
            self._seq = told.seq
            self._view = fold(self._view, item)
        else:
            told = item
            self._view = fold_fact(self._view, item)
        self._log.append(told)
        self._hub.publish(told)

    def _fired(self, timer: str) -> None:
        at = self._clock.now()
        if timer.startswith("provider:"):
            self._capture("timer", timer.encode(), at)
            self._provider.fired(timer, at)
        else:
            self.give(TimerFired(timer=timer), at)

    def _store_draft(self) -> None:
        if self._draft_timer is not None:
            self._draft_timer.cancel()
            self._draft_timer = None
        self._keep(self._kept)

    def _failed(self, error: Exception, at: Stamp, cause: str) -> None:
        """A bug: logged, told as an error event, and the session stops as if its agent were gone, which it then is."""
        _log.exception("a step of the session failed", exc_info=error)
        failure = Failure(message=f"craze failed inside: {error!r}", error_class="other", code=0)
        said = self._seq
        with contextlib.suppress(Exception):
            self._perform(self._core.take((Gone(failure=failure),), at))
        if self._seq == said:
            self._publish(Event("error", err=failure, at=at))
        self._resolve(cause, Refused(code="failed", detail={"message": failure.message}))
        self._close_agent(CLOSE_PROVIDER)

    # ---- effects

    def _effect_table(self) -> dict[type[Effect], Callable[[Any], None]]:
        """What each effect is: one call."""
        agent = self._provider
        return {
            Open: lambda e: agent.open(e.start, self, self._capture),
            WritePrompt: lambda e: agent.prompt(e.turn, e.prompt),
            WriteCancel: lambda e: agent.cancel(),
            WriteSteer: lambda e: agent.steer(e.call, e.text),
            WriteAnswer: lambda e: agent.answer(e.key, e.answer),
            WriteSet: lambda e: agent.set(e.call, e.setting),
            WriteAside: lambda e: agent.aside(e.call, e.question),
            SignIn: lambda e: agent.authenticate(e.call, e.method),
            StopChild: lambda e: agent.cancel_subagent(e.call, e.agent),
            CloseAgent: lambda e: self._close_agent(e.grace),
            StartTimer: lambda e: self._clock.later(e.seconds, e.timer),
            SaveKept: lambda e: self._save(e.kept),
        }

    def _save(self, kept: Kept) -> None:
        self._kept = replace(kept, draft=self._kept.draft)
        self._keep(self._kept)

    def _close_agent(self, grace: float) -> None:
        if self._closing is None:
            closed = self._provider.close(grace)  # what it does at once belongs to this step, as its rows do
            self._closing = asyncio.get_running_loop().create_task(self._finish(closed))

    async def _finish(self, closed: Awaitable[None]) -> None:
        try:
            await closed
        except Exception as error:  # noqa: BLE001 - atop a task: closing goes on whatever the provider does
            _log.exception("closing the agent failed", exc_info=error)
        if self.view.status != "closing":
            self._closing = None  # only the agent goes; the session can be reconnected
            return
        self._store_draft()
        self._perform(self._core.closed(self._clock.now()))
        self._clock.stop()
        for cause in tuple(self._waiting):
            self._resolve(cause, Refused(code="failed", detail={"message": "the session is closed"}))
        await self._log.close(CLOSE_LOG)
        self._hub.end()


_json = msgspec.json.Encoder().encode


def _record(seq: int, event: Event) -> Record:
    try:
        body = encode(event)
    except EncodeError as error:
        _log.exception("an event could not be encoded", exc_info=error)
        return Record.left_out(seq, Omitted(type=event.type, reason="encode_error", error=str(error)), event)
    if len(body) > RECORD_BODY:
        return Record.left_out(seq, Omitted(type=event.type, reason="oversized", bytes=len(body)), event)
    return Record(seq, body, None, event)


__all__ = ["Accepted", "Refused", "Session", "Snapshot", "no_capture"]
