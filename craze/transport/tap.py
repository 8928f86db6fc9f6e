"""The wire tap: every line in both directions is stamped and captured before anybody acts on it.

Where the rows go is the caller's; a line has one stamp, which its row and all that follows from it share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, Protocol

import msgspec

from craze.codec.times import Stamp
from craze.transport.lines import Line, Mark

Row = Literal["in", "out", "err", "exit", "do", "timer"]


class Capture(Protocol):
    """Takes one row; never blocks, never raises.

    `mark` is `eof` (no newline ended the line), `undelivered` (a further `out` row of a line that did not reach the
    agent) or `long` (over the cap: `payload` is the first 64 KiB and `size` the whole length); else `""`.
    """

    def __call__(self, row: Row, payload: bytes, at: Stamp, mark: Mark = "", size: int = 0, /) -> None: ...


class Now(Protocol):
    """The session's clock."""

    def __call__(self) -> Stamp: ...


class Exit(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a process ended: a code, or the name of the signal that killed it, or why it never was one.

    Attributes:
        closed: The pipe that it closed and lived on; the group was killed for that.
    """

    code: int | None = None
    signal: str = ""
    error: str = ""
    closed: Literal["", "input", "output"] = ""


class Tap:
    """Stamps lines and writes their rows: `in`, `out`, `err` and `exit`."""

    def __init__(self, capture: Capture, now: Now) -> None:
        self._capture, self._now = capture, now

    def received(self, lines: Iterable[Line]) -> Iterator[tuple[Line, Stamp]]:
        """The lines of one read, which came at one time; the row of each is written when it is taken."""
        at = self._now()
        for line in lines:
            self._capture("in", line.data, at, line.mark, line.size)
            yield line, at

    def said(self, line: Line) -> Stamp:
        """A line of stderr."""
        return self._row("err", line)

    def sent(self, line: bytes) -> Stamp:
        return self._row("out", Line(line))

    def undelivered(self, line: bytes) -> Stamp:
        return self._row("out", Line(line, "undelivered"))

    def ended(self, end: Exit) -> Stamp:
        return self._row("exit", Line(msgspec.json.encode(end)))

    def mute(self) -> None:
        """From now on no rows: another process has come in the place of this one."""
        self._capture = _no_row

    def _row(self, row: Row, line: Line) -> Stamp:
        at = self._now()
        self._capture(row, line.data, at, line.mark, line.size)
        return at


def _no_row(row: Row, payload: bytes, at: Stamp, mark: Mark = "", size: int = 0) -> None:
    pass
