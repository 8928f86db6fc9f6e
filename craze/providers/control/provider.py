"""The provider: an agent that speaks the control channel, behind the engine's port.

It joins the parts - the channel, the opening, prompts, requests of the agent - and owns the life of the process:
started, stopped by its ladder, gone. Every method but `close` returns at once; what became of it is reported.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from msgspec import Raw

from craze.codec import Event, Stamp
from craze.engine.answers import AnswerValue
from craze.engine.facts import AgentStderr, Notice, fact
from craze.engine.intents import Set
from craze.engine.ports import Capture, Clock, Gone, Prompt, Report, Returned, Sink, Start, TurnFailed
from craze.providers.control.channel import Channel
from craze.providers.control.context import NO_TIME, Context, other
from craze.providers.control.declaration import Declaration
from craze.providers.control.endings import exit_failure
from craze.providers.control.link import Outside
from craze.providers.control.machine import Machine
from craze.providers.control.opening import Opening
from craze.providers.control.prompting import Prompting
from craze.providers.control.serving import Serving
from craze.providers.control.translate import Translator
from craze.providers.control.types import Known, Other, Profile, StreamEvent
from craze.providers.lints import LintRow
from craze.transport import Exit, Link, Tap

_SAID_EACH = 20
_UNKNOWN_SESSION = "No conversation found"


class ControlProvider:
    """An agent CLI with the stream-json control channel; implements the port `Provider`.

    `profile` fixes what may be written, for tests; an agent shows by its greeting what it takes.
    """

    def __init__(
        self,
        declaration: Declaration,
        clock: Clock,
        outside: Callable[[], Outside] = Machine,
        *,
        profile: Profile | None = None,
    ) -> None:
        self._context = Context(declaration, clock, outside(), profile)
        self._opening = Opening(self._context, give_up=self._give_up)
        self._prompting = Prompting(self._context, self._opening)
        self._serving = Serving(self._context, self._prompting.interrupt, self._prompting.set_mode)
        self._capture: Capture | None = None
        self._stopping = self._closing = self._holding = False
        self._ending: asyncio.Task[None] | None = None
        self._lines_said = 0

    # ---- the port

    def open(self, start: Start, sink: Sink, capture: Capture) -> None:
        context = self._context
        context.start, context.sink, self._capture = start, sink, capture
        if problem := self._opening.problem():
            context.report(NO_TIME, Returned(call="open", failure=other(problem)))
        elif context.live is None and (self._ending is None or self._ending.done()):
            self._spawn()
        else:
            self._start_again()

    def prompt(self, turn: str, prompt: Prompt) -> None:
        self._prompting.prompt(turn, prompt)

    def cancel(self) -> None:
        self._prompting.cancel()

    def steer(self, call: str, text: str) -> None:
        self._prompting.steer(call, text)

    def set(self, call: str, setting: Set) -> None:
        self._prompting.set(call, setting)

    def answer(self, key: str, answer: AnswerValue | None) -> None:
        self._serving.answer(key, answer)

    def cancel_subagent(self, call: str, agent: str) -> None:
        self._prompting.stop_child(call, agent)

    def aside(self, call: str, question: str) -> None:
        self._prompting.aside(call, question)

    def authenticate(self, call: str, method: str | None) -> None:
        login = self._context.declaration.login
        self._context.returned(call, f"the agent signs in by itself: {login or 'its own login command'}")

    def fired(self, timer: str, at: Stamp) -> None:
        _, what, name = timer.split(":", 2)
        channel = self._context.channel
        if what == "cancel":
            self._prompting.stuck(name, at)
        elif what == "dialog":
            self._serving.dialog_over(name)
        elif channel is not None:
            channel.fired(name, at)

    def hold(self, holding: bool) -> None:
        self._holding = holding
        live = self._context.live
        if live is not None and live.link is not None:
            live.link.hold(holding)

    def close(self, grace: float) -> Coroutine[Any, Any, None]:
        """The agent goes from this moment on; its going is waited for."""
        live = self._context.live
        if self._closing and live is not None and live.link is not None:
            live.link.kill()
            return live.link.wait()
        self._closing = self._stopping = True
        return self._ladder(grace)

    # ---- for those beside the engine

    @property
    def lints(self) -> tuple[LintRow, ...]:
        return self._context.lints.rows()

    @property
    def serving(self) -> Serving:
        """What the replayer needs to read recorded answers."""
        return self._serving

    @property
    def state(self) -> Translator:
        """What is known of the agent, for the replayer."""
        return self._context.state

    # ---- lines (the `Peer` of the channel)

    def asked(self, request: bytes, body: Raw, at: Stamp) -> list[Report]:
        return self._serving.asked(request, body, at)

    def withdrawn(self, request: bytes) -> list[Report]:
        return self._serving.withdrawn(request)

    def piece(self, line: StreamEvent, at: Stamp) -> Event | None:
        # While the ending of a turn is held no turn is craze's own, and nothing passes here.
        return self._context.state.piece(line, at)

    def streamed(self, line: StreamEvent, at: Stamp) -> list[Report]:
        return self.told(line, at) if self._prompting.held is not None else self._context.state.line(line, at)

    def told(self, line: Known | Other, at: Stamp) -> list[Report]:
        reports = self._prompting.line(line, at)
        login = self._context.declaration.login
        if login and any(isinstance(each, TurnFailed) and each.failure.error_class == "auth" for each in reports):
            reports.append(fact(Notice(severity="warning", text=f"sign in with: {login}")))
        return [*reports, *self._opening.named()]

    def said(self, at: Stamp) -> list[Report]:
        """A line of stderr. The fact tells the first lines and each doubling, so that a flood stays small."""
        self._lines_said += 1
        if self._lines_said > _SAID_EACH and self._lines_said & (self._lines_said - 1):
            return []
        return self._stderr()

    def undelivered(self, number: int, at: Stamp) -> list[Report]:
        return self._prompting.undelivered(number)

    def gone(self, end: Exit, at: Stamp) -> list[Report]:
        """The process is over: nothing that waits for the agent waits any longer."""
        context, phase = self._context, self._opening.phase
        self._prompting.over()
        self._serving.over()
        context.state.gone()
        if self._stopping:
            return []
        self._ending = context.spawn(context.outside.close())
        stderr = context.channel.stderr.lines() if context.channel else []
        failure = exit_failure(end, stderr[-1] if stderr else "")
        told = self._stderr() if self._lines_said > _SAID_EACH else []
        if context.start.reopen and not context.state.session and any(_UNKNOWN_SESSION in line for line in stderr):
            failure = other(f"the agent does not know the session {context.start.reopen} any more")
        if phase == "opening":
            return [*told, *self._opening.failed(failure)]
        self._opening.phase = "over"
        return [*told, Gone(failure=failure)] if phase == "open" else told

    def _stderr(self) -> list[Report]:
        channel = self._context.channel
        return [fact(AgentStderr(lines=tuple(channel.stderr.lines())))] if channel else []

    # ---- the process

    def _spawn(self) -> None:
        context, declaration = self._context, self._context.declaration
        assert self._capture is not None
        self._stopping = context.muted = False
        self._lines_said = 0
        self._opening.phase = "opening"
        context.usage.renew()
        context.state = Translator(context.lints, context.usage, bypass=self._opening.bypasses())
        assert context.sink is not None
        channel = Channel(self, context.clock, context.lints, context.sink.report, declaration.max_line)
        context.channel = channel

        def ready(link: Link) -> None:
            if self._closing or context.channel is not channel:
                return channel.drop(link)
            channel.attach(link)
            if self._holding:
                link.hold(True)
            if not channel.over:
                self._opening.begin()
            return None

        tap = Tap(self._capture, context.clock.now)
        context.outside.start(self._opening.command(), channel, tap, ready, declaration.max_line)

    def _start_again(self) -> None:
        """The agent goes by its ladder, then comes again; what it still says is not heard."""
        context = self._context
        context.muted = True
        if context.channel is not None:
            context.channel.silence()

        async def again() -> None:
            if self._ending is not None:
                await self._ending
            await self._ladder(context.declaration.timeouts.close)
            if not self._closing:
                self._spawn()

        context.spawn(again())

    def _give_up(self) -> None:
        """An agent that could not be opened goes."""
        if self._context.live is not None and not self._stopping:
            self._ending = self._context.spawn(self._ladder(0))

    async def _ladder(self, grace: float) -> None:
        """The agent's input ends, then TERM and KILL to its group."""
        context = self._context
        live = context.live
        self._stopping = True
        if live is not None and live.link is not None:
            await live.link.stop(eof=grace, term=context.declaration.timeouts.term)
        await context.outside.close()
