"""The clock of a live session: times of the wall clock that never fall, timers of the event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from craze.codec import Stamp, stamp

_SECOND: Final = 1_000_000_000


class LoopClock:
    """Implements the port `Clock`. Whoever built it binds where timers come back to."""

    def __init__(self) -> None:
        self._last = 0
        self._second, self._text_of_second = -_SECOND, ""
        self._fire: Callable[[str], None] | None = None
        self._handles: set[asyncio.TimerHandle] = set()

    def bind(self, fire: Callable[[str], None]) -> None:
        """`fire(timer)` is called in the loop for each timer that is due."""
        self._fire = fire

    def now(self) -> Stamp:
        """Called for each line of the agent: the text of a second is made once."""
        self._last = now = max(self._last, time.time_ns())
        part = now - self._second
        if part >= _SECOND:
            part = now % _SECOND
            self._second = now - part
            self._text_of_second = stamp(self._second).removesuffix("Z")
        if not part:
            return Stamp(f"{self._text_of_second}Z")
        fraction = str(_SECOND + part)[1:].rstrip("0")
        return Stamp(f"{self._text_of_second}.{fraction}Z")

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
