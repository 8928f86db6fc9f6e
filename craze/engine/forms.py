"""A question and the JSON Schema it was made from: the one home of both directions, for every provider.

    question(schema, message, order=()) -> tuple[Question, Form] | None   None: a schema that nobody can read
    free(schema, message) -> tuple[Question, Form]     what to ask then: one free-text item, `answer`
    takes_answer(schema) -> bool                       whether such a schema allows the key `answer`
    content(form, answers) -> dict[str, object]        the typed values to send, of answered items alone
    declines(form, answers) -> bool                    a confirmation answered with no
    canonical(form, answers) -> dict[str, tuple[str, ...]]   typed values in the one text that `reply` gives
    reply(form, content) -> Reply                      the inverse of `content`, for the replayer
    misses(form, question, answers) -> dict[str, str]  item id to what is wrong; empty = it fits
    defaults(form) -> dict[str, tuple[str, ...]]       the schema's own `default`s, as answers

`answers` maps an item id to option ids or to one free text (`Reply.answers`). A schema is the agent's: it is read
leniently, kept as it came, and never followed anywhere (`$ref` to another document is not fetched). Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias, cast

import msgspec
from msgspec import UNSET, Raw, UnsetType

from craze.codec import Question, QuestionItem, QuestionOption
from craze.engine.answers import Form, Reply

Answers: TypeAlias = Mapping[str, tuple[str, ...]]
Schema: TypeAlias = dict[str, Any]

ANSWER: Final = "answer"  # the item, and the key, of a form that cannot be read
CONFIRM: Final = "confirm"  # the item of a form without fields; it has no value of its own
_MESSAGE: Final = 200  # characters of what jsonschema says: it repeats the value


class _Choice(msgspec.Struct, frozen=True):
    """One value that a field offers."""

    const: object
    label: str = ""
    description: str = ""


_YES_NO: Final = (_Choice(True, "Yes"), _Choice(False, "No"))
_NUMBERS: Final[dict[str, Any]] = {"integer": int, "number": int | float}


def question(schema: Raw | UnsetType | None, message: str, order: tuple[str, ...] = ()) -> tuple[Question, Form] | None:
    """One item for each property, in `order`, then as the schema has them; None when the schema cannot be read.

    No schema, or one without properties, is a confirmation: a single yes or no that sends no value.
    """
    fields = _fields(schema)
    if fields is None:
        return None
    names = dict.fromkeys((*(name for name in order if name in fields), *fields))
    items = tuple(_item(name, fields[name], message) for name in names)
    if not items:
        items = (QuestionItem(id=CONFIRM, prompt=message, options=_options(_YES_NO)),)
    return Question(title=message, questions=items), Form(schema=UNSET if schema is None else schema)


def free(schema: Raw | UnsetType | None, message: str) -> tuple[Question, Form]:
    """One free-text item for the message, for a schema that `question` cannot read."""
    item = QuestionItem(id=ANSWER, prompt=message)
    return Question(title=message, questions=(item,)), Form(
        schema=UNSET if schema is None else schema, custom=(ANSWER,)
    )


def takes_answer(schema: Raw | UnsetType | None) -> bool:
    """Whether a schema that cannot be read still allows an object with the key `answer`."""
    read = _read(schema)
    return read is not None and read.get("type", "object") == "object" and read.get("additionalProperties") is not False


def content(form: Form, answers: Answers) -> dict[str, object]:
    """The values of the answered items, typed by the schema: `{"count": ("3",)}` becomes `{"count": 3}`.

    A text that is no value of its type stays a text, which `misses` reports.
    """
    fields = _fields(form.schema) or {}
    typed = {name: (fields.get(name, {}), texts) for name, texts in answers.items() if fields or name != CONFIRM}
    return {name: _value(field, texts) for name, (field, texts) in typed.items() if texts or _is_list(field)}


def canonical(form: Form, answers: Answers) -> dict[str, tuple[str, ...]]:
    """The answers as `reply` would give them back: `" 3 "` for an integer becomes `"3"`."""
    fields = _fields(form.schema) or {}
    return {
        name: _texts(fields[name], _value(fields[name], texts)) if texts and name in fields else texts
        for name, texts in answers.items()
    }


def declines(form: Form, answers: Answers) -> bool:
    """Whether a confirmation was answered with no."""
    return not _fields(form.schema) and answers.get(CONFIRM) == ("false",)


def reply(form: Form, content: Mapping[str, object]) -> Reply:
    """The answers that `content` was made from."""
    fields = _fields(form.schema)
    if not fields and ANSWER not in form.custom:
        return Reply(answers={CONFIRM: ("true",)})
    return Reply(answers={name: _texts((fields or {}).get(name, {}), value) for name, value in content.items()})


def defaults(form: Form) -> dict[str, tuple[str, ...]]:
    """What the schema gives as `default`, as answers."""
    fields = _fields(form.schema) or {}
    return {name: _texts(field, field["default"]) for name, field in fields.items() if field.get("default") is not None}


def misses(form: Form, question: Question, answers: Answers) -> dict[str, str]:
    """What of the answers misses the form, by item id; a required item without an answer is one of them.

    What belongs to no item is reported under "". A schema that cannot be checked refuses nothing: the agent judges.
    """
    schema = _read(form.schema)
    if not schema or _fields(form.schema) is None:
        return {}
    asked = {item.id for item in question.questions}
    found: dict[str, str] = {}
    for name, message in _violations({"type": "object", **schema}, content(form, answers)):
        found.setdefault(name if name in asked else "", message)
    return found


def _item(name: str, field: Schema, message: str) -> QuestionItem:
    prompt = _string(field.get("description")) or _string(field.get("title")) or message
    return QuestionItem(id=name, prompt=prompt, options=_options(_choices(field)), allow_multiple=_is_list(field))


def _options(choices: tuple[_Choice, ...]) -> tuple[QuestionOption, ...]:
    texts = [_text(choice.const) for choice in choices]
    return tuple(
        QuestionOption(id=text, label=choice.label or text, description=choice.description)
        for text, choice in zip(texts, choices, strict=True)
    )


def _choices(field: Schema) -> tuple[_Choice, ...]:
    """What a field, or each element of a list, may be chosen from; nothing for free text."""
    one = _element(field)
    if one.get("type") == "boolean":
        return _YES_NO
    values: object = one.get("enum")
    if isinstance(values, list):
        consts = cast("list[object]", values)
        names: object = one.get("enumNames")
        labels = cast("list[object]", names) if isinstance(names, list) else []
        return tuple(_Choice(const, _string(labels[at]) if at < len(labels) else "") for at, const in enumerate(consts))
    for key in ("oneOf", "anyOf"):
        choices = [_object(choice) for choice in _list(one.get(key))]
        if choices and all("const" in choice for choice in choices):
            return tuple(_Choice(c["const"], _string(c.get("title")), _string(c.get("description"))) for c in choices)
    return ()


def _value(field: Schema, texts: tuple[str, ...]) -> object:
    """The typed value of one item's answer."""
    consts = {_text(choice.const): choice.const for choice in reversed(_choices(field))}
    number = _NUMBERS.get(_string(_element(field).get("type")))
    values = [consts[text] if text in consts else _number(text, number) if number else text for text in texts]
    return values if _is_list(field) else values[0]


