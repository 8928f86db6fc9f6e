"""The bytes of a journal's events, as fast as a disk gives them: nothing is decoded that need not be.

Facts are left out; gaps and damage are told to a callback. Imports msgspec alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from craze.store.chunks import Readable, chunks
from craze.store.lines import Body, Broken, EventLine, Gap, Line, Other, block, bodies, check_format

Aside: TypeAlias = "Callable[[int, Line | Other | Broken], None]"
"""Told of each line between which and the others something is missing: its number in the file, from 1, and what it is."""


def event_bytes(source: Path | Readable, aside: Aside | None = None) -> Iterator[bytes]:
    """The event bodies of a journal in pieces of many lines, each body with a newline.

    Raises:
        StoreError: The file is of a format that is newer than this reader.
    """
    number = 1
    for chunk in chunks(source):
        if number == 1:
            check_format(chunk.data)
        lines = bodies(chunk.data) if chunk.whole else None
        if lines is not None:
            events = [line.event for line in lines if type(line) is Body]
        else:
            lines = block(chunk.data) if chunk.whole else [Broken(chunk.data)]
            events = [line.event for line in lines if type(line) is EventLine and line.event]
            if aside is not None:
                _tell(aside, number, lines)
        if events:
            yield b"\n".join((*events, b""))
        number += len(lines)


def _tell(aside: Aside, number: int, lines: Sequence[Line | Other | Broken | None]) -> None:
    for at, line in enumerate(lines, number):
        if isinstance(line, Gap | Other | Broken) or (isinstance(line, EventLine) and not line.event):
            aside(at, line)
