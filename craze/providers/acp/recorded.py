"""An ACP agent that is a recording: the provider's whole world, read from the rows of a capture.

The provider is the real one. What it writes is looked for among the recorded lines and takes their time; files,
terminals and attachments are answered with what was answered then, and nothing touches this computer. For recordings
of other clients it also says what their lines mean.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, Protocol, TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from craze.codec import Stamp
from craze.engine import forms
from craze.engine.answers import AnswerValue, Form, Judge, Pick, Reply, Skip
from craze.engine.intents import Authenticate, Cancel, Intent, Set, Submit
from craze.engine.ports import Clock, Start
from craze.providers.acp import asks
from craze.providers.acp.connect import AcpProvider
from craze.providers.acp.declaration import Declaration, McpServer
from craze.providers.acp.link import Allowed, Answer, Attached, Call, Folders, Link, Wanted
from craze.providers.acp.prompts import needs_disk, text_block
from craze.store.capture import Row
from craze.transport import (
    MAX_LINE,
    Command,
    Exit,
    Hearer,
    Line,
    Message,
    Notification,
    Request,
    Response,
    Sent,
    Stopped,
    Tap,
    jsonrpc,
    parse,
)

_T = TypeVar("_T")

OPENING: Final = ("session/new", "session/load", "session/resume")
_SENT: Final = 256


class Rows(Protocol):
    """The recording, as far as it must be looked at (`providers.replay.script.Script`)."""

    row: Row | None
    now: Stamp
    over: bool

    def ahead(self) -> Iterator[Row]: ...
    def find(self, wanted: Callable[[Row], bool], until: Callable[[Row], bool]) -> Row | None: ...
    def take(self, row: Row) -> None: ...


class Meaning(Struct, frozen=True):
    """What a line of another client stands for (`providers.replay.foreign.Meaning`)."""

    kind: str
    request: str = ""
    intent: Intent | None = None
    answers: str = ""


Differs = Callable[[Row | None, bytes, bytes], None]
"""Told of a written line that is recorded otherwise: the row (or None), the recorded bytes, ours."""


class Recorded:
    """The `Outside` of a provider that plays a capture.

    Args:
        own: The capture is one of ours, so that every written line must come out as it is recorded.
    """

    def __init__(
        self, rows: Rows, declaration: Declaration, clock: Clock, *, own: bool, differs: Differs | None = None
    ) -> None:
        self._rows, self._own, self._tell = rows, own, differs
        self._hearer: Hearer | None = None
        self._serving: dict[str, Callable[[Answer], None]] = {}
        self._attaching: Callable[[Attached], None] | None = None
        self._ids: dict[str, bytes] = {}
        self._numbers: OrderedDict[bytes, int] = OrderedDict()
        self._waits: set[asyncio.Future[None]] = set()
        self._sent = 0
        self._unasked: list[bytes] = []
        self._ready: Callable[[Link], None] | None = None
        self.over = True
        self.provider = AcpProvider(declaration, clock, lambda: self)

    # ---- fed by the replayer

    def hear(self, row: Row) -> None:
        hearer, at = self._hearer, Stamp(row.at)
        if hearer is None:
            return
        match row.dir:
            case "in":
                hearer.line(Line(self._renumbered(row.payload), row.mark, row.size), at)  # pyright: ignore[reportArgumentType]
                while self._unasked:
                    hearer.line(Line(self._unasked.pop(0)), at)
            case "err":
                hearer.said(Line(row.payload, row.mark, row.size), at)  # pyright: ignore[reportArgumentType]
            case "out":
                hearer.undelivered(self._numbers.get(row.payload, 0), row.payload, at)
            case _:
                self.over = True
                self.let_go()
                hearer.ended(msgspec.json.decode(row.payload, type=_Ended).exit(), at)

    def due(self, row: Row) -> None:
        """The process had started by then; what the disk or a terminal said is in the line that went out."""
        message = _message(row.payload)
        if starts(row):
            return self._started()
        if isinstance(message, Response) and (done := self._serving.pop(message.id.decode("utf-8", "replace"), None)):
            done(_answer(message))
        elif isinstance(message, Request) and message.method == "session/prompt" and self._attaching:
            done, self._attaching = self._attaching, None
            blocks = tuple(msgspec.json.decode(message.params, type=_Blocks).prompt)
            done(Attached(blocks, images=any(block.get("type") == "image" for block in blocks)))
        return None

    def timer(self, timer: str) -> None:
        """The provider's own timers need nothing from outside."""

    def let_go(self) -> None:
        for wait in self._waits:
            if not wait.done():
                wait.set_result(None)

    # ---- what lines mean

    def means(self, row: Row) -> Meaning:
        message = _message(row.payload)
        match message:
            case Request():
                request = message.id.decode("utf-8", "replace")
                kind = _KINDS.get(message.method, "other")
                intent = _intent(message.method, message.params)
                return Meaning("intent" if intent and kind == "other" else kind, request, intent)
            case Notification(method="session/cancel"):
                return Meaning("intent", intent=Cancel())
            case Response():
                return Meaning("answer", answers=message.id.decode("utf-8", "replace"))
            case _:
                return Meaning("ignored")

    def answered(self, row: Row) -> str:
        message = _message(row.payload)
        return message.id.decode("utf-8", "replace") if isinstance(message, Response) else ""

    def value(self, key: str, row: Row) -> AnswerValue | None:
        message = _message(row.payload)
        open_ = self.provider.serving.open_ask(key)
        if open_ is None or not isinstance(message, Response) or message.error is not None:
            return None
        return _value(open_, msgspec.json.decode(message.result or b"{}", type=_Result))

    # ---- the link

    def send(self, line: bytes) -> Sent:
        self._sent += 1
        row = self._recorded(line)
        if row is None:
            self._differs(None, line)
            self._leave_unset(line)
            return Sent(self._sent, self._rows.now)
        self._rows.take(row)
        ours, theirs = _message(line), _message(row.payload)
        if isinstance(ours, Request) and isinstance(theirs, Request):
            self._ids[theirs.id.decode("utf-8", "replace")] = ours.id
        if self._own and not same(line, row.payload):
            self._differs(row, line)
        self._numbers[row.payload] = self._sent
        while len(self._numbers) > _SENT:
            self._numbers.popitem(last=False)
        played = self._rows.row
        owed = played is not None and row.number < played.number
        return Sent(self._sent, self._rows.now if owed else Stamp(row.at))

    def waiting(self, number: int) -> bool:
        return False

    def hold(self, holding: bool) -> None:
        """A recording does not wait."""

    def kill(self) -> None:
        self.let_go()

    async def stop(self, *, eof: float = 3.0, term: float = 2.0) -> Stopped:
        await self.wait_for_rows()
        self.over = True
        return Stopped("eof", ())

    # ---- the rest of the world

    def start(
        self, command: Command, hearer: Hearer, tap: Tap, ready: Callable[[Link], None], limit: int = MAX_LINE
    ) -> None:
        self._hearer = hearer
        self._ids.clear()
        self._ready = ready
        if not self._own:
            self._started()

    def _started(self) -> None:
        if self._ready is not None:
            ready, self._ready = self._ready, None
            self.over = False
            ready(_Wire(self))

    def program(self, name: str) -> str:
        return name

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        """Until the event, or until the recording went on without it."""
        if event.is_set():
            return
        waiting = asyncio.ensure_future(event.wait())
        going_on = asyncio.ensure_future(self.wait_for_rows())
        try:
            await asyncio.wait((waiting, going_on), return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            going_on.cancel()

    async def wait_for_rows(self) -> None:
        if self.over or self._rows.over:
            return
        wait = asyncio.get_running_loop().create_future()
        self._waits.add(wait)
        try:
            await wait
        finally:
            self._waits.discard(wait)

    def folders(self, folders: Folders, ask: Callable[[str], None], said: Callable[[str, str], None]) -> None:
        """Nothing of this computer is looked at; what was outside has a timer's row."""

    def serve(self, call: Call, done: Callable[[Answer], None]) -> None:
        self._serving[call.key] = done

    def settle(self, key: str, allowed: Allowed) -> None:
        """The answer to the request is a row."""

    def attach(self, wanted: Wanted, done: Callable[[Attached], None]) -> None:
        if self._own and needs_disk(wanted.prompt):
            self._attaching = done
        else:
            done(Attached((text_block(wanted.prompt.text),)))

    async def close(self) -> None:
        self._serving.clear()

    # ---- matching

    def _recorded(self, line: bytes) -> Row | None:
        """The row that this line is: alike, or, of another client, the one that stands for the same."""
        message = _message(line)
        if isinstance(message, Response):
            return self._rows.find(lambda row: _answers(row, message.id), starts)
        method = message.method if isinstance(message, Request | Notification) else ""
        if self._own:
            return self._rows.find(lambda row: _method(row) == method, starts)
        played = self._rows.row.number if self._rows.row else 0
        ahead = method in _STEPS
        return self._rows.find(lambda row: (ahead or row.number <= played) and _stands_for(row, method), starts)

    def _leave_unset(self, line: bytes) -> None:
        """Another client did not set again what was chosen before: the session opens without it."""
        message = _message(line) if not self._own else None
        if isinstance(message, Request) and message.method in _SETTERS:
            self._unasked.append(b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (message.id, _NOT_SET))

    def _differs(self, row: Row | None, line: bytes) -> None:
        if self._tell is not None and not self._rows.over:  # what a killed process had not written is no difference
            self._tell(row, row.payload if row else b"", line)

    def _renumbered(self, line: bytes) -> bytes:
        """An answer to a recorded request of another number, as one to ours."""
        message = _message(line) if self._ids else None
        if not isinstance(message, Response):
            return line
        ours = self._ids.get(message.id.decode("utf-8", "replace"))
        if ours is None or ours == message.id:
            return line
        if message.error is not None:
            return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (ours, bytes(message.error))
        return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (ours, bytes(message.result or b"null"))


class _Wire:
    """The link of one process of a recording."""

    def __init__(self, recorded: Recorded) -> None:
        self._recorded = recorded

    @property
    def over(self) -> bool:
        return self._recorded.over

    def send(self, line: bytes) -> Sent:
        return self._recorded.send(line)

    def waiting(self, number: int) -> bool:
        return self._recorded.waiting(number)

    def hold(self, holding: bool) -> None:
        self._recorded.hold(holding)

    def kill(self) -> None:
        self._recorded.kill()

    async def stop(self, *, eof: float = 3.0, term: float = 2.0) -> Stopped:
        return await self._recorded.stop(eof=eof, term=term)

    async def wait(self) -> None:
        await self._recorded.wait_for_rows()


# ---- what is read ahead of a recording


class Found(NamedTuple):
    """How the recorded client started its agent."""

    start: Start
    declaration: Declaration


def found_in(rows: Iterable[Row]) -> Found:
    """The start and the offers of the first process, from its `initialize` and the request that opens a session."""
    offers, opened, way = _Offers(), _Opened(), ""
    for row in rows:
        message = _message(row.payload) if row.dir == "out" else None
        if not isinstance(message, Request):
            continue
        if message.method == "initialize":
            offers = _tolerant(message.params, _Initialize, _Initialize()).client_capabilities
        elif message.method in OPENING:
            opened, way = _tolerant(message.params, _Opened, opened), message.method
            break
    elicitation = offers.elicitation or {}
    start = Start(
        workspace=opened.cwd,
        dirs=tuple(opened.additional_directories),
        reopen=opened.session_id if way != "session/new" else "",
        answers_questions="form" in elicitation,
    )
    declaration = Declaration(
        argv=(),
        fs=offers.fs.read_text_file or offers.fs.write_text_file,
        terminal=offers.terminal,
        subagents=offers.subagents is not UNSET,
        screen="url" in elicitation,
        mcp_servers=tuple(_server(server) for server in opened.mcp_servers),
    )
    return Found(start, declaration)


def starts(row: Row) -> bool:
    """Whether this `out` row begins a process."""
    return _method(row) == "initialize"


def same(ours: bytes, theirs: bytes) -> bool:
    """Equal as JSON; the version of craze in `initialize` says nothing of the conversation."""
    try:
        left, right = msgspec.json.decode(ours), msgspec.json.decode(theirs)
    except msgspec.DecodeError:
        return ours == theirs
    for value in (left, right):
        if isinstance(value, dict) and value.get("method") == "initialize":  # pyright: ignore[reportUnknownMemberType]
            value.get("params", {}).get("clientInfo", {}).pop("version", None)  # pyright: ignore[reportUnknownMemberType]
    return left == right


# ---- wire shapes


class _Camel(Struct, rename="camel"):
    pass


class _Files(_Camel):
    read_text_file: bool = False
    write_text_file: bool = False


class _Offers(_Camel):
    fs: _Files = msgspec.field(default_factory=_Files)
    terminal: bool = False
    subagents: Raw | UnsetType = UNSET  # msgspec reads `Raw | None` as null alone
    elicitation: dict[str, Raw] | None = None


class _Initialize(_Camel):
    client_capabilities: _Offers = msgspec.field(default_factory=_Offers)


class _Pair(Struct):
    name: str
    value: str = ""


class _Server(Struct):
    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: tuple[_Pair, ...] = ()
    type: str = "stdio"
    url: str = ""
    headers: tuple[_Pair, ...] = ()


class _Opened(_Camel):
    cwd: str = "/"
    session_id: str = ""
    additional_directories: tuple[str, ...] = ()
    mcp_servers: tuple[_Server, ...] = ()


class _Block(Struct):
    type: str = ""
    text: str = ""


class _Prompt(Struct):
    prompt: list[_Block] = []


class _Blocks(Struct):
    prompt: list[dict[str, object]] = []


class _Setting(_Camel):
    mode_id: str = ""
    model_id: str = ""
    config_id: str = ""
    value: str | bool = ""
    method_id: str = ""


class _Outcome(_Camel):
    outcome: str = ""
    option_id: str = ""


class _Result(Struct):
    outcome: _Outcome | None = None
    action: str = ""
    content: dict[str, object] | None = None


class _Ended(Struct):
    code: int | None = None
    signal: str | None = None
    error: str | None = None
    closed: bool = False

    def exit(self) -> Exit:
        return Exit(code=self.code, signal=self.signal or "", error=self.error or "", closed=self.closed)


_KINDS: Final = {"initialize": "start", "session/prompt": "prompt", **dict.fromkeys(OPENING, "opening")}
_NOT_SET: Final = b'{"code":-32603,"message":"the recording does not set it again"}'
_SETTERS: Final = ("session/set_mode", "session/set_model", "session/set_config_option")
_STEPS: Final = ("initialize", *OPENING)
"""What our provider writes by itself, so that the row may still be ahead; wishes are written at theirs or later."""
_ALIKE: Final = (
    ("initialize",),
    OPENING,
    ("session/prompt",),
    ("session/cancel",),
    _SETTERS,
    ("authenticate",),
)
"""Methods that stand for one another; any other request of another client has no line of ours."""


def _intent(method: str, params: Raw) -> Intent | None:
    if method == "session/prompt":
        blocks = _tolerant(params, _Prompt, _Prompt()).prompt
        return Submit(text=next((block.text for block in blocks if block.type == "text"), ""))
    given = _tolerant(params, _Setting, _Setting())
    match method:
        case "session/set_mode":
            return Set(kind="mode", value=given.mode_id)
        case "session/set_model":
            return Set(kind="model", value=given.model_id)
        case "session/set_config_option":
            value = str(given.value).lower() if isinstance(given.value, bool) else given.value
            return Set(kind="config", id=given.config_id, value=value)
        case "authenticate":
            return Authenticate(method=given.method_id)
        case _:
            return None


def _value(open_: asks.Open, result: _Result) -> AnswerValue | None:
    """The inverse of `asks.answer`."""
    if open_.kind in ("permission", "plan"):
        chosen = result.outcome.option_id if result.outcome and result.outcome.outcome == "selected" else ""
        if open_.kind == "permission":
            return Pick(option=chosen) if chosen else None
        return Judge(accepted=chosen == open_.accept) if chosen else None
    if result.action == "accept":
        if open_.kind == "url":
            return Reply(answers={"url": ("open",)})
        return forms.reply(open_.form or Form(), result.content or {})
    return Skip() if result.action == "decline" else None


def _answer(message: Response) -> Answer:
    if message.error is not None:
        error = jsonrpc.read_error(message.error)
        return Answer(code=error.code, message=error.message, data=error.data)
    return Answer(msgspec.json.decode(message.result or b"{}", type=dict[str, object] | None))


def _server(server: _Server) -> McpServer:
    kind = server.type if server.type in ("http", "sse") else "stdio"
    return McpServer(
        name=server.name,
        command=server.command,
        args=server.args,
        env={pair.name: pair.value for pair in server.env},
        type=kind,  # pyright: ignore[reportArgumentType]
        url=server.url,
        headers={pair.name: pair.value for pair in server.headers},
    )


def _message(line: bytes) -> Message | None:
    messages = parse(line).messages
    return messages[0] if messages else None


def _method(row: Row) -> str:
    message = _message(row.payload)
    return message.method if isinstance(message, Request | Notification) else ""


def _answers(row: Row, request: bytes) -> bool:
    message = _message(row.payload)
    return isinstance(message, Response) and message.id == request


def _stands_for(row: Row, method: str) -> bool:
    """Whether a row of another client is the wish that our line of `method` fulfils."""
    alike = next((group for group in _ALIKE if method in group), ())
    return _method(row) in alike


def _tolerant(params: Raw, kind: type[_T], default: _T) -> _T:
    try:
        return msgspec.json.decode(params, type=kind)
    except msgspec.DecodeError:
        return default
