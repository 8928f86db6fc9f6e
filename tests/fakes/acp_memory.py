"""An agent without a process: its lines are handed over as blocks, as a pipe gives them, or one by one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from typing import Any

from craze.providers.acp.machine import Machine
from craze.transport import Command, Exit, Hearer, Line, LineSplitter, Link, Sent, Stopped, Tap


class MemoryLink:
    """What was written, in order, and the end that a test brings."""

    def __init__(self, hearer: Hearer, tap: Tap) -> None:
        self.written: list[dict[str, Any]] = []
        self.over = False
        self._hearer, self._tap = hearer, tap

    def send(self, line: bytes) -> Sent:
        self.written.append(json.loads(line))
        return Sent(len(self.written), self._tap.sent(line))

    def waiting(self, number: int) -> bool:
        return False

    def hold(self, holding: bool) -> None:
        return

    def kill(self) -> None:
        if not self.over:
            self.over = True
            self._hearer.ended(Exit(code=0), self._tap.ended(Exit(code=0)))

    async def stop(self, *, eof: float = 3.0, term: float = 2.0) -> Stopped:
        self.kill()
        return Stopped("eof", ())

    async def wait(self) -> None:
        return

    def hear(self, lines: Iterable[Line]) -> None:
        for line, at in self._tap.received(lines):
            self._hearer.line(line, at)


class Memory(Machine):
    """This computer, but for the agent, which is in memory."""

    def __init__(self) -> None:
        super().__init__()
        self.link: MemoryLink | None = None

    def start(
        self, command: Command, hearer: Hearer, tap: Tap, ready: Callable[[Link], None], limit: int = 1 << 20
    ) -> None:
        self.link = MemoryLink(hearer, tap)
        ready(self.link)

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        """A stop waits for nobody."""

    async def say(self, messages: list[dict[str, Any]], *, at_once: bool) -> None:
        """A block of lines: one read of the pipe, or each in a turn of the loop of its own."""
        assert self.link is not None
        block = b"".join(json.dumps(message).encode() + b"\n" for message in messages)
        blocks = [block] if at_once else [part + b"\n" for part in block.split(b"\n") if part]
        splitter = LineSplitter()
        for part in blocks:
            self.link.hear(splitter.feed(part))
            for _ in range(5):
                await asyncio.sleep(0)
