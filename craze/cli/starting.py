"""Lets the start of the screen wait until its agent runs, so that the agent's own boot hides that of the screen."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

LONGEST: Final = 1.0
"""Seconds that the screen waits for an agent that does not even get its first line."""


class Underway:
    """Listens to the rows of the capture; `wait` returns with the first: a line that was written, or an exit."""

    def __init__(self) -> None:
        self._seen = asyncio.Event()

    def __call__(self, row: bytes) -> None:
        self._seen.set()

    async def wait(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST):
                await self._seen.wait()
