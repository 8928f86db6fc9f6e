"""The five kinds of journal lines, as they stand on disk.

`parse` and `block` are the only readers of a line, `event_line` and the encoder the only writers. Imports msgspec
alone: `craze dump` begins here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import Meta, Raw, field

from craze.errors import StoreError

FORMAT: Final = 1
KINDS: Final = frozenset(("header", "event", "fact", "gap", "closing"))
FACT_CAP: Final = 64 << 10
"""A longer `data` of a fact is replaced by its size."""

Seq: TypeAlias = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
NO_BYTES: Final = Raw()


class Base(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel", tag_field="kind", gc=False):
    """What every line has: its `kind` first, then the time it was written."""

    ts: str


class Header(Base, frozen=True, kw_only=True, gc=False, tag="header"):
    """The first line: which process wrote the file, and where its numbers go on from (`numbers`: id prefix to last)."""

    format: int
    event_codec: int
    incarnation: str
    craze_id: str
    craze: str = ""
    os: str = ""
    arch: str = ""
    pid: int = 0
    provider: str = ""
    agent: str = ""
    command: tuple[str, ...] = ()
    cwd: str = ""
    origin: str = ""
    continues: str = ""
    numbers: dict[str, int] = {}


class EventLine(Base, frozen=True, kw_only=True, gc=False, tag="event"):
    """An event's own bytes, or what stands for one that was not kept."""

    seq: Seq
    event: Raw = NO_BYTES
    omitted: Raw = NO_BYTES


class Body(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag="event"):
    """An event line for those who want its event's bytes alone: half the work of an `EventLine`."""

    event: Raw


class FactLine(Base, frozen=True, kw_only=True, gc=False, tag="fact"):
    """A fact, with `kind`, `key` and `data` as the engine names them; it follows the event `after`."""

    after: Seq
    kind: str = field(name="fact")
    key: str = ""
    data: Raw


class Gap(Base, frozen=True, kw_only=True, gc=False, tag="gap"):
    """Lines that were not written. Without `to_seq` nothing follows; a range that ends before it begins lost facts
    alone."""

    from_seq: Seq
    to_seq: Seq | None = None
    events: int = 0
    facts: int = 0
    error: str = ""


class Closing(Base, frozen=True, kw_only=True, gc=False, tag="closing"):
    """The last line of a session that was closed."""

    reason: str
    last_seq: int


Line: TypeAlias = Header | EventLine | FactLine | Gap | Closing


class Other(msgspec.Struct, frozen=True):
    """A line of a kind that this version does not know."""

    kind: str
    line: bytes


class Broken(msgspec.Struct, frozen=True):
    """A line that is none: cut, damaged, or of a known kind with keys of another form."""

    line: bytes


def event_line(ts: str, seq: int, body: bytes) -> bytes:
    """The line of an event, put together around its bytes, with its newline."""
    return b'{"kind":"event","ts":"%b","seq":%d,"event":%b}\n' % (ts.encode(), seq, body)


def fact_line(ts: str, after: int, kind: str, key: str, data: bytes) -> bytes:
    """The line of a fact; one that is too large says its size instead."""
    if len(data) > FACT_CAP:
        data = _encode({"oversized": True, "bytes": len(data)})
    return encode_line(FactLine(ts=ts, after=after, kind=kind, key=key, data=Raw(data)))


def encode_line(line: Line) -> bytes:
    """Any line with its newline; key order is that of the struct."""
    return _encode(line) + b"\n"


def parse(line: bytes) -> Line | Other | Broken | None:
    """One line without its newline; None when it is blank."""
    if not line.strip():
        return None
    try:
        return _lines().decode(line)
    except _REFUSALS:
        return _unknown(line)


def block(data: bytes) -> Sequence[Line | Other | Broken | None]:
    """Whole lines at once, one entry a line; lines of known form are read many at a time."""
    try:
        lines = _lines().decode_lines(data)
    except _REFUSALS:
        lines = []
    return lines if len(lines) == data.count(b"\n") else [parse(line) for line in data.split(b"\n")[:-1]]


def bodies(data: bytes) -> Sequence[Body | Header | FactLine | Closing] | None:
    """Whole lines at once, one entry a line; None when `block` has more to say of one: it is none, or tells of a loss."""
    try:
        lines = _bodies().decode_lines(data)
    except _REFUSALS:
        return None
    return lines if len(lines) == data.count(b"\n") else None


def check_format(first: bytes) -> None:
    """Refuse a file whose header names a format that is newer than this reader.

    Raises:
        StoreError: With both numbers.
    """
    try:
        head = msgspec.json.decode(first.partition(b"\n")[0], type=_Kind)
    except _REFUSALS:
        return
    if head.kind == "header" and head.format > FORMAT:
        raise StoreError(f"the journal has format {head.format}; this craze reads up to {FORMAT}")


def _unknown(line: bytes) -> Other | Broken:
    try:
        kind = msgspec.json.decode(line, type=_Kind).kind
    except _REFUSALS:
        return Broken(line)
    return Broken(line) if kind in KINDS else Other(kind, line)


class _Kind(msgspec.Struct):
    kind: str
    format: int = 0


_REFUSALS = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
_encode = msgspec.json.Encoder().encode


# Made on first use: one that only writes a journal needs neither, and one that dumps it mostly the second alone.
@cache
def _lines() -> msgspec.json.Decoder[Line]:
    return msgspec.json.Decoder(Line)


@cache
def _bodies() -> msgspec.json.Decoder[Body | Header | FactLine | Closing]:
    return msgspec.json.Decoder(Body | Header | FactLine | Closing)
