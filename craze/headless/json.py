"""Events as JSON Lines: the codec's own bytes, bare or inside the envelope."""

from __future__ import annotations

import msgspec

from craze.codec import Record
from craze.engine.facts import Fact
from craze.headless.printer import Result


class Bare:
    """Each event's codec bytes and nothing else; an event whose body was not kept prints nothing."""

    def record(self, record: Record) -> bytes:
        return record.body + b"\n" if record.body else b""

    def fact(self, fact: Fact) -> bytes:
        return b""

    def aside(self) -> bytes:
        return b""

    def result(self, result: Result) -> bytes:
        return b""


class Envelope:
    """Events with their numbers, facts with the number they follow, and the result."""

    def __init__(self, seq: int = 0) -> None:
        self._seq = seq

    def record(self, record: Record) -> bytes:
        self._seq = record.seq
        return record.envelope() + b"\n"

    def fact(self, fact: Fact) -> bytes:
        inner = {"kind": fact.kind} | ({"key": fact.key} if fact.key else {}) | {"data": fact.data}
        return _encode({"after": self._seq, "fact": inner}) + b"\n"

    def aside(self) -> bytes:
        return b""

    def result(self, result: Result) -> bytes:
        found = msgspec.structs.asdict(result)
        inner = {_CAMEL.get(name, name): value for name, value in found.items() if value is not None}
        return _encode({"result": inner}) + b"\n"


_CAMEL = {"stop_reason": "stopReason"}
_encode = msgspec.json.Encoder().encode
