"""Finds a text in the blocks, newest first, in slices. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import Final

from msgspec import Struct

from craze.tui.transcript.blocks import Block
from craze.tui.transcript.paint.parts import parts

MOST: Final = 10_000
"""So many hits are enough for anybody; the search stops there."""


class Hit(Struct, frozen=True):
    """`size` characters at `offset` of a block."""

    block: float
    offset: int
    size: int


def pattern_of(query: str, regex: bool) -> re.Pattern[str]:
    """Smart case: capitals in the query count.

    Raises:
        re.error: Not a regular expression.
    """
    flags = re.MULTILINE | (0 if any(map(str.isupper, query)) else re.IGNORECASE)
    return re.compile(query if regex else re.escape(query), flags)


class Search:
    """One query. `scan` goes from the newest block to the oldest; `found` holds the hits in that order.

    Attributes:
        error: Why the query cannot be used, or "".
        wrapped: The last move went past an end.
    """

    def __init__(self, query: str, regex: bool, blocks: Sequence[Block]) -> None:
        self.query, self.regex = query, regex
        self.error = ""
        self.found: list[Hit] = []
        self.wrapped = False
        self._shown = 0
        self._rest: Iterator[Block] = iter(())
        self.done = True
        try:
            self._pattern = pattern_of(query, regex)
        except re.error as error:
            self.error = f"not a regular expression: {error}"
        else:
            self._rest, self.done = reversed([*blocks]), not query

    @property
    def total(self) -> int:
        return len(self.found)

    @property
    def position(self) -> int:
        """Which hit is shown, from 1 in the order of the transcript, as far as it was searched; 0 = none."""
        return self.total - self._shown if self.found else 0

    @property
    def current(self) -> Hit | None:
        return self.found[self._shown] if self.found else None

    def scan(self, enough: Callable[[], bool]) -> bool:
        """Look on until `enough`; whether the first hit was found in this slice."""
        had = bool(self.found)
        while not self.done:
            block = next(self._rest, None)
            if block is None or self.total >= MOST:
                self.done = True
                break
            self._look(block)
            if enough():
                break
        return bool(self.found) and not had

    def move(self, step: int) -> Hit | None:
        """The hit so many further towards the end; past an end it goes on at the other."""
        if not self.found:
            return None
        to = self._shown - step
        self.wrapped = not 0 <= to < self.total
        self._shown = to % self.total
        return self.current

    def hits_in(self, block: float) -> list[Hit]:
        """The hits of one block."""
        start = bisect_left(self.found, -block, key=lambda hit: -hit.block)
        return list(takewhile(lambda hit: hit.block == block, self.found[start : start + MOST]))

    def _look(self, block: Block) -> None:
        for base, text in reversed(parts(block)):
            spans = [match.span() for match in self._pattern.finditer(text)]
            self.found += [Hit(block.id, base + start, end - start) for start, end in reversed(spans) if end > start]
