"""The provider: an ACP agent behind the engine's port.

It joins the parts - the connection, the opening, prompts, requests of the agent - and owns the life of the process:
started, stopped by its ladder, gone. Every method but `close` returns at once; what became of it is reported.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from msgspec import Raw
from msgspec.structs import replace

from craze.codec import Failure, Stamp
from craze.engine.answers import AnswerValue
from craze.engine.facts import Activity, AgentStderr, fact
from craze.engine.intents import Set
from craze.engine.ports import Capture, Clock, Gone, Prompt, Report, Returned, Sink, Start
from craze.providers.acp.connection import Connection, Reply
from craze.providers.acp.context import NO_TIME, Context
from craze.providers.acp.declaration import Declaration
from craze.providers.acp.decode import read
from craze.providers.acp.failures import exit_failure
from craze.providers.acp.link import Folders, Outside
from craze.providers.acp.machine import Machine
from craze.providers.acp.prompting import Prompting
from craze.providers.acp.requests import AccountParams, CompleteParams, RetryParams
from craze.providers.acp.results import SessionResult, SetResult
from craze.providers.acp.serving import Serving
from craze.providers.acp.start import Opening
from craze.providers.acp.types import text
from craze.providers.lints import LintRow
from craze.transport import Exit, Link, Tap
from craze.transport.jsonrpc import METHOD_NOT_FOUND

_GRACE, _CLOSE_WAIT = 2.0, 1.0
_SAID_EACH = 20


class AcpProvider:
    """An agent that speaks ACP version 1 over stdio; implements the port `Provider`."""

    def __init__(self, declaration: Declaration, clock: Clock, outside: Callable[[], Outside] = Machine) -> None:
        self._context = Context(declaration, clock, outside())
        self._serving = Serving(self._context)
        self._opening = Opening(self._context, restart=self._start_again, give_up=self._give_up)
        self._prompting = Prompting(self._context, lambda: self._opening.login(required=True))
        self._capture: Capture | None = None
        self._tap: Tap | None = None
        self._stopping = self._closing = self._holding = False
        self._ending: asyncio.Task[None] | None = None
        self._again: asyncio.Task[None] | None = None
        self._lines_said = 0

    # ---- the port

    def open(self, start: Start, sink: Sink, capture: Capture) -> None:
        context = self._context
        context.start, context.sink, self._capture = start, sink, capture
        self._opening.fresh()
        if context.live is None and all(task is None or task.done() for task in (self._ending, self._again)):
            self._spawn()
        else:
            self._start_again()

    def prompt(self, turn: str, prompt: Prompt) -> None:
        self._serving.new_turn()
        self._prompting.prompt(turn, prompt)

    def cancel(self) -> None:
        self._prompting.cancel()

    def steer(self, call: str, text: str) -> None:
        self._context.returned(call, "the agent takes no text in the middle of a turn")

    def aside(self, call: str, question: str) -> None:
        self._context.returned(call, "the agent answers no side questions")

    def set(self, call: str, setting: Set) -> None:
        context = self._context
        live = context.live
        if setting.kind == "title":
            return context.returned(call)
        if live is None:
            return context.returned(call, "the agent does not run")
        written = context.state.settings.write(context.state.session, call, setting)
        if not written.method:
            return context.returned(call, written.reason)
        live.request(written.method, written.params, 0, partial(self._set_answered, call, setting))
        return None

    def answer(self, key: str, answer: AnswerValue | None) -> None:
        self._serving.answer(key, answer)

    def cancel_subagent(self, call: str, agent: str) -> None:
        context = self._context
        child, live = context.state.children.get(agent), context.live
        if child is None or not child.running or live is None:
            context.returned(call, "this sub-agent does not run")
        elif not child.can_cancel:
            context.returned(call, "the agent cannot stop this sub-agent")
        else:
            sent = live.notify("session/cancel", {"sessionId": agent})
            context.report(sent.at if sent else NO_TIME, Returned(call=call))

    def authenticate(self, call: str, method: str | None) -> None:
        self._opening.authenticate(call, method)

    def fired(self, timer: str, at: Stamp) -> None:
        _, what, name = timer.split(":", 2)
        connection = self._context.connection
        if what == "cancel":
            self._prompting.stuck(name, at)
        elif what == "outside":
            self._serving.outside(name, at)
        elif connection is not None and name.isdigit():
            connection.fired(what, int(name), at)

    def hold(self, holding: bool) -> None:
        self._holding = holding
        live = self._context.live
        if live is not None and live.link is not None:
            live.link.hold(holding)

    def close(self, grace: float) -> Coroutine[Any, Any, None]:
        """What is said to the agent is said at once; what it does then is waited for."""
        live = self._context.live
        if self._closing and live is not None and live.link is not None:
            live.link.kill()
            return live.link.wait()
        self._closing = True
        self._part(grace)
        return self._ladder(grace)

    # ---- for those beside the engine

    @property
    def lints(self) -> tuple[LintRow, ...]:
        return self._context.lints.rows()

    @property
    def serving(self) -> Serving:
        """What the replayer needs to read recorded answers."""
        return self._serving

    # ---- messages (the `Peer` of the connection)

    def asked(self, request: bytes, method: str, params: Raw, at: Stamp) -> list[Report]:
        return self._serving.asked(request, method, params, at)

    def told(self, method: str, params: Raw, at: Stamp) -> list[Report]:
        if method == "session/update":
            return self._context.state.update(params, at)
        return self._told_otherwise(method, params, at)

    def said(self, at: Stamp) -> list[Report]:
        """A line of stderr. The fact tells the first lines and each doubling, so that a flood stays small."""
        self._lines_said += 1
        if self._lines_said > _SAID_EACH and self._lines_said & (self._lines_said - 1):
            return []
        return self._stderr()

    def undelivered(self, number: int, at: Stamp) -> list[Report]:
        return self._prompting.undelivered(number)

    def gone(self, end: Exit, failure: Failure | None, at: Stamp) -> list[Report]:
        """The connection is over: nothing that waits for the agent waits any longer."""
        context = self._context
        opening = self._opening.phase in ("opening", "login")
        unanswered = context.state.prompt is not None
        self._prompting.over()
        self._serving.over()
        told = context.note("unanswered-prompt-at-exit") if unanswered else []
        if self._stopping:
            return told
        self._ending = context.spawn(context.outside.close())
        failure = failure or exit_failure(end)
        told += self._stderr() if self._lines_said else []
        over = context.state.failed_to_open(at) if context.state.opening else []
        if opening:
            return [*told, *over, *self._opening.failed(_before_answer(end, failure))]
        if self._opening.phase != "open":
            return told
        self._opening.phase = "over"
        tail = context.connection.stderr.tail() if context.connection else ""
        message = f"{failure.message}\n{tail}" if tail else failure.message
        return [*told, Gone(failure=replace(failure, message=message))]

    def late(self, method: str, result: Raw | None) -> None:
        """A session that was opened after nobody waited for it any more is closed."""
        context = self._context
        found = read(SessionResult, result).value if method == "session/new" and result is not None else None
        if found and found.session_id and context.agent.close and (live := context.live):
            live.request(
                "session/close",
                {"sessionId": found.session_id},
                context.declaration.timeouts.other,
                lambda _reply, _at: [],
            )

    def _told_otherwise(self, method: str, params: Raw, at: Stamp) -> list[Report]:
        context = self._context
        match method:
            case "$/cancel_request":
                return self._serving.withdrawn(params)
            case "elicitation/complete":
                complete = read(CompleteParams, params).value
                return self._serving.complete(complete.elicitation_id) if complete else []
            case "_auth/status_update":
                account = read(AccountParams, params).value
                return self._opening.label(text(account and account.auth_status and account.auth_status.label))
            case "_session/retrying":
                retry = read(RetryParams, params).value or RetryParams()
                said = " ".join(part for part in ("retrying", retry.category, retry.detail) if part)
                return context.state.retrying(retry.session_id or "", said, at)
            case _:
                return context.lints.once("unknown-notification", method)

    def _stderr(self) -> list[Report]:
        connection = self._context.connection
        return [fact(AgentStderr(lines=tuple(connection.stderr.lines())))] if connection else []

    # ---- settings

    def _set_answered(self, call: str, setting: Set, reply: Reply, at: Stamp) -> list[Report]:
        state = self._context.state
        failure = reply.failed
        if failure is not None:
            unknown = reply.code == METHOD_NOT_FOUND
            lied = self._context.note("gate-lied", setting.kind) if unknown else []
            return [*lied, *state.settings.refused(unknown=unknown, at=at), Returned(call=call, failure=failure)]
        self._opening.chosen[setting.kind, setting.id] = setting.value
        result = read(SetResult, reply.result or b"{}").value or SetResult()
        return [*state.settings.answered(result.config_options, at), Returned(call=call)]

    # ---- the process

    def _spawn(self) -> None:
        context, declaration = self._context, self._context.declaration
        assert self._capture is not None
        if self._tap is not None:
            self._tap.mute()
        self._tap = Tap(self._capture, context.clock.now)
        self._stopping = context.muted = False
        self._lines_said = 0
        context.state.renew()
        last = context.connection.last if context.connection else 0
        connection = Connection(self, context.clock, context.lints, context.report, declaration.max_line, last)
        context.connection = connection
        folders = Folders(context.start.workspace, context.start.dirs, declaration.fs_roots)
        context.outside.folders(folders, self._outside_asked, self._terminal_said)
        command = declaration.command(context.start.workspace)

        def ready(link: Link) -> None:
            if self._closing or context.connection is not connection:
                return connection.drop(link)
            connection.attach(link)
            if self._holding:
                link.hold(True)
            if not connection.over:
                self._opening.begin()
            return None

        context.outside.start(command, connection, self._tap, ready, declaration.max_line)

    def _start_again(self) -> None:
        """The agent goes by its ladder, then comes again; what it still says is not heard."""
        context = self._context
        context.muted = True
        if self._again is not None and not self._again.done():
            return  # it is on its way: whoever asks once more gets that one
        self._part(_GRACE)

        async def again() -> None:
            if self._ending is not None:
                await self._ending
            await self._ladder(_GRACE)
            if not self._closing:
                self._spawn()

        self._again = context.spawn(again())

    def _give_up(self) -> None:
        """An agent that could not be opened goes."""
        live = self._context.live
        if live is not None and not self._stopping:
            self._part(0)
            self._ending = self._context.spawn(self._ladder(0))

    def _part(self, grace: float) -> None:
        """The first rungs, which wait for nobody: asks answered, the turn cancelled."""
        self._stopping = True
        for key in self._serving.open_keys() if self._context.live else ():
            self._serving.answer(key, None)
        if self._context.state.prompt is not None and grace:
            self._prompting.cancel()

    async def _ladder(self, grace: float) -> None:
        """The turn ended, the session closed, terminals killed; then the process itself."""
        context = self._context
        live = context.live
        if live is None or live.link is None:
            await context.outside.close()
            return
        if context.state.prompt is not None and grace:
            await context.outside.wait(self._prompting.idle, grace)
        if context.agent.close and context.state.session and not live.over:
            await self._close_session(live)
        await context.outside.close()
        stopped = await live.link.stop()
        if stopped.left:
            context.report(NO_TIME, *context.note("orphan-process", ", ".join(stopped.left)))

    async def _close_session(self, live: Connection) -> None:
        closed = asyncio.Event()

        def answered(reply: Reply, _at: Stamp) -> list[Report]:
            closed.set()
            return self._context.note("gate-lied", "session/close") if reply.code == METHOD_NOT_FOUND else []

        live.request("session/close", {"sessionId": self._context.state.session}, 0, answered)
        await self._context.outside.wait(closed, _CLOSE_WAIT)

    def _outside_asked(self, key: str) -> None:
        self._context.clock.later(0, f"provider:outside:{key}")

    def _terminal_said(self, terminal: str, line: str) -> None:
        self._context.report(NO_TIME, fact(Activity(text=line)))


def _before_answer(end: Exit, failure: Failure) -> Failure:
    if end.error or failure.error_class not in ("agent_exited", "agent_exit_status"):
        return failure
    return replace(failure, message=f"{failure.message} before it answered")
