"""The rows of a capture while it is derived again: read ahead as far as a written line must be found, no further.

A line that our provider writes is looked for among the recorded `out` rows to come; the row that it is lends it its
time and is not played again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain

import msgspec

from craze.codec import Stamp
from craze.store.capture import BadRow, Row

AHEAD = 4096
"""Rows that are looked at for the recorded form of a written line."""


class Difference(msgspec.Struct, frozen=True):
    """What came out otherwise than recorded. `row`: the number of the capture's line; `rule`: whose promise it was."""

    row: int
    rule: str
    recorded: bytes
    derived: bytes


class Script:
    """The rows to come. `now` is the time of the row being played."""

    def __init__(self, rows: Iterator[Row | BadRow]) -> None:
        self._rows = rows
        self._ahead: deque[Row] = deque()
        self._taken: set[int] = set()
        self._owed: list[Row] = []
        self.bad: list[BadRow] = []
        self.row: Row | None = None
        self.now = Stamp("")
        self.over = False

    def __iter__(self) -> Iterator[Row]:
        """Each row that is still to be played; what a written line was found to be is not."""
        while (row := self._next()) is not None:
            self.row = row
            if row.at:
                self.now = Stamp(row.at)
            if row.number in self._taken:
                self._taken.discard(row.number)
                continue
            yield row
        self.over = True

    def ahead(self, limit: int = AHEAD) -> Iterator[Row]:
        """The rows behind the one being played that nothing took yet."""
        at = 0
        while at < limit and (at < len(self._ahead) or self._fill()):
            row = self._ahead[at]
            at += 1
            if row.number not in self._taken:
                yield row

    def find(self, wanted: Callable[[Row], bool], until: Callable[[Row], bool]) -> Row | None:
        """The row being played, if it is an `out` row nothing took, an owed one, or the first one ahead that is wanted.

        Args:
            until: Tells a row that belongs to what comes afterwards, as whatever stands behind it does.
        """
        played = () if self.row is None else (self.row,)
        for row in chain(played, self._owed, self.ahead()):
            if row.dir != "out" or row.number in self._taken:
                continue
            if wanted(row):
                return row
            if until(row):
                break
        return None

    def owe(self, row: Row) -> None:
        """This row was played, and what it stands for is written later."""
        self._owed.append(row)

    def settle(self, row: Row) -> None:
        """Nothing of this row comes any more."""
        if row in self._owed:
            self._owed.remove(row)

    def take(self, row: Row) -> None:
        """This row has come out: it is not played again."""
        self._taken.add(row.number)
        self.settle(row)

    def is_taken(self, row: Row) -> bool:
        return row.number in self._taken

    def _next(self) -> Row | None:
        return self._ahead.popleft() if self._ahead or self._fill() else None

    def _fill(self) -> bool:
        for row in self._rows:
            if isinstance(row, BadRow):
                self.bad.append(row)
                continue
            self._ahead.append(row)
            return True
        return False
