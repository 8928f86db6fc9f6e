"""A capture row as one readable line: number, time, direction, kind of message, ids, and text cut to the width."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec
from msgspec import UNSET, Raw, UnsetType

from craze.store.capture import BadRow, Row

_TEXT: Final = 1000


class Summary(msgspec.Struct, frozen=True):
    """What a row says: the kind of its message, the ids in it, and its text."""

    kind: str
    ids: tuple[str, ...] = ()
    text: str = ""


def row_line(row: Row | BadRow, width: int = 0) -> str:
    """One line, at most `width` characters long (0: as long as it is), with control characters made visible."""
    if isinstance(row, BadRow):
        line = f"{row.number:>6} {'':>9} {row.reason:>5} {_text(row.line)}"
    else:
        said = summary(row)
        time = "" if row.t is None else f"{row.t / 1e9:.3f}"
        parts = [said.kind, *said.ids, row.mark, said.text]
        line = f"{row.number:>6} {time:>9} {row.dir:>5} " + " ".join(part for part in parts if part)
    return line if not width or len(line) <= width else f"{line[: max(0, width - 1)]}…"


def summary(row: Row) -> Summary:
    """What a row says, whatever protocol it speaks."""
    if row.dir in ("in", "out"):
        return _message(row.payload)
    return _SUMMARIES.get(row.dir, lambda row: Summary("", (), _text(row.payload)))(row)


class _Message(msgspec.Struct):
    method: str = ""
    id: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET
    result: Raw | UnsetType = UNSET
    params: Raw | UnsetType = UNSET
    type: str = ""
    subtype: str = ""
    request_id: str = ""
    request: Raw | UnsetType = UNSET
    response: Raw | UnsetType = UNSET
    message: Raw | UnsetType = UNSET


class _Inside(msgspec.Struct):
    """What tells messages of one method or type apart, one level down."""

    update: Raw | UnsetType = UNSET
    session_update: str = msgspec.field(name="sessionUpdate", default="")
    tool_call_id: str = msgspec.field(name="toolCallId", default="")
    subtype: str = ""
    request_id: str = ""


def _message(payload: bytes) -> Summary:
    try:
        message = _decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Summary("noise" if payload.strip() else "blank", (), _text(payload))
    body = next((part for part in _bodies(message) if part is not UNSET), Raw(b""))
    inside = below = _inside(body)
    if inside.update is not UNSET:
        body, below = inside.update, _inside(inside.update)
    word = message.method or message.type or ("error" if message.error is not UNSET else "answer")
    kind = "/".join(part for part in (word, below.session_update or message.subtype or inside.subtype) if part)
    ids = () if message.id is UNSET else (f"#{_text(bytes(message.id))}",)
    ids += tuple(i for i in (message.request_id or inside.request_id, below.tool_call_id or inside.tool_call_id) if i)
    return Summary(kind, ids, _text(bytes(body) or payload))


def _bodies(message: _Message) -> tuple[Raw | UnsetType, ...]:
    return message.params, message.error, message.result, message.request, message.response, message.message


def _inside(raw: Raw) -> _Inside:
    try:
        return _decode_inside(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _Inside()


def _text(data: bytes) -> str:
    text = data[: 4 * _TEXT].decode("utf-8", "replace")[:_TEXT]
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


_SUMMARIES: Final[dict[str, Callable[[Row], Summary]]] = {
    "head": lambda row: Summary("head", (), _text(row.line)),
    "exit": lambda row: Summary("exit", (), _text(row.payload)),
    "do": lambda row: Summary("do", (), _text(row.payload)),
    "timer": lambda row: Summary("timer", (), _text(row.payload)),
    "end": lambda row: Summary("end", (), _text(row.payload)),
}
_decode = msgspec.json.Decoder(_Message).decode
_decode_inside = msgspec.json.Decoder(_Inside).decode
