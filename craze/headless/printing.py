"""The run's reader: each item of the stream is printed and folded into what the run knows, in batches.

It is told apart from the run's story because it goes on while the story waits: for the agent, a limit, or the end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from craze.codec import Record
from craze.engine.facts import Fact
from craze.engine.hub import Item, Subscription
from craze.errors import ExitName
from craze.headless.out import Out
from craze.headless.printer import Printer
from craze.headless.progress import Progress


class Printing:
    """
    Args:
        moved: Called after each batch, and at the end.
        end_early: Called with what it found when the run cannot go on as it was meant.

    Attributes:
        over: The stream has ended.
        unread: The reader went away, and wants to hear no more.
    """

    def __init__(
        self,
        printer: Printer,
        progress: Progress,
        out: Out,
        say: Callable[[str], None],
        *,
        moved: Callable[[], None],
        end_early: Callable[[ExitName], None],
    ) -> None:
        self._printer, self._progress, self._out, self._say = printer, progress, out, say
        self._moved, self._end_early = moved, end_early
        self._broken = self.over = self.unread = False
        self._reading: asyncio.Task[None] | None = None

    def begin(self, stream: Subscription) -> None:
        self._stream = stream
        self._reading = asyncio.create_task(self._read(stream))

    async def write(self, data: bytes) -> None:
        """A closed output ends the run like a signal, a full disk likewise, but says so."""
        if self._broken or not data:
            return
        try:
            await self._out.write(data)
        except BrokenPipeError:
            self._broken = self.unread = True
            self._end_early("interrupted")
        except OSError as error:
            self._broken = True
            self._say(f"standard output: {error.strerror}")
            self._end_early("failed")

    async def finish(self, timeout: float | None) -> None:
        """All that was published is printed; with a time in seconds only as far as the other end reads until then."""
        if self._reading is None:
            return
        done, _ = await asyncio.wait({self._reading}, timeout=timeout)
        if not done:
            self._broken = True
            self._stream.close()
            self._reading.cancel()
        with suppress(asyncio.CancelledError):
            await self._reading

    async def _read(self, stream: Subscription) -> None:
        try:
            while batch := await stream.batch():
                data: list[bytes] = []
                lines: list[str] = []
                for item in batch:
                    self._take(item, data, lines)
                await self.write(b"".join((*data, self._printer.aside() if lines else b"")))
                for line in lines:
                    self._say(line)
                self._moved()
        finally:
            self.over = True
            self._moved()

    def _take(self, item: Item, data: list[bytes], lines: list[str]) -> None:
        if isinstance(item, Record):
            data.append(self._printer.record(item))
            lines += self._progress.record(item)
        elif isinstance(item, Fact):
            data.append(self._printer.fact(item))
            lines += self._progress.fact(item)
