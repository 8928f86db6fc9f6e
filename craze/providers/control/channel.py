"""The control channel with one agent process: our requests and what their answers are for, its requests answered once.

Every inbound line is one report, in wire order; nobody waits for an answer: the handler registered with a request is
called in the lane. What lines and requests mean is `provider`'s.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from msgspec import Raw, Struct, UnsetType

from craze.codec import Event, Failure, Stamp, ns
from craze.engine.ports import Clock, Report
from craze.providers.control import frames
from craze.providers.control.decode import line as line_of
from craze.providers.control.decode import value_of
from craze.providers.control.lints import NOISE
from craze.providers.control.types import (
    ControlCancel,
    ControlRequest,
    ControlResponse,
    Known,
    Other,
    Profile,
    Replied,
    StreamEvent,
)
from craze.providers.lints import Lints
from craze.transport import Exit, Line, Link, Ring, Sent

_log = logging.getLogger(__name__)
_SECOND = 1_000_000_000
_SURE = 0.9  # a timer is a little early sometimes; one of the process before is much earlier
_NULL = b"null"


class Reply(Struct, frozen=True):
    """How a request of ours came back: with a body (`{}` when it has none), with an error, or not at all."""

    body: Raw = Raw(b"{}")
    failure: Failure | None = None
    pending: tuple[Raw, ...] = ()
    silent: bool = False


Handler: TypeAlias = Callable[[Reply, Stamp], list[Report]]


class Ours(Struct, frozen=True):
    """An open request of ours; `due`: when its limit may be over at the earliest, in nanoseconds, 0 = any time."""

    subtype: str
    then: Handler
    due: int = 0
    withdraws: bool = False


class Peer(Protocol):
    """What lines mean. Each gives the reports of its line, in order."""

    def asked(self, request: bytes, body: Raw, at: Stamp) -> list[Report]: ...
    def withdrawn(self, request: bytes) -> list[Report]: ...
    def piece(self, line: StreamEvent, at: Stamp) -> Event | None: ...
    def streamed(self, line: StreamEvent, at: Stamp) -> list[Report]: ...
    def told(self, line: Known | Other, at: Stamp) -> list[Report]: ...
    def said(self, at: Stamp) -> list[Report]: ...
    def undelivered(self, number: int, at: Stamp) -> list[Report]: ...
    def gone(self, end: Exit, at: Stamp) -> list[Report]: ...


class Channel:
    """One process of the agent; it is the `Hearer` of its link."""

    def __init__(self, peer: Peer, clock: Clock, lints: Lints, report: Callable[..., None], limit: int) -> None:
        self.link: Link | None = None
        self.over = False
        self.profile: Profile = "seed"
        self.stderr = Ring()
        self._peer, self._clock, self._lints, self._limit = peer, clock, lints, limit
        self._report: Callable[..., None] = report
        self._ours: dict[int, Ours] = {}
        self._last = 0
        self._asked: set[bytes] = set()
        self._early: list[tuple[Line, Stamp]] = []

    def attach(self, link: Link) -> None:
        """The process runs; lines that came before this moment are looked at now."""
        self.link = link
        early, self._early = self._early, []
        for line, at in early:
            self.line(line, at)

    def drop(self, link: Link) -> None:
        """A process that is not wanted any more when it has started: it goes unheard."""
        self.over = True
        link.kill()

    # ---- to the agent

    def request(
        self,
        body: Struct | dict[str, Any],
        then: Handler,
        *,
        limit: str = "",
        seconds: float = 0,
        withdraws: bool = False,
        profile: Profile | None = None,
    ) -> Sent | None:
        """Write a request; `then` is called once, in the lane.

        Args:
            limit: The name of its limit; seconds: how long that is, 0 = none.
            withdraws: At the limit the agent is told that nobody waits.
            profile: What may be written, where that is known before the agent has shown it.
        """
        self._last += 1
        number = self._last
        now = self._clock.now()
        due = ns(now) + int(seconds * _SURE * _SECOND) if now else 0
        self._ours[number] = Ours(_subtype(body), then, due, withdraws)
        sent = self.send(frames.request(number, body, profile or self.profile))
        if seconds:
            self._clock.later(seconds, f"provider:{limit}:c-{number}")
        return sent

    def answer(self, request: bytes, body: Struct | Raw) -> Sent | None:
        """Answer a request of the agent; a second answer is none."""
        if not self.close(request):
            return None
        return self.send(frames.success(request, body, self.profile))

    def refuse(self, request: bytes, text: str) -> Sent | None:
        """Answer a request of the agent by an error."""
        return self.send(frames.error(request, text)) if self.close(request) else None

    def close(self, request: bytes) -> bool:
        """Nothing is written for this request any more. Whether it was open."""
        known = request in self._asked
        self._asked.discard(request)
        return known

    def is_open(self, request: bytes) -> bool:
        return request in self._asked

    def send(self, line: bytes) -> Sent | None:
        if self.link is None or self.over:
            return None
        return self.link.send(line)

    def fired(self, name: str, at: Stamp) -> None:
        """The limit of a request of ours is over, unless it is of a process before this one."""
        number = _plain(name)
        ours = self._ours.get(number)
        if ours is None or (at and ns(at) < ours.due):
            return
        del self._ours[number]
        if ours.withdraws:
            self.send(frames.cancel(number))
        failure = Failure(message=f"no answer to {ours.subtype} in time", error_class="deadline_exceeded", code=0)
        self._report(at, *ours.then(Reply(failure=failure, silent=True), at))

    # ---- from the agent

    def line(self, line: Line, at: Stamp) -> None:
        if self.link is None:
            self._early.append((line, at))
        elif not self.over:
            self._lints.line += 1
            # A line that craze stumbles over costs itself alone: the lane goes on, the person is told.
            try:
                message = None if line.mark == "long" else line_of(line.data)
                piece = self._peer.piece(message, at) if type(message) is StreamEvent else None
                reports = self._read(line, message, at) if piece is None else ()
            except Exception as bug:  # noqa: BLE001 - the top of the lane
                _log.exception("a line of the agent could not be handled")
                piece, reports = _error(f"craze failed inside: {bug!r}", "other", at), ()
            if piece is not None:
                self._report(at, piece)  # nearly every line: a call that spreads no list is cheaper by half
            else:
                self._report(at, *reports)

    def said(self, line: Line, at: Stamp) -> None:
        self.stderr.add(line.data)
        self._report(at, *self._peer.said(at))

    def undelivered(self, number: int, line: bytes, at: Stamp) -> None:
        if not self.over and (reports := self._peer.undelivered(number, at)):
            self._report(at, *reports)

    def ended(self, end: Exit, at: Stamp) -> None:
        if self.over:
            return
        self.over = True
        self._asked.clear()
        self._ours.clear()
        if reports := self._peer.gone(end, at):
            self._report(at, *reports)

    def silence(self) -> None:
        """This agent goes for another: its lines are steps still, and say nothing."""
        report = self._report

        def step(at: Stamp, *_: Report) -> None:
            report(at)

        self._report = step

    def _read(self, line: Line, message: Known | Other | None, at: Stamp) -> list[Report]:
        if line.mark == "long":
            text = f"a line of {line.size} bytes is over the limit of {self._limit} bytes"
            return [_error(text, "provider", at)]
        match message:
            case None:
                blank = not line.data.strip()
                return [] if blank else [*self._lints.note(NOISE, line.data[:80].decode("utf-8", "replace"))]
            case StreamEvent():
                return self._peer.streamed(message, at)
            case ControlRequest():
                return self._request(message, at)
            case ControlResponse():
                return self._answered(message.response, at)
            case ControlCancel():
                request = _id(message.request_id)
                return self._peer.withdrawn(request) if request and self.close(request) else []
            case _:
                return self._peer.told(message, at)

    def _request(self, message: ControlRequest, at: Stamp) -> list[Report]:
        request = _id(message.request_id)
        body = Raw(b"{}") if isinstance(message.request, UnsetType) else message.request
        if not request:
            text = f"the agent asked without an id: {_subtype(value_of(body)) or 'a request'}"
            return [*self._lints.note("request-without-id"), _error(text, "provider", at)]
        return self.ask(request, body, at)

    def ask(self, request: bytes, body: Raw, at: Stamp) -> list[Report]:
        """Take a request of the agent. One whose id is open already opens nothing: one answer serves it."""
        if request in self._asked:
            return self._lints.note("duplicate-request-id", request.decode("utf-8", "replace"))
        self._asked.add(request)
        try:
            return self._peer.asked(request, body, at)
        except Exception:
            self.refuse(request, "craze failed inside")
            raise

    def _answered(self, reply: Replied, at: Stamp) -> list[Report]:
        ours = self._ours.pop(_number(reply.request_id), None)
        if ours is None:
            return []  # late, twice, or an echo of what craze answered
        if reply.subtype == "error":
            text = reply.error or f"{ours.subtype} was refused"
            return ours.then(Reply(failure=Failure(message=text, error_class="provider", code=0)), at)
        body = reply.response
        given = Raw(b"{}") if isinstance(body, UnsetType) or bytes(body) == _NULL else body
        pending = (*reply.pending_permission_requests, *reply.pending_user_dialog_requests)
        return ours.then(Reply(body=given, pending=pending), at)


def _error(text: str, error_class: str, at: Stamp) -> Event:
    return Event("error", err=Failure(message=text, error_class=error_class, code=0), at=at)


def _id(raw: Raw | UnsetType) -> bytes:
    """The JSON text of an id; empty for none."""
    return b"" if isinstance(raw, UnsetType) or bytes(raw) == _NULL else bytes(raw)


def _number(raw: Raw | UnsetType) -> int:
    name = value_of(_id(raw))
    return _plain(name) if isinstance(name, str) else 0


def _plain(name: str) -> int:
    """The number in an id of ours, 0 for any other."""
    number = name.removeprefix("c-")
    return int(number) if number != name and number.isascii() and number.isdigit() and len(number) < 12 else 0


def _subtype(body: object) -> str:
    name = body.get("subtype") if isinstance(body, dict) else getattr(body, "subtype", "")  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    return name if isinstance(name, str) else ""
