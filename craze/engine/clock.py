"""The clock of a live session: times of the wall clock that never fall, timers of the event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from craze.codec import Stamp, stamp

_NOT_READ: Final = Stamp("")


class LoopClock:
    """Implements the port `Clock`. Whoever built it binds where timers come back to."""

    def __init__(self) -> None:
        self._last = 0
        self._turn = _NOT_READ
        self._fire: Callable[[str], None] | None = None
        self._handles: set[asyncio.TimerHandle] = set()

    def bind(self, fire: Callable[[str], None]) -> None:
        """`fire(timer)` is called in the loop for each timer that is due."""
        self._fire = fire

    def now(self) -> Stamp:
        """The time of this turn of the loop: what one read of a pipe brought has come at once."""
        return self._turn or self._next_turn()

    def _next_turn(self) -> Stamp:
        self._last = max(self._last, time.time_ns())
        now = stamp(self._last)
        try:
            asyncio.get_running_loop().call_soon(self._turn_over)
        except RuntimeError:  # no loop, no turn
            return now
        self._turn = now
        return now

    def _turn_over(self) -> None:
        self._turn = _NOT_READ

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
