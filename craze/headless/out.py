"""Standard output for a run, on which the loop never waits: a slow reader stops the run's output and nothing else."""

from __future__ import annotations

import asyncio
import os
import queue
import select
import threading
from typing import Protocol


class Out(Protocol):
    async def write(self, data: bytes) -> None:
        """
        Raises:
            OSError: The other end is closed, or the disk is full.
        """
        ...


class ThreadedOut:
    """Writes whole blocks to a file descriptor, in order; a block is out when `write` returns.

    A small one that finds room is written at once: for a piece of an answer, waking the thread and being woken by it
    cost several times the write. A terminal says that it has room when it has some, so it always gets the thread.
    """

    def __init__(self, descriptor: int = 1) -> None:
        self._descriptor = descriptor
        self._room = select.poll()
        self._room.register(descriptor, select.POLLOUT)
        self._at_once = 0 if os.isatty(descriptor) else select.PIPE_BUF
        self._blocks: queue.SimpleQueue[tuple[bytes, asyncio.Future[None], asyncio.AbstractEventLoop]] = (
            queue.SimpleQueue()
        )
        self._unwritten = 0  # blocks with the thread, also those that nobody waits for any more
        self._thread: threading.Thread | None = None

    async def write(self, data: bytes) -> None:
        if not data:
            return
        if len(data) <= self._at_once and not self._unwritten and self._room.poll(0):
            _write_all(self._descriptor, data)
            return
        if self._thread is None:
            # A daemon: a reader that never reads again must not keep the process alive.
            self._thread = threading.Thread(target=self._run, name="stdout", daemon=True)
            self._thread.start()
        loop = asyncio.get_running_loop()
        written: asyncio.Future[None] = loop.create_future()
        self._unwritten += 1
        self._blocks.put((data, written, loop))
        await written

    def _run(self) -> None:
        while True:
            data, written, loop = self._blocks.get()
            error: OSError | None = None
            try:
                _write_all(self._descriptor, data)
            except OSError as failed:
                error = failed
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._settle, written, error)

    def _settle(self, written: asyncio.Future[None], error: OSError | None) -> None:
        self._unwritten -= 1
        if written.done():
            return
        if error:
            written.set_exception(error)
        else:
            written.set_result(None)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
