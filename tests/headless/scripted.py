"""A real session whose agent is a script: one coroutine a prompt, which reports what it likes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from craze.codec import Event, Stamp
from craze.engine.answers import AnswerValue
from craze.engine.clock import LoopClock
from craze.engine.core import Core
from craze.engine.facts import Info, Policies
from craze.engine.intents import Set
from craze.engine.ports import Capture, Opened, Prompt, Report, Returned, Sink, Start, TurnEnded
from craze.engine.rules import Rule, decider
from craze.engine.session import Session
from craze.engine.situation import Settings
from craze.store.memory import MemoryLog

Script = Callable[["Agent", str], Awaitable[None]]


async def echo(agent: Agent, text: str) -> None:
    agent.say(Event("text", text=f"you said: {text}"), TurnEnded(stop_reason="end_turn"))


def pass_time(seconds: float) -> None:
    """All that is due within the next seconds is due now."""
    loop = asyncio.get_running_loop()
    now = loop.time
    loop.time = lambda: now() + seconds  # type: ignore[method-assign]


class Agent:
    """Implements the port `Provider`.

    Attributes:
        heard: The prompts, in order.
        answers: What the asks were answered, by key.
    """

    def __init__(self, script: Script = echo, *opening: Report) -> None:
        self.script = script
        self.opening = opening or (Opened(info=Info(agent="scripted", provider_session="s-1")),)
        self.heard: list[str] = []
        self.answers: dict[str, AnswerValue | None] = {}
        self.cancelled = asyncio.Event()
        self.held: list[bool] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def say(self, *reports: Report) -> None:
        self.sink.report(self.clock.now(), *reports)

    def open(self, start: Start, sink: Sink, capture: Capture) -> None:
        self.sink = sink
        asyncio.get_running_loop().call_soon(self.say, *self.opening)

    def prompt(self, turn: str, prompt: Prompt) -> None:
        self.heard.append(prompt.text)
        self.cancelled.clear()
        task = asyncio.get_running_loop().create_task(_awaited(self.script(self, prompt.text)))
        self._tasks.add(task)

    def cancel(self) -> None:
        self.cancelled.set()

    def steer(self, call: str, text: str) -> None: ...

    def set(self, call: str, setting: Set) -> None:
        asyncio.get_running_loop().call_soon(self.say, Returned(call=call))

    def answer(self, key: str, answer: AnswerValue | None) -> None:
        self.answers[key] = answer

    def cancel_subagent(self, call: str, agent: str) -> None: ...
    def aside(self, call: str, question: str) -> None: ...
    def authenticate(self, call: str, method: str | None) -> None: ...
    def fired(self, timer: str, at: Stamp) -> None: ...

    def hold(self, holding: bool) -> None:
        self.held.append(holding)

    async def close(self, grace: float) -> None:
        for task in self._tasks:
            task.cancel()


async def _awaited(work: Awaitable[None]) -> None:
    await work


def session_of(agent: Agent, *rules: Rule, preset: str = "deny", after_short: str = "pause") -> Session:
    """A session that has not begun."""
    agent.clock = LoopClock()
    policies = Policies(permission=preset, question=preset, plan=preset, rules=bool(rules))
    settings = Settings(after_short=after_short, after_cancel=after_short, policies=policies)  # type: ignore[arg-type]
    start = Start(workspace="/work")
    core = Core(settings, session="0194", start=start, decider=decider((), rules, policies, "/work", alone=True))
    return Session(core, agent, clock=agent.clock, log=MemoryLog())  # type: ignore[arg-type]
