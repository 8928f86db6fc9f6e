"""A session whose events a test publishes by hand, an app over it, and the text of its screen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from textual.app import App
from textual.pilot import Pilot

from craze.codec import Config as Options
from craze.codec import ConfigOption, Event, Queued, Record, SelectValue, Stamp, State, Turn, encode, stamp
from craze.config.shape import Config
from craze.engine.facts import Data, Fact, Info, fact
from craze.engine.hub import Hub, Snapshot, Subscription
from craze.engine.intents import Accepted, Intent, Result, Submit
from craze.engine.ports import Missing
from craze.engine.slash import slash
from craze.engine.view import View, fold, fold_fact
from craze.tui.app import CrazeApp
from craze.tui.screens.chat import ChatScreen
from craze.tui.screens.opening import Opening
from craze.tui.theme import Themes
from tests.fakes.desk import MemoryDesk

NOON = 1_777_900_000.0
"""Seconds since 1970 at which the clock of a test stands."""

GOLDEN = Path(__file__).parent.parent / "golden" / "screens"


class FakeClock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        return self.now

    def stamp(self) -> Stamp:
        return stamp(int(self.now * 1e9))


class FakeSession:
    """Implements what a screen uses of a session over a real hub. Intents are kept, and answered by `replies`, by type."""

    def __init__(self, clock: FakeClock | None = None, *, draft: str = "", status: str = "idle") -> None:
        self.clock = clock or FakeClock()
        self.view = View(draft=draft)
        self.items: list[Record | Fact] = []
        self.sent: list[Intent] = []
        self.replies: dict[type, Callable[[Any], Result]] = {}
        self.drafts: list[str] = []
        self.closed = False
        self.unreadable: tuple[int, int] | None = None
        self._hub = Hub(lambda held: None, lambda: self.view)
        self.readers: list[Subscription] = []
        self._seq = 0
        self.tell(Info(session="s-1", workspace="/work", agent="demo", status=status))  # type: ignore[arg-type]

    # ---- what a test does

    def publish(self, *events: Event) -> None:
        for event in events:
            self._seq += 1
            event = replace(event, at=event.at or self.clock.stamp())
            record = Record.of(self._seq, encode(event), event)
            self.view = replace(fold(self.view, event), seq=self._seq)
            self.items.append(record)
            self._hub.publish(record)

    def tell(self, data: Data, key: str = "") -> None:
        self.tell_fact(fact(data, key))

    def tell_fact(self, told: Fact) -> None:
        self.view = fold_fact(self.view, told)
        self.items.append(told)
        self._hub.publish(told)

    def falls_behind(self) -> None:
        """The reader was too slow: it gets a snapshot."""
        self._hub.restate(Snapshot(view=self.view, reason="slow_consumer"))

    def can(self, *words: str) -> None:
        info = replace(self.view.info, can=frozenset(words), status="idle")
        self.tell(info)

    def begin_turn(self, text: str = "hello", turn: str = "t1") -> None:
        self.publish(Event("turn", turn=Turn(id=turn, phase="started", text=text, origin="submit")))

    def end_turn(self, turn: str = "t1", **more: Any) -> None:
        self.publish(Event("turn", turn=Turn(id=turn, phase="ended", **{"stop_reason": "end_turn", **more})))

    def say(self, text: str) -> None:
        self.publish(Event("text", text=text))

    def queue(self, *texts: str) -> None:
        for text in texts:
            at = len(self.view.queue)
            row = Queued(id=f"q{at + 1}", text=text, version=1)
            self.publish(Event("queue", queue=row, queue_change="queued", queue_pos=at))

    def offers(self, *options: ConfigOption, **state: Any) -> None:
        """Options, and the slash rows that follow from everything so far."""
        told = State(config=Options(options=options), **state)
        self.publish(Event("meta", state=told))
        rows = slash(self.view.state, self.view.info, journaled=True, login=False)
        self.publish(Event("meta", state=State(slash=rows)))

    # ---- what a screen uses

    async def send(self, intent: Intent) -> Result:
        self.sent.append(intent)
        reply = self.replies.get(type(intent))
        if reply:
            result = reply(intent)
            return await result if asyncio.iscoroutine(result) else result
        if isinstance(intent, Submit) and not self.view.turn:
            self.begin_turn(intent.text, f"t{len(self.sent)}")
            return Accepted(turn=self.view.turn)
        return Accepted()

    def subscribe(self, *, lossless: bool = False) -> Subscription:
        self.readers.append(self._hub.join(lossless=lossless))
        return self.readers[-1]

    async def history(self, first: int, last: int) -> AsyncIterator[Record | Fact | Missing]:
        hole = self.unreadable
        if hole and first <= hole[1] and last >= hole[0]:
            yield Missing(first=max(first, hole[0]), last=min(last, hole[1]))
        for item in self.items:
            if isinstance(item, Record) and first <= item.seq <= last and not (hole and hole[0] <= item.seq <= hole[1]):
                yield item

    def keep_draft(self, text: str) -> None:
        self.drafts.append(text)

    async def close(self) -> None:
        self.closed = True
        self._hub.end()
        await asyncio.sleep(0)  # as an agent that goes is waited for


def modes(current: str = "code") -> ConfigOption:
    values = (SelectValue(value="code", name="Code"), SelectValue(value="plan", name="Plan"))
    return ConfigOption(id="mode", name="Mode", category="mode", current=current, select_values=values)


def models(current: str = "small-1") -> ConfigOption:
    values = (SelectValue(value="small-1", name="small-1"), SelectValue(value="small-2", name="small-2"))
    return ConfigOption(id="model", name="Model", category="model", current=current, select_values=values)


def efforts(current: str = "high") -> ConfigOption:
    values = (SelectValue(value="low", name="low"), SelectValue(value="high", name="high"))
    return ConfigOption(id="effort", name="Effort", category="thought_level", current=current, select_values=values)


class Stand:
    """An app over a fake session, its desk and its clock."""

    def __init__(self, session: FakeSession | None = None, opening: Opening | None = None, **tui: Any) -> None:
        self.session = session or FakeSession()
        self.clock = self.session.clock
        self.memory = MemoryDesk()
        keys = tui.pop("keys", {})
        settings = {"animations": False, "notify": "off", **tui}
        self.config = msgspec.convert({"tui": settings, "keys": keys}, type=Config)
        self.app = CrazeApp(
            self.session,
            self.memory.desk,
            self.config,
            opening or Opening(agent="demo"),
            themes=Themes(),
            now=self.clock,
        )

    def run(self, width: int = 100, height: int = 30) -> Any:
        return self.app.run_test(size=(width, height))

    @property
    def chat(self) -> ChatScreen:
        assert self.app.chat is not None
        return self.app.chat

    @property
    def text(self) -> str:
        return text_of(self.app)


async def settled(pilot: Pilot[Any]) -> None:
    """Until every event that was published is drawn, and every wish that is under way is done."""
    app = pilot.app
    assert isinstance(app, CrazeApp)
    await pilot.pause()
    session, chat = app.session, app.chat
    if isinstance(session, FakeSession) and chat is not None:
        await until(pilot, lambda: not any(reader.pending() for reader in session.readers) and not chat.sender.busy)
        await until(pilot, lambda: not chat.does.feed.loading)
    for _ in range(3):
        await pilot.pause()


async def until(pilot: Pilot[Any], true: Callable[[], object]) -> None:
    """Until something holds."""
    async with asyncio.timeout(60):
        while not true():
            await pilot.pause(0.01)


def text_of(app: App[Any]) -> str:
    """What the screen shows, a line each, without blanks at the ends of lines."""
    _width, height = app.size
    screen = app.screen
    rows = screen._compositor.render_strips(app.size)
    lines = ["".join(segment.text for segment in strip) for strip in rows]
    assert len(lines) == height
    return "\n".join(line.rstrip() for line in lines)
