"""Reads records back from blocks of bytes: one line at a time, exact slices, nothing decoded and nothing skipped unseen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from craze.codec.decode import SPACE, lenient
from craze.codec.record import Omitted, Record
from craze.errors import DecodeError

Why: TypeAlias = Literal["other", "broken", "torn", "too_long"]

_KEPT_OF_TOO_LONG: Final = 4096
_ABSENT: Final = msgspec.Raw()


class Line(msgspec.Struct, frozen=True):
    """One line; `text` is without its end, and only its first 4 KiB when `size` is too long."""

    number: int
    offset: int
    text: bytes
    size: int
    ended: bool  # by a newline, not by the end of the data


class Stray(msgspec.Struct, frozen=True):
    """A line that is no record.

    Attributes:
        number: From 1, blank lines counted.
        offset: Bytes from the start.
        line: Without its end; the first 4 KiB of one that is too long.
        reason: `other`, an object that is no record; `broken`; `torn`, a last line cut off; `too_long`.
    """

    number: int
    offset: int
    line: bytes
    reason: Why


class _Slices(msgspec.Struct):
    """The values at the top of a line, as they stand in it."""

    type: msgspec.Raw = _ABSENT
    seq: msgspec.Raw = _ABSENT
    event: msgspec.Raw = _ABSENT
    omitted: msgspec.Raw = _ABSENT


_slices = msgspec.json.Decoder(_Slices).decode
_seq = msgspec.json.Decoder(Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]).decode


def iter_records(blocks: Iterable[bytes], *, max_line: int = 64 << 20) -> Iterator[Record | Stray]:
    """A `Record` or a `Stray` for each line that is not blank, in order; the blocks may be cut anywhere.

    Raises nothing for content: a bad line costs that line only.
    """
    for line in split(blocks, max_line):
        if line.size > max_line or line.text.strip(SPACE):
            found = "too_long" if line.size > max_line else record_in(line)
            yield found if isinstance(found, Record) else Stray(line.number, line.offset, line.text, found)


def split(blocks: Iterable[bytes], max_line: int) -> Iterator[Line]:
    """Every line, blank ones too. No more is held than one block and one line; its parts are joined once."""
    number, offset, size = 1, 0, 0
    parts: list[bytes] = []
    for block in blocks:
        start = 0
        while (end := block.find(b"\n", start)) >= 0:
            parts.append(block[start:end])
            size += end - start
            yield Line(number, offset, _joined(parts, size, max_line), size, ended=True)
            number, offset, size, start = number + 1, offset + size + 1, 0, end + 1
            parts.clear()
        if start < len(block):
            parts.append(block[start:])
            size += len(block) - start
            if size > max_line:
                parts[:] = [_joined(parts, size, max_line)]
    if size:
        yield Line(number, offset, _joined(parts, size, max_line), size, ended=False)


def record_in(line: Line) -> Record | Why:
    """The record of a line that is whole, or why it holds none."""
    try:
        top = _top(line.text)
    except DecodeError as error:
        return "broken" if line.ended or error.reason == "not_object" else "torn"
    if top.type:
        return Record(0, line.text.strip(SPACE), None, None, line.text)
    if not top.event and not top.omitted:
        return "other"
    seq = _number(top.seq)
    if seq is None:
        return "broken"
    if top.event:
        return Record(seq, bytes(top.event), None, None, line.text)
    try:
        return Record(seq, b"", lenient(Omitted, bytes(top.omitted)), None, line.text)
    except DecodeError:
        return "other"


def _joined(parts: list[bytes], size: int, max_line: int) -> bytes:
    joined = parts[0] if len(parts) == 1 else b"".join(parts)
    return joined if size <= max_line else joined[:_KEPT_OF_TOO_LONG]


def _top(line: bytes) -> _Slices:
    try:
        return _slices(line)
    except (msgspec.MsgspecError, RecursionError):
        from craze.codec.plain import members  # loaded on first use, as the lenient way is

        known = members(line)
        return _Slices(**{key: msgspec.Raw(known[key]) for key in _Slices.__struct_fields__ if key in known})


def _number(written: msgspec.Raw) -> int | None:
    """A number from 0 on, 0 when the line has none; None for anything else."""
    try:
        return _seq(written) if written else 0
    except msgspec.MsgspecError:
        return None
