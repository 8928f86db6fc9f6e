"""A session without disk and printer that reads one answer: `python session_drain.py COMMAND...`."""

from __future__ import annotations

import asyncio
import sys

from craze.engine.clock import LoopClock
from craze.engine.core import Core
from craze.engine.intents import Submit
from craze.engine.ports import Start
from craze.engine.session import Session
from craze.engine.situation import Settings
from craze.providers.acp.connect import AcpProvider
from craze.providers.acp.declaration import Declaration
from craze.store.memory import MemoryLog


async def main(command: list[str]) -> None:
    clock = LoopClock()
    provider = AcpProvider(Declaration(argv=tuple(command)), clock)
    core = Core(Settings(alone=True), session="bench", start=Start(workspace="/"))
    session = Session(core, provider, clock=clock, log=MemoryLog(), keep=lambda _: None)  # type: ignore[arg-type]
    stream = session.subscribe(lossless=True)
    session.begin()
    await session.send(Submit(text="go on"))
    while session.view.last is None:
        await stream.batch()
    await session.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
