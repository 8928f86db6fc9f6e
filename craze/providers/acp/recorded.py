"""An ACP agent that is a recording: the provider's whole world, read from the rows of a capture.

The provider is the real one. What it writes is looked for among the recorded lines and takes their time; files,
terminals and attachments are answered with what was answered then, and nothing touches this computer. For recordings
of other clients it also says what their lines mean.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import msgspec
from msgspec import Struct

from craze.codec import Stamp
from craze.engine.answers import AnswerValue
from craze.engine.ports import Clock
from craze.providers.acp import spoken
from craze.providers.acp.connect import AcpProvider
from craze.providers.acp.declaration import Declaration
from craze.providers.acp.link import Allowed, Answer, Attached, Call, Folders, Wanted
from craze.providers.acp.prompts import needs_disk, text_block
from craze.providers.acp.spoken import SETTERS, STEPS, answers, message_of, method_of, same, stands_for, starts
from craze.providers.playback import Differs, Playback, Rows
from craze.store.capture import Row
from craze.transport import (
    MAX_LINE,
    Command,
    Hearer,
    Line,
    Link,
    Notification,
    Request,
    Response,
    Tap,
    jsonrpc,
)


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
        self._unasked: list[bytes] = []
        self._ready: Callable[[Link], None] | None = None
        self._link = Playback(rows, self._taken)
        self.provider = AcpProvider(declaration, clock, lambda: self)

    # ---- fed by the replayer

    def hear(self, row: Row) -> None:
        hearer, at = self._hearer, Stamp(row.at)
        if hearer is None:
            return
        match row.dir:
            case "in":
                hearer.line(Line(self._renumbered(row.payload), row.mark, row.size), at)
                while self._unasked:
                    hearer.line(Line(self._unasked.pop(0)), at)
            case "err":
                hearer.said(Line(row.payload, row.mark, row.size), at)
            case "out":
                hearer.undelivered(self._link.number(row.payload), row.payload, at)
            case _:
                hearer.ended(self._link.ended(row), at)

    def due(self, row: Row) -> None:
        """The process had started by then; what the disk or a terminal said is in the line that went out."""
        message = message_of(row.payload)
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

    def means(self, row: Row) -> spoken.Meaning:
        return spoken.means(row)

    def answered(self, row: Row) -> str:
        return spoken.answered(row)

    def value(self, key: str, row: Row) -> AnswerValue | None:
        return spoken.value(self.provider.serving.open_ask(key), row)

    def let_go(self) -> None:
        self._link.let_go()

    # ---- the link

    def _taken(self, line: bytes) -> Row | None:
        row = self._recorded(line)
        if row is None:
            self._differs(None, line)
            self._leave_unset(line)
            return None
        self._rows.take(row)
        ours, theirs = message_of(line), message_of(row.payload)
        if isinstance(ours, Request) and isinstance(theirs, Request):
            self._ids[theirs.id.decode("utf-8", "replace")] = ours.id
        if self._own and not same(line, row.payload):
            self._differs(row, line)
        return row

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
            self._link.start()
            ready(self._link)

    def program(self, name: str) -> str:
        return name

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        """Until the event, or until the recording went on without it."""
        if event.is_set():
            return
        waiting = asyncio.ensure_future(event.wait())
        going_on = asyncio.ensure_future(self._link.wait())
        try:
            await asyncio.wait((waiting, going_on), return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            going_on.cancel()

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
        message = message_of(line)
        if isinstance(message, Response):
            return self._rows.find(lambda row: answers(row, message.id), starts)
        method = message.method if isinstance(message, Request | Notification) else ""
        if self._own:
            return self._rows.find(lambda row: method_of(row) == method, starts)
        played = self._rows.row.number if self._rows.row else 0
        ahead = method in STEPS
        return self._rows.find(lambda row: (ahead or row.number <= played) and stands_for(row, method), starts)

    def _leave_unset(self, line: bytes) -> None:
        """Another client did not set again what was chosen before: the session opens without it."""
        message = message_of(line) if not self._own else None
        if isinstance(message, Request) and message.method in SETTERS:
            self._unasked.append(b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (message.id, _NOT_SET))

    def _differs(self, row: Row | None, line: bytes) -> None:
        if self._tell is not None and not self._rows.over:  # what a killed process had not written is no difference
            self._tell(row, row.payload if row else b"", line)

    def _renumbered(self, line: bytes) -> bytes:
        """An answer to a recorded request of another number, as one to ours."""
        message = message_of(line) if self._ids else None
        if not isinstance(message, Response):
            return line
        ours = self._ids.get(message.id.decode("utf-8", "replace"))
        if ours is None or ours == message.id:
            return line
        if message.error is not None:
            return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (ours, bytes(message.error))
        return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (ours, bytes(message.result or b"null"))


class _Blocks(Struct):
    prompt: list[dict[str, object]] = []


_NOT_SET: Final = b'{"code":-32603,"message":"the recording does not set it again"}'


def _answer(message: Response) -> Answer:
    if message.error is not None:
        error = jsonrpc.read_error(message.error)
        return Answer(code=error.code, message=error.message, data=error.data)
    return Answer(msgspec.json.decode(message.result or b"{}", type=dict[str, object] | None))
