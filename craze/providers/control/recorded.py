"""An agent of the control kind that is a recording: the provider's whole world, read from the rows of a capture.

The provider is the real one. What it writes is looked for among the recorded lines and takes their time; what served
tools and images gave then is in those lines, and nothing touches this computer. For recordings of other clients it
also says what their lines mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec
from msgspec import Raw

from craze.codec import Stamp
from craze.engine.answers import AnswerValue
from craze.engine.ports import Clock, Prompt
from craze.providers.control.answers import Open
from craze.providers.control.declaration import Declaration
from craze.providers.control.decode import value_of
from craze.providers.control.link import Attached, Served
from craze.providers.control.provider import ControlProvider
from craze.providers.control.spoken import (
    Frame,
    Meaning,
    alike,
    content_of,
    frame_of,
    meaning_of,
    quoted,
    read_frame,
    starts,
    value_from,
)
from craze.providers.control.tools import object_of
from craze.providers.playback import Differs, Playback, Rows
from craze.store.capture import Row
from craze.transport import MAX_LINE, Command, Exit, Hearer, Line, Link, Tap

_GREETED: Final = b'{"type":"control_response","response":{"subtype":"success","request_id":"c-1"}}'


class Recorded:
    """The `Outside` of a provider that plays a capture.

    Args:
        own: The capture is one of ours, so that every written line must come out as it is recorded. What another client
            answered must come out with the same meaning.
    """

    def __init__(
        self, rows: Rows, declaration: Declaration, clock: Clock, *, own: bool, differs: Differs | None = None
    ) -> None:
        self._rows, self._own, self._tell = rows, own, differs
        self._hearer: Hearer | None = None
        self._serving: dict[str, Callable[[Raw], None]] = {}
        self._attaching: Callable[[Attached], None] | None = None
        self._meant: dict[str, Open] = {}
        self._ids: dict[str, str] = {}
        self._uuids: dict[bytes, bytes] = {}
        self._link = Playback(rows, self._taken)
        self.provider = ControlProvider(declaration, clock, lambda: self)

    # ---- fed by the replayer

    def hear(self, row: Row) -> None:
        hearer, at = self._hearer, Stamp(row.at)
        if hearer is None:
            return
        match row.dir:
            case "in":
                hearer.line(Line(self._as_ours(row.payload), row.mark, row.size), at)
            case "err":
                hearer.said(Line(row.payload, row.mark, row.size), at)
            case "out":
                hearer.undelivered(self._link.number(row.payload), row.payload, at)
            case _:
                end = self._link.ended(row)
                if self._own or not self._closed_by_client(end):
                    hearer.ended(end, at)

    def due(self, row: Row) -> None:
        """What a served tool or the disk gave then is in the line that went out."""
        frame = frame_of(row)
        if done := self._serving.pop(frame.answers, None):
            done(frame.body)
        elif frame.kind == "user" and self._attaching:
            done_, self._attaching = self._attaching, None
            done_(Attached(content_of(row)))

    def timer(self, timer: str) -> None:
        """The provider's own timers need nothing from outside."""

    # ---- what lines mean

    def means(self, row: Row) -> Meaning:
        return meaning_of(frame_of(row), row, self._link.over, self.provider.state.children.of_task)

    def answered(self, row: Row) -> str:
        frame = frame_of(row)
        if frame.kind == "control_response":
            return frame.answers
        taken = frame.kind == "user" and frame.replayed
        return quoted(frame.uuid if taken else frame.command) if taken or frame.command else ""

    def value(self, key: str, row: Row) -> AnswerValue | None:
        """The inverse of `answers.answer`. A body that the agent cannot read is a refusal to it."""
        open_ = self.provider.serving.open_ask(key)
        if open_ is None:
            return None
        self._meant[key] = open_
        return value_from(open_, object_of(frame_of(row).body))

    def let_go(self) -> None:
        self._link.let_go()

    # ---- the link

    def _taken(self, line: bytes) -> Row | None:
        ours = read_frame(line)
        row = self._recorded(ours)
        if row is None:
            if self._own:
                self._differs(None, line)
            self._greet(ours)
            return None
        self._rows.take(row)
        self._greet(ours, frame_of(row).request)
        self._note(ours, frame_of(row))
        if self._own and value_of(line) != value_of(row.payload):
            self._differs(row, line)
        elif not self._own and (open_ := self._meant.pop(ours.answers, None)):
            self._hold_to_meaning(open_, row, ours, line)
        return row

    # ---- the rest of the world

    def start(
        self, command: Command, hearer: Hearer, tap: Tap, ready: Callable[[Link], None], limit: int = MAX_LINE
    ) -> None:
        self._hearer = hearer
        self._ids.clear()
        first = next((row for row in self._rows.ahead() if row.dir in ("in", "out", "err", "exit")), None)
        if first is not None and first.dir == "exit" and b'"error"' in first.payload:
            return  # its row tells that it could not be started
        self._link.start()
        ready(self._link)

    def private(self, name: str, data: bytes) -> str:
        return name

    def serve(self, served: Served, seconds: float, done: Callable[[Raw], None]) -> None:
        self._serving[served.key] = done

    def withdraw(self, key: str) -> None:
        self._serving.pop(key, None)

    def attach(self, prompt: Prompt, done: Callable[[Attached], None]) -> None:
        if self._own and prompt.attachments:
            self._attaching = done
        else:
            done(Attached(prompt.text))

    async def close(self) -> None:
        self._serving.clear()

    def _closed_by_client(self, end: Exit) -> bool:
        """Whether the agent went because another client closed its input: it says how its last turn went."""
        state = self.provider.state
        return end.code == 0 or (end.code == 1 and state.failed_last and state.own is None)

    # ---- matching

    def _recorded(self, ours: Frame) -> Row | None:
        """The row that a line is: alike, or, of another client, the one that stands for the same."""
        played = self._rows.row.number if self._rows.row else 0

        def wanted(row: Row) -> bool:
            theirs = frame_of(row)
            if ours.kind == "control_response":
                return theirs.answers == ours.answers and theirs.kind == ours.kind
            alike = (theirs.kind, theirs.subtype) == (ours.kind, ours.subtype)
            return alike and (self._own or ours.subtype == "initialize" or row.number <= played)

        return self._rows.find(wanted, starts) if self._own or self._greets(ours) else None

    def _greets(self, ours: Frame) -> bool:
        """Whether the recorded process was greeted, where that is what we look for."""
        if ours.subtype != "initialize":
            return True
        if self._rows.row is not None and starts(self._rows.row):
            return True
        for row in self._rows.ahead():
            if row.dir == "exit" or starts(row):
                return row.dir != "exit"
        return False

    def _greet(self, ours: Frame, request: str = "") -> None:
        """Another client did not greet its agent, or did not keep the reply: one without catalogs stands for it."""
        if self._own or ours.subtype != "initialize" or self._hearer is None:
            return
        for row in self._rows.ahead() if request else ():
            if row.dir == "in" and frame_of(row).answers == request:
                return
            if row.dir == "exit":
                break
        self._hearer.line(Line(_GREETED), self._rows.now)

    def _note(self, ours: Frame, theirs: Frame) -> None:
        """Ids that differ are ours from here on."""
        if ours.request and theirs.request and ours.request != theirs.request:
            self._ids[theirs.request] = ours.request
        if ours.uuid and theirs.uuid and ours.uuid != theirs.uuid:
            self._uuids[theirs.uuid.encode()] = ours.uuid.encode()

    def _hold_to_meaning(self, open_: Open, row: Row, ours: Frame, line: bytes) -> None:
        theirs = value_from(open_, object_of(frame_of(row).body))
        if not alike(value_from(open_, object_of(ours.body)), theirs):
            self._differs(row, line)

    def _differs(self, row: Row | None, line: bytes) -> None:
        if self._tell is not None:
            self._tell(row, row.payload if row else b"", line)

    def _as_ours(self, line: bytes) -> bytes:
        """A line of the agent with the ids that our lines have."""
        for theirs, ours in self._uuids.items():
            line = line.replace(theirs, ours)
        frame = read_frame(line) if self._ids and b'"control_response"' in line else None
        ours = self._ids.get(frame.answers) if frame else None
        if ours is None:
            return line
        whole = msgspec.json.decode(line, type=dict[str, Raw])
        inner = msgspec.json.decode(whole["response"], type=dict[str, Raw])
        inner["request_id"] = Raw(ours.encode())
        return msgspec.json.encode({**whole, "response": inner})
