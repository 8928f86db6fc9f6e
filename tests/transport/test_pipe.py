"""A pipe that is read when something is there, and left to fill where it brings few lines at a time."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator

import pytest

from craze.transport import pipe as module
from craze.transport.lines import Line, LineSplitter
from craze.transport.pipe import LinePipe


class Heard:
    """Both ends of a pipe, and what was read of it, a list for each time."""

    def __init__(self) -> None:
        reading, self.writing = os.pipe()
        self.reads: list[list[bytes]] = []
        self._came = asyncio.Event()
        self.ended = asyncio.Event()
        self.pipe = LinePipe(LineSplitter(1 << 20), self._hear, self.ended.set)
        self.pipe.start(os.fdopen(reading, "rb", buffering=0))

    @property
    def lines(self) -> list[bytes]:
        return [line for read in self.reads for line in read]

    def _hear(self, lines: list[Line]) -> None:
        if lines:
            self.reads.append([line.data for line in lines])
            self._came.set()

    def write(self, text: bytes) -> None:
        os.write(self.writing, text)

    async def until(self, count: int) -> None:
        async with asyncio.timeout(60):
            while len(self.lines) < count:
                self._came.clear()
                await self._came.wait()


@pytest.fixture
async def heard() -> Iterator[Heard]:  # type: ignore[misc]
    made = Heard()
    yield made
    made.pipe.close()
    if not made.ended.is_set():
        os.close(made.writing)


async def passed(seconds: float) -> None:
    """Until the loop has come to a time behind all that was due before it."""
    due = asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, due.set)
    await due.wait()


async def test_lines_that_come_in_quick_succession_are_read_together(
    heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_FILLS", 0.5)
    heard.write(b"a\nb\n")
    await heard.until(2)
    heard.write(b"c\n")
    await passed(0)
    heard.write(b"d\n")
    await heard.until(4)

    assert heard.reads == [[b"a", b"b"], [b"c", b"d"]]


async def test_a_line_that_comes_alone_is_followed_by_the_next_at_once(
    heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_FILLS", 1e6)
    for line in (b"a", b"b", b"c"):
        heard.write(line + b"\n")
        await heard.until(len(heard.lines) + 1)

    assert heard.reads == [[b"a"], [b"b"], [b"c"]]


async def test_a_pipe_that_is_held_while_it_fills_stays_held(heard: Heard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FILLS", 0.01)
    heard.write(b"a\nb\n")
    await heard.until(2)
    heard.pipe.hold(True)
    heard.write(b"c\n")
    await passed(0.02)
    assert heard.lines == [b"a", b"b"]

    heard.pipe.hold(False)
    await heard.until(3)


async def test_the_end_comes_behind_all_lines(heard: Heard) -> None:
    heard.write(b"a\nb\n")
    await heard.until(2)
    heard.write(b"c\nd")
    os.close(heard.writing)
    async with asyncio.timeout(60):
        await heard.ended.wait()

    assert heard.lines == [b"a", b"b", b"c", b"d"]


async def test_a_pipe_that_is_closed_while_it_fills_is_read_no_more(
    heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_FILLS", 0.01)
    heard.write(b"a\nb\n")
    await heard.until(2)
    heard.pipe.close()
    await passed(0.02)

    assert heard.lines == [b"a", b"b"]
