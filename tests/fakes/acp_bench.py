"""A provider with a scripted agent behind it, and everything that it reports: for tests at the provider's port."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from craze.codec import Event, Stamp
from craze.engine.facts import Fact
from craze.engine.ports import Mark, Prompt, Report, Row, Start
from craze.providers.acp.connect import AcpProvider
from craze.providers.acp.declaration import Declaration

AGENT = str(Path(__file__).with_name("acp_agent.py"))
Step = dict[str, Any]


class HandClock:
    """Times that count up; timers fire when a test says so, but for those of 0 s."""

    def __init__(self) -> None:
        self.ticks = 0
        self.timers: list[tuple[float, str]] = []
        self.fire: Callable[[str, Stamp], None] = lambda _timer, _at: None

    def now(self) -> Stamp:
        self.ticks += 1
        return Stamp(f"2026-01-01T00:00:{self.ticks // 1000 % 60:02d}.{self.ticks % 1000:03d}1Z")

    def later(self, seconds: float, timer: str) -> None:
        self.timers.append((seconds, timer))
        if seconds == 0:
            asyncio.get_running_loop().call_soon(lambda: self.fire(timer, self.now()))


class Bench:
    """What a provider was told and has reported."""

    def __init__(self, provider: AcpProvider, clock: HandClock, folder: Path, start: Start) -> None:
        self.provider, self.clock, self.folder, self.start = provider, clock, folder, start
        self.lines: list[tuple[Stamp, tuple[Report, ...]]] = []
        self.rows: list[tuple[Row, bytes, str]] = []
        self._news = asyncio.Event()
        clock.fire = provider.fired

    # Sink and Capture

    def report(self, at: Stamp, *reports: Report) -> None:
        self.lines.append((at, reports))
        self._news.set()

    def may_wake(self) -> bool:
        return False

    def capture(self, row: Row, payload: bytes, at: Stamp, mark: Mark = "", size: int = 0) -> None:
        self.rows.append((row, payload, mark))
        self._news.set()

    # what a test looks at

    @property
    def reports(self) -> list[Report]:
        return [report for _, reports in self.lines for report in reports]

    def of(self, kind: type[msgspec.Struct]) -> list[Any]:
        return [report for report in self.reports if isinstance(report, kind)]

    def events(self, *types: str) -> list[Event]:
        return [event for event in self.of(Event) if not types or event.type in types]

    def facts(self, kind: str) -> list[dict[str, Any]]:
        return [msgspec.json.decode(fact.data) for fact in self.of(Fact) if fact.kind == kind]

    def lints(self) -> dict[str, int]:
        return {row.name: row.count for row in self.provider.lints}

    def sent(self, method: str = "") -> list[dict[str, Any]]:
        lines = [json.loads(line) for row, line, mark in self.rows if row == "out" and not mark]
        return [line for line in lines if not method or line.get("method") == method]

    async def until(self, done: Callable[[], object], seconds: float = 10) -> Any:
        """Wait for what the agent does."""
        async with asyncio.timeout(seconds):
            while not (found := done()):
                self._news.clear()
                await self._news.wait()
        return found

    async def one(self, kind: type[msgspec.Struct], number: int = 1) -> Any:
        """The nth report of this kind."""
        found = await self.until(lambda: self.of(kind)[number - 1 :])
        return found[0]

    # what a test does

    def open(self) -> None:
        self.provider.open(self.start, self, self.capture)

    def prompt(self, text: str, turn: str = "turn-1", *attachments: str) -> None:
        self.provider.prompt(turn, Prompt(text=text, attachments=attachments))


@asynccontextmanager
async def bench(folder: Path, *steps: Step, start: Start | None = None, **declared: Any) -> AsyncIterator[Bench]:
    """A provider whose agent plays these steps; it is opened by `open()` and closed at the end."""
    script = folder / "script.jsonl"
    script.write_text("".join(json.dumps(step) + "\n" for step in steps), encoding="utf-8")
    clock = HandClock()
    declaration = Declaration(argv=(sys.executable, AGENT, str(script)), **declared)
    provider = AcpProvider(declaration, clock)
    work = folder / "work"
    work.mkdir(exist_ok=True)
    test = Bench(provider, clock, work, start or Start(workspace=str(work)))
    try:
        yield test
    finally:
        async with asyncio.timeout(20):
            await provider.close(0)


# ---- steps that most scripts begin with

INITIALIZED: Step = {
    "protocolVersion": 1,
    "agentInfo": {"name": "fake", "version": "1"},
    "agentCapabilities": {"sessionCapabilities": {}},
}


def initialized(**result: Any) -> list[Step]:
    return [{"expect": {"method": "initialize"}}, {"reply": {"result": {**INITIALIZED, **result}}}]


def opened(capabilities: dict[str, Any] | None = None, **result: Any) -> list[Step]:
    """Initialize, then `session/new`."""
    return [
        *initialized(agentCapabilities=capabilities or {}),
        {"expect": {"method": "session/new"}},
        {"reply": {"result": {"sessionId": "$sid", **result}}},
    ]


def update(kind: str, /, **fields: Any) -> Step:
    return {"send": updated(kind, **fields)}


def updated(kind: str, /, **fields: Any) -> dict[str, Any]:
    params = {"sessionId": "$sid", "update": {"sessionUpdate": kind, **fields}}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def text(said: str, /, **fields: Any) -> Step:
    return update("agent_message_chunk", content={"type": "text", "text": said}, **fields)


def request(number: Any, method: str, **params: Any) -> Step:
    return {"send": {"jsonrpc": "2.0", "id": number, "method": method, "params": {"sessionId": "$sid", **params}}}


def prompted(*steps: Step, stop: str = "end_turn", **result: Any) -> list[Step]:
    """A prompt comes, these steps, its answer. The reply is to the prompt when no other request is expected."""
    return [
        {"expect": {"method": "session/prompt"}},
        *steps,
        {"reply": {"result": {"stopReason": stop, **result}}},
    ]


PERMISSION_OPTIONS = [
    {"optionId": "once", "name": "Yes", "kind": "allow_once"},
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]
