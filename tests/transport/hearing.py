"""What the tests of the transport share: a hearer that remembers, small agents as Python programs, ends of processes."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from craze.codec.times import Stamp
from craze.transport import Command, Exit, Line, Mark, Process, Row, Tap, ahead, spawn


class Hearer:
    """Remembers what it is told, in order; `until` waits for something to be true of it."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.errors: list[Line] = []
        self.lost: list[tuple[int, bytes]] = []
        self.end: Exit | None = None
        self.stamps: list[Stamp] = []
        self.told: list[str] = []
        self.rows: list[tuple[Row, bytes, Mark, int]] = []
        self.row_stamps: list[Stamp] = []
        self._news = asyncio.Event()
        self._clock = 0

    def line(self, line: Line, at: Stamp) -> None:
        self.lines.append(line)
        self._tell("line", at)

    def said(self, line: Line, at: Stamp) -> None:
        self.errors.append(line)
        self._tell("said", at)

    def undelivered(self, number: int, line: bytes, at: Stamp) -> None:
        self.lost.append((number, line))
        self._tell("undelivered", at)

    def ended(self, end: Exit, at: Stamp) -> None:
        self.end = end
        self._tell("ended", at)

    def now(self) -> Stamp:
        self._clock += 1
        return Stamp(str(self._clock))

    def capture(self, row: Row, payload: bytes, at: Stamp, mark: Mark = "", size: int = 0) -> None:
        self.rows.append((row, payload, mark, size))
        self.row_stamps.append(at)

    async def until(self, true: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not true():
                self._news.clear()
                await self._news.wait()

    async def start(self, program: str, cwd: Path, *args: str) -> Process:
        """Run a Python program as the agent."""
        argv = (sys.executable, "-u", "-c", textwrap.dedent(program), *args)
        process = await Process.start(Command(argv, str(cwd)), self, Tap(self.capture, self.now))
        assert process is not None
        return process

    def _tell(self, what: str, at: Stamp) -> None:
        self.told.append(what)
        self.stamps.append(at)
        self._news.set()


async def gone(pid: int) -> None:
    """Until a process, not only a child of ours, has ended."""
    if not hasattr(os, "pidfd_open"):
        pytest.skip("the system cannot wait for a process that is no child")
    try:
        watch = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(watch, ended.set)
    try:
        async with asyncio.timeout(20):
            await ended.wait()
    finally:
        loop.remove_reader(watch)
        os.close(watch)


def spawned(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The children that are started from now on by who starts them ahead."""
    children: list[subprocess.Popen[bytes]] = []

    def kept(command: Command) -> subprocess.Popen[bytes]:
        children.append(spawn(command))
        return children[-1]

    monkeypatch.setattr(ahead, "spawn", kept)
    return children
