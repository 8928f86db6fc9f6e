"""The live clock gives canonical times that never fall, and timers that come back to whoever bound them."""

from __future__ import annotations

import asyncio

from craze.codec import canonical, ns
from craze.engine.clock import LoopClock


def test_times_are_canonical_and_never_fall() -> None:
    clock = LoopClock()

    times = [clock.now() for _ in range(2000)]

    assert all(canonical(time) == time for time in times)
    assert sorted(times, key=ns) == times


async def test_time_stands_still_until_the_next_turn_of_the_loop() -> None:
    clock = LoopClock()

    now = clock.now()
    assert clock.now() is now

    async with asyncio.timeout(20):
        while clock.now() == now:  # noqa: ASYNC110 - the loop's own turns are what is waited for
            await asyncio.sleep(0)
    assert ns(clock.now()) > ns(now)


async def test_a_timer_comes_back_once_and_none_after_a_stop() -> None:
    clock, fired = LoopClock(), asyncio.Queue[str]()
    clock.bind(fired.put_nowait)

    clock.later(0, "quiet:turn-1")
    clock.later(0.001, "quiet:turn-2")
    async with asyncio.timeout(20):
        first = await fired.get()
        clock.stop()

    assert first == "quiet:turn-1"
    assert fired.empty()
