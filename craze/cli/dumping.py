"""Stored sessions on stdout, byte for byte as they were written."""

from __future__ import annotations

from craze.cli import exit_codes, stdio
from craze.store.bulk import event_bytes
from craze.store.lines import Broken, EventLine, Gap, Line, Other
from craze.store.source import Source


def bytes_of(source: Source) -> int:
    """The codec bytes of every event of a journal source."""
    for file in source.inputs:
        for block in event_bytes(file, _aside):
            stdio.data(block)
    return exit_codes.DONE


def _aside(number: int, line: Line | Other | Broken) -> None:
    """Says what is no event and matters to a reader."""
    if isinstance(line, Broken):
        stdio.say(f"line {number} is torn or damaged and was left out")
    elif isinstance(line, EventLine):
        stdio.say(f"event {line.seq} was left out when it was written: {bytes(line.omitted).decode()}")
    elif isinstance(line, Gap):
        last = "on" if line.to_seq is None else f"to {line.to_seq}"
        stdio.say(f"events {line.from_seq} {last} are missing: {line.error}")
