"""Requests of the agent: each is answered exactly once, also when nobody is there any more."""

from __future__ import annotations

from typing import Final

from msgspec import Raw, Struct

from craze.codec import Permission, PermissionOption, Stamp, ToolOutput
from craze.engine.answers import AnswerValue, OpenAsk, Pick
from craze.engine.facts import Activity, fact
from craze.engine.ports import AskOpened, AskWithdrawn, Report
from craze.providers.acp.asks import Open, Taken, allows_change, elicitation, key_of, permission
from craze.providers.acp.asks import answer as answer_of
from craze.providers.acp.connection import Connection
from craze.providers.acp.context import Context
from craze.providers.acp.decode import read
from craze.providers.acp.link import Allowed, Answer, Call
from craze.providers.acp.requests import (
    CancelRequestParams,
    CreateParams,
    ElicitationParams,
    PermissionParams,
    ReadParams,
    TerminalParams,
    WriteParams,
)
from craze.transport.jsonrpc import CANCELLED, INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND

_OUTSIDE: Final = "outside:"
_ALLOWED: Final[dict[str, Allowed]] = {"allow_once": "once", "allow_always": "always"}
_SERVED: Final[dict[str, type[Struct]]] = {
    "fs/read_text_file": ReadParams,
    "fs/write_text_file": WriteParams,
    "terminal/create": CreateParams,
    "terminal/output": TerminalParams,
    "terminal/wait_for_exit": TerminalParams,
    "terminal/kill": TerminalParams,
    "terminal/release": TerminalParams,
}


class _Work(Struct):
    """A file or terminal request that is being done."""

    request: bytes
    call: Call
    connection: Connection


