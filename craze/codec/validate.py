"""What is wrong with a file of events, line by line: `craze validate --as event`.

Streams and prints nothing. jsonschema is imported on first use: it costs more than the whole codec.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import msgspec

from craze.codec.decode import SPACE, decode
from craze.codec.encode import encode
from craze.codec.lines import Line, record_in, split
from craze.codec.plain import excerpt, parse
from craze.codec.record import Record
from craze.codec.schema import event_schema
from craze.errors import DecodeError

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

Level: TypeAlias = Literal["refused", "schema", "form"]


class Finding(msgspec.Struct, frozen=True):
    """One thing that is wrong with a line.

    Attributes:
        number: The line, from 1.
        level: `refused`, it does not decode; `schema`, it does and is not valid; `form`, its bytes are not the canonical ones.
        path: Inside the event, such as `$.state.usage.turn`.
        message: What is wrong, in one short line, without path and level.
    """

    number: int
    level: Level
    path: str
    message: str


def event_findings(blocks: Iterable[bytes], *, canonical: bool = False) -> Iterator[Finding]:
    """Every finding of every line, bare or in an envelope; `canonical` asks for the exact bytes too."""
    validator = validator_of(event_schema())
    for line in split(blocks, sys.maxsize):
        if line.text.strip(SPACE):
            yield from (Finding(line.number, *found) for found in _findings(line, validator, canonical))


def validator_of(schema: Mapping[str, object]) -> Validator:
    """The validator of a schema, draft 2020-12."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator(cast("dict[str, object]", schema))


def problems(value: object, validator: Validator) -> Iterator[tuple[str, str]]:
    """Path and message of everything in a parsed value that its schema does not admit."""
    for error in validator.iter_errors(cast("Mapping[str, None]", value)):
        path = excerpt(error.json_path, 200)
        for message in _SAYS.get(cast("str", error.validator), _other)(error):
            yield path, message


def _findings(line: Line, validator: Validator, canonical: bool) -> Iterator[tuple[Level, str, str]]:
    found = record_in(line)
    if isinstance(found, Record) and found.omitted is not None:
        return
    body = found.body if isinstance(found, Record) else line.text
    try:
        event = decode(body)
    except DecodeError as error:
        if found == "broken" and error.reason == "no_type":
            yield "refused", "$.seq", "expected a whole number from 0 on"
        else:
            yield "refused", error.path, str(error).removeprefix(f"at {error.path}: ")
        return
    wrong = list(problems(parse(body), validator))
    for path, message in wrong:
        yield "schema", path, message
    written = line.text if isinstance(found, Record) and found.seq == 0 else body
    if canonical and not wrong and encode(event) != written:
        yield "form", "$", "not the canonical bytes"


def _unknown_keys(error: ValidationError) -> Iterator[str]:
    known = cast("dict[str, object]", cast("dict[str, object]", error.schema).get("properties", {}))
    return (f"unknown key {_short(key)}" for key in cast("dict[str, object]", error.instance) if key not in known)


def _missing_key(error: ValidationError) -> Iterator[str]:
    # jsonschema reports each missing key by itself, named only in its own message.
    yield error.message.replace("'", "`", 2).replace("is a required property", "is missing")


def _wrong_kind(error: ValidationError) -> Iterator[str]:
    wanted = error.validator_value
    names = cast("list[str]", wanted) if isinstance(wanted, list) else [str(wanted)]
    yield f"expected {' or '.join(_KINDS[name] for name in names)}, found {_short(error.instance)}"


def _not_listed(error: ValidationError) -> Iterator[str]:
    yield f"unknown value {_short(error.instance)}"


def _other(error: ValidationError) -> Iterator[str]:
    rule = str(error.validator)
    yield f"{_short(error.instance)} {_BREAKS.get(rule, f'breaks {rule}')} {_short(error.validator_value)}"


_BREAKS = {
    "minimum": "is less than",
    "maximum": "is more than",
    "minLength": "has fewer characters than",
    "maxLength": "has more characters than",
    "minItems": "has fewer items than",
    "maxItems": "has more items than",
}
_KINDS = {
    "array": "a list",
    "boolean": "a boolean",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_SAYS: dict[str, Callable[[ValidationError], Iterator[str]]] = {
    "additionalProperties": _unknown_keys,
    "required": _missing_key,
    "type": _wrong_kind,
    "enum": _not_listed,
}


def _short(value: object) -> str:
    """A value as JSON, cut to what fits a line; a list and an object only by their kind."""
    if isinstance(value, list | dict):
        return _KINDS["array" if isinstance(value, list) else "object"]
    return excerpt(json.dumps(value, ensure_ascii=False), 60)
