"""An agent's process: its three pipes, its end, and the steps that stop it.

Every line is captured, then handed over completely before the next is looked at. What the lines mean is the
provider's; so are the steps of a stop that are spoken in its protocol.
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final, Literal, Protocol

from msgspec import Struct
from msgspec.structs import replace

from craze.codec.times import Stamp
from craze.errors import AgentNotFound
from craze.transport.groups import discharge, left_of, signal_group
from craze.transport.lines import KEPT_HEAD, MAX_LINE, Line, LineSplitter
from craze.transport.pipe import LinePipe
from craze.transport.ring import Ring
from craze.transport.spawn import Command, Spawn, on_exit, spawn
from craze.transport.tap import Exit, Tap
from craze.transport.writer import Writer

# Seconds. A leader that is gone leaves its group 1 s for a clean end; output that ended without the process gets it
# killed within the second in which everything that waits has to fail. Input that broke is mostly an agent about to end.
_GROUP_GRACE = 1.0
_DRAIN, _DRAIN_AT_MOST = 2.0, 10.0
_CLOSED: Final = {"output": (0.25, 0.75), "input": (2.0, 2.5)}
_LOOK, _LOOKS = 0.02, 15


class Hearer(Protocol):
    """Who is told. Plain functions on the loop's thread, called in the order in which things were read."""

    def line(self, line: Line, at: Stamp) -> None:
        """A line of the agent's stdout, blank ones too."""
        ...

    def said(self, line: Line, at: Stamp) -> None:
        """A line of its stderr, at most 64 KiB of it."""
        ...

    def undelivered(self, number: int, line: bytes, at: Stamp) -> None:
        """A sent line that did not reach it."""
        ...

    def ended(self, end: Exit, at: Stamp) -> None:
        """The last call, once: the process is gone (or never was), and everything it wrote was handed over."""
        ...


class Sent(Struct, frozen=True):
    """A line with the writer: its number (for `Process.waiting`) and the stamp of its `out` row."""

    number: int
    at: Stamp


class Stopped(Struct, frozen=True):
    """How a stop went: the step that ended the process, and what it would not end or left behind (`pid name`)."""

    step: Literal["eof", "term", "kill"]
    left: tuple[str, ...]


class Link(Protocol):
    """A running agent as providers see it: a `Process`, or what stands in for one."""

    def send(self, line: bytes) -> Sent: ...
    def waiting(self, number: int) -> bool: ...
    def hold(self, holding: bool) -> None: ...
    def kill(self) -> None: ...
    async def stop(self, *, eof: float = 3.0, term: float = 2.0) -> Stopped: ...
    async def wait(self) -> None: ...

    @property
    def over(self) -> bool: ...


