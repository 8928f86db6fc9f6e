"""From bytes to events: the fast way, and when it does not take a line the lenient one, which decides.

The typed decoder takes every line that is already well-formed. What makes that safe stands at the structs: times have the
length of a written time and are checked after decoding, always-written keys are required, integers have 64-bit bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from io import BytesIO
from typing import Final, TypeVar, cast

import msgspec

from craze.codec.event import Event, Leaf
from craze.codec.times import Stamp, all_surely_canonical, rfc3339, surely_canonical
from craze.errors import DecodeError

L = TypeVar("L", bound=Leaf)
S = TypeVar("S", bound=msgspec.Struct)

_NOT_SURE: Final = (msgspec.MsgspecError, ValueError, RecursionError)
SPACE: Final = b" \t\r\n"


@cache
def _typed() -> Callable[[bytes | bytearray | memoryview], Event]:
    """The typed decoder. Making it costs as much as starting Python does: a run that only writes events makes none."""
    return msgspec.json.Decoder(Event).decode


def decode(line: bytes | bytearray | memoryview) -> Event:
    """The event of one line.

    Raises:
        DecodeError: The line is no event; nothing else leaves this function.
    """
    try:
        event = _typed()(line)
        if at := event.at:
            rfc3339(f'"{at}"')
    except _NOT_SURE:
        return lenient(Event, line)
    # The usual form is tested in place: calling the test would take as long as the test.
    if at and (at[10] != "T" or at[-1] != "Z" or at[-2] == "0" or "\\" in at) and not surely_canonical(at):
        return lenient(Event, line)
    tool = event.tool
    if tool is not None and tool.at and tool.at != at and not surely_canonical(tool.at):
        return lenient(Event, line)
    if event.queue is None and event.subagent is None:
        return event
    return event if all_surely_canonical(_row_times(event)) else lenient(Event, line)


def lenient(kind: type[S], line: bytes | bytearray | memoryview) -> S:
    """The lenient way. It is loaded on first use: most runs meet no line that needs it."""
    from craze.codec.lenient import read

    return read(kind, line)


def decode_as(kind: type[L], line: bytes) -> L:
    """One leaf, by the rules it has inside an event.

    Raises:
        DecodeError: The line is no such leaf.
    """
    return lenient(kind, line)


def decode_lines(block: bytes) -> list[Event | DecodeError]:
    """One entry for each line of the block that is not blank, in order; an error's `offset` is in the block."""
    try:
        events = list(map(_typed(), BytesIO(block)))
    except _NOT_SURE:
        return _each(block)
    times = [at for event in events if (at := event.at)]
    times += [at for event in events if (tool := event.tool) is not None and (at := tool.at)]
    rows = [event for event in events if event.queue is not None or event.subagent is not None]
    times += [at for event in rows for at in _row_times(event)]
    return cast("list[Event | DecodeError]", events) if all_surely_canonical(times) else _each(block)


def _each(block: bytes) -> list[Event | DecodeError]:
    """The same, line by line."""
    found: list[Event | DecodeError] = []
    start = 0
    for line in BytesIO(block):
        if line.strip(SPACE):
            try:
                found.append(decode(line))
            except DecodeError as error:
                error.offset = start + (error.offset or 0)
                found.append(error)
        start += len(line)
    return found


def _row_times(event: Event) -> list[Stamp]:
    """Of the five times those that are neither the event's own nor its tool's."""
    times = [] if event.queue is None else [event.queue.queued_at]
    if event.subagent is not None:
        times += [event.subagent.started_at, event.subagent.ended_at]
    return [time for time in times if time]
