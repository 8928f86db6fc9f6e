"""The JSON Schemas of the channel, written from the structs: the protocol's own document, and what goes beyond it.

document()   draft-07, one definition a struct of `seed`
extended()   the bodies and frames that only the extended profile knows
problems(line)   what is wrong with one line of the channel, against the document
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, Literal, cast, get_args, get_origin

import msgspec
from msgspec import Meta, Raw, UnsetType

from craze.providers.control.decode import value_of
from craze.providers.control.frames import EXTENDED
from craze.providers.control.seed import CHOICES, DEFINITIONS, REFERS, Answers, Wire

Schema = dict[str, Any]
DRAFT = "http://json-schema.org/draft-07/schema#"


def document() -> Schema:
    """The definitions of the protocol, with `Message` at the root."""
    definitions: Schema = {kind.__name__: _object(kind) for kind in DEFINITIONS}
    definitions["Answers"] = _type(Answers)
    for name, (keyword, choices) in CHOICES.items():
        definitions[name] = {keyword: [_named(each) if isinstance(each, str) else _object(each) for each in choices]}
    return _titled("control", "the control channel", definitions, "Message")


def extended() -> Schema:
    """What craze writes beyond the document, to agents that take it."""
    definitions: Schema = {kind.__name__: _object(kind) for kind in EXTENDED}
    definitions["Extended"] = {"anyOf": [_named(kind.__name__) for kind in EXTENDED]}
    return _titled("control-extended", "the control channel beyond its document", definitions, "Extended")


def problems(line: bytes) -> Iterator[tuple[str, str]]:
    """Path and message of each violation of a frame, alone or in a row of a capture; nothing for a line that the
    document does not cover: prompts, what a client asks for besides, and what an agent answers to that.

    Raises:
        msgspec.DecodeError: It is no JSON.
    """
    row = msgspec.json.decode(line, type=_Row)
    frame = Raw(line) if not row.dir else row.msg or Raw((row.line or row.raw).encode() or b"null")
    value = value_of(frame)
    if not isinstance(value, dict) or not _is_covered(row.dir, cast("Schema", value)):
        return
    for error in _validator().iter_errors(value):
        yield error.json_path, str(error.message)[:300]


class _Row(msgspec.Struct):
    dir: str = ""
    msg: Raw = Raw()
    line: str = ""
    raw: str = ""


def _is_covered(direction: str, value: Schema) -> bool:
    if value.get("type") == "control_response":
        return direction != "in"
    if value.get("type") != "control_request":
        return False
    request = value.get("request")
    greets = isinstance(request, dict) and cast("Schema", request).get("subtype") == "initialize"
    return direction in ("in", "") or (direction == "out" and greets)


@cache
def _validator() -> Any:
    from jsonschema import Draft7Validator  # heavy: only when lines are checked

    return Draft7Validator(document())


def _titled(name: str, title: str, definitions: Schema, root: str) -> Schema:
    head = {"$schema": DRAFT, "$id": f"craze/schema/{name}.json", "title": title}
    return {**head, "definitions": definitions, **_named(root)}


def _object(kind: type[Wire]) -> Schema:
    hints = typing.get_type_hints(kind, include_extras=True)
    fields = msgspec.structs.fields(kind)
    schema: Schema = {"type": "object"}
    if required := [each.encode_name for each in fields if _is_required(each, hints[each.name])]:
        schema["required"] = required
    if fields:
        schema["properties"] = {each.encode_name: _field(kind, each.name, hints[each.name]) for each in fields}
    schema["additionalProperties"] = kind.open
    return schema


def _field(kind: type[Wire], name: str, hint: Any) -> Schema:
    owners = (owner for owner in kind.__mro__ if (owner, name) in REFERS)
    owner = next(owners, None)
    return _named(REFERS[owner, name]) if owner else _type(hint)


def _is_required(field: msgspec.structs.FieldInfo, hint: Any) -> bool:
    """A constant is always written; what may be unset need not be there."""
    return field.required or (get_origin(hint) is Literal) or hint is type(None)


def _type(hint: Any) -> Schema:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        facts = [each for each in args[1:] if isinstance(each, Meta) and each.min_length is not None]
        return _type(args[0]) | {"minLength": facts[0].min_length} if facts else _type(args[0])
    if origin in (typing.Union, types.UnionType):
        members = [each for each in args if each is not UnsetType]
        return _type(members[0]) if len(members) == 1 else {"anyOf": [_type(each) for each in members]}
    if origin is Literal:
        return {"const": args[0]} if len(args) == 1 else {"enum": list(args)}
    if origin is tuple:
        return {"type": "array", "items": _type(args[0])}
    if origin is dict:
        return {"type": "object"} if args[1] is Any else {"type": "object", "additionalProperties": _type(args[1])}
    if isinstance(hint, type) and issubclass(hint, Wire):
        return _named(hint.__name__) if hint.named else _object(hint)
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return {"type": "object"}
    return {} if hint in (Raw, Any) else {"type": {str: "string", bool: "boolean", type(None): "null"}[hint]}


def _named(name: str) -> Schema:
    return {"$ref": f"#/definitions/{name}"}