def _number(text: str, kind: Any) -> object:
    try:
        return msgspec.json.decode(text.strip(), type=kind)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return text


def _texts(field: Schema, value: object) -> tuple[str, ...]:
    return tuple(_text(each) for each in _list(value)) if _is_list(field) else (_text(value),)


def _text(value: object) -> str:
    """A value as the text that stands for it in an answer: a string as it is, anything else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _violations(schema: Schema, values: dict[str, object]) -> list[tuple[str, str]]:
    """Item and message of each violation; none when the schema itself is none."""
    from jsonschema import Draft202012Validator, FormatChecker, SchemaError  # heavy: only when a form is checked
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    try:
        Draft202012Validator.check_schema(schema)
        # A registry of our own: the default one would fetch a `$ref` to another document.
        checker: Any = Draft202012Validator(schema, registry=Registry(), format_checker=FormatChecker())
        return [violation for error in checker.iter_errors(values) for violation in _said(error, values)]
    except (SchemaError, Unresolvable, RecursionError):
        return []


def _said(error: Any, values: dict[str, object]) -> list[tuple[str, str]]:
    if error.validator == "required" and not error.absolute_path:
        return [(name, "an answer is required") for name in error.validator_value if name not in values]
    name = str(error.absolute_path[0]) if error.absolute_path else ""
    if error.validator == "type" and isinstance(error.validator_value, str):
        return [(name, f"must be of type {error.validator_value}")]
    return [(name, error.message[:_MESSAGE])]


def _read(schema: Raw | UnsetType | None) -> Schema | None:
    """The schema as plain values: empty for none, None when it is no object."""
    if schema is None or schema is UNSET:
        return {}
    try:
        read: object = msgspec.json.decode(schema)
    except (msgspec.DecodeError, RecursionError):
        return None
    return cast("Schema", read) if isinstance(read, dict) else None


def _fields(schema: Raw | UnsetType | None) -> dict[str, Schema] | None:
    """The properties by name; None when the schema is none of an object."""
    read = _read(schema)
    properties: object = {} if read is None else read.get("properties", {})
    if read is None or read.get("type", "object") != "object" or not isinstance(properties, dict):
        return None
    return {name: _object(field) for name, field in cast("dict[str, object]", properties).items()}


def _is_list(field: Schema) -> bool:
    return field.get("type") == "array"


def _element(field: Schema) -> Schema:
    return _object(field.get("items")) if _is_list(field) else field


def _object(value: object) -> Schema:
    return cast("Schema", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
