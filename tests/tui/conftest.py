"""Screens of tests are drawn in one time zone, nothing that they do may hold up the loop, and pauses last long enough."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Generator

import pytest
from textual import pilot
from textual._wait import wait_for_idle

from tests.fakes.blocking import guarded

os.environ["TZ"] = "UTC"
time.tzset()


@pytest.fixture(autouse=True)
def loop_is_never_held_up() -> Generator[None]:
    with guarded() as calls:
        yield
    assert calls == []


QUIET = 3
"""Turns of the loop in which nothing else was to be done."""
MOST = 500


@pytest.fixture(autouse=True)
def pauses_end_when_nothing_is_to_be_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """Textual ends a pause once the process uses no time, which it does also where a busy machine gives it none."""

    async def idle(*given: float) -> None:
        await wait_for_idle(*given)
        loop = asyncio.get_running_loop()
        quiet = turns = 0
        while quiet < QUIET and turns < MOST:
            await asyncio.sleep(0)
            quiet, turns = (0 if loop._ready else quiet + 1), turns + 1  # type: ignore[attr-defined]

    monkeypatch.setattr(pilot, "wait_for_idle", idle)
