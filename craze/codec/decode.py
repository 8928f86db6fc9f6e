"""From bytes to events: the fast way, and when it does not take a line the lenient one, which decides.

The typed decoder takes every line that is already well-formed. What makes that safe stands at the structs: times have the
length of a written time and are checked after decoding, always-written keys are required, integers have 64-bit bounds.
"""

from __future__ import annotations

from io import BytesIO
from typing import Final, TypeVar, cast

import msgspec

from craze.codec.event import Event, Leaf
from craze.codec.lenient import read
from craze.codec.times import Stamp, all_surely_canonical, surely_canonical
from craze.errors import DecodeError

L = TypeVar("L", bound=Leaf)

_typed = msgspec.json.Decoder(Event).decode
_NOT_SURE: Final = (msgspec.MsgspecError, ValueError, RecursionError)
SPACE: Final = b" \t\r\n"


def decode(line: bytes | bytearray | memoryview) -> Event:
    """The event of one line.

    Raises:
        DecodeError: The line is no event; nothing else leaves this function.
    """
    try:
        event = _typed(line)
    except _NOT_SURE:
        return read(Event, line)
    if event.at and not surely_canonical(event.at):
        return read(Event, line)
    if event.tool is None and event.queue is None and event.subagent is None:
        return event
    return event if all(map(surely_canonical, _inner_times(event))) else read(Event, line)


def decode_as(kind: type[L], line: bytes) -> L:
    """One leaf, by the rules it has inside an event.

    Raises:
        DecodeError: The line is no such leaf.
    """
    return read(kind, line)


def decode_lines(block: bytes) -> list[Event | DecodeError]:
    """One entry for each line of the block that is not blank, in order; an error's `offset` is in the block."""
    lines = BytesIO(block).readlines()
    try:
        events = list(map(_typed, lines))
    except _NOT_SURE:
        return _each(lines)
    times = [at for event in events if (at := event.at)]
    for event in events:
        if event.tool is not None and event.tool.at:
            times.append(event.tool.at)
        if event.queue is not None or event.subagent is not None:
            times += _inner_times(event)
    return cast("list[Event | DecodeError]", events) if all_surely_canonical(times) else _each(lines)


def _each(lines: list[bytes]) -> list[Event | DecodeError]:
    """The same, line by line."""
    found: list[Event | DecodeError] = []
    start = 0
    for line in lines:
        if line.strip(SPACE):
            try:
                found.append(decode(line))
            except DecodeError as error:
                error.offset = start + (error.offset or 0)
                found.append(error)
        start += len(line)
    return found


def _inner_times(event: Event) -> list[Stamp]:
    """Those of the five times that are not the event's own."""
    tool, row, agent = event.tool, event.queue, event.subagent
    times = [tool.at] if tool else []
    times += [row.queued_at] if row else []
    times += [agent.started_at, agent.ended_at] if agent else []
    return [time for time in times if time]
