"""Finds a text in the blocks, newest first, in slices. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from craze.tui.transcript.blocks import Block
from craze.tui.transcript.paint.parts import parts


class Hit(NamedTuple):
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
    """One query; `hits` grow while `scan` runs, in the order of the transcript."""

    def __init__(self, query: str, regex: bool, blocks: Sequence[Block]) -> None:
        self.query, self.regex = query, regex
        self.error = ""
        self.hits: list[Hit] = []
        self.at = -1
        """The hit that is shown; -1 before the first."""
        self.wrapped = False
        self._rest: Iterator[Block] | None = None
        try:
            self._pattern = pattern_of(query, regex) if query else None
        except re.error as error:
            self.error, self._pattern = f"not a regular expression: {error}", None
        if self._pattern is not None:
            self._rest = iter([*reversed(blocks)])

    @property
    def done(self) -> bool:
        return self._rest is None

    def scan(self, enough: Callable[[], bool]) -> bool:
        """Look on until `enough`; whether there was a first hit in this slice."""
        had = bool(self.hits)
        while self._rest is not None and self._pattern is not None:
            block = next(self._rest, None)
            if block is None:
                self._rest = None
                break
            self._look(block, self._pattern)
            if enough():
                break
        if self.hits and self.at < 0:
            self.at = len(self.hits) - 1
        return bool(self.hits) and not had

    def move(self, step: int) -> Hit | None:
        """The hit so many further on; past an end it goes on at the other."""
        if not self.hits:
            return None
        to = self.at + step
        self.wrapped = not 0 <= to < len(self.hits)
        self.at = to % len(self.hits)
        return self.hits[self.at]

    @property
    def current(self) -> Hit | None:
        return self.hits[self.at] if 0 <= self.at < len(self.hits) else None

    def hits_in(self, block: float) -> list[Hit]:
        """The hits of one block."""
        start = bisect_left(self.hits, Hit(block, 0, 0))
        return list(takewhile(lambda hit: hit.block == block, self.hits[start:]))

    def _look(self, block: Block, pattern: re.Pattern[str]) -> None:
        shown = self.current
        for base, text in parts(block):
            for match in pattern.finditer(text):
                if match.end() > match.start():
                    insort(self.hits, Hit(block.id, base + match.start(), match.end() - match.start()))
        if shown is not None:
            self.at = self.hits.index(shown)
