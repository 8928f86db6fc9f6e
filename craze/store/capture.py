"""Reading a wire capture back: ours, and recordings that were made elsewhere, as rows of one form."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import UNSET, Raw, UnsetType

from craze.codec.times import ns, surely_canonical
from craze.errors import BadTime, StoreError
from craze.store.chunks import Readable, chunks
from craze.store.wire import FORMAT, Head, Mark

_SECOND = Decimal(1_000_000_000)


class Row(msgspec.Struct, frozen=True):
    """One row.

    Attributes:
        number: Its line in the file, from 1.
        dir: `head`, `in`, `out`, `err`, `note`, `exit`, `do`, `timer`, `end`, or what the file says.
        t: Nanoseconds since the recording began; None when the row does not say.
        at: The time that events caused by the row carry; "" in a recording without times.
        payload: As `Capture` was given it: the line's bytes, the exit's JSON object, `{"cause":…,"intent":…}`, a
            timer's name, an `end`'s reason; empty for a `head`.
        mark: `eof`, `undelivered`, `long` (`size` is then the whole length) or "".
        line: The row as it stands in the file.
    """

    number: int
    dir: str
    t: int | None
    at: str
    payload: bytes
    mark: Mark = ""
    size: int = 0
    line: bytes = b""


class BadRow(msgspec.Struct, frozen=True):
    """A line that is no row. `torn`: it is the last and has no newline."""

    number: int
    line: bytes
    reason: Literal["broken", "torn"]


def rows(source: Path | Readable) -> Iterator[Row | BadRow]:
    """The rows of a capture in order; blank lines count but give nothing.

    Raises:
        StoreError: The head names a format that is newer than this reader.
    """
    number = 0
    for chunk in chunks(source):
        lines = chunk.data.split(b"\n")
        for line in lines[:-1] if chunk.whole else lines:
            number += 1
            if line.strip():
                yield _row(number, line) or BadRow(number, line, "broken" if chunk.whole else "torn")


def head_of(row: Row) -> Head:
    """What a `head` row says.

    Raises:
        StoreError: It cannot be read.
    """
    try:
        return _decode_head(row.line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StoreError(f"the head of the capture cannot be read: {error}") from error


class _Read(msgspec.Struct):
    dir: str
    ts: str = ""
    t: Raw = Raw()
    line: str | UnsetType = UNSET
    b64: str | UnsetType = UNSET
    raw: str | UnsetType = UNSET
    msg: Raw | UnsetType = UNSET
    eof: bool = False
    undelivered: bool = False
    bytes: int = 0
    format: int = 0
    code: Raw | UnsetType = UNSET
    signal: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET
    closed: Raw | UnsetType = UNSET
    cause: Raw | UnsetType = UNSET
    intent: Raw | UnsetType = UNSET
    timer: str = ""
    reason: str = ""


class _Exit(msgspec.Struct):
    code: Raw | UnsetType = UNSET
    signal: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET
    closed: Raw | UnsetType = UNSET


class _Do(msgspec.Struct):
    cause: Raw | UnsetType = UNSET
    intent: Raw | UnsetType = UNSET


def _row(number: int, line: bytes) -> Row | None:
    try:
        read = _read(line)
        payload = _PAYLOADS.get(read.dir, _text)(read)
        t = _time(bytes(read.t), bool(read.ts))
        _check_time(read.ts)
    except (msgspec.DecodeError, UnicodeError, RecursionError, ValueError, InvalidOperation, BadTime):
        return None
    if read.dir == "head" and read.format > FORMAT:
        raise StoreError(f"the capture has format {read.format}; this craze reads up to {FORMAT}")
    mark: Mark = "eof" if read.eof else "undelivered" if read.undelivered else "long" if read.bytes else ""
    return Row(number, read.dir, t, read.ts, payload, mark, read.bytes, line)


def _read(line: bytes) -> _Read:
    """A recording made elsewhere has messages as they are; one with half of a character in it only Python's reader takes."""
    try:
        return _decode(line)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        import json  # here, since most captures have no such line

        held = json.loads(line)
        if not isinstance(held, dict) or "msg" not in held:
            raise
        message = Raw(json.dumps(held.pop("msg")).encode())  # pyright: ignore[reportUnknownMemberType]
        return msgspec.structs.replace(_decode(json.dumps(held)), msg=message)


def _check_time(text: str) -> None:
    """Events carry it as it is, so it has to be a time."""
    if not (20 <= len(text) <= 30 and surely_canonical(text)):
        ns(text)


def _time(text: bytes, with_ts: bool) -> int | None:
    """Nanoseconds: our rows count them; a recording made elsewhere, or any number with a point, has seconds."""
    if not text or text == b"null":
        return None
    seconds = not with_ts or not text.lstrip(b"-").isdigit()
    return int(Decimal(text.decode()) * _SECOND) if seconds else int(text)


def _text(read: _Read) -> bytes:
    if read.line is not UNSET:
        return read.line.encode("utf-8", "surrogatepass")
    if read.b64 is not UNSET:
        return b64decode(read.b64, validate=True)
    if read.raw is not UNSET:
        return read.raw.encode("utf-8", "surrogatepass")
    return bytes(read.msg) if read.msg is not UNSET else b""


def _exit(read: _Read) -> bytes:
    return msgspec.json.encode(_Exit(read.code, read.signal, read.error, read.closed))


def _do(read: _Read) -> bytes:
    return msgspec.json.encode(_Do(read.cause, read.intent))


_PAYLOADS: dict[str, Callable[[_Read], bytes]] = {
    "exit": _exit,
    "do": _do,
    "timer": lambda read: read.timer.encode(),
    "end": lambda read: read.reason.encode(),
    "head": lambda _: b"",
}
_decode = msgspec.json.Decoder(_Read).decode
_decode_head = msgspec.json.Decoder(Head).decode
