"""The session's ports in memory: an agent that is led by hand, a clock that is turned by hand, and what was kept."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from typing import Any

from craze.codec import Record, Stamp, stamp
from craze.engine.answers import AnswerValue
from craze.engine.core import Core
from craze.engine.facts import Can, Fact, Info
from craze.engine.hub import Snapshot, Subscription
from craze.engine.intents import Set
from craze.engine.ports import Capture, Kept, Log, Mark, Opened, Prompt, Report, Returned, Row, Sink, Start
from craze.engine.session import Session
from craze.engine.situation import Settings
from craze.store.memory import MemoryLog
from tests.fakes.core import ALL, line


class HandClock:
    """Stands still until it is turned; what is due then fires in order."""

    def __init__(self) -> None:
        self.seconds = 1000.0  # since 1970
        self.stopped = False
        self._due: list[tuple[float, int, str]] = []
        self._fire: Callable[[str], None] = lambda timer: None

    def bind(self, fire: Callable[[str], None]) -> None:
        self._fire = fire

    def now(self) -> Stamp:
        return stamp(int(self.seconds * 1e9))

    def later(self, seconds: float, timer: str) -> None:
        heapq.heappush(self._due, (self.seconds + seconds, len(self._due), timer))

    def turn(self, seconds: float) -> None:
        """Let time pass."""
        until = self.seconds + seconds
        while self._due and self._due[0][0] <= until and not self.stopped:
            self.seconds, _, timer = heapq.heappop(self._due)
            self._fire(timer)
        self.seconds = until

    def stop(self) -> None:
        self.stopped = True


class HandProvider:
    """An agent that does nothing by itself: it notes each call, and says what a test makes it say.

    `during[name]` is run inside the call of that name, as a provider does that reports in an effect.
    """

    def __init__(self, clock: HandClock) -> None:
        self.calls: list[str] = []
        self.during: dict[str, Callable[[], object]] = {}
        self._clock = clock
        self.sink: Sink
        self.start: Start
        self.capture: Capture

    def say(self, *reports: Report) -> None:
        """One line of the agent."""
        self.sink.report(self._clock.now(), *reports)

    def _called(self, name: str, *what: object) -> None:
        self.calls.append(" ".join([name, *(str(part) for part in what)]))
        if act := self.during.get(name):
            act()

    def open(self, start: Start, sink: Sink, capture: Capture) -> None:
        self.start, self.sink, self.capture = start, sink, capture
        self._called("open")

    def prompt(self, turn: str, prompt: Prompt) -> None:
        self._called("prompt", turn, prompt.text)

    def cancel(self) -> None:
        self._called("cancel")

    def steer(self, call: str, text: str) -> None:
        self._called("steer", call, text)

    def set(self, call: str, setting: Set) -> None:
        self._called("set", call, setting.kind, setting.value)

    def answer(self, key: str, answer: AnswerValue | None) -> None:
        self._called("answer", key, answer and type(answer).__name__)

    def cancel_subagent(self, call: str, agent: str) -> None:
        self._called("cancel_subagent", call, agent)

    def aside(self, call: str, question: str) -> None:
        self._called("aside", call, question)

    def authenticate(self, call: str, method: str | None) -> None:
        self._called("authenticate", call, method)

    def fired(self, timer: str, at: Stamp) -> None:
        self._called("fired", timer)

    def hold(self, holding: bool) -> None:
        self._called("hold", holding)

    async def close(self, grace: float) -> None:
        self._called("close", grace)


class NumberedLog(MemoryLog):
    """A log in memory that goes on from numbers given before, and has all its lines as text."""

    def __init__(self, last: Mapping[str, int] | None = None) -> None:
        super().__init__()
        self._before = dict(last or {})
        self.lines: list[str] = []
        self.heard: list[Record | Fact] = []
        self.closed = False

    @property
    def last(self) -> Mapping[str, int]:
        return {**self._before, **super().last}

    def append(self, line: Record | Any) -> None:
        super().append(line)
        self.lines.append(told(line).partition(" ")[2] if isinstance(line, Record) else told(line))
        self.heard.append(line)

    @property
    def records(self) -> list[Record]:
        return [item for item in self.heard if isinstance(item, Record)]

    async def close(self, timeout: float) -> None:
        self.closed = True


class Rig:
    """A session over twins of all its ports, begun and, unless told otherwise, ready."""

    def __init__(
        self,
        *,
        can: frozenset[Can] = ALL,
        settings: Settings | None = None,
        kept: Kept | None = None,
        last: Mapping[str, int] | None = None,
        ready: bool = True,
    ) -> None:
        self.clock, self.log = HandClock(), NumberedLog(last)
        self.agent = HandProvider(self.clock)
        self.rows: list[str] = []
        self.kept: list[Kept] = []
        self.core = Core(
            settings or Settings(),
            session="s-1",
            start=Start(workspace="/work"),
            decider=lambda ask, tool, used: None,
            kept=kept,
            numbers=self.log.last,
        )
        log: Log = self.log  # pyright: ignore[reportAssignmentType] - its facts are the engine's own
        self.session = Session(
            self.core,
            self.agent,
            clock=self.clock,
            log=log,
            keep=self.kept.append,
            capture=self._capture,
            kept=kept,
        )
        self.session.begin()
        if ready:
            self.agent.say(Opened(info=Info(agent="fake", provider_session="p-1", can=can)))

    def _capture(self, row: Row, payload: bytes, at: Stamp, mark: Mark = "", size: int = 0) -> None:
        self.rows.append(f"{row} {payload.decode()}")
        self.log.lines.append(f"# {row}")

    def returned(self, cause: int, **more: Any) -> None:
        self.agent.say(Returned(call=f"c-1/{cause}", **more))

    def new_lines(self, of: int) -> list[str]:
        """What the log got after its first `of` lines."""
        return self.log.lines[of:]


def told(item: object) -> str:
    """An item of the stream as a short line."""
    match item:
        case Snapshot():
            return f"snapshot {item.reason} {item.view.seq}"
        case Record():
            return f"{item.seq} {'omitted' if item.omitted else line(item.event)}"
        case Fact():
            return line(item)
        case _:
            return repr(item)


def waiting(stream: Subscription) -> list[str]:
    """All that waits for this reader, without waiting."""
    return [told(item) for item in drained(stream)]


def drained(stream: Subscription, at_most: int = 1 << 30) -> list[Any]:
    """What waits for this reader, without waiting."""
    items: list[Any] = []
    while stream.pending() and len(items) < at_most:
        step = stream.__anext__()
        try:
            step.send(None)
        except StopIteration as got:
            items.append(got.value)
    return items
