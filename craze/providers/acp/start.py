"""The steps that open a session: initialize, sign-in, new or load or resume, start settings, ready.

Each step is the handler of an answer and writes the next; nothing waits. The opening ends in `Opened` or in a failed
`Returned("open")`; while a sign-in is missing it stays where it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from craze.codec import Failure, Stamp, ns
from craze.engine.facts import Login, Notice, fact
from craze.engine.intents import Set, Setting
from craze.engine.ports import Opened, Report, Returned
from craze.providers.acp.connection import Reply
from craze.providers.acp.context import NO_TIME, Context
from craze.providers.acp.decode import read
from craze.providers.acp.failures import other
from craze.providers.acp.opening import (
    Way,
    agent_of,
    falls_back,
    further_dirs,
    initialize_params,
    initialize_problem,
    is_sent,
    is_terminal,
    login,
    reopen_problem,
    session_params,
    version_problem,
    wants_login,
    way_of,
)
from craze.providers.acp.quirks import quirks_of
from craze.providers.acp.results import InitializeResult, SessionResult, SetResult
from craze.providers.acp.settings import match
from craze.transport.jsonrpc import METHOD_NOT_FOUND

Phase: TypeAlias = Literal["opening", "login", "open", "over"]
_SLOW = 10_000_000_000  # nanoseconds
_ORDER = {"model": 0, "mode": 1, "config": 2}


class Opening:
    """Args:
    restart: Start the agent's process again and open once more.
    give_up: The opening failed: end the process.
    """

    def __init__(self, context: Context, restart: Callable[[], None], give_up: Callable[[], None]) -> None:
        self.phase: Phase = "over"
        self.session = ""
        self.chosen: dict[tuple[Setting, str], str] = {}
        self._context, self._restart, self._give_up = context, restart, give_up
        self._label = ""
        self._told = Login()
        self._restarted = self._signed_in = False
        self._left: list[Set] = []
        self._since = NO_TIME

    # ---- initialize

    def begin(self) -> None:
        """The process runs."""
        self.phase = "opening"
        context = self._context
        live = context.live
        if live is not None:
            params = initialize_params(context.declaration, answers_questions=context.start.answers_questions)
            sent = live.request("initialize", params, context.declaration.timeouts.initialize, self._initialized)
            self._since = sent.at if sent else NO_TIME

    def fresh(self) -> None:
        """An opening that somebody asked for, not one of its own repetitions."""
        self._restarted = self._signed_in = False
        self.phase = "opening"

    def _initialized(self, reply: Reply, at: Stamp) -> list[Report]:
        if reply.failed is not None:
            return self.failed(initialize_problem(reply))
        result = read(InitializeResult, reply.result or b"{}").value or InitializeResult()
        if problem := version_problem(result):
            return self.failed(problem)
        context = self._context
        odd = context.note("protocol-version", str(result.protocol_version)) if result.protocol_version != 1 else []
        context.agent = agent_of(result)
        context.state.quirks(quirks_of(context.agent.name, context.declaration.quirks))
        if context.start.greets_only:
            return [*odd, *self.login(required=False), *self._ready(at)]
        if method := context.declaration.auth:
            return [*odd, *self._sign_in_first(method)]
        return [*odd, *self._session(at)]

    # ---- sign-in

    def _sign_in_first(self, method: str) -> list[Report]:
        context = self._context
        usable = [known.id for known in context.agent.methods if is_sent(known)]
        if method not in usable:
            names = ", ".join(usable) or "none"
            return self.failed(other(f"the agent has no sign-in method {method} to ask for; it has: {names}"))

        def answered(reply: Reply, at: Stamp) -> list[Report]:
            failure = reply.failed
            return self.failed(_auth(failure)) if failure else self._session(at)

        if live := context.live:
            live.request("authenticate", {"methodId": method}, context.declaration.timeouts.authenticate, answered)
        return []

    def authenticate(self, call: str, method: str | None) -> None:
        context = self._context
        live = context.live
        if live is None:
            return context.returned(call, "the agent does not run")
        if method is None:
            return self._sign_out(call)
        found = next((known for known in context.agent.methods if known.id == method), None)
        if found is None:
            return context.returned(call, f"the agent has no sign-in method {method}")
        if is_terminal(found):
            context.report(NO_TIME, Returned(call=call), *self._signed(NO_TIME))
            return None
        if not is_sent(found):
            return context.returned(call, f"craze cannot sign in by {method}: its type {found.type} is unknown")

        def answered(reply: Reply, at: Stamp) -> list[Report]:
            if failure := reply.failed:
                return [Returned(call=call, failure=failure)]
            return [*self.login(required=False), Returned(call=call), *self._signed(at)]

        live.request("authenticate", {"methodId": method}, context.declaration.timeouts.authenticate, answered)
        return None

    def label(self, label: str) -> list[Report]:
        """Who is signed in, as the agent says."""
        if label == self._label:
            return []
        self._label = label
        return self.login(required=self.phase == "login")

    def _sign_out(self, call: str) -> None:
        context = self._context

        def answered(reply: Reply, at: Stamp) -> list[Report]:
            self._label = "" if reply.failed is None else self._label
            told = [] if reply.failed else self.login(required=False)
            if reply.code == METHOD_NOT_FOUND:
                told = context.note("gate-lied", "logout")
            return [*told, Returned(call=call, failure=reply.failed)]

        live = context.live
        if not context.agent.logout or live is None:
            context.returned(call, "the agent cannot sign out")
        else:
            live.request("logout", {}, context.declaration.timeouts.other, answered)

    def _signed(self, at: Stamp) -> list[Report]:
        """After a sign-in what waited for it goes on."""
        if self.phase != "login":
            return []
        self._signed_in, self.phase = True, "opening"
        return self._session(at)

    def login(self, *, required: bool) -> list[Report]:
        """How one signs in and who is, when that differs from what was told last."""
        context = self._context
        said = login(context.agent, context.declaration.argv, required=required, label=self._label)
        if said == self._told:
            return []
        self._told = said
        return [fact(said)]

    def _wants_login(self, reply: Reply) -> list[Report]:
        """Once signed in, a second refusal restarts the process, a third is the end."""
        if not self._signed_in:
            self.phase = "login"
            return self.login(required=True)
        if not self._restarted:
            self._restarted = True
            self._restart()
            return []
        return self.failed(_auth(reply.failed))

    # ---- the session

    def _session(self, at: Stamp, way: Way | None = None) -> list[Report]:
        context = self._context
        start, agent = context.start, context.agent
        way = way or way_of(
            start, agent, reopen=self.session or start.reopen, has_history=start.has_history or bool(self.session)
        )
        if way is None:
            return self.failed(other("this agent cannot reopen sessions"))
        if further_dirs(start) and not agent.dirs:
            name = agent.name or "this agent"
            return self.failed(other(f"{name} takes no further folders (--add-dir)"))
        session = "" if way == "session/new" else self.session or start.reopen
        params, dropped = session_params(start, context.declaration, agent, session, context.outside.program)
        reports = context.state.begin(session, at, replay=bool(session))
        for name in dropped:
            reports.append(_notice(f"tool server {name} is left out: the agent does not speak its protocol"))
        if live := context.live:
            timeout = context.declaration.timeouts.session
            live.request(way, params, timeout, lambda reply, at: self._named(way, session, reply, at))
        return reports

    def _named(self, way: Way, asked: str, reply: Reply, at: Stamp) -> list[Report]:
        """The answer that names the session."""
        context = self._context
        result = read(SessionResult, reply.result or b"{}").value or SessionResult()
        session = result.session_id or asked
        if reply.failed is not None or result.stop_reason or not session:
            return self._not_named(way, reply, at)
        reports: list[Report] = []
        if asked and session != asked:
            reports += context.note("session-id-changed", session)
        if way == "session/resume" and context.state.replayed:
            reports += context.note("resume-replayed", session)
        self.session = session
        reports += context.state.opened(session, result, at)
        reports += self.login(required=False)
        self._left = self._start_settings()
        return [*reports, *self._next_setting(at)]

    def _not_named(self, way: Way, reply: Reply, at: Stamp) -> list[Report]:
        over = self._context.state.failed_to_open(at)
        if wants_login(reply):
            return [*over, *self._wants_login(reply)]
        if way == "session/resume" and falls_back(reply) and self._context.agent.load:
            told = _notice("the agent does not resume this session; it is loaded instead")
            return [*over, told, *self._session(at, "session/load")]
        failure = reopen_problem(reply) if way != "session/new" else reply.failed
        return [*over, *self.failed(failure or other("the answer names no session"))]

    # ---- start settings

    def _start_settings(self) -> list[Set]:
        """What was chosen since wins over what the session was started with."""
        wanted = {(setting.kind, setting.id): setting for setting in self._context.start.settings}
        for (kind, name), value in self.chosen.items():
            wanted[kind, name] = Set(kind=kind, id=name, value=value)
        return sorted(
            (setting for setting in wanted.values() if setting.kind in _ORDER), key=lambda row: _ORDER[row.kind]
        )

    def _next_setting(self, at: Stamp) -> list[Report]:
        """Write the next one that differs; after the last the session is open."""
        context = self._context
        reports: list[Report] = []
        while self._left:
            setting = self._left.pop(0)
            option = context.state.settings.find(setting.kind, setting.id)
            if option is None:
                reports.append(_notice(f"this agent has no {setting.id or setting.kind} to set"))
                continue
            value = match(option, setting.value)
            if value is None:
                offered = ", ".join(choice.value for choice in option.select_values)
                return [*reports, *self.failed(other(f"no {option.name} {setting.value}; there is: {offered}"))]
            if value != option.current:
                self._write_setting(Set(kind=setting.kind, id=setting.id, value=value), option.name)
                return reports
        return [*reports, *self._ready(at)]

    def _ready(self, at: Stamp) -> list[Report]:
        context = self._context
        reports: list[Report] = []
        self.phase = "open"
        if at and self._since and ns(at) - ns(self._since) > _SLOW:
            reports += context.note("slow-start")
        info = context.agent.info(self.session, subagents=context.declaration.subagents)
        return [*reports, Opened(info=info)]

    def _write_setting(self, setting: Set, name: str) -> None:
        context = self._context

        def answered(reply: Reply, at: Stamp) -> list[Report]:
            failure = reply.failed
            if failure is not None and failure.error_class == "deadline_exceeded":
                return self.failed(other(f"no answer to setting {name}"))
            if failure is not None:
                context.state.settings.refused(unknown=reply.code == METHOD_NOT_FOUND, at=at)
                current = context.state.settings.find(setting.kind, setting.id)
                holds = current.current if current else "nothing"
                told = _notice(f"{name} {setting.value} was refused: {failure.message}; {holds} holds")
                return [told, *self._next_setting(at)]
            result = read(SetResult, reply.result or b"{}").value or SetResult()
            return [*context.state.settings.answered(result.config_options, at), *self._next_setting(at)]

        written = context.state.settings.write(self.session, "", setting)
        if live := context.live:
            live.request(written.method, written.params, context.declaration.timeouts.start_setting, answered)

    # ---- failure

    def failed(self, failure: Failure) -> list[Report]:
        """The opening is over; the agent, if it runs, goes."""
        self.phase = "over"
        context = self._context
        connection = context.connection
        argv = context.declaration.argv
        parts = [failure.message, f"command: {' '.join(argv)}" if argv else ""]
        if connection is not None:
            parts += ["\n".join(connection.noise.lines()), connection.stderr.tail()]
        message = "\n".join(part for part in parts if part)
        self._give_up()
        return [
            Returned(call="open", failure=Failure(message=message, error_class=failure.error_class, code=failure.code))
        ]


def _notice(said: str) -> Report:
    return fact(Notice(severity="warning", text=said))


def _auth(failure: Failure | None) -> Failure:
    return Failure(
        message=failure.message if failure else "sign-in failed",
        error_class="auth",
        code=failure.code if failure else 0,
    )
