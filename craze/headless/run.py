"""One headless run: prompts in, items out, an exit name at the end. It gets a `Session` alone.

Beside `Printing`, which prints each item and folds what the run must know (`Progress`), the story sends settings and
prompts, waits until the chain is over, drains and closes. Whatever ends the story early - a limit, a signal, a closed
output - goes through the same way out: no further row, cancel, five seconds, close.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Protocol

import msgspec

from craze.config.duration import spell
from craze.engine.facts import Login
from craze.engine.hub import Subscription
from craze.engine.intents import Accepted, Cancel, Intent, QueueHold, Reconnect, Refused, Submit
from craze.engine.view import View
from craze.errors import AgentClosed, AuthRequired, CrazeError, ExitName, ProviderError
from craze.headless.out import Out
from craze.headless.printer import Printer, Result
from craze.headless.printing import Printing
from craze.headless.progress import Progress
from craze.headless.said import how_to_sign_in, usage_line, what_runs
from craze.headless.wishes import Wishes, resolve

LAST_WORDS = 5.0
"""Seconds a cancelled turn gets before the session is closed."""
COMMANDS = 5.0
"""Seconds that a first prompt `/name` waits for the agent's command list."""
QUIET = 0.25
"""Seconds without an event after which a run that has nothing left is over."""


class Live(Protocol):
    """The part of a session that a run uses."""

    @property
    def view(self) -> View: ...
    def begin(self) -> None: ...
    async def send(self, intent: Intent) -> Accepted | Refused: ...
    def subscribe(self, *, lossless: bool = False) -> Subscription: ...
    async def close(self) -> None: ...


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done. Times in seconds."""

    prompts: tuple[str, ...]
    wishes: Wishes = Wishes()
    attachments: tuple[str, ...] = ()
    timeout: float | None = None
    drain: float = 600.0
    usage: bool = False
    guarded: Collection[str] = ()
    """Tools whose asks only a rule that says `person_only` answers; grows while the run goes on."""
    login: str = ""
    """How the person signs in, where the agent's declaration says it."""


class _Interrupted(Exception):
    pass


