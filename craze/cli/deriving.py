"""A wire capture as a source: derived again by the provider of its kind and the core, without starting anything.

derived(source, kind, part)     what comes of it, read on demand
first_difference(path)          what came out otherwise than recorded, or ""
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import msgspec

from craze.cli import logs
from craze.cli.context import Context
from craze.codec import Record
from craze.engine.facts import Fact
from craze.engine.ports import Start
from craze.errors import StoreError, UsageError
from craze.providers.acp.declaration import Declaration as AcpDeclaration
from craze.providers.acp.found import found_in
from craze.providers.acp.recorded import Recorded
from craze.providers.acp.spoken import starts
from craze.providers.control import found as control_found
from craze.providers.control import recorded as control
from craze.providers.control import spoken as control_spoken
from craze.providers.control.declaration import Declaration as ControlDeclaration
from craze.providers.replay.capture import Built, Fed, ReplayClock, Replayer, built_from, is_index_error
from craze.providers.replay.foreign import Dialect, Foreign, part
from craze.providers.replay.script import AHEAD, Difference, Script
from craze.store.capture import BadRow, Row, head_of, rows
from craze.store.chunks import Readable
from craze.store.lines import Closing, FactLine, Gap
from craze.store.reader import Damage, items
from craze.store.source import Source
from craze.store.wire import Head

Emit = Callable[[Record | Fact], None]
Derived: TypeAlias = Record | FactLine | Damage
Declaration: TypeAlias = AcpDeclaration | ControlDeclaration


class Kind(NamedTuple):
    """What plays the captures of one kind of agent."""

    recorded: Callable[..., Fed]
    found_in: Callable[[Iterable[Row]], tuple[Start, Declaration]]
    starts: Callable[[Row], bool]
    declaration: type[Declaration]
    holds_others: bool = False
    """What another client answered must come out with the same meaning."""


KINDS: Final[Mapping[str, Kind]] = {
    "acp": Kind(Recorded, found_in, starts, AcpDeclaration),
    "control": Kind(control.Recorded, control_found.found_in, control_spoken.starts, ControlDeclaration, True),
}


class Derivation(msgspec.Struct):
    """A capture being derived: what plays it, and what was found wrong so far."""

    replayer: Replayer | None
    head: Head | None
    bad: list[BadRow]
    differences: list[Difference]


def derived(source: Source, kind: str | None = None, process: int | None = None) -> Iterator[Derived]:
    """What comes of the captures of a source; a row that cannot be read is told where it stands.

    Raises:
        UsageError: Their kind is none that this craze can derive, or they have no such process.
        StoreError: A head cannot be read.
    """
    for file in source.inputs:
        held: list[Record | Fact] = []
        begun = begin(file, held.append, kind=kind or "", process=process or 0)
        after = told = 0
        for _ in _played(begun):
            for item in held:
                if isinstance(item, Record):
                    after = item.seq
                    yield item
                else:
                    yield FactLine(ts="", after=after, kind=item.kind, key=item.key, data=item.data)
            held.clear()
            yield from (Damage(bad.reason, bad.number, bad.line) for bad in begun.bad[told:])
            told = len(begun.bad)


def first_difference(path: Path, declaration: Declaration | None = None) -> str:
    """The first thing that came out of a capture otherwise than it is recorded, in one line; "" when nothing did.

    The journal beside the capture is compared where it is there: its events, byte for byte, in their order. A torn last
    row is what a killed process leaves, and no difference.
    """
    events: list[Record] = []

    def emit(item: Record | Fact) -> None:
        if isinstance(item, Record) and not is_index_error(item.event):
            events.append(item)

    begun = begin(path, emit, declaration=declaration)
    for _ in _played(begun):
        pass
    if broken := next((bad for bad in begun.bad if bad.reason == "broken"), None):
        return f"row {broken.number} is broken"
    if begun.differences:
        return _told(begun.differences[0])
    journal = path.with_name(path.name.removesuffix(".wire.jsonl") + ".jsonl")
    last = begun.replayer.script.row if begun.replayer else None
    cut = last is not None and last.dir == "end"
    return _compared(journal, events, cut=cut) if journal != path and journal.is_file() else ""


def begin(
    source: Path | Readable, emit: Emit, *, kind: str = "", process: int = 0, declaration: Declaration | None = None
) -> Derivation:
    """Make ready to derive a capture, ours or one made elsewhere.

    Args:
        kind: `acp` or `control`, for a recording that does not tell; "" = what it says.
        process: Only this process of a recording made elsewhere, from 1; 0 = all.
        declaration: Play it with this agent's declaration instead of the recorded one.
    """
    found = rows(source)
    skipped: list[BadRow] = []
    for first in found:
        if isinstance(first, Row):
            break
        skipped.append(first)
    else:
        return Derivation(None, None, skipped, [])
    whole = chain(skipped, (first,), found)
    if first.dir == "head":
        if process:
            raise UsageError("a capture of craze is one session", hint="--part is for recordings made elsewhere")
        return _own(head_of(first), whole, emit, declaration)
    return _foreign(whole, emit, kind, process)


def _own(head: Head, found: Iterator[Row | BadRow], emit: Emit, declaration: Declaration | None) -> Derivation:
    kind = _known(head.provider)
    script = Script(found)
    begun = Derivation(None, head, script.bad, [])
    try:
        played, built = _declared(head, kind), built_from(head)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StoreError(f"the head of the capture cannot be read: {error}") from error
    if declaration is not None:
        played = _as_then(declaration, played)

    def differs(row: Row | None, theirs: bytes, ours: bytes) -> None:
        at = row or script.row
        begun.differences.append(Difference(at.number if at else 0, "STORE-16", theirs, ours))

    def feed(rows: Script, clock: ReplayClock) -> Fed:
        return kind.recorded(rows, played, clock, own=True, differs=differs)

    begun.replayer = Replayer(script, feed, built, emit=emit, differs=begun.differences.append)
    return begun


def _declared(head: Head, kind: Kind) -> Declaration:
    if not bytes(head.declaration):
        raise StoreError("the head of the capture does not say what its agent was offered")
    return msgspec.json.decode(head.declaration, type=kind.declaration)


def _as_then(declaration: Declaration, recorded: Declaration) -> Declaration:
    """Another declaration, with what belongs to the recorded session."""
    if isinstance(declaration, ControlDeclaration) and isinstance(recorded, ControlDeclaration):
        then = {"session": recorded.session, "incarnation": recorded.incarnation, "spent": recorded.spent}
        return msgspec.structs.replace(declaration, **then)
    return declaration


def _foreign(found: Iterator[Row | BadRow], emit: Emit, name: str, process: int) -> Derivation:
    rows_ = list(islice(found, AHEAD))
    kind = _known(name or _kind_of(rows_))
    whole = chain(rows_, found)
    script = Script(part(whole, process, kind.starts) if process else whole)
    begun = Derivation(None, None, script.bad, [])
    if next(script.ahead(), None) is None:
        raise UsageError("the recording has no such process")
    start, declaration = kind.found_in(script.ahead())

    def differs(row: Row | None, theirs: bytes, ours: bytes) -> None:
        begun.differences.append(Difference(row.number if row else 0, "CTL-105", theirs, ours))

    def feed(rows: Script, clock: ReplayClock) -> Dialect:
        told = differs if kind.holds_others else None
        return kind.recorded(rows, declaration, clock, own=False, differs=told)  # pyright: ignore[reportReturnType] - every kind's has what lines mean

    begun.replayer = Foreign(script, feed, Built(start=start), emit=emit)
    return begun


def _played(begun: Derivation) -> Iterator[None]:
    """Play it, in a loop of its own, with a rest now and then."""
    logs.begin(Context())  # what the provider logs goes where that of a live one goes
    if begun.replayer is None:
        return
    with asyncio.Runner() as runner:
        steps = begun.replayer.run()
        while True:
            try:
                runner.run(anext(steps))  # pyright: ignore[reportArgumentType] - an awaitable of a generator is one
            except StopAsyncIteration:
                return
            yield


def _compared(journal: Path, events: list[Record], *, cut: bool) -> str:
    """How a journal and what was derived differ; "" where one of them stops before the other, as after a kill.

    Args:
        cut: The capture says that it stops before its session.
    """
    derived_, shift, closed = iter(events), 0, False
    for there in items(journal):
        closed |= isinstance(there, Closing)
        if isinstance(there, Gap):
            derived_ = _behind(there, derived_, shift)
        if not isinstance(there, Record):
            continue
        if there.omitted is None and is_index_error(there.event):
            shift += 1
            continue
        here = next(derived_, None)
        if here is None:
            whole = not cut and any(isinstance(item, Closing) for item in items(journal))
            return f"event {there.seq} of the journal does not come out of the capture" if whole else ""
        if there.omitted is None and (there.seq - shift, there.body) != (here.seq, here.body):
            return f"event {there.seq}: recorded {_short(there.body)}, derived {_short(here.body)}"
    more = next(derived_, None) if closed else None
    return f"event {more.seq} is not in the journal: {_short(more.body)}" if more else ""


def _behind(gap: Gap, events: Iterator[Record], shift: int) -> Iterator[Record]:
    """What comes behind a hole of the journal; nothing does behind an open one."""
    last = gap.to_seq
    return iter(()) if last is None else (record for record in events if record.seq > last - shift)


def _kind_of(found: list[Row | BadRow]) -> str:
    """What the first `out` row speaks."""
    first = next((row for row in found if isinstance(row, Row) and row.dir == "out"), None)
    return "acp" if first is None or b'"jsonrpc"' in first.payload else "control"


def _known(name: str) -> Kind:
    if name not in KINDS:
        raise UsageError(f"this craze cannot derive a capture of kind {name!r}", hint=f"it knows {', '.join(KINDS)}")
    return KINDS[name]


def _told(difference: Difference) -> str:
    recorded_ = _short(difference.recorded) if difference.recorded else "nothing"
    derived_ = _short(difference.derived) if difference.derived else "nothing"
    return f"row {difference.row}: recorded {recorded_}, derived {derived_} ({difference.rule})"


def _short(line: bytes) -> str:
    text = line.decode("utf-8", "replace")
    return text if len(text) <= 300 else text[:300] + "…"
