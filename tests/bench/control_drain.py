"""A session with a control agent, without disk and printer, that reads two answers: `python control_drain.py PROGRAM PIECES`.

Prints the seconds of CPU that this process took for each, the first one counted from its start.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

from craze.engine.clock import LoopClock
from craze.engine.core import Core
from craze.engine.intents import Submit
from craze.engine.ports import Start
from craze.engine.session import Session
from craze.engine.situation import Settings
from craze.providers.control.declaration import Declaration
from craze.providers.control.provider import ControlProvider
from craze.store.memory import MemoryLog


async def main(program: str, count: str) -> None:
    clock = LoopClock()
    provider = ControlProvider(Declaration(argv=(program,)), clock)
    core = Core(Settings(alone=True), session="bench", start=Start(workspace="/"))
    session = Session(core, provider, clock=clock, log=MemoryLog(), keep=lambda _: None)  # type: ignore[arg-type]
    stream = session.subscribe(lossless=True)
    session.begin()
    ends = [0.0]
    for _ in range(2):
        before = session.view.last
        await session.send(Submit(text=count))
        while session.view.last is before:
            await stream.batch()
        ends.append(time.process_time())
    await session.close()
    print(json.dumps([ends[1], ends[2] - ends[1]]))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
