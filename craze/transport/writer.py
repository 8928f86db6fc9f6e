"""The one ordered writer of an agent's stdin.

At most one line is with the loop at a time, the others wait here: so it is known of each line whether the system took
it. Nothing blocks, nothing is dropped in silence; how long a line may wait is the caller's.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import cast


class Writer(asyncio.BaseProtocol):
    """Lines out, first in first out.

    `undelivered` is called with number and bytes of each line that was not taken, in order, after the pipe broke.
    """

    def __init__(self, undelivered: Callable[[int, bytes], None]) -> None:
        self._undelivered = undelivered
        self._pipe: asyncio.WriteTransport | None = None
        self._queue: deque[bytes] = deque()  # the first one is with the pipe while `_full`
        self._full = self._closing = self.broken = False
        self._written = 0

    def write(self, line: bytes) -> int:
        """Hand over one line (without its newline); the number tells it apart in `waiting`."""
        self._written += 1
        self._queue.append(line)
        if self.broken:
            asyncio.get_running_loop().call_soon(self._lose)
        elif not (self._full or self._closing):
            self._push()
        return self._written

    def waiting(self, number: int) -> bool:
        """The line with this number has not been taken by the system yet."""
        return number > self._written - len(self._queue)

    def close(self) -> None:
        """End the agent's stdin once everything written is out."""
        self._closing = True
        if self._pipe and not self._queue:
            self._pipe.close()

    def abort(self) -> None:
        """Nobody reads any more: what waits is undelivered."""
        self.broken = True
        self._lose()
        if self._pipe and (self._pipe.get_write_buffer_size() or not self._pipe.is_closing()):
            self._pipe.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._pipe = cast("asyncio.WriteTransport", transport)
        self._pipe.set_write_buffer_limits(high=0)

    def pause_writing(self) -> None:
        self._full = True

    def resume_writing(self) -> None:
        self._full = False
        if self._queue:
            self._queue.popleft()
        while self._queue and not self._full:
            self._push()
        if self._closing and not self._queue and self._pipe:
            self._pipe.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self.broken, self._pipe = True, None
        self._lose()

    def _push(self) -> None:
        assert self._pipe is not None
        self._pipe.write(self._queue[0] + b"\n")
        if self._pipe.is_closing():  # the reader is gone: the line stays here until the loop says so
            self._full = True
        elif not self._full:
            self._queue.popleft()

    def _lose(self) -> None:
        while self._queue and self.broken:
            number = self._written - len(self._queue) + 1
            self._undelivered(number, self._queue.popleft())
