"""The JSON Schema of an event, built from the structs: `schema/event.json` is written from it and never by hand."""

from __future__ import annotations

from typing import TypeAlias, cast

from msgspec import inspect

from craze.codec.event import Event

Schema: TypeAlias = dict[str, object]

_TIME: Schema = {"description": "RFC 3339 in UTC, to the nanosecond.", "type": "string", "format": "date-time"}
_ANSWERS: Schema = {
    "description": "Question id to chosen option ids; null stands for no answer at all, [] for an answer without a choice.",
    "type": "object",
    "additionalProperties": {"type": ["array", "null"], "items": {"type": "string"}},
}
_NAMES = {"Failure": "error", "QuestionOption": "option"}
_PLAIN: dict[type[inspect.Type], str] = {
    inspect.StrType: "string",
    inspect.IntType: "integer",
    inspect.BoolType: "boolean",
}


def event_schema() -> dict[str, object]:
    """JSON Schema, draft 2020-12, of one event."""
    definitions: dict[str, Schema] = {"time": {**_TIME}, "answers": {**_ANSWERS}}
    root = _object(cast("inspect.StructType", inspect.type_info(Event)), definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "craze/schema/event.json",
        "title": "event",
        **root,
        "$defs": definitions,
    }


def _object(info: inspect.StructType, definitions: dict[str, Schema]) -> Schema:
    """The schema of a struct; those it refers to are added to `definitions`."""
    required = [field.encode_name for field in info.fields if field.required]
    return {
        "description": " ".join((info.cls.__doc__ or "").split()),
        "type": "object",
        "properties": {field.encode_name: _value(field.type, definitions) for field in info.fields},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _value(info: inspect.Type, definitions: dict[str, Schema]) -> Schema:
    match info:
        case inspect.Metadata(extra_json_schema={"format": "date-time"}):
            return {"$ref": "#/$defs/time"}
        case inspect.Metadata(type=inner):
            return {**_value(inner, definitions), **cast("Schema", info.extra_json_schema or {})}
        case inspect.UnionType(types=types):
            return next(_value(member, definitions) for member in types if not isinstance(member, inspect.NoneType))
        case inspect.VarTupleType(item_type=item):
            return {"type": "array", "items": _value(item, definitions)}
        case inspect.DictType():
            return {"$ref": "#/$defs/answers"}
        case inspect.StructType(cls=kind):
            name = _NAMES.get(kind.__name__, kind.__name__[0].lower() + kind.__name__[1:])
            if name not in definitions:
                definitions[name] = {}  # holds its place before those it refers to
                definitions[name].update(_object(info, definitions))
            return {"$ref": f"#/$defs/{name}"}
        case _:
            return {"type": _PLAIN[type(info)]}
