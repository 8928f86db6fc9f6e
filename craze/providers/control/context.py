"""What the parts of one provider share: the declaration, the world, what is known, and the way to report."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from craze.codec import Failure, Stamp
from craze.engine.facts import Can, Info
from craze.engine.ports import Clock, Report, Returned, Sink, Start
from craze.providers.control.channel import Channel
from craze.providers.control.declaration import Declaration
from craze.providers.control.link import Outside
from craze.providers.control.lints import LEVELS
from craze.providers.control.translate import Translator
from craze.providers.control.types import Profile
from craze.providers.control.usage import Usage
from craze.providers.lints import Lints

NO_TIME = Stamp("")
_CAN: frozenset[Can] = frozenset({"cancel_foreign", "cancel_subagent", "images", "edit_input", "feedback", "reopen"})
_MORE: frozenset[Can] = frozenset({"steer", "aside"})


class Context:
    """One session with one agent, over as many processes as it takes.

    `fixed`: the profile that holds whatever the agent says, for tests.
    """

    def __init__(self, declaration: Declaration, clock: Clock, outside: Outside, fixed: Profile | None = None) -> None:
        self.declaration, self.clock, self.outside = declaration, clock, outside
        self.fixed: Profile | None = fixed
        self.lints = Lints(LEVELS)
        self.usage = Usage(declaration.spent)
        self.state = Translator(self.lints, self.usage)
        self.start = Start(workspace="/")
        self.sink: Sink | None = None
        self.channel: Channel | None = None
        self.session = ""
        self.muted = False
        self._tasks: set[asyncio.Task[None]] = set()

    def report(self, at: Stamp, *reports: Report) -> None:
        """One line's reports; while an agent is sent away for another, its lines say nothing any more."""
        sink = self.sink
        if sink is not None:
            if self.muted:
                sink.report(at)
            else:
                sink.report(at, *reports)

    def returned(self, call: str, problem: str = "") -> None:
        """A call is over at once."""
        self.report(NO_TIME, Returned(call=call, failure=other(problem) if problem else None))

    @property
    def live(self) -> Channel | None:
        """The channel, while the agent can be spoken to."""
        channel = self.channel
        return channel if channel is not None and channel.link is not None and not channel.over else None

    @property
    def profile(self) -> Profile:
        return self.channel.profile if self.channel else "seed"

    def info(self) -> Info:
        return Info(
            agent=self.declaration.name,
            version=self.state.version,
            provider_session=self.session or self.start.reopen,
            can=_CAN | _MORE if self.profile == "extended" else _CAN,
        )

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def other(message: str, error_class: str = "other") -> Failure:
    """A failure without a code."""
    return Failure(message=message, error_class=error_class, code=0)
