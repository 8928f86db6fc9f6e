"""A whole session over the ACP provider and a scripted agent: for tests of what a front end sees."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from craze.codec import Event, Record, Stamp, encode
from craze.engine.clock import LoopClock
from craze.engine.core import Core
from craze.engine.facts import Fact, Policies
from craze.engine.hub import Snapshot
from craze.engine.intents import Intent, Result, Submit
from craze.engine.ports import Mark, Row, Start
from craze.engine.session import Session
from craze.engine.situation import Settings
from craze.providers.acp.connect import AcpProvider
from craze.providers.acp.declaration import Declaration
from craze.providers.control.provider import ControlProvider
from craze.store.memory import MemoryLog
from tests.fakes.acp_bench import AGENT, Step
from tests.fakes.tape import Tape


class Stage:
    """A session that runs, everything it published and everything that was written to its agent."""

    def __init__(self, session: Session, provider: AcpProvider | ControlProvider, folder: Path) -> None:
        self.session, self.provider, self.folder = session, provider, folder
        self.items: list[Record | Fact] = []
        self.rows: list[tuple[Row, bytes, str]] = []
        self._news = asyncio.Event()

    def capture(self, row: Row, payload: bytes, at: str, mark: Mark = "", size: int = 0) -> None:
        self.rows.append((row, payload, mark))
        self._news.set()

    async def follow(self) -> None:
        async for item in self.session.subscribe(lossless=True):
            if not isinstance(item, Snapshot):
                self.items.append(item)
                self._news.set()

    @property
    def events(self) -> list[Event]:
        return [item.event for item in self.items if isinstance(item, Record)]

    def of(self, *types: str) -> list[Event]:
        return [event for event in self.events if event.type in types]

    def facts(self, kind: str) -> list[dict[str, Any]]:
        found = [item for item in self.items if isinstance(item, Fact) and item.kind == kind]
        return [msgspec.json.decode(fact.data) for fact in found]

    def keys(self, *types: str) -> list[dict[str, Any]]:
        """Events as JSON objects without their times."""
        return [without_times(json.loads(encode(event))) for event in self.events if not types or event.type in types]

    def sent(self, method: str = "") -> list[dict[str, Any]]:
        lines = [json.loads(line) for row, line, mark in self.rows if row == "out" and not mark]
        return [line for line in lines if not method or line.get("method") == method]

    def lints(self) -> dict[str, int]:
        return {row.name: row.count for row in self.provider.lints}

    async def until(self, done: Callable[[], Any], seconds: float = 30) -> Any:
        async with asyncio.timeout(seconds):
            while not (found := done()):
                self._news.clear()
                await self._news.wait()
        return found

    async def send(self, intent: Intent) -> Result:
        async with asyncio.timeout(30):
            return await self.session.send(intent)

    async def ready(self) -> None:
        await self.until(lambda: self.session.view.status != "starting")

    async def turn(self, text: str, number: int = 1) -> Event:
        """Submit a prompt and wait until its turn has ended."""
        await self.send(Submit(text=text))
        return await self.ended(number)

    async def ended(self, number: int = 1) -> Event:
        def over() -> list[Event]:
            return [event for event in self.of("turn") if event.turn and event.turn.phase == "ended"][number - 1 :]

        return (await self.until(over))[0]

    async def opened(self, kind: str, number: int = 1) -> Event:
        """The nth opening of an ask of this kind."""
        return (await self.until(lambda: self.of(kind)[number - 1 :]))[0]


@asynccontextmanager
async def stage(
    folder: Path,
    *steps: Step,
    argv: tuple[str, ...] = (),
    start: Start | None = None,
    policies: Policies | None = None,
    settings: Settings | None = None,
    **declared: Any,
) -> AsyncIterator[Stage]:
    """A session whose agent plays these steps (or is `argv`), begun; at the end it is closed, and its capture must
    come to the same events and lines again."""
    script, work = folder / "script.jsonl", folder / "work"
    script.write_text("".join(json.dumps(step) + "\n" for step in steps), encoding="utf-8")
    work.mkdir(exist_ok=True)
    clock = LoopClock()
    declaration = Declaration(argv=argv or (sys.executable, AGENT, str(script)), **declared)
    provider = AcpProvider(declaration, clock)
    begin = start or Start(workspace=str(work))
    built_from = settings or Settings(policies=policies or Policies())
    core = Core(built_from, session="craze-session", start=begin)
    began = clock.now()
    tape = Tape(folder / "captures", began, settings=built_from, start=begin, declaration=declaration)
    rows: list[Stage] = []

    def capture(row: Row, payload: bytes, at: Stamp, mark: Mark = "", size: int = 0) -> None:
        rows[0].capture(row, payload, at, mark, size)
        tape.capture(row, payload, at, mark, size)

    session = Session(core, provider, clock=clock, log=MemoryLog(), capture=capture, began=began)
    made = Stage(session, provider, work)
    rows.append(made)
    following = asyncio.get_running_loop().create_task(made.follow())
    await asyncio.sleep(0)
    session.begin()
    try:
        yield made
    finally:
        async with asyncio.timeout(20):
            await session.close()
            await following
    assert await tape.difference(made.items) == ""


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: without_times(held)
            for key, held in value.items()
            if key not in ("at", "startedAt", "endedAt", "durationMs")
        }
    return [without_times(held) for held in value] if isinstance(value, list) else value
