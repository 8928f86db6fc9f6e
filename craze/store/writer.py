"""One thread that appends lines to one file: the journal and the wire capture are both written by it.

`put` never blocks, never raises and does no I/O. It is called for every line and takes no lock: each number has one
thread that writes it, and `put` wakes the other thread only when that has something to do. Owns the queue, its limits,
flushing, sync and what a failing disk means; what a line says, and what stands in for lines that found no room, is the
caller's.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

import msgspec

FILE_MODE: Final = 0o600


class Limits(msgspec.Struct, frozen=True):
    """Lines and bytes that may wait, and when they are written: seconds, bytes or lines, whichever comes first.

    What waits is bounded by its bytes, and by so many lines that only tiny ones reach that bound first: a second of an
    agent at full speed, in which a busy machine may give the thread no time.
    """

    max_lines: int = 1 << 16
    max_bytes: int = 16 << 20
    flush_after: float = 0.25
    flush_bytes: int = 1 << 20
    flush_lines: int = 512


class Disk(Protocol):
    """The three calls that may fail; tests hand in failing ones."""

    def create(self, path: Path) -> int: ...
    def write(self, fd: int, data: memoryview) -> int: ...
    def sync(self, fd: int) -> None: ...


class RealDisk:
    """Creates exclusively, so that no two processes ever share a file."""

    def create(self, path: Path) -> int:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, FILE_MODE)

    def write(self, fd: int, data: memoryview) -> int:
        return os.write(fd, data)

    def sync(self, fd: int) -> None:
        os.fsync(fd)


Failed = Callable[[str], None]


def threadsafe(callback: Failed) -> Failed:
    """`callback` as something any thread may call: it runs on the loop that is running now, if one is."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return callback

    def call(text: str) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody is left to be told
            loop.call_soon_threadsafe(callback, text)

    return call


class LineWriter:
    """Appends lines, each with its newline, to a file that it creates with the first batch.

    Args:
        last_words: Gives the line that is tried once after a failure that wrote nothing of its batch, from the
            error and the lines that are lost.
        on_error: Told once, on the loop that made the writer, why there is no file any more.
        sync: Whether `put(…, sync=True)` and the close are followed by fsync.
    """

    def __init__(
        self,
        path: Path,
        *,
        on_error: Failed,
        last_words: Callable[[str, Sequence[bytes]], bytes] | None = None,
        sync: bool = True,
        limits: Limits | None = None,
        disk: Disk | None = None,
    ) -> None:
        self.path = path
        self.error = ""
        self._limits, self._disk, self._may_sync = limits or Limits(), disk or RealDisk(), sync
        self._last_words, self._on_error = last_words, threadsafe(on_error)
        self._changed = threading.Condition(threading.Lock())
        self._waiting: deque[bytes] = deque()
        self._writing: list[bytes] = []
        self._lines = self._bytes = 0  # that were ever put, and below: that are written
        self._written_lines = self._written = 0
        self._sync_wanted = self._closing = False
        self._thread: threading.Thread | None = None
        self._fd = -1

    # ---- the caller's thread, never blocking on the disk

    def start(self) -> None:
        """From now on lines are written; until then they only wait. Again: nothing."""
        if self._thread is None and not self._closing and not self.error:
            thread = threading.Thread(target=self._run, name=f"write {self.path.name}", daemon=True)
            try:
                thread.start()
            except RuntimeError as error:  # the system gives no more threads
                self._fail(OSError(str(error)))
            else:
                self._thread = thread

    def put(self, line: bytes, *, sync: bool = False, always: bool = False) -> bool:
        """Queue a line. False: there was no room, or the writer has failed or closed. `always` needs no room."""
        limits = self._limits
        before = self._bytes - self._written
        # By what waits already: one line of any size finds room in a queue that is not full.
        full = self._lines - self._written_lines >= limits.max_lines or before >= limits.max_bytes
        if self.error or self._closing or (full and not always):
            return False
        self._waiting.append(line)
        self._lines += 1
        self._bytes += (length := len(line))
        waiting = len(self._waiting)
        # The thread waits for a first line, and then for a reason to write at once.
        if sync or waiting == 1 or waiting == limits.flush_lines or before < limits.flush_bytes <= before + length:
            with self._changed:
                self._sync_wanted |= sync
                self._changed.notify()
        return True

    def half_empty(self) -> bool:
        """Whether at most half of the room is taken: after an overflow this is when lines are taken again."""
        lines, size = self._lines - self._written_lines, self._bytes - self._written
        return lines * 2 <= self._limits.max_lines and size * 2 <= self._limits.max_bytes

    def state(self) -> tuple[int, list[bytes]]:
        """How many bytes of the file are whole lines of ours, and the lines that are not among them yet."""
        with self._changed:
            return self._written, [*self._writing, *self._waiting]

    def close(self, timeout: float) -> bool:
        """Write what waits and end the thread; False when that took longer than `timeout` seconds."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread is None:
            return True
        self._thread.join(timeout)
        return not self._thread.is_alive()

    # ---- the thread

    def _run(self) -> None:
        try:
            while due := self._next_batch():
                self._append(*due)
            self._sync(self._fd >= 0)
        except OSError as error:
            self._fail(error)
        finally:
            if self._fd >= 0:
                os.close(self._fd)

    def _next_batch(self) -> tuple[list[bytes], bool] | None:
        """The lines that are due and whether to sync behind them; None when the writer is closed and nothing waits."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._sync_wanted or self._closing)
            self._changed.wait_for(self._is_urgent, self._limits.flush_after)
            sync, self._sync_wanted = self._sync_wanted, False
            self._writing = self._taken()
            return (self._writing, sync) if self._writing or sync else None

    def _is_urgent(self) -> bool:
        limits = self._limits
        many = len(self._waiting) >= limits.flush_lines or self._bytes - self._written >= limits.flush_bytes
        return many or self._sync_wanted or self._closing

    def _taken(self) -> list[bytes]:
        """What waits, which does not wait any more; more may be put meanwhile."""
        return [self._waiting.popleft() for _ in range(len(self._waiting))]

    def _append(self, batch: list[bytes], sync: bool) -> None:
        if self._fd < 0:
            self._fd = self._disk.create(self.path)
        data = b"".join(batch)
        self._write(data)
        self._sync(sync)
        with self._changed:
            self._written += len(data)
            self._written_lines += len(batch)
            self._writing = []

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            try:
                done = self._disk.write(self._fd, left)
            except OSError as error:
                if len(left) < len(data):
                    raise _PartialWriteError(error.errno, error.strerror) from error
                raise
            left = left[done:]

    def _sync(self, wanted: bool) -> None:
        if wanted and self._may_sync:
            self._disk.sync(self._fd)

    def _fail(self, error: OSError) -> None:
        text = f"{self.path.name}: {error.strerror or error}"
        with self._changed:
            self.error = text
            lost = [*self._writing, *self._taken()]
            self._writing = []
        if self._last_words and self._fd >= 0 and not isinstance(error, _PartialWriteError):
            with suppress(OSError):  # the disk is full for this line, too; the error is told either way
                self._disk.write(self._fd, memoryview(self._last_words(text, lost)))
        self._on_error(text)


class _PartialWriteError(OSError):
    """Some of a batch reached the file: whatever came behind it would be read as part of a torn line."""