class Run:
    """
    Args:
        say: Puts a line on stderr, cleaned.
        number: The exit code of a name, for the envelope's last line.
        kill: Ends the agent's processes at once.
    """

    def __init__(
        self,
        session: Live,
        plan: Plan,
        printer: Printer,
        out: Out,
        say: Callable[[str], None],
        *,
        number: Callable[[ExitName], int],
        kill: Callable[[], None] = lambda: None,
    ) -> None:
        self._session, self._plan, self._printer = session, plan, printer
        self._say, self._number, self._kill = say, number, kill
        self.progress = Progress(plan.guarded)
        self._printing = Printing(printer, self.progress, out, say, moved=self._news, end_early=self._end_early)
        self._moved = asyncio.Event()
        self._stop = self._killed = False
        self._error: CrazeError | None = None

    def interrupt(self) -> None:
        """A signal: the first one ends the run in order, the second kills the agent."""
        if self._stop:
            self._killed = True
            self._kill()
        self._end_early("interrupted")

    async def __call__(self) -> ExitName:
        """Begins the session, runs to the end and returns how it went; the session is closed then.

        Raises:
            CrazeError: What ended it, when that is more than the exit name tells.
        """
        begun = time.monotonic()
        self._printing.begin(self._session.subscribe(lossless=True))
        self._session.begin()
        try:
            await self._story()
        finally:
            await self._session.close()
            await self._printing.finish(LAST_WORDS if self._stop else None)
        if self._error:
            self.progress.found.add(self._error.exit)
        name = self.progress.exit()
        await self._printing.write(self._printer.result(self._result(name)))
        if self._plan.usage:
            self._say(usage_line(self._session.view, time.monotonic() - begun))
        if self._error and self._error.exit == name:
            raise self._error
        return name

    # ---- the story

    async def _story(self) -> None:
        try:
            async with asyncio.timeout(self._plan.timeout):
                await self._ready()
                await self._settings()
                await self._chain()
                await self._drain()
        except TimeoutError:
            self._say(f"time limit of {spell(self._plan.timeout or 0)} reached {what_runs(self._session.view)}")
            self.progress.found.add("timeout")
            await self._way_out()
        except _Interrupted:
            await self._way_out()
        except CrazeError as error:
            self._error = error
            await self._way_out()
        if "sign_in" in self.progress.found and not self._error:
            self._error = AuthRequired(
                "the agent wants a sign-in", "auth", hint=how_to_sign_in(self.progress.login, self._plan.login)
            )
        self._name_unsent()

    async def _ready(self) -> None:
        await self._until(lambda: self._status in ("idle", "error", "working", "stopped") or self._sign_in is not None)
        if login := self._sign_in:
            raise AuthRequired("the agent needs a sign-in", "auth", hint=how_to_sign_in(login, self._plan.login))
        if self._status == "stopped":
            self.progress.found.add("failed")
            raise _Interrupted

    async def _settings(self) -> None:
        """One after another: a model may change what the next one can be."""
        done = 0
        while len(sets := resolve(self._plan.wishes, self._session.view.state)) > done:
            result = await self._session.send(sets[done])
            if isinstance(result, Refused):
                why = ": ".join(filter(None, (result.code, *result.detail.values())))
                raise ProviderError(f"the agent did not take {sets[done].kind} {sets[done].value!r} ({why})")
            done += 1

    async def _chain(self) -> None:
        prompts = self._plan.prompts
        if prompts[0].startswith("/"):
            with suppress(TimeoutError):
                async with asyncio.timeout(COMMANDS):
                    await self._until(lambda: self._session.view.state.commands is not None)
        first = Submit(text=prompts[0], attachments=self._plan.attachments)
        # All at once: the next ones are rows before the first can end.
        results = await asyncio.gather(*map(self._session.send, (first, *(Submit(text=text) for text in prompts[1:]))))
        for result in results:
            if isinstance(result, Refused):
                raise ProviderError(f"a prompt was refused ({result.code})")
        await self._until(lambda: self._settled or self._died_between)
        if self._died_between:
            await self._revive()
            await self._until(lambda: self._settled or self._died_between)
        if self._status == "stopped":
            self.progress.found.add("failed")

    async def _revive(self) -> None:
        """Start the agent again; the prompt that it did not live to take goes first."""
        self._say("the agent ended between two turns; starting it again")
        lost = self.progress.lost
        result = await self._session.send(Submit(text=lost) if lost else Reconnect())
        if isinstance(result, Refused) and result.code == "unsupported":
            raise AgentClosed("this agent cannot open its session again", "closed")

    async def _drain(self) -> None:
        try:
            async with asyncio.timeout(self._plan.drain):
                while True:
                    await self._until(lambda: not self._busy)
                    if await self._is_quiet():
                        return
        except TimeoutError:
            self._say(f"still running after {spell(self._plan.drain)} {what_runs(self._session.view)}")

    async def _is_quiet(self) -> bool:
        seen = self.progress.seq
        with suppress(TimeoutError):
            async with asyncio.timeout(QUIET):
                await self._until(lambda: self.progress.seq != seen or self._busy)
        return self.progress.seq == seen and not self._busy

    async def _way_out(self) -> None:
        self._stop = True
        if self._session.view.queue:
            await self._session.send(QueueHold(held=True))
        if self._session.view.turn or self._session.view.foreign or self._session.view.asks:
            await self._session.send(Cancel())
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_WORDS):
                    await self._until(lambda: self._killed or not self._session.view.turn, even_stopping=True)

    def _name_unsent(self) -> None:
        for row in () if self._printing.unread else self._session.view.queue:
            self._say(f"not sent, it stays with the session: {row.text}")

    # ---- what holds now

    @property
    def _status(self) -> str:
        return self._session.view.status

    @property
    def _sign_in(self) -> Login | None:
        login = self.progress.login
        return login if login.required and self._status == "starting" else None

    @property
    def _caught_up(self) -> bool:
        return self.progress.seq >= self._session.view.seq

    @property
    def _settled(self) -> bool:
        """Nothing of ours runs or will start, and all of it is printed."""
        view = self._session.view
        waits = view.queue and not view.paused and view.status != "closed"
        return self._caught_up and not view.turn and not waits and view.status not in ("starting", "replaying")

    @property
    def _died_between(self) -> bool:
        view, progress = self._session.view, self.progress
        waits = bool(view.queue or progress.lost)
        return self._caught_up and view.status == "stopped" and waits and "failed" not in progress.found

    @property
    def _busy(self) -> bool:
        view = self._session.view
        children = any(row.status == "running" for row in view.roster)
        return view.status != "stopped" and (children or view.foreign is not None or bool(view.turn))

    async def _until(self, holds: Callable[[], bool], *, even_stopping: bool = False) -> None:
        """
        Raises:
            _Interrupted: The run is to end.
            AgentClosed: The stream has ended, so it can never hold.
        """
        while not holds():
            if self._stop and not even_stopping:
                raise _Interrupted
            if self._printing.over:
                raise AgentClosed("the session ended", "closed")
            self._moved.clear()
            await self._moved.wait()

    def _end_early(self, why: ExitName) -> None:
        self.progress.found.add(why)
        self._stop = True
        self._moved.set()

    def _news(self) -> None:
        """Something was printed, or the stream is over."""
        if self.progress.unanswered_cancel and not self._stop:
            self._end_early("failed")
        self._moved.set()

    def _result(self, name: ExitName) -> Result:
        view = self._session.view
        return Result(
            exit=self._number(name),
            session=view.info.session,
            turns=self.progress.turns,
            stop_reason=self.progress.stop_reason,
            denied=self.progress.denied,
            usage=view.usage,
        )
