"""What the parts of one provider share: the declaration, the world, the agent, and the way to report."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from craze.codec import Failure, Stamp
from craze.engine.ports import Clock, Report, Returned, Sink, Start
from craze.providers.acp.connection import Connection
from craze.providers.acp.declaration import Declaration
from craze.providers.acp.link import Outside
from craze.providers.acp.lints import LEVELS
from craze.providers.acp.opening import Agent
from craze.providers.acp.translate import Translator
from craze.providers.lints import Lints

NO_TIME = Stamp("")


class Context:
    """One session with one agent, over as many processes as it takes."""

    def __init__(self, declaration: Declaration, clock: Clock, outside: Outside) -> None:
        self.declaration, self.clock, self.outside = declaration, clock, outside
        self.lints = Lints(LEVELS)
        self.state = Translator(self.lints)
        self.agent = Agent()
        self.start = Start(workspace="/")
        self.sink: Sink | None = None
        self.connection: Connection | None = None
        self.muted = False
        self._tasks: set[asyncio.Task[None]] = set()

    def report(self, at: Stamp, *reports: Report) -> None:
        """One line's reports; while an agent is sent away for another, its lines say nothing any more."""
        if self.sink is None:
            return
        if self.muted:
            reports = ()
        self.sink.report(at, *reports)

    def note(self, name: str, example: str = "") -> list[Report]:
        return self.state.note(name, example)

    def returned(self, call: str, problem: str = "", error_class: str = "other") -> None:
        """A call is over at once."""
        failure = Failure(message=problem, error_class=error_class, code=0) if problem else None
        self.report(NO_TIME, Returned(call=call, failure=failure))

    @property
    def live(self) -> Connection | None:
        """The connection, while the agent can be spoken to."""
        connection = self.connection
        return connection if connection is not None and connection.link is not None and not connection.over else None

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
