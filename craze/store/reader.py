"""Reading one journal back: its items in order, from any event on, whatever is damaged between them.

Lines are decoded on demand; what stays in memory is one piece of the file and sixteen bytes an event.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from craze.codec import Omitted, Record
from craze.store.chunks import Chunk, Readable, chunks
from craze.store.lines import (
    Broken,
    Closing,
    EventLine,
    FactLine,
    Gap,
    Header,
    Line,
    Other,
    block,
    check_format,
    parse,
)


class Damage(msgspec.Struct, frozen=True):
    """A line that could not be read: its number in the file, from 1. `torn`: it is the last one."""

    reason: Literal["torn", "broken"]
    number: int
    line: bytes


Item: TypeAlias = Header | Record | FactLine | Gap | Closing | Other | Damage


def items(source: Path | Readable, start: int = 0, stop: int | None = None) -> Iterator[Item]:
    """What a journal says, in the order of its lines, from byte `start` up to byte `stop`.

    Raises:
        StoreError: The file is of a format that is newer than this reader.
    """
    held: Damage | None = None  # whether a broken line is the last one shows only behind it
    number = 1
    for chunk in chunks(source, start, stop):
        if chunk.offset == 0:
            check_format(chunk.data)
        for at, line in enumerate(_lines(chunk), number):
            if line is None:
                continue
            if held is not None:
                yield held
                held = None
            item = _item(line)
            if isinstance(item, Broken):
                held = Damage("broken", at, item.line)
            else:
                yield item
        number += chunk.data.count(b"\n")
    if held is not None:
        yield msgspec.structs.replace(held, reason="torn")


def _lines(chunk: Chunk) -> Sequence[Line | Other | Broken | None]:
    return block(chunk.data) if chunk.whole else (Broken(chunk.data),)


def parsed(lines: Iterable[bytes]) -> Iterator[Item]:
    """The items of lines that are held in memory and known to be whole."""
    for text in lines:
        line = parse(text)
        item = _item(line) if line is not None else None
        if item is not None and not isinstance(item, Broken):
            yield item


def _item(line: Line | Other | Broken) -> Item | Broken:
    if not isinstance(line, EventLine):
        return line
    if line.event:
        return Record.of(line.seq, bytes(line.event))
    try:
        return Record.left_out(line.seq, _omitted(line.omitted))
    except msgspec.DecodeError:
        return Broken(bytes(line.omitted))


def header(path: Path) -> Header | None:
    """The first line of a journal; None when there is no whole one.

    Raises:
        StoreError: The file is of a format that is newer than this reader.
    """
    for chunk in chunks(path):
        check_format(chunk.data)
        first = parse(chunk.data.partition(b"\n")[0]) if chunk.whole else None
        return first if isinstance(first, Header) else None
    return None


class Index:
    """Where each event of a journal stands, by its number; grows with a file that is still written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seqs, self._offsets = array("Q"), array("Q")
        self._end = 0

    def grow(self, stop: int | None = None) -> None:
        """Take in the lines that the file has now, up to byte `stop`."""
        for chunk in chunks(self.path, self._end, stop):
            if not chunk.whole:
                return
            lines = block(chunk.data)
            starts = accumulate((len(line) + 1 for line in chunk.data.split(b"\n")), initial=chunk.offset)
            for line, offset in zip(lines, starts, strict=False):
                if type(line) is EventLine:
                    self._seqs.append(line.seq)
                    self._offsets.append(offset)
            self._end = chunk.offset + len(chunk.data)

    def __len__(self) -> int:
        return len(self._seqs)

    @property
    def last(self) -> int:
        """The number of the last event, 0 when there is none."""
        return self._seqs[-1] if self._seqs else 0

    @property
    def first(self) -> int:
        return self._seqs[0] if self._seqs else 0

    @property
    def end(self) -> int:
        """How far the file is known, in bytes."""
        return self._end

    def offset(self, seq: int) -> int:
        """Where to begin reading for the events from `seq` on; the end of what is known when there are none."""
        at = bisect_left(self._seqs, seq)
        return self._offsets[at] if at < len(self._offsets) else self._end


_omitted = msgspec.json.Decoder(Omitted).decode
