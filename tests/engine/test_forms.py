"""Questions and the schemas they are made from."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from craze.codec import Question, QuestionItem, QuestionOption
from craze.engine import forms
from craze.engine.answers import Form, Reply


def raw(schema: object) -> Raw:
    return Raw(json.dumps(schema).encode())


def schema(required: tuple[str, ...] = (), **properties: object) -> Raw:
    return raw({"type": "object", "properties": properties, "required": list(required)})


def asked(text: Raw | None, message: str = "Well?", order: tuple[str, ...] = ()) -> tuple[Question, Form]:
    found = forms.question(text, message, order)
    assert found is not None
    return found


def item(**field: object) -> QuestionItem:
    return asked(schema(x=field))[0].questions[0]


COLOURS = (QuestionOption(id="r", label="r"), QuestionOption(id="g", label="g"))


@pytest.mark.rule("ACP-83", "ENG-118")
@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ({"type": "string", "enum": ["r", "g"]}, QuestionItem(options=COLOURS)),
        (
            {"type": "string", "enum": ["r", "g"], "enumNames": ["Red"]},
            QuestionItem(options=(QuestionOption(id="r", label="Red"), COLOURS[1])),
        ),
        (
            {"type": "string", "oneOf": [{"const": "r", "title": "Red", "description": "hot"}]},
            QuestionItem(options=(QuestionOption(id="r", label="Red", description="hot"),)),
        ),
        ({"type": "string", "anyOf": [{"const": "r"}, {"const": "g"}]}, QuestionItem(options=COLOURS)),
        ({"type": "array", "items": {"enum": ["r", "g"]}}, QuestionItem(options=COLOURS, allow_multiple=True)),
        (
            {"type": "array", "items": {"anyOf": [{"const": "r"}, {"const": "g"}]}},
            QuestionItem(options=COLOURS, allow_multiple=True),
        ),
        (
            {"type": "boolean"},
            QuestionItem(options=(QuestionOption(id="true", label="Yes"), QuestionOption(id="false", label="No"))),
        ),
        ({"type": "integer"}, QuestionItem()),
        ({"type": "hologram"}, QuestionItem()),
        ({"type": "string", "oneOf": [{"pattern": "x"}]}, QuestionItem()),
    ],
)
def test_each_kind_of_property_is_its_kind_of_item(field: dict[str, object], expected: QuestionItem) -> None:
    found = item(**field)

    assert (found.options, found.allow_multiple) == (expected.options, expected.allow_multiple)


@pytest.mark.rule("ACP-83")
def test_a_prompt_is_the_description_else_the_title_else_the_message() -> None:
    question, _ = asked(schema(a={"description": "d", "title": "t"}, b={"title": "t"}, c={}), "message")

    assert question.title == "message"
    assert [(each.id, each.prompt) for each in question.questions] == [("a", "d"), ("b", "t"), ("c", "message")]


@pytest.mark.rule("ACP-83")
def test_items_follow_the_given_order_then_the_schema() -> None:
    question, _ = asked(schema(a={}, b={}, c={}), order=("c", "nobody", "b"))

    assert [each.id for each in question.questions] == ["c", "b", "a"]


@pytest.mark.rule("ACP-84")
def test_a_custom_key_stays_an_item_and_a_missing_type_is_an_object() -> None:
    question, form = asked(raw({"properties": {"k": {"enum": ["r"]}, "k_custom": {"type": "string"}}}))

    assert [each.id for each in question.questions] == ["k", "k_custom"]
    assert forms.content(form, {"k_custom": ("mine",)}) == {"k_custom": "mine"}


@pytest.mark.rule("ACP-85", "ENG-118")
@pytest.mark.parametrize(
    ("field", "texts", "value"),
    [
        ({"type": "string"}, ("7",), "7"),
        ({"type": "integer"}, ("7",), 7),
        ({"type": "number"}, ("0.5",), 0.5),
        ({"type": "boolean"}, ("false",), False),
        ({"enum": [1, 2]}, ("2",), 2),
        ({"enum": [None, "x"]}, ("null",), None),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, ("b", "a"), ["b", "a"]),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, (), []),
        ({"type": "array", "items": {"type": "integer"}}, ("1", "2"), [1, 2]),
        ({"type": "integer"}, ("seven",), "seven"),
    ],
)
def test_values_are_typed_by_the_schema(field: dict[str, object], texts: tuple[str, ...], value: object) -> None:
    _, form = asked(schema(x=field, untouched={}))

    content = forms.content(form, {"x": texts})

    assert content == {"x": value}
    assert type(content["x"]) is type(value)


@pytest.mark.rule("ACP-86")
@pytest.mark.parametrize("text", [b"[]", b"3", b"{", b'{"type":"array"}', b'{"properties":[]}'])
def test_a_schema_that_cannot_be_read_becomes_one_free_text_item(text: bytes) -> None:
    assert forms.question(Raw(text), "Well?") is None
    question, form = forms.free(Raw(text), "Well?")

    assert question.questions == (QuestionItem(id="answer", prompt="Well?"),)
    assert forms.content(form, {"answer": ("so",)}) == {"answer": "so"}
    assert forms.reply(form, {"answer": "so"}) == Reply(answers={"answer": ("so",)})
    assert forms.misses(form, question, {"answer": ("so",)}) == {}


@pytest.mark.rule("ACP-86")
@pytest.mark.parametrize(
    ("text", "takes"),
    [
        (b'{"properties":[]}', True),
        (b'{"properties":[],"additionalProperties":false}', False),
        (b'{"type":"array"}', False),
        (b"3", False),
    ],
)
def test_the_key_answer_is_sent_only_where_the_schema_allows_it(text: bytes, takes: bool) -> None:
    assert forms.takes_answer(Raw(text)) is takes


@pytest.mark.rule("ACP-86")
@pytest.mark.parametrize("text", [None, raw({}), schema()])
def test_a_form_without_fields_is_a_confirmation(text: Raw | None) -> None:
    question, form = asked(text)

    assert [option.id for option in question.questions[0].options] == ["true", "false"]
    assert forms.content(form, {"confirm": ("true",)}) == {}
    assert forms.reply(form, {}) == Reply(answers={"confirm": ("true",)})
    assert forms.declines(form, {"confirm": ("false",)})
    assert not forms.declines(form, {"confirm": ("true",)})


def test_a_field_named_confirm_declines_nothing() -> None:
    _, form = asked(schema(confirm={"type": "boolean"}))

    assert not forms.declines(form, {"confirm": ("false",)})
    assert forms.content(form, {"confirm": ("false",)}) == {"confirm": False}


@pytest.mark.rule("ENG-118")
def test_defaults_are_answers() -> None:
    _, form = asked(
        schema(a={"default": "x"}, b={"type": "integer", "default": 3}, c={"type": "array", "default": ["p", "q"]})
    )

    assert forms.defaults(form) == {"a": ("x",), "b": ("3",), "c": ("p", "q")}


@pytest.mark.rule("ENG-118", "ENG-59")
@pytest.mark.parametrize(
    ("field", "texts", "message"),
    [
        ({"type": "integer"}, ("x",), "must be of type integer"),
        ({"type": "integer", "maximum": 5}, ("6",), "6 is greater than the maximum of 5"),
        ({"type": "string", "minLength": 3}, ("ab",), "'ab' is too short"),
        ({"type": "string", "pattern": "^a"}, ("b",), "'b' does not match '^a'"),
        ({"type": "string", "format": "email"}, ("b",), "'b' is not a 'email'"),
        ({"type": "array", "items": {"enum": ["a"]}, "minItems": 1}, (), "[] should be non-empty"),
    ],
)
def test_a_value_that_misses_the_form_is_named(field: dict[str, object], texts: tuple[str, ...], message: str) -> None:
    question, form = asked(schema(x=field))

    assert forms.misses(form, question, {"x": texts}) == {"x": message}


@pytest.mark.rule("ENG-118")
def test_a_required_item_without_an_answer_is_named() -> None:
    question, form = asked(schema(("a", "b"), a={}, b={}))

    assert forms.misses(form, question, {"a": ("x",)}) == {"b": "an answer is required"}


@pytest.mark.parametrize(
    "hostile",
    [
        {"properties": {"x": {"$ref": "http://127.0.0.1:1/schema.json"}}},
        {"properties": {"x": {"$ref": "#"}}, "$ref": "#"},
        {"properties": {"x": {"pattern": "("}}},
        {"properties": {"x": {"minimum": "low"}}},
        {"properties": {"x": {"type": "hologram"}}},
        {"properties": {"x": 7}, "required": "x"},
        {"$schema": "http://127.0.0.1:1/draft", "properties": {"x": {}}},
    ],
)
def test_a_schema_that_cannot_be_checked_refuses_nothing(hostile: dict[str, object]) -> None:
    question, form = asked(raw(hostile))

    assert forms.misses(form, question, {"x": ("v",)}) == {}


@pytest.mark.rule("ENG-118")
def test_jsonschema_is_imported_when_a_form_is_checked_and_not_before() -> None:
    script = "import sys, craze.engine.forms, craze.engine.rules; sys.exit('jsonschema' in sys.modules or 'pathspec' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


SCALARS = st.one_of(st.text(max_size=4), st.integers(-99, 99), st.booleans(), st.none())
FIELDS = st.one_of(
    st.fixed_dictionaries({"type": st.sampled_from(["string", "integer", "number", "boolean", "odd"])}),
    st.fixed_dictionaries({"enum": st.lists(st.text(max_size=4), min_size=1, max_size=3)}),
    st.fixed_dictionaries({"type": st.just("array"), "items": st.sampled_from([{}, {"enum": ["a", "b"]}])}),
)


@st.composite
def filled(draw: st.DrawFn) -> tuple[Raw, dict[str, object]]:
    """A schema and a content that fits it."""
    fields = draw(st.dictionaries(st.text(max_size=3), FIELDS, min_size=1, max_size=4))
    values: dict[str, object] = {}
    for name, field in fields.items():
        values[name] = draw(value_of(field))
    return raw({"properties": fields}), values


def value_of(field: dict[str, object]) -> st.SearchStrategy[object]:
    if "enum" in field:
        return st.sampled_from(field["enum"])  # pyright: ignore[reportArgumentType]
    match field["type"]:
        case "integer":
            return st.integers(-(2**63), 2**63)
        case "number":
            return st.floats(allow_nan=False, allow_infinity=False)
        case "boolean":
            return st.booleans()
        case "array":
            return st.lists(st.sampled_from(["a", "b"]), max_size=3)
        case _:
            return st.text(max_size=6)


@pytest.mark.rule("ENG-118", "ACP-85")
@given(filled())
def test_reply_is_the_inverse_of_content(made: tuple[Raw, dict[str, object]]) -> None:
    text, values = made
    _, form = asked(text)

    answers = forms.reply(form, values).answers

    assert forms.content(form, answers) == values
    assert forms.canonical(form, answers) == answers


@given(filled(), st.dictionaries(st.text(max_size=3), st.lists(st.text(max_size=4), max_size=2).map(tuple), max_size=4))
def test_any_answers_have_a_content_and_a_canonical_form(
    made: tuple[Raw, dict[str, object]], answers: dict[str, tuple[str, ...]]
) -> None:
    question, form = asked(made[0])

    once = forms.canonical(form, answers)

    assert forms.canonical(form, once) == once
    assert isinstance(forms.misses(form, question, once), dict)
    json.dumps(forms.content(form, once))


@given(
    st.recursive(
        SCALARS,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["type", "properties", "enum", "oneOf", "items", "const", "x", "required"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_no_schema_makes_the_reader_fail(anything: object) -> None:
    text = raw(anything)
    found = forms.question(text, "m") or forms.free(text, "m")

    question, form = found
    forms.misses(form, question, {each.id: ("v",) for each in question.questions})
    forms.defaults(form)


@pytest.mark.rule("ENG-118")
def test_a_schema_may_only_require_items_that_were_asked_otherwise() -> None:
    question = Question(questions=(QuestionItem(id="q1"), QuestionItem(id="q2")))
    form = Form(schema=raw({"type": "object", "required": ["q1", "q2"]}))

    assert forms.misses(form, question, {"q1": ("typed",)}) == {"q2": "an answer is required"}
