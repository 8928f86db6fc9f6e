"""A stored source as the items a live session would give: records and facts, in order. What is damaged is said."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from craze.cli import stdio
from craze.codec import Record
from craze.engine.facts import Fact
from craze.store.chunks import Tail
from craze.store.lines import Closing, FactLine, Gap
from craze.store.reader import Damage, Item, items, parsed
from craze.store.recording import recording
from craze.store.source import Source

Told: TypeAlias = Record | Fact
POLL = 0.1
"""Seconds between two looks at a live journal."""


def told(source: Source, kind: str | None = None, part: int | None = None) -> Iterator[Told]:
    """
    Args:
        kind: The protocol of a recording that does not say; part: one of its processes.
    """
    if source.form != "wire":
        return _told(recording(source))
    from craze.cli.deriving import derived

    return _told(derived(source, kind, part))


def follow(source: Source) -> Iterator[Told]:
    """The journal of a session that runs, as it grows, until its closing line or the end of its process."""
    for path in source.paths[:-1]:
        yield from _told(items(path))
    tail = Tail(source.paths[-1])
    closed = False
    while not closed:
        gone = source.session is not None and not source.session.running()
        lines = tail.more().splitlines()
        yield from _told(parsed(lines))
        closed = any(isinstance(item, Closing) for item in parsed(lines[-1:]))
        if not lines and gone:
            return  # it was killed: no closing line will come
        if not lines:
            time.sleep(POLL)


def gap_text(gap: Gap) -> str:
    last = "on" if gap.to_seq is None else f"to {gap.to_seq}"
    return f"events {gap.from_seq} {last} are missing: {gap.error}"


def _told(found: Iterable[Item]) -> Iterator[Told]:
    for item in found:
        if isinstance(item, Record):
            yield item
        elif isinstance(item, FactLine):
            yield Fact(kind=item.kind, key=item.key, data=item.data)
        elif isinstance(item, Gap):
            stdio.say(gap_text(item))
        elif isinstance(item, Damage):
            stdio.say(f"line {item.number} is {item.reason} and was left out")
