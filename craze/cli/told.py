"""A stored source as the items a live session would give: records and facts, in order. What is damaged is said."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

import msgspec

from craze.cli import stdio
from craze.codec import Record, Stray, iter_records
from craze.engine.facts import Fact
from craze.store.chunks import Tail, chunks
from craze.store.lines import Closing, FactLine, Gap
from craze.store.reader import Damage, Item, items, parsed
from craze.store.source import Source

Told: TypeAlias = Record | Fact
POLL = 0.1
"""Seconds between two looks at a live journal."""


def told(source: Source, kind: str | None = None, part: int | None = None) -> Iterator[Told]:
    """
    Args:
        kind: The protocol of a recording that does not say; part: one of its processes.
    """
    if source.form == "wire":
        from craze.cli.deriving import derived

        yield from derived(source, kind, part)
    elif source.form == "codec":
        for file in source.inputs:
            yield from _of_codec(iter_records(chunk.data for chunk in chunks(file)))
    else:
        for file in source.inputs:
            yield from _of_journal(
                items(file) if isinstance(file, Path) else parsed(_lines(chunk.data for chunk in chunks(file)))
            )


def follow(source: Source) -> Iterator[Told]:
    """The journal of a session that runs, as it grows, until its closing line."""
    tail = Tail(source.paths[-1])
    for path in source.paths[:-1]:
        yield from _of_journal(items(path))
    while True:
        lines = tail.more().splitlines()
        yield from _of_journal(parsed(lines))
        if any(isinstance(item, Closing) for item in parsed(lines[-1:])):
            return
        if not lines:
            time.sleep(POLL)


def _of_journal(found: Iterable[Item]) -> Iterator[Told]:
    for item in found:
        if isinstance(item, Record):
            yield item
        elif isinstance(item, FactLine):
            yield Fact(kind=item.kind, key=item.key, data=item.data)
        elif isinstance(item, Gap):
            last = "on" if item.to_seq is None else f"to {item.to_seq}"
            stdio.say(f"events {item.from_seq} {last} are missing: {item.error}")
        elif isinstance(item, Damage):
            stdio.say(f"line {item.number} is {item.reason} and was left out")


def _of_codec(found: Iterable[Record | Stray]) -> Iterator[Told]:
    for item in found:
        if isinstance(item, Record):
            yield item
        elif fact := _fact(item):
            yield fact
        elif item.reason != "other":
            stdio.say(f"line {item.number} is {item.reason.replace('_', ' ')} and was left out")


class _Inner(msgspec.Struct):
    kind: str
    data: msgspec.Raw
    key: str = ""


class _FactLine(msgspec.Struct):
    fact: _Inner


def _fact(stray: Stray) -> Fact | None:
    """A fact as the envelope has it."""
    try:
        fact = msgspec.json.decode(stray.line, type=_FactLine).fact
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return Fact(kind=fact.kind, key=fact.key, data=fact.data)


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    for block in blocks:
        yield from block.splitlines()
