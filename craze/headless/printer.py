"""What a run prints: a printer turns each item of the stream into the bytes of its format. Pure."""

from __future__ import annotations

from typing import Protocol

import msgspec
from msgspec import Raw

from craze.codec import Record
from craze.engine.facts import Fact


class Result(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How the run ended: the last line of an envelope."""

    exit: int
    session: str
    turns: int
    stop_reason: str
    denied: int
    usage: Raw | None = None


class Printer(Protocol):
    def record(self, record: Record) -> bytes: ...
    def fact(self, fact: Fact) -> bytes: ...
    def aside(self) -> bytes:
        """What comes before a line on stderr, so that the two stand apart on a terminal."""
        ...

    def result(self, result: Result) -> bytes:
        """What comes last, once nothing more can happen."""
        ...
