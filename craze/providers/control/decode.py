"""Reading lines: strictly first, else field by field, so that one bad field costs that field alone. Total and pure."""

from __future__ import annotations

import types
import typing
from functools import cache
from typing import Any, TypeVar, get_args

import msgspec
from msgspec import Raw, Struct

from craze.providers.control.types import Known, Other
from craze.transport.rescue import repaired

T = TypeVar("T", bound=Struct)


def line(data: bytes) -> Known | Other | None:
    """A line as what it is; None for one that is no message at all."""
    try:
        return _lines.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _odd(data)


def read(kind: type[T], raw: Raw | bytes) -> T | None:
    """An object as a struct; None when it is no object. A field of a wrong type counts as absent."""
    try:
        return _decoder(kind).decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return _tolerant(kind, bytes(raw))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def value_of(raw: Raw | bytes) -> Any:
    """Plain JSON, or None for what is none."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


_lines: msgspec.json.Decoder[Known] = msgspec.json.Decoder(Known)
_LINES: dict[str, type[Any]] = {str(kind.__struct_config__.tag): kind for kind in get_args(Known)}
_BAD: Any = object()


class _Type(Struct):
    type: Raw = Raw()


def _odd(data: bytes) -> Known | Other | None:
    """A line that is not as it should be: of unknown type, with bad fields, or broken in its bytes."""
    if not data.lstrip().startswith(b"{"):
        return None
    if not isinstance(value_of(data), dict):
        again = repaired(data)
        return None if again is None or not again.startswith(b"{") else line(again)
    name = value_of(msgspec.json.decode(data, type=_Type).type)
    kind = _LINES.get(name) if isinstance(name, str) else None
    if kind is None:
        return Other(name if isinstance(name, str) else "")
    return read(kind, data) or Other(str(name))


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def _tolerant(kind: type[T], raw: bytes) -> T:
    held = msgspec.json.decode(raw, type=dict[str, Raw])
    fields: dict[str, Any] = {}
    for each in _fields(kind):
        if each.encode_name in held:
            value = _value(each.type, bytes(held[each.encode_name]))
            if value is not _BAD:
                fields[each.name] = value
    return kind(**fields)


@cache
def _fields(kind: type[Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def _value(kind: Any, raw: bytes) -> Any:
    try:
        return _decoder(kind).decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    for one in _members(kind):
        origin, args = typing.get_origin(one), get_args(one)
        if raw[:1] == b"{" and isinstance(one, type) and issubclass(one, Struct):
            return _tolerant(one, raw)
        if raw[:1] == b"[" and origin is tuple:
            found = (_value(args[0], bytes(each)) for each in msgspec.json.decode(raw, type=list[Raw]))
            return tuple(each for each in found if each is not _BAD)
        if raw[:1] == b"{" and origin is dict:
            held = msgspec.json.decode(raw, type=dict[str, Raw])
            pairs = ((name, _value(args[1], bytes(each))) for name, each in held.items())
            return {name: each for name, each in pairs if each is not _BAD}
    return _BAD


def _members(kind: Any) -> tuple[Any, ...]:
    union = isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union
    return get_args(kind) if union else (kind,)
