"""JSON-RPC with one agent process: our requests and what their answers are for, its requests answered once each.

Every inbound line is one report, in wire order; nobody waits for an answer: the handler registered with a request is
called in the lane. What methods mean is `connect`'s.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Protocol, TypeAlias

from msgspec import Raw, Struct

from craze.codec import Event, Failure, Stamp
from craze.engine.ports import Clock, Report
from craze.providers.acp.failures import failure_of
from craze.providers.acp.link import Answer
from craze.providers.lints import Lints
from craze.transport import (
    Calls,
    Exit,
    Invalid,
    Line,
    Link,
    Message,
    Notification,
    Request,
    Response,
    Ring,
    RpcError,
    Sent,
    is_noise,
    jsonrpc,
    message_of,
    parse,
)

_log = logging.getLogger(__name__)
_STALL = 30.0
_LONG = 1 << 20
_TOLD = frozenset(
    {"session/update", "$/cancel_request", "elicitation/complete", "_auth/status_update", "_session/retrying"}
)


class Reply(Struct, frozen=True):
    """How a request of ours came back: with a result, with an error, or not at all (`failure`)."""

    result: Raw | None = None
    error: RpcError | None = None
    failure: Failure | None = None

    @property
    def code(self) -> int:
        return self.error.code if self.error else 0

    @property
    def failed(self) -> Failure | None:
        """The failure, whichever it is; None after a result."""
        return failure_of(self.error) if self.error else self.failure


Handler: TypeAlias = Callable[[Reply, Stamp], list[Report]]


class Ours(Struct, frozen=True):
    """An open request of ours."""

    method: str
    then: Handler


class Peer(Protocol):
    """What the messages of an agent mean. Each gives the reports of its message, in order."""

    def asked(self, request: bytes, method: str, params: Raw, at: Stamp) -> list[Report]: ...
    def told(self, method: str, params: Raw, at: Stamp) -> list[Report]: ...
    def said(self, at: Stamp) -> list[Report]: ...
    def undelivered(self, number: int, at: Stamp) -> list[Report]: ...
    def gone(self, end: Exit, failure: Failure | None, at: Stamp) -> list[Report]:
        """The connection is over. `failure`: it failed before the process ended."""
        ...

    def late(self, method: str, result: Raw | None) -> None:
        """An answer that nobody waited for any more."""
        ...


class Connection:
    """One process of the agent; it is the `Hearer` of its link.

    `last`: the last request number of the process before, so that no timer of that one is taken for one of this.
    """

    def __init__(
        self, peer: Peer, clock: Clock, lints: Lints, report: Callable[..., None], limit: int, last: int = 0
    ) -> None:
        self.link: Link | None = None
        self.over = False
        self.stderr = Ring()
        self.noise = Ring(lines=50, size=200 << 10, each=4 << 10)
        self._peer, self._clock, self._lints, self._report = peer, clock, lints, report
        self._limit = limit
        self._calls: Calls[Ours] = Calls(last)
        self._timed_out: dict[int, str] = {}
        self._stalling: set[int] = set()
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

    @property
    def last(self) -> int:
        """The last request number."""
        return self._calls.last

    # ---- to the agent

    def request(self, method: str, params: dict[str, object], timeout: float, then: Handler) -> Sent | None:
        """Write a request; `then` is called once, in the lane. Seconds, 0 = none."""
        number = self._calls.open(Ours(method, then))
        sent = self.send(jsonrpc.request(number, method, params))
        if timeout:
            self._clock.later(timeout, f"provider:request:{number}")
        return sent

    def notify(self, method: str, params: dict[str, object]) -> Sent | None:
        return self.send(jsonrpc.notification(method, params))

    def answer(self, request: bytes, answer: Answer) -> Sent | None:
        """Answer a request of the agent; a second answer is none."""
        if request not in self._asked:
            return None
        self._asked.discard(request)
        if answer.code:
            return self.send(jsonrpc.error(request, answer.code, answer.message, answer.data))
        return self.send(jsonrpc.result(request, answer.result))

    def is_open(self, request: bytes) -> bool:
        """Whether a request of the agent still waits for its answer."""
        return request in self._asked

    def send(self, line: bytes) -> Sent | None:
        if self.link is None or self.over:
            return None
        sent = self.link.send(line)
        if self.link.waiting(sent.number):
            self._stalling.add(sent.number)
            self._clock.later(_STALL, f"provider:write:{sent.number}")
        return sent

    def fired(self, what: str, number: int, at: Stamp) -> None:
        """A wait of ours is over: an answer that did not come, or a line that is not taken."""
        if what == "request" and (ours := self._calls.give_up(number)):
            self._timed_out[number] = ours.method
            self.notify("$/cancel_request", {"requestId": number})
            failure = Failure(message=f"no answer to {ours.method} in time", error_class="deadline_exceeded", code=0)
            self._report(at, *ours.then(Reply(failure=failure), at))
        elif what == "write" and number in self._stalling and self._waits(number):
            stalled = Failure(message="the agent does not read what is written to it", error_class="other", code=0)
            self._report(at, *self.fail(stalled, at))

    def _waits(self, number: int) -> bool:
        self._stalling.discard(number)
        return self.link is not None and not self.over and self.link.waiting(number)

    def fail(self, failure: Failure, at: Stamp) -> list[Report]:
        """The connection cannot go on, though the process still runs."""
        reports = self._end(Exit(), failure, at)
        if self.link is not None:
            self.link.kill()
        return reports

    # ---- from the agent

    def line(self, line: Line, at: Stamp) -> None:
        if self.link is None:
            self._early.append((line, at))
        elif not self.over:
            self._report(at, *self._total(line, at))

    def said(self, line: Line, at: Stamp) -> None:
        self.stderr.add(line.data)
        self._report(at, *self._peer.said(at))

    def undelivered(self, number: int, line: bytes, at: Stamp) -> None:
        if not self.over and (reports := self._peer.undelivered(number, at)):
            self._report(at, *reports)

    def ended(self, end: Exit, at: Stamp) -> None:
        if not self.over and (reports := self._end(end, None, at)):
            self._report(at, *reports)

    def _end(self, end: Exit, failure: Failure | None, at: Stamp) -> list[Report]:
        self.over = True
        self._asked.clear()
        self._calls.drain()
        return self._peer.gone(end, failure, at)

    def _total(self, line: Line, at: Stamp) -> list[Report]:
        try:
            return self._read(line, at)
        except Exception as bug:  # noqa: BLE001 - the lines behind this one are read
            return [_stumbled(bug, at)]

    def _read(self, line: Line, at: Stamp) -> list[Report]:
        self._lints.line += 1
        if line.mark == "long":
            return self._too_long(line, at)
        parsed = parse(line.data)
        messages = parsed.messages
        if len(messages) == 1 and not parsed.lints and len(line.data) <= _LONG:
            return self._message(messages[0], at)
        reports: list[Report] = self._note("line-over-1mib") if len(line.data) > _LONG else []
        if parsed.noise:
            self.noise.add(line.data)
        for lint in parsed.lints:
            reports += self._note(lint, line.data[:80].decode("utf-8", "replace"))
        for message in messages:
            reports += self._message(message, at)
        return reports

    def _message(self, message: Message, at: Stamp) -> list[Report]:
        """One that craze stumbles over costs itself alone: the lane goes on, the agent and the person are told."""
        try:
            match message:
                case Notification():
                    return self._peer.told(message.method, message.params, at)
                case Response():
                    return self._answered(message, at)
                case Request():
                    return self._asking(message, at)
                case Invalid():
                    if message.id:
                        self.send(jsonrpc.error(message.id, jsonrpc.INVALID_REQUEST, "Invalid Request"))
                    return []
        except Exception as bug:  # noqa: BLE001 - the top of the lane
            if isinstance(message, Request):
                self.answer(message.id, Answer(code=jsonrpc.INTERNAL_ERROR, message="Internal error"))
            told = _stumbled(bug, at)
            lost = isinstance(message, Response) and told.err  # what waited for this answer would wait for ever
            return [told, *(self.fail(lost, at) if lost else [])]

    def _asking(self, message: Request, at: Stamp) -> list[Report]:
        if message.method in _TOLD:
            return self._told_with_id(message, at)
        if message.id in self._asked:
            return self._note("duplicate-request-id", message.id.decode("utf-8", "replace"))
        self._asked.add(message.id)
        return self._peer.asked(message.id, message.method, message.params, at)

    def _told_with_id(self, message: Request, at: Stamp) -> list[Report]:
        """A notification that has an id counts, and is answered; an id of null is only a field that was not left out."""
        if message.id != b"null":
            self.send(jsonrpc.result(message.id, None))
        return [*self._note("envelope", message.method), *self._peer.told(message.method, message.params, at)]

    def _answered(self, message: Response, at: Stamp) -> list[Report]:
        ours, lint, number = self._calls.take(message.id)
        notes = self._note(lint, message.id.decode("utf-8", "replace")) if lint else []
        if ours is None:
            if lint == "late-response":
                self._peer.late(self._timed_out.get(number, ""), message.result)
            return notes
        if message.error is not None:
            return [*notes, *ours.then(Reply(error=jsonrpc.read_error(message.error)), at)]
        return [*notes, *ours.then(Reply(result=message.result), at)]

    def _too_long(self, line: Line, at: Stamp) -> list[Report]:
        """From the kept head: whose line it was decides what is lost."""
        failure = Failure(
            message=f"a line of {line.size} bytes is over the limit of {self._limit} bytes",
            error_class="provider",
            code=0,
        )
        if is_noise(line.data):
            self.noise.add(line.data)
            return [*self._note("noise"), Event("error", err=failure, at=at)]
        message = message_of(line.data)
        if isinstance(message, Response):
            ours, _, _ = self._calls.take(message.id)
            return ours.then(Reply(failure=failure), at) if ours else []
        if message is None:
            return self.fail(failure, at)
        if not isinstance(message, Notification):
            self.send(jsonrpc.error(message.id, jsonrpc.INVALID_REQUEST, failure.message))
        return [Event("error", err=failure, at=at)]

    def _note(self, name: str, example: str = "") -> list[Report]:
        return self._lints.once(name) if name == "noise" else self._lints.note(name, example)


def _stumbled(bug: Exception, at: Stamp) -> Event:
    """A fault of craze's own, as a person sees it; called while it is handled."""
    _log.exception("a message of the agent could not be handled")
    return Event("error", err=Failure(message=f"craze failed inside: {bug!r}", error_class="other", code=0), at=at)