class Serving:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._open: dict[str, Open] = {}
        self._work: dict[str, _Work] = {}
        self._allowed = False
        self._waiting_for: set[str] = set()
        self._outside: set[str] = set()

    def new_turn(self) -> None:
        """What was allowed in the last turn is not allowed in this one."""
        self._allowed = False

    def over(self) -> None:
        """Nobody is left to answer."""
        self._open.clear()
        self._work.clear()
        self._outside.clear()

    def open_keys(self) -> tuple[str, ...]:
        return tuple(self._open)

    # ---- what the agent asks

    def asked(self, request: bytes, method: str, params: Raw, at: Stamp) -> list[Report]:
        match method:
            case "session/request_permission":
                return self._permission(request, params)
            case "elicitation/create":
                return self._elicitation(request, params)
            case _ if method in _SERVED:
                return self._served(request, method, params)
            case _:
                self._answer(
                    request, Answer(code=METHOD_NOT_FOUND, message="Method not found", data={"method": method})
                )
                return self._context.lints.once("unknown-request", method)

    def withdrawn(self, params: Raw) -> list[Report]:
        """`$/cancel_request`."""
        read_params = read(CancelRequestParams, params).value
        request = bytes(read_params.request_id) if read_params else b""
        live = self._context.live
        if live is None or not live.is_open(request):
            return []
        self._answer(request, Answer(code=CANCELLED, message="Request cancelled"))
        key = key_of(request)
        self._work.pop(key, None)
        if key in self._outside:
            self._outside.discard(key)
            self._context.outside.settle(key, "withdrawn")
            return [AskWithdrawn(key=_OUTSIDE + key)]
        return [AskWithdrawn(key=key)] if self._open.pop(key, None) else []

    def outside(self, key: str, at: Stamp) -> None:
        """The timer that stands for what the disk said: this file request is outside of the session's folders."""
        work = self._work.get(key)
        if work is None:
            return
        params = work.call.params
        assert isinstance(params, ReadParams | WriteParams)
        verb = "read" if isinstance(params, ReadParams) else "write"
        title = f"{verb} outside the session's folders: {params.path}"
        options = (
            PermissionOption(option_id="allow_once", name="Allow this file", kind="allow_once"),
            PermissionOption(option_id="allow_always", name="Allow this folder in this session", kind="allow_always"),
            PermissionOption(option_id="reject_once", name="No", kind="reject_once"),
        )
        ask = OpenAsk(body=Permission(tool=title, options=options))
        of_turn = self._context.state.belongs_to_turn("")
        self._context.state.asked("")
        self._outside.add(key)
        self._context.report(at, AskOpened(key=_OUTSIDE + key, ask=ask, of_turn=of_turn))

    def complete(self, elicitation: str) -> list[Report]:
        """`elicitation/complete`: what it waited for is done."""
        if elicitation not in self._waiting_for:
            return []
        self._waiting_for.discard(elicitation)
        return [fact(Activity())]

    # ---- what a person answers

    def answer(self, key: str, value: AnswerValue | None) -> None:
        if key.startswith(_OUTSIDE):
            allowed = _ALLOWED.get(value.option, "no") if isinstance(value, Pick) else "cancelled"
            self._outside.discard(key.removeprefix(_OUTSIDE))
            self._context.outside.settle(key.removeprefix(_OUTSIDE), allowed)
            return
        open_ = self._open.pop(key, None)
        if open_ is None:
            return
        self._allowed |= allows_change(open_, value)
        result = answer_of(open_, value)
        live = self._context.live
        sent = live.answer(open_.id, Answer(result)) if live else None
        if sent and open_.elicitation and result.get("action") == "accept":
            self._waiting_for.add(open_.elicitation)
            self._context.report(sent.at, fact(Activity(text="waiting for what was opened in the browser")))

    def open_ask(self, key: str) -> Open | None:
        """What an open request needs to be answered; for the replayer."""
        return self._open.get(key)

    # ---- permissions and forms

    def _permission(self, request: bytes, raw: Raw) -> list[Report]:
        params, bad, _ = read(PermissionParams, raw)
        if params is None:
            return self._unreadable(request, bad)
        return self._take(request, permission(request, params, self._context.state), bad)

    def _elicitation(self, request: bytes, raw: Raw) -> list[Report]:
        params, bad, _ = read(ElicitationParams, raw)
        if params is None:
            return self._unreadable(request, bad)
        context = self._context
        taken = elicitation(
            request,
            params,
            context.state,
            url=context.declaration.screen,
            form=context.start.answers_questions,
        )
        return self._take(request, taken, bad)

    def _take(self, request: bytes, taken: Taken, bad: tuple[str, ...]) -> list[Report]:
        notes = [note for path in bad for note in self._context.note("bad-field", path)]
        if taken.refused:
            self._answer(request, Answer(code=INVALID_PARAMS, message=taken.refused))
        elif taken.open is None:
            self._answer(request, Answer(taken.result))
        else:
            self._open[key_of(request)] = taken.open
        return [*notes, *taken.reports]

    # ---- files and terminals

    def _served(self, request: bytes, method: str, raw: Raw) -> list[Report]:
        context = self._context
        group = method.partition("/")[0]
        offered = context.declaration.fs if group == "fs" else context.declaration.terminal
        notes = context.lints.once("gated-call", method) if offered is not True else []
        if offered == "refuse" or (group == "terminal" and not offered):
            self._answer(request, Answer(code=METHOD_NOT_FOUND, message="Method not found", data={"method": method}))
            return notes
        params, bad, _ = read(_SERVED[method], raw)
        if params is None:
            return [*notes, *self._unreadable(request, bad)]
        if refused := self._not_asked(params):
            self._answer(request, refused)
            return notes
        if isinstance(params, ReadParams | WriteParams) and not params.path.startswith("/"):
            notes += context.note("relative-path", params.path)
        self._begin(request, Call(key_of(request), method, params))
        return notes

    def _begin(self, request: bytes, call: Call) -> None:
        connection = self._context.live
        if connection is None:
            return
        self._work[call.key] = work = _Work(request, call, connection)
        self._context.outside.serve(call, lambda answer: self._done(work, answer))

    def _not_asked(self, params: Struct) -> Answer | None:
        """A run that allows nothing: an agent that does not ask gets nothing written and nothing run."""
        declaration = self._context.declaration
        if declaration.writes == "always" or self._allowed or not isinstance(params, WriteParams | CreateParams):
            return None
        code = INVALID_PARAMS if isinstance(params, WriteParams) else INTERNAL_ERROR
        preset = f" (permission preset {declaration.preset})" if declaration.preset else ""
        return Answer(code=code, message=f"not allowed: nothing was asked for and allowed in this turn{preset}")

    def _done(self, work: _Work, answer: Answer) -> None:
        """The answer goes out; what it says of a terminal is news for the calls that show it."""
        self._work.pop(work.call.key, None)
        sent = work.connection.answer(work.request, answer)
        result = answer.result or {}
        if sent is None or answer.code:
            return
        tools, params = self._context.state.tools, work.call.params
        if isinstance(params, CreateParams):
            tools.ours(str(result.get("terminalId", "")), live=True)
        elif isinstance(params, TerminalParams):
            output = _output(work.call.method, result)
            if output is None or output.exit_code is not None or "signal" in result:
                tools.ours(params.terminal_id, live=False)
            reports = tools.answered(params.terminal_id, output) if output else []
            if reports:
                self._context.report(sent.at, *reports)

    def _unreadable(self, request: bytes, bad: tuple[str, ...]) -> list[Report]:
        field = bad[-1].removeprefix("$").removeprefix(".") if bad else ""
        field = field or "params"
        self._answer(request, Answer(code=INVALID_PARAMS, message=f"Invalid params: {field}"))
        return self._context.note("bad-field", field)

    def _answer(self, request: bytes, answer: Answer) -> None:
        if live := self._context.live:
            live.answer(request, answer)


def _output(method: str, result: dict[str, object]) -> ToolOutput | None:
    """What an answer of ours says that a terminal printed and ended with."""
    status: object = result if method == "terminal/wait_for_exit" else result.get("exitStatus")
    code: object = status.get("exitCode") if isinstance(status, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if method not in ("terminal/output", "terminal/wait_for_exit"):
        return None
    return ToolOutput(
        exit_code=code if isinstance(code, int) else None,
        stdout=str(result.get("output", "")),
        truncated=result.get("truncated") is True,
    )
