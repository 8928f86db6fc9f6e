"""`--format wire`: the rows of the wire capture as they are recorded; events print nothing."""

from __future__ import annotations

from craze.codec import Record
from craze.engine.facts import Fact
from craze.headless.printer import Result


class Rows:
    """Rows come from the recorder by `row`, on the event loop, and go out with the next item or at the end."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []

    def row(self, line: bytes) -> None:
        """One row with its newline."""
        self._waiting.append(line)

    def record(self, record: Record) -> bytes:
        return self._take()

    def fact(self, fact: Fact) -> bytes:
        return self._take()

    def aside(self) -> bytes:
        return b""

    def result(self, result: Result) -> bytes:
        return self._take()

    def _take(self) -> bytes:
        rows, self._waiting = self._waiting, []
        return b"".join(rows)