class Process:
    """A running agent. `start` is the only way to get one."""

    def __init__(self, child: subprocess.Popen[bytes], hearer: Hearer, tap: Tap, limit: int) -> None:
        self.pid = child.pid
        self.stderr = Ring()
        self._child, self._hearer, self._tap = child, hearer, tap
        self._out = LinePipe(LineSplitter(limit), self._heard, self._drained)
        self._err = LinePipe(LineSplitter(KEPT_HEAD), self._said, self._drained)
        self._writer = Writer(self._undelivered)
        self._exit: Exit | None = None
        self._closed: Literal["", "input", "output"] = ""
        self._stopping = False
        self._without: set[str] = set()
        self._give_up_at = 0.0
        self._timers: list[asyncio.TimerHandle] = []
        self._over = asyncio.Event()

    @classmethod
    async def start(
        cls, command: Command, hearer: Hearer, tap: Tap, limit: int = MAX_LINE, child_of: Spawn = spawn
    ) -> Process | None:
        """Run the program; None after `Hearer.ended` with an `error`, when it cannot be started."""
        try:
            child = child_of(command)
        except AgentNotFound as missing:
            end = Exit(error=str(missing))
            hearer.ended(end, tap.ended(end))
            return None
        process = cls(child, hearer, tap, limit)
        await process._connect()
        return process

    def send(self, line: bytes) -> Sent:
        """Capture a line and hand it to the ordered writer; never blocks, never raises."""
        at = self._tap.sent(line)
        return Sent(self._writer.write(line), at)

    def waiting(self, number: int) -> bool:
        """The line with this number has not been taken by the system yet."""
        return self._writer.waiting(number)

    def hold(self, holding: bool) -> None:
        """Stop or resume reading stdout; what was read already is still handed over."""
        self._out.hold(holding)
        self._drained()

    @property
    def over(self) -> bool:
        return self._over.is_set()

    async def stop(self, *, eof: float = 3.0, term: float = 2.0) -> Stopped:
        """End it: stdin closed, then TERM, then KILL to the group; seconds that it gets for the first two."""
        self._stopping = True
        self.hold(False)
        self._writer.close()
        if await self._ends_within(eof):
            return Stopped("eof", await self._left())
        left = left_of(self.pid)
        signal_group(self.pid, signal.SIGTERM)
        if await self._ends_within(term):
            return Stopped("term", left)
        self.kill()
        await self._over.wait()
        return Stopped("kill", left)

    async def _left(self) -> tuple[str, ...]:
        """Who is still there when those that were told to go have had the time for it."""
        left = left_of(self.pid)
        for _ in range(_LOOKS):
            if not left:
                break
            await asyncio.sleep(_LOOK)
            left = left_of(self.pid)
        return left

    def kill(self) -> None:
        """KILL to the group at once; `ended` follows."""
        self._stopping = True
        signal_group(self.pid, signal.SIGKILL)
        self._out.hold(False)

    async def wait(self) -> None:
        """Until `ended` was told."""
        await self._over.wait()

    async def _connect(self) -> None:
        child, loop = self._child, asyncio.get_running_loop()
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        await loop.connect_write_pipe(lambda: self._writer, child.stdin)
        self._err.start(child.stderr)
        self._out.start(child.stdout)
        on_exit(child, self._exited)

    def _heard(self, lines: list[Line]) -> None:
        for line, at in self._tap.received(lines):
            self._hearer.line(line, at)

    def _said(self, lines: list[Line]) -> None:
        for line in lines:
            self.stderr.add(line.data)
            self._hearer.said(line, self._tap.said(line))

    def _undelivered(self, number: int, line: bytes) -> None:
        at = self._tap.undelivered(line)
        if self._exit is None and not self._stopping:
            self._end_without("input")
        if not self.over:
            self._hearer.undelivered(number, line, at)

    def _exited(self, end: Exit) -> None:
        """The leader is gone; whoever is left in its group goes too."""
        self._exit = end
        self._give_up_at = asyncio.get_running_loop().time() + _DRAIN_AT_MOST
        if signal_group(self.pid, signal.SIGTERM):
            self._later(_GROUP_GRACE, lambda: signal_group(self.pid, signal.SIGKILL))
        self._writer.abort()
        self._drained()

    def _drained(self) -> None:
        """Something ended or was let go: tell the end, or see to it that it comes."""
        if self._over.is_set():
            return
        if self._exit is None:
            if self._out.ended and not self._stopping:
                self._end_without("output")
        elif self._out.ended and self._err.ended:
            self._end(self._exit)
        elif not self._out.held:
            self._later(_DRAIN, self._give_up)

    def _end_without(self, pipe: Literal["input", "output"]) -> None:
        """It closed this one of its pipes: if it does not follow by itself, it will never answer anything."""

        def tell(number: signal.Signals) -> None:
            if self._exit is None and not self._stopping and signal_group(self.pid, number):
                self._closed = self._closed or pipe

        if pipe in self._without:
            return
        self._without.add(pipe)
        for seconds, number in zip(_CLOSED[pipe], (signal.SIGTERM, signal.SIGKILL), strict=True):
            self._later(seconds, partial(tell, number))

    def _give_up(self) -> None:
        """A process that left the group holds a pipe: its output is waited for only while it comes."""
        loop = asyncio.get_running_loop()
        quiet = loop.time() - max(self._out.heard_at, self._err.heard_at) >= _DRAIN
        if self._exit is None or self._out.held or self._over.is_set():
            return
        if quiet or loop.time() >= self._give_up_at:
            self._end(self._exit)
        else:
            self._later(_DRAIN, self._give_up)

    def _end(self, end: Exit) -> None:
        for pipe in (self._out, self._err):
            pipe.close()
        self._over.set()
        for timer in self._timers:
            timer.cancel()
        signal_group(self.pid, signal.SIGKILL)
        discharge(self.pid)
        end = replace(end, closed=self._closed)
        self._hearer.ended(end, self._tap.ended(end))

    async def _ends_within(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._over.wait()
        return self._over.is_set()

    def _later(self, seconds: float, act: Callable[[], object]) -> None:
        self._timers.append(asyncio.get_running_loop().call_later(seconds, act))
