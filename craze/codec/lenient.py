"""The lenient way of decoding: from plain values to structs, key by key, with the path of what is refused.

It decides alone what a line that the typed decoder refuses means: nulls are absent keys, always-written keys are filled,
times become canonical, and the slash section drops its bad rows instead of refusing the event.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeAlias, TypeVar, cast

import msgspec
from msgspec import inspect

from craze.codec.event import Event
from craze.codec.plain import excerpt, parse
from craze.codec.slash import Slash, SlashItem, SlashRun
from craze.codec.text import repaired
from craze.codec.times import canonical
from craze.errors import BadTime, DecodeError

S = TypeVar("S", bound=msgspec.Struct)
Read: TypeAlias = Callable[[object], object]

_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "a boolean"),
    (int, "an integer"),
    (float, "a number with a fraction or exponent"),
    (str, "a string"),
    (list, "a list"),
    (dict, "an object"),
)
# Their required keys are not filled: an event without a type is none, and a slash row without a name is dropped.
_UNFILLED = (Event, SlashItem, SlashRun)


def read(kind: type[S], line: bytes | bytearray | memoryview) -> S:
    """The struct that a line holds.

    Raises:
        DecodeError: The line is no such thing.
    """
    value = parse(line)
    if not isinstance(value, dict):
        raise DecodeError(f"expected an object, found {_named(value)}", "not_object", excerpt=_shown(value))
    try:
        return cast("S", _struct(kind)(cast("object", value)))
    except _RefusedError as refused:
        message = f"at {refused.path}: {refused.message}"
        raise DecodeError(message, refused.reason, refused.path, excerpt=_shown(refused.value)) from None


class _RefusedError(Exception):
    """A value that cannot be read; its path grows while it passes outward."""

    def __init__(self, reason: str, message: str, value: object) -> None:
        super().__init__(message)
        self.reason, self.message, self.value = reason, message, value
        self.steps: list[str] = []

    @property
    def path(self) -> str:
        return "$" + "".join(reversed(self.steps))

    def inside(self, step: str) -> _RefusedError:
        self.steps.append(step)
        return self


def _named(value: object) -> str:
    return next((name for kind, name in _KINDS if isinstance(value, kind)), "null")


def _shown(value: object) -> str:
    return "" if isinstance(value, list | dict) else excerpt(str(value))


def _expected(what: str, value: object) -> _RefusedError:
    return _RefusedError("kind", f"expected {what}, found {_named(value)}", value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _expected("a string", value)
    return repaired(value)


def _type(value: object) -> str:
    text = _text(value)
    if not text:
        raise _RefusedError("no_type", "an event needs a type", value)
    return text


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise _expected("a boolean", value)
    return value


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _expected("an integer", value)
    if not -(2**63) <= value < 2**63:
        raise _RefusedError("range", "integer beyond 64 bits", value)
    return value


def _time(value: object) -> str:
    try:
        return canonical(_text(value))
    except BadTime:
        raise _RefusedError("time", "not a time", value) from None


def _list(item: Read, zero: object) -> Read:
    """Reads a list; a null element is a zero element, so that positions stay."""

    def read_list(value: object) -> object:
        if not isinstance(value, list):
            raise _expected("a list", value)
        read: list[object] = []
        for at, element in enumerate(cast("list[object]", value)):
            try:
                read.append(zero if element is None else item(element))
            except _RefusedError as refused:
                raise refused.inside(f"[{at}]") from None
        return tuple(read)

    return read_list


_texts = _list(_text, "")


def _answers(value: object) -> object:
    """Reads a map of lists, in which null is a value."""
    if not isinstance(value, dict):
        raise _expected("an object", value)
    chosen = cast("dict[str, object]", value)
    try:
        return {key: None if options is None else _texts(options) for key, options in chosen.items()}
    except _RefusedError as refused:
        raise refused.inside("[...]") from None


def _slash(value: object) -> Slash:
    """Reads the section row by row and refuses nothing."""
    rows = cast("dict[str, object]", value).get("items") if isinstance(value, dict) else None
    kept: list[SlashItem] = []
    for row in cast("list[object]", rows) if isinstance(rows, list) else ():
        try:
            kept.append(cast("SlashItem", _struct(SlashItem)(row)))
        except _RefusedError:
            continue
    return Slash(items=tuple(kept))


@cache
def _struct(kind: type[object]) -> Read:
    """Reads an object as a struct of this kind."""
    if kind is Slash:
        return _slash
    fields = cast("inspect.StructType", inspect.type_info(kind)).fields
    reads = {field.encode_name: (field.name, _reader(field.type)) for field in fields}
    needed = [field for field in fields if field.required]
    make = cast("Callable[..., object]", kind)
    zeros = {} if kind in _UNFILLED else {field.name: _zero(field.type) for field in needed}

    def read_struct(value: object) -> object:
        if not isinstance(value, dict):
            raise _expected("an object", value)
        found = dict(zeros)
        for key, item in cast("dict[str, object]", value).items():
            if item is not None and key in reads:
                name, read = reads[key]
                try:
                    found[name] = read(item)
                except _RefusedError as refused:
                    raise refused.inside(f".{key}") from None
        for field in needed:
            if field.name not in found:
                raise _RefusedError("no_type" if kind is Event else "kind", f"`{field.encode_name}` is missing", "")
        return make(**found)

    return read_struct


def _reader(info: inspect.Type) -> Read:
    """What reads a value of this type; the types are those of `craze.codec.kinds` and structs of them."""
    match info:
        case inspect.Metadata(extra_json_schema={"format": "date-time"}):
            return _time
        case inspect.Metadata(type=inner):
            return _reader(inner)
        case inspect.StrType(min_length=1):
            return _type
        case inspect.UnionType(types=types):
            return _reader(next(member for member in types if not isinstance(member, inspect.NoneType)))
        case inspect.VarTupleType(item_type=item):
            return _list(_reader(item), _zero(item))
        case inspect.StructType(cls=kind):
            return _struct(kind)
        case _:
            return _PLAIN[type(info)]


_PLAIN: dict[type[inspect.Type], Read] = {
    inspect.StrType: _text,
    inspect.BoolType: _flag,
    inspect.IntType: _integer,
    inspect.DictType: _answers,
}


def _zero(info: inspect.Type) -> object:
    """What stands for a null element and for an always-written key that is missing."""
    match info:
        case inspect.Metadata(type=inner):
            return _zero(inner)
        case inspect.StructType(cls=kind):
            return None if kind in _UNFILLED else _struct(kind)({})
        case _:
            return _ZEROS[type(info)]


_ZEROS: dict[type[inspect.Type], object] = {inspect.StrType: "", inspect.IntType: 0, inspect.BoolType: False}
