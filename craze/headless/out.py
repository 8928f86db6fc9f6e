"""Standard output for a run: written by one thread, so that a slow reader stops the run's output and nothing else."""

from __future__ import annotations

import asyncio
import os
import queue
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
    """Writes whole blocks to a file descriptor, in order; a block is out when `write` returns."""

    def __init__(self, descriptor: int = 1) -> None:
        self._descriptor = descriptor
        self._blocks: queue.SimpleQueue[tuple[bytes, asyncio.Future[None], asyncio.AbstractEventLoop]] = (
            queue.SimpleQueue()
        )
        self._thread: threading.Thread | None = None

    async def write(self, data: bytes) -> None:
        if not data:
            return
        if self._thread is None:
            # A daemon: a reader that never reads again must not keep the process alive.
            self._thread = threading.Thread(target=self._run, name="stdout", daemon=True)
            self._thread.start()
        loop = asyncio.get_running_loop()
        written: asyncio.Future[None] = loop.create_future()
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
                loop.call_soon_threadsafe(_settle, written, error)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _settle(written: asyncio.Future[None], error: OSError | None) -> None:
    if written.done():
        return
    if error:
        written.set_exception(error)
    else:
        written.set_result(None)
