"""Hypothesis strategies over every struct of the codec, built from the structs themselves."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import get_args

import msgspec
from hypothesis import strategies as st
from msgspec import inspect

from craze.codec import TYPES, Event, Leaf, Record, SlashItem, encode, is_slash_name, stamp

LEAVES: tuple[type[msgspec.Struct], ...] = get_args(Leaf)
STRUCTS: tuple[type[msgspec.Struct], ...] = (Event, *LEAVES)
FIRST_NS, LAST_NS = -62167219200000000000, 253402300799999999999

# Characters that some rule names, beside anything else.
texts = st.text(
    st.one_of(
        st.sampled_from('\u2028\u2029\x00\x1f\x7f"\\/\b\t\n\f\r<>&é🚀\ufeff\ufffd\x85'), st.characters(codec="utf-8")
    ),
    max_size=12,
)
integers = st.one_of(st.integers(-(2**63), 2**63 - 1), st.sampled_from([0, 1, -1, 2**63 - 1, -(2**63), 2**53 + 1]))
instants = st.one_of(
    st.integers(FIRST_NS, LAST_NS), st.integers(FIRST_NS // 10**9, LAST_NS // 10**9).map(lambda s: s * 10**9)
)
stamps = instants.map(stamp)
answers = st.dictionaries(texts, st.none() | st.lists(texts, max_size=2).map(tuple), max_size=4)
slash_names = texts.filter(is_slash_name) | st.sampled_from(["help", "plugin:fix", "日本", "zero\u200bwidth"])


@cache
def structs(kind: type[msgspec.Struct]) -> st.SearchStrategy[msgspec.Struct]:
    """Any struct of a kind; each key is left out as often as not."""
    fields = inspect.type_info(kind).fields  # type: ignore[attr-defined]
    values = {field.name: values_of(field.type) for field in fields}
    if kind is SlashItem:
        values["name"] = slash_names
    if kind is Event:
        values["type"] = st.sampled_from(TYPES) | texts.filter(bool)
    required = {field.name: values[field.name] for field in fields if field.required}
    optional = {name: values[name] for name in values if name not in required}
    some = st.fixed_dictionaries(required, optional=optional)
    few = st.sampled_from(sorted(optional)).flatmap(
        lambda name: st.fixed_dictionaries({**required, name: optional[name]})
    )
    return (some | few if optional else some).map(lambda given: kind(**given))


def values_of(info: inspect.Type) -> st.SearchStrategy[object]:
    """Any value of a field of this type."""
    match info:
        case inspect.Metadata(extra_json_schema={"format": "date-time"}):
            return stamps
        case inspect.Metadata(type=inner):
            return values_of(inner)
        case inspect.UnionType(types=types):
            return st.one_of(
                [st.none() if isinstance(member, inspect.NoneType) else values_of(member) for member in types]
            )
        case inspect.VarTupleType(item_type=item):
            return st.lists(values_of(item), max_size=2).map(tuple)
        case inspect.StructType(cls=kind):
            return st.deferred(lambda: structs(kind))
        case inspect.DictType():
            return answers
        case inspect.IntType():
            return integers
        case inspect.BoolType():
            return st.booleans()
        case _:
            return texts


events: st.SearchStrategy[Event] = structs(Event)  # type: ignore[assignment]
known_events = events.map(lambda event: msgspec.structs.replace(event, type=TYPES[len(event.type) % len(TYPES)]))
leaves = st.sampled_from(LEAVES).flatmap(structs)


def reached(value: msgspec.Struct) -> Iterator[str]:
    """The fields of a struct that are not at their default."""
    for field in msgspec.structs.fields(type(value)):
        default = {} if field.default_factory is dict else field.default
        if field.required or getattr(value, field.name) != default:
            yield field.name


@st.composite
def disturbed(draw: st.DrawFn, value: object) -> object:
    """The plain value of a struct with its keys in any order, unknown keys added, and nulls for absent ones."""
    if isinstance(value, tuple):
        return [draw(disturbed(item)) for item in value]
    if not isinstance(value, msgspec.Struct):
        return value
    written = msgspec.json.decode(msgspec.json.encode(value))
    pairs: list[tuple[str, object]] = []
    for field in msgspec.structs.fields(type(value)):
        if field.encode_name in written:
            pairs.append((field.encode_name, draw(disturbed(getattr(value, field.name)))))
        elif draw(st.integers(0, 5)) == 0:
            pairs.append((field.encode_name, None))
    for name in draw(st.lists(st.sampled_from(["_meta", "x", "Type", "TEXT", "é"]), unique=True, max_size=2)):
        pairs.append((name, draw(st.sampled_from([None, 1.5, [{"type": 7}], {"text": [None]}, "\u2028", 10**30]))))
    return dict(draw(st.permutations(pairs)))


@st.composite
def records(draw: st.DrawFn) -> tuple[bytes, Record]:
    """A written line in any of the three forms, and the record that it holds."""
    body, seq = encode(draw(events)), draw(st.integers(1, 2**40))
    form = draw(st.sampled_from(["bare", "envelope", "journal", "spaced"]))
    if form == "bare":
        return body, Record.of(0, body)
    record = Record.of(seq, body)
    lines = {
        "envelope": record.envelope(),
        "journal": b'{"kind":"event","ts":"2026-11-30T12:00:04.1Z","seq":%d,"event":%b}' % (seq, body),
        "spaced": b' { "event" : %b , "note":{"event":1},"seq": %d }\r' % (body, seq),
    }
    return lines[form], record
