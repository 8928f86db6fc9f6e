"""From bytes to events: the fast way, and when it does not take a line the lenient one, which decides.

The typed decoder takes every line that is already well-formed. What makes that safe stands at the structs: times have the
length of a written time and are checked after decoding, always-written keys are required, integers have 64-bit bounds.
"""

from __future__ import annotations

from typing import Final, TypeVar

import msgspec

from craze.codec.event import Event, Leaf
from craze.codec.lenient import read
from craze.codec.times import surely_canonical
from craze.errors import DecodeError

L = TypeVar("L", bound=Leaf)

_typed = msgspec.json.Decoder(Event)
_NOT_SURE: Final = (msgspec.MsgspecError, ValueError, RecursionError)
SPACE: Final = b" \t\r\n"


def decode(line: bytes | bytearray | memoryview) -> Event:
    """The event of one line.

    Raises:
        DecodeError: The line is no event; nothing else leaves this function.
    """
    try:
        event = _typed.decode(line)
    except _NOT_SURE:
        return read(Event, line)
    return event if _times_are_canonical(event) else read(Event, line)


def decode_as(kind: type[L], line: bytes) -> L:
    """One leaf, by the rules it has inside an event.

    Raises:
        DecodeError: The line is no such leaf.
    """
    return read(kind, line)


def decode_lines(block: bytes) -> list[Event | DecodeError]:
    """One entry for each line of the block that is not blank, in order; an error's `offset` is in the block."""
    try:
        events = _typed.decode_lines(block)
    except _NOT_SURE:
        return _each(block)
    # A newline between `}` and `{` cannot be inside of a JSON value: one object stands on each line.
    breaks = block.count(b"\n") - block.endswith(b"\n")
    if breaks != len(events) - 1 or breaks != block.count(b"}\n{"):
        return _each(block)
    for event in events:
        if not _times_are_canonical(event):
            return _each(block)
    return list(events)


def _each(block: bytes) -> list[Event | DecodeError]:
    found: list[Event | DecodeError] = []
    start = 0
    for line in block.split(b"\n"):
        if line.strip(SPACE):
            try:
                found.append(decode(line))
            except DecodeError as error:
                error.offset = start + (error.offset or 0)
                found.append(error)
        start += len(line) + 1
    return found


def _times_are_canonical(event: Event) -> bool:
    """Whether all five times of an event are surely in their written form."""
    if event.at and not surely_canonical(event.at):
        return False
    tool, queue, row = event.tool, event.queue, event.subagent
    return (
        (tool is None or not tool.at or surely_canonical(tool.at))
        and (queue is None or not queue.queued_at or surely_canonical(queue.queued_at))
        and (row is None or not row.started_at or surely_canonical(row.started_at))
        and (row is None or not row.ended_at or surely_canonical(row.ended_at))
    )
