"""Whether an answer fits its ask, before it is claimed.

    normalize(ask, answer) -> AnswerValue                labels and texts become the option ids they stand for
    validate_answer(ask, answer, tool, can) -> dict[str, str]   item id or member to what is wrong; empty = valid
    focus(options) -> int                                the option that a screen marks first

Pure. Which asks are open, and who answers first, is the business of `asks`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

import msgspec
from msgspec import UNSET, Raw, UnsetType
from msgspec.structs import replace

from craze.codec import Permission, PermissionOption, Plan, Question, QuestionItem, Tool
from craze.engine import forms
from craze.engine.answers import AnswerValue, Form, Judge, OpenAsk, Pick, Reply, Skip

Wrong: TypeAlias = dict[str, str]


def normalize(ask: OpenAsk, answer: AnswerValue) -> AnswerValue:
    """The answer with the ids of the options that it names by label, and typed values in their canonical text.

    A confirmation answered with no is a `Skip`: on the wire both are the same refusal, and a replay cannot tell them apart.
    """
    if not isinstance(answer, Reply) or not isinstance(ask.body, Question):
        return answer
    items = {item.id: item for item in ask.body.questions}
    named = {
        name: tuple(_id_of(items[name], text) for text in texts) if name in items else texts
        for name, texts in answer.answers.items()
    }
    form = ask.form or Form()
    return Skip() if forms.declines(form, named) else replace(answer, answers=forms.canonical(form, named))


def validate_answer(ask: OpenAsk, answer: AnswerValue, tool: Tool | None = None, can: Collection[str] = ()) -> Wrong:
    """What is wrong with a normalized answer.

    Args:
        tool: The call that the ask is about, whose input an answer may change.
        can: The provider's capabilities.
    """
    editable = "edit_input" in can and tool is not None
    match ask.body, answer:
        case Permission(), Pick():
            return _wrong_pick(ask.body, answer, editable)
        case Question(), Reply():
            return _wrong_reply(ask.body, ask.form or Form(), answer)
        case Question(), Skip():
            return {}
        case Plan(), Judge():
            return _wrong_input(answer.input, editable, fits=answer.accepted)
        case _:
            return {"answer": f"{type(answer).__name__} does not answer a {type(ask.body).__name__.lower()}"}


def focus(options: Sequence[PermissionOption]) -> int:
    """The first option if it rejects (the agent wants no to be the default), else the first `allow_once`, else 0."""
    if options and rejects(options[0]):
        return 0
    return next((at for at, option in enumerate(options) if option.kind == "allow_once"), 0)


def rejects(option: PermissionOption) -> bool:
    return option.kind in {"reject_once", "reject_always"}


def _id_of(item: QuestionItem, text: str) -> str:
    if any(option.id == text for option in item.options):
        return text
    return next((option.id for option in item.options if option.label == text), text)


def _wrong_pick(body: Permission, answer: Pick, editable: bool) -> Wrong:
    picked = next((option for option in body.options if option.option_id == answer.option), None)
    if picked is None:
        return {"option": f"{answer.option!r} was not offered"}
    return _wrong_input(answer.input, editable, fits=not rejects(picked))


def _wrong_input(changed: Raw | UnsetType, editable: bool, *, fits: bool) -> Wrong:
    if changed is UNSET:
        return {}
    if not editable:
        return {"input": "the input of this call cannot be changed"}
    if not fits:
        return {"input": "a changed input goes with a yes"}
    return {} if _is_object(changed) else {"input": "must be a JSON object"}


def _is_object(text: Raw) -> bool:
    try:
        return isinstance(msgspec.json.decode(text), dict)
    except (msgspec.DecodeError, RecursionError):
        return False


def _wrong_reply(body: Question, form: Form, answer: Reply) -> Wrong:
    if not answer.answers:
        return {"answers": "no item is answered"}
    items = {item.id: item for item in body.questions}
    wrong: Wrong = {}
    for name, texts in answer.answers.items():
        message = _wrong_item(items[name], texts, name in form.custom) if name in items else "was not asked"
        if message:
            wrong[name] = message
    return wrong or forms.misses(form, body, answer.answers)


def _wrong_item(item: QuestionItem, texts: tuple[str, ...], custom: bool) -> str:
    if len(texts) > 1 and not item.allow_multiple:
        return "takes one answer only"
    if not item.options:
        return ""
    if not texts and not item.allow_multiple:
        return "needs a choice"
    offered = {option.id for option in item.options}
    strange = next((text for text in texts if text not in offered), None)
    return "" if strange is None or custom else f"{strange[:80]!r} is not one of the choices"
