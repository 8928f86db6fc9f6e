"""What a source says, whichever form it has: journals and codec lines as the same items."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Raw

from craze.codec import Record, Stray, iter_records
from craze.store.chunks import Readable, chunks
from craze.store.lines import FactLine
from craze.store.reader import Damage, Item, items
from craze.store.source import Source


def recording(source: Source) -> Iterator[Item]:
    """The items of a journal or codec source, file after file; a wire capture is read by `capture.rows`.

    Raises:
        StoreError: A journal is of a format that is newer than this reader.
        ValueError: The source is a wire capture.
    """
    if source.form == "wire":
        raise ValueError("a capture has rows, not items")
    read = items if source.form == "journal" else _codec_items
    for one in source.inputs:
        yield from read(one)


def _codec_items(source: Path | Readable) -> Iterator[Item]:
    seq = 0
    for found in iter_records(chunk.data for chunk in chunks(source)):
        if isinstance(found, Record):
            # A bare event has no number of its own: its place is one.
            seq = found.seq or seq + 1
            yield found if found.seq else Record.of(seq, found.body)
        elif (item := _stray(found)) is not None:
            yield item


def _stray(stray: Stray) -> Item | None:
    """A line of an envelope that is no event: its fact, or nothing for its result."""
    if stray.reason != "other":
        return Damage("torn" if stray.reason == "torn" else "broken", stray.number, stray.line)
    try:
        line = _decode(stray.line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return FactLine(ts="", after=line.after, kind=line.fact.kind, key=line.fact.key, data=line.fact.data)


class _Fact(msgspec.Struct):
    kind: str
    key: str = ""
    data: Raw = Raw(b"null")


class _Envelope(msgspec.Struct):
    after: int
    fact: _Fact


_decode = msgspec.json.Decoder(_Envelope).decode
