"""Answers that fit their ask, and answers that do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from craze.codec import Permission, PermissionOption, Plan, Question, QuestionItem, QuestionOption, Tool
from craze.engine import forms
from craze.engine.answers import AnswerValue, Form, Judge, OpenAsk, Pick, Reply, Skip
from craze.engine.checks import focus, normalize, validate_answer

YES = PermissionOption(option_id="yes", name="Yes", kind="allow_once")
NO = PermissionOption(option_id="no", name="No", kind="reject_once")
PERMISSION = OpenAsk(body=Permission(options=(YES, NO)), tool="c")
PLAN = OpenAsk(body=Plan())
TOOL = Tool(id="c")
INPUT = Raw(b'{"command":"ls"}')


def ask(*items: QuestionItem, custom: tuple[str, ...] = ()) -> OpenAsk:
    return OpenAsk(body=Question(questions=items), form=Form(custom=custom))


def item(item_id: str = "q", *labels: str, many: bool = False) -> QuestionItem:
    options = tuple(QuestionOption(id=label[:1], label=label) for label in labels)
    return QuestionItem(id=item_id, options=options, allow_multiple=many)


def wrong(asked: OpenAsk, answer: AnswerValue, can: frozenset[str] = frozenset()) -> list[str]:
    return list(validate_answer(asked, answer, TOOL, can))


def reply(**answers: tuple[str, ...]) -> Reply:
    return Reply(answers=answers)


@pytest.mark.rule("ENG-59", "ENG-117")
@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (PERMISSION, Skip()),
        (PERMISSION, Judge(accepted=True)),
        (PLAN, Pick(option="yes")),
        (ask(item()), Pick(option="q")),
    ],
)
def test_a_value_of_another_kind_is_refused(asked: OpenAsk, answer: AnswerValue) -> None:
    assert wrong(asked, answer) == ["answer"]


@pytest.mark.rule("ENG-59", "ENG-58", "ACP-80")
def test_only_an_offered_option_is_taken_by_its_exact_id() -> None:
    assert wrong(PERMISSION, Pick(option="yes")) == []
    assert validate_answer(PERMISSION, Pick(option="Yes")) == {"option": "'Yes' was not offered"}


@pytest.mark.rule("ENG-59", "ENG-117", "ACP-187")
@pytest.mark.parametrize(
    ("asked", "answer", "can", "keys"),
    [
        (PERMISSION, Pick(option="yes", input=INPUT), True, []),
        (PERMISSION, Pick(option="yes", input=INPUT), False, ["input"]),
        (PERMISSION, Pick(option="no", input=INPUT), True, ["input"]),
        (PERMISSION, Pick(option="yes", input=Raw(b"[]")), True, ["input"]),
        (PERMISSION, Pick(option="yes", input=Raw(b"{")), True, ["input"]),
        (PLAN, Judge(accepted=True, input=INPUT), True, []),
        (PLAN, Judge(accepted=False, input=INPUT), True, ["input"]),
    ],
)
def test_a_changed_input_goes_with_a_yes_and_needs_the_capability(
    asked: OpenAsk, answer: AnswerValue, can: bool, keys: list[str]
) -> None:
    assert wrong(asked, answer, frozenset({"edit_input"} if can else ())) == keys


def test_without_a_call_there_is_no_input_to_change() -> None:
    assert list(validate_answer(PERMISSION, Pick(option="yes", input=INPUT), None, {"edit_input"})) == ["input"]


@pytest.mark.rule("ENG-59")
@pytest.mark.parametrize(
    ("asked", "answer", "keys"),
    [
        (ask(item("q", "Ann", "Bob")), reply(), ["answers"]),
        (ask(item("q", "Ann", "Bob")), reply(q=("A",)), []),
        (ask(item("q", "Ann", "Bob")), reply(other=("A",)), ["other"]),
        (ask(item("q", "Ann", "Bob")), reply(q=("A", "B")), ["q"]),
        (ask(item("q", "Ann", "Bob", many=True)), reply(q=("A", "B")), []),
        (ask(item("q", "Ann", "Bob", many=True)), reply(q=()), []),
        (ask(item("q", "Ann", "Bob")), reply(q=()), ["q"]),
        (ask(item("q", "Ann", "Bob")), reply(q=("Zoe",)), ["q"]),
        (ask(item("q", "Ann", "Bob"), custom=("q",)), reply(q=("Zoe",)), []),
        (ask(item("q")), reply(q=("anything",)), []),
        (ask(item("q")), reply(q=("two", "texts")), ["q"]),
        (ask(item("q", "Ann"), item("r", "Bob")), reply(q=("A",)), []),
        (ask(item("q", "Ann")), Skip(), []),
    ],
)
def test_each_item_takes_what_it_offers(asked: OpenAsk, answer: AnswerValue, keys: list[str]) -> None:
    assert wrong(asked, answer) == keys


@pytest.mark.rule("ENG-59", "ENG-118")
def test_what_misses_the_form_is_named_by_item() -> None:
    made = forms.question(Raw(b'{"properties":{"n":{"type":"integer"},"m":{}},"required":["m"]}'), "?")
    assert made is not None
    asked = OpenAsk(body=made[0], form=made[1])

    assert validate_answer(asked, reply(n=("x",))) == {"n": "must be of type integer", "m": "an answer is required"}


@pytest.mark.rule("ENG-117")
def test_a_text_equal_to_a_label_or_an_id_is_that_option() -> None:
    options = (QuestionOption(id="b", label="a"), QuestionOption(id="a", label="x"), QuestionOption(id="c", label="x"))
    asked = OpenAsk(body=Question(questions=(QuestionItem(id="q", options=options, allow_multiple=True),)))

    assert normalize(asked, reply(q=("a", "x", "b", "free"))) == reply(q=("a", "a", "b", "free"))


def test_a_typed_value_is_kept_in_the_text_that_a_replay_gives_back() -> None:
    made = forms.question(Raw(b'{"properties":{"n":{"type":"integer"}}}'), "?")
    assert made is not None
    asked = OpenAsk(body=made[0], form=made[1])

    answer = normalize(asked, reply(n=(" 7 ",)))

    assert answer == reply(n=("7",)) == forms.reply(made[1], forms.content(made[1], {"n": (" 7 ",)}))


@pytest.mark.rule("ACP-86")
def test_a_confirmation_answered_with_no_is_skipped() -> None:
    made = forms.question(Raw(b'{"properties":{}}'), "Go on?")
    assert made is not None
    asked = OpenAsk(body=made[0], form=made[1])

    assert normalize(asked, reply(confirm=("No",))) == Skip()
    assert normalize(asked, reply(confirm=("Yes",))) == reply(confirm=("true",))


@pytest.mark.rule("ENG-58")
@pytest.mark.parametrize(
    ("kinds", "focused"),
    [
        (["reject_once", "allow_once"], 0),
        (["allow_always", "allow_once", "reject_once"], 1),
        (["allow_always", "reject_once"], 0),
        (["odd", "allow_once"], 1),
        (["odd"], 0),
        ([], 0),
    ],
)
def test_the_focus_is_on_a_leading_no_else_on_the_first_allow_once(kinds: list[str], focused: int) -> None:
    assert focus([PermissionOption(kind=kind) for kind in kinds]) == focused


ITEMS = st.lists(
    st.builds(
        QuestionItem,
        id=st.sampled_from("qrs"),
        options=st.lists(
            st.builds(QuestionOption, id=st.sampled_from("abc"), label=st.sampled_from("abcxyz")), max_size=3
        ).map(tuple),
        allow_multiple=st.booleans(),
    ),
    max_size=3,
    unique_by=lambda found: found.id,
)
ANSWERS = st.dictionaries(st.sampled_from("qrst"), st.lists(st.sampled_from("abcxyz"), max_size=2).map(tuple))


@pytest.mark.rule("ENG-59", "ENG-117")
@given(ITEMS, ANSWERS, st.sets(st.sampled_from("qrs")))
def test_normalizing_twice_is_once_and_a_valid_answer_names_only_what_was_offered(
    items: list[QuestionItem], answers: dict[str, tuple[str, ...]], custom: set[str]
) -> None:
    asked = ask(*items, custom=tuple(custom))
    once = normalize(asked, Reply(answers=answers))

    assert normalize(asked, once) == once
    assert isinstance(once, Reply)
    if validate_answer(asked, once) == {}:
        offered = {each.id: {option.id for option in each.options} for each in items}
        for name, texts in once.answers.items():
            assert name in custom or not offered[name] or set(texts) <= offered[name]
