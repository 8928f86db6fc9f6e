"""Reads records back from blocks of bytes: one line at a time, exact slices, nothing decoded and nothing skipped unseen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal, TypeAlias

import msgspec

from craze.codec.decode import SPACE
from craze.codec.lenient import read
from craze.codec.plain import members
from craze.codec.record import Omitted, Record
from craze.errors import DecodeError

Why: TypeAlias = Literal["other", "broken", "torn", "too_long"]

_KEPT_OF_TOO_LONG: Final = 4096
_ABSENT: Final = msgspec.Raw()


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


def iter_records(blocks: Iterable[bytes], *, max_line: int = 64 << 20) -> Iterator[Record | Stray]:
    """A `Record` or a `Stray` for each line that is not blank, in order; the blocks may be cut anywhere.

    Raises nothing for content: a bad line costs that line only.
    """
    offset = 0
    for number, (line, size, ended) in enumerate(_lines(blocks, max_line), 1):
        if size > max_line:
            yield Stray(number, offset, line, "too_long")
        elif line.strip(SPACE):
            found = _record(line, ended)
            yield found if isinstance(found, Record) else Stray(number, offset, line, found)
        offset += size + 1


def _lines(blocks: Iterable[bytes], max_line: int) -> Iterator[tuple[bytes, int, bool]]:
    """Each line without its end, its size, and whether a newline ended it. Of one that is too long only the beginning is kept."""
    parts: list[bytes] = []
    size = 0
    for block in blocks:
        start = 0
        while (end := block.find(b"\n", start)) >= 0:
            yield _joined(parts, block[start:end], size + end - start, max_line), size + end - start, True
            parts, size, start = [], 0, end + 1
        if start < len(block):
            size += len(block) - start
            parts.append(block[start:])
            if size > max_line:
                parts = [b"".join(parts)[:_KEPT_OF_TOO_LONG]]
    if size:
        yield _joined(parts, b"", size, max_line), size, False


def _joined(parts: list[bytes], last: bytes, size: int, max_line: int) -> bytes:
    line = b"".join((*parts, last)) if parts else last
    return line if size <= max_line else line[:_KEPT_OF_TOO_LONG]


def _record(line: bytes, ended: bool) -> Record | Why:
    """The record of a line, or why it holds none."""
    try:
        found = _top(line)
    except DecodeError as error:
        return "broken" if ended or error.reason == "not_object" else "torn"
    if found.type:
        return Record(0, line.strip(SPACE), None, None, line)
    if not found.event and not found.omitted:
        return "other"
    seq = _seq(found.seq)
    if seq is None:
        return "broken"
    if found.event:
        return Record(seq, bytes(found.event), None, None, line)
    try:
        return Record(seq, b"", read(Omitted, bytes(found.omitted)), None, line)
    except DecodeError:
        return "other"


def _top(line: bytes) -> _Slices:
    try:
        return _slices(line)
    except (msgspec.MsgspecError, RecursionError):
        known = members(line)
        return _Slices(**{key: msgspec.Raw(known[key]) for key in _Slices.__struct_fields__ if key in known})


def _seq(written: msgspec.Raw) -> int | None:
    """A number from 0 on; 0 when the line has none; None when it is something else."""
    digits = bytes(written)
    if not digits:
        return 0
    return int(digits) if digits.isdigit() and len(digits) < 20 else None
