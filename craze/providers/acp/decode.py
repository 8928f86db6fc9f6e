"""Reading wire structs: strictly first, else field by field, so that one bad field costs that field alone.

Pure. What had to be dropped comes back as paths; what is unknown is kept as `Unknown`.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import NODEFAULT, Raw, inspect

from craze.providers.acp.types import LEAST, MOST, Unknown
from craze.transport.rescue import repaired

T = TypeVar("T")


class Read(NamedTuple, Generic[T]):
    """What was read; `value` None = not usable. `bad`: paths of what was dropped or repaired."""

    value: T | None
    bad: tuple[str, ...] = ()
    rescued: bool = False


def read(kind: type[T], raw: Raw | bytes) -> Read[T]:
    """Read a struct. Total: whatever the bytes are, nothing is raised."""
    try:
        return Read(_decoder(kind).decode(raw))
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return _leniently(kind, bytes(raw))
    except (msgspec.DecodeError, RecursionError):
        again = repaired(bytes(raw))
    try:
        return Read(None, ("$",)) if again is None else _leniently(kind, again)._replace(rescued=True)
    except (msgspec.DecodeError, RecursionError):
        return Read(None, ("$",))


def is_whole(value: float) -> bool:
    """Whether a number is an integer that an event can hold; `12.0` is."""
    return LEAST <= value <= MOST and value == int(value)


def value_of(raw: Raw | bytes) -> object:
    """Plain JSON, or None for what is none."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None


def _leniently(kind: type[T], raw: bytes) -> Read[T]:
    reader = _Lenient()
    value: Any = reader.value(_shape(kind), raw, "$")
    return Read(None if value is _BAD else value, tuple(reader.bad))


@cache
def _decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    return msgspec.json.Decoder(kind)


@cache
def _shape(kind: type) -> inspect.Type:
    return inspect.type_info(kind)  # far dearer than reading a line by it


_BAD: Any = object()
_NULL = Raw(b"null")


class _Lenient:
    """One pass over an object; `bad` collects what was dropped."""

    def __init__(self) -> None:
        self.bad: list[str] = []

    def value(self, kind: inspect.Type, raw: bytes, path: str) -> Any:
        """The value of this kind, or `_BAD`, which is noted once, at the field that it is for."""
        noted = len(self.bad)
        value = self._one(kind, raw, path)
        if value is _BAD and len(self.bad) == noted:
            self.bad.append(path)
        return value

    def _one(self, kind: inspect.Type, raw: bytes, path: str) -> Any:
        if isinstance(kind, inspect.RawType):
            msgspec.json.decode(raw)  # a payload that cannot be read has the whole line repaired
            return Raw(raw)
        if isinstance(kind, inspect.StructType):
            return self._struct(kind, raw, path)
        if isinstance(kind, inspect.VarTupleType):
            return self._items(kind.item_type, raw, path)
        if isinstance(kind, inspect.UnionType):
            return self._union(kind, raw, path)
        return _scalar(kind, msgspec.json.decode(raw))

    def _union(self, kind: inspect.UnionType, raw: bytes, path: str) -> Any:
        structs = {member.tag: member for member in kind.types if isinstance(member, inspect.StructType)}
        if raw[:1] == b"{" and structs:
            first = next(iter(structs.values()))
            if first.tag_field is None:
                return self._struct(first, raw, path)
            tag = value_of(msgspec.json.decode(raw, type=dict[str, Raw]).get(first.tag_field, _NULL))
            known = structs.get(tag if isinstance(tag, str) else None)
            return self._struct(known, raw, path) if known else Unknown(tag if isinstance(tag, str) else "", Raw(raw))
        for member in kind.types:
            if not isinstance(member, inspect.StructType):
                value = self._one(member, raw, path)
                if value is not _BAD:
                    return value
        return _BAD

    def _struct(self, kind: inspect.StructType, raw: bytes, path: str) -> Any:
        if raw[:1] != b"{":
            return _BAD
        held = msgspec.json.decode(raw, type=dict[str, Raw])
        fields: dict[str, Any] = {}
        for field in kind.fields:
            value = _BAD
            if field.encode_name in held:
                value = self.value(field.type, bytes(held[field.encode_name]), f"{path}.{field.encode_name}")
            if value is not _BAD:
                fields[field.name] = value
            elif field.required and field.default is NODEFAULT:
                if field.encode_name not in held:
                    self.bad.append(f"{path}.{field.encode_name}")
                return _BAD
        return kind.cls(**fields)

    def _items(self, kind: inspect.Type, raw: bytes, path: str) -> Any:
        if raw[:1] != b"[":
            return _BAD
        elements = enumerate(msgspec.json.decode(raw, type=list[Raw]))
        values = (self.value(kind, bytes(element), f"{path}[{at}]") for at, element in elements)
        return tuple(value for value in values if value is not _BAD)


def _scalar(kind: inspect.Type, value: object) -> Any:
    """A text, number, mark or null; an integer stands for its text, and `12.0` for 12."""
    match kind:
        case inspect.NoneType() if value is None:
            return None
        case inspect.BoolType() if isinstance(value, bool):
            return value
        case inspect.StrType() if isinstance(value, str):
            return value
        case inspect.StrType() if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        case inspect.IntType() if not isinstance(value, bool) and isinstance(value, int | float) and is_whole(value):
            return int(value)
        case _:
            return _BAD
