"""A session's history: its journals in the order they continue one another, read as one.

`History` keeps an index a file and reads any range of numbers; what no file has is said as `Missing`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from craze.codec import Record
from craze.errors import StoreError
from craze.store.lines import FactLine, Header
from craze.store.reader import Index, Item, header, items

_BATCH: Final = 256


class Missing(msgspec.Struct, frozen=True):
    """Events `first` to `last` are in no file."""

    first: int
    last: int


Told: TypeAlias = Record | FactLine | Missing


class Within:
    """Picks the events `first` to `last` and the facts that follow them, and notices what is not there."""

    def __init__(self, first: int, last: int) -> None:
        self.first, self.last = max(1, first), last
        self.next = self.first
        self._from_start = first <= 1

    def pick(self, found: Iterable[Item]) -> Iterator[Told]:
        """The items of `found` that belong to the range; ends behind it."""
        for item in found:
            if isinstance(item, FactLine):
                if self.first <= item.after <= self.last or (item.after == 0 and self._from_start):
                    yield item
            elif isinstance(item, Record) and item.seq >= self.next:
                if item.seq > self.last:
                    return
                if item.seq > self.next:
                    yield Missing(self.next, item.seq - 1)
                self.next = item.seq + 1
                yield item

    def rest(self, newest: int) -> Missing | None:
        """What should still have come, up to event `newest`."""
        last = min(self.last, newest)
        return Missing(self.next, last) if self.next <= last else None


class History:
    """The journals of a session, oldest first, as one sequence of numbered events."""

    def __init__(self, journals: Sequence[Path]) -> None:
        self._indexes = [Index(path) for path in journals]
        self._growing = threading.Lock()

    def batches(self, within: Within, stop: int | None = None) -> Iterator[list[Told]]:
        """The range, some hundred items at a time; of the last file only the first `stop` bytes."""
        for index in self._indexes:
            newest = index is self._indexes[-1]
            end = self._grown(index, stop if newest else None)
            if end == 0 or index.last < within.next:
                continue
            start = 0 if within.next <= index.first else index.offset(within.next)
            told = within.pick(items(index.path, start, end))
            while batch := list(islice(told, _BATCH)):
                yield batch

    def read(self, first: int, last: int) -> Iterator[Told]:
        """Events `first` to `last`, and what is missing of them."""
        within = Within(first, last)
        for batch in self.batches(within):
            yield from batch
        if rest := within.rest(self.last):
            yield rest

    @property
    def last(self) -> int:
        """The number of the newest event on disk."""
        for index in self._indexes:
            self._grown(index, None)
        return max((index.last for index in self._indexes), default=0)

    def _grown(self, index: Index, stop: int | None) -> int:
        with self._growing:
            if index.path.exists():
                index.grow(stop)
            return index.end


def in_order(journals: Iterable[Path]) -> list[Path]:
    """Journals as they continue one another: each behind the one it names, otherwise by file name, which is a time."""
    heads = {path: head_or_none(path) for path in sorted(journals)}
    known = {head.incarnation for head in heads.values() if head}
    followers: dict[str, list[Path]] = {}
    for path, head in heads.items():
        before = head.continues if head and head.continues in known and head.continues != head.incarnation else ""
        followers.setdefault(before, []).append(path)
    ordered: list[Path] = []
    waiting = followers.pop("", [])[::-1]
    while waiting:
        path = waiting.pop()
        ordered.append(path)
        head = heads[path]
        waiting += followers.pop(head.incarnation, [])[::-1] if head else []
    return ordered + sorted(path for paths in followers.values() for path in paths)


def head_or_none(path: Path) -> Header | None:
    """The header of a journal; None when it has none that this version can read."""
    try:
        return header(path)
    except StoreError:
        return None
