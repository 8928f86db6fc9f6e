"""The clock of a live session: times of the wall clock that never fall, timers of the event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from craze.codec import Stamp, stamp


class LoopClock:
    """Implements the port `Clock`. Whoever built it binds where timers come back to."""

    def __init__(self) -> None:
        self._last = 0
        self._second, self._prefix = -1, ""
        self._fire: Callable[[str], None] | None = None
        self._handles: set[asyncio.TimerHandle] = set()

    def bind(self, fire: Callable[[str], None]) -> None:
        """`fire(timer)` is called in the loop for each timer that is due."""
        self._fire = fire

    def now(self) -> Stamp:
        """Called for each line of the agent: the text of a second is made once."""
        self._last = max(self._last, time.time_ns())
        second, nanoseconds = divmod(self._last, 1_000_000_000)
        if second != self._second:
            self._second, self._prefix = second, stamp(second * 1_000_000_000)[:-1]
        fraction = f".{nanoseconds:09d}".rstrip("0") if nanoseconds else ""
        return Stamp(f"{self._prefix}{fraction}Z")

    def later(self, seconds: float, timer: str) -> None:
        handle: asyncio.TimerHandle

        def due() -> None:
            self._handles.discard(handle)
            if self._fire:
                self._fire(timer)

        handle = asyncio.get_running_loop().call_later(seconds, due)
        self._handles.add(handle)

    def stop(self) -> None:
        """Nothing fires any more."""
        for handle in self._handles:
            handle.cancel()
        self._handles.clear()
