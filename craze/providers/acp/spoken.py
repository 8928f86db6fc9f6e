"""What the recorded lines of an ACP client mean: wishes, answers, steps of a start. Pure."""

from __future__ import annotations

from typing import Final, TypeVar

import msgspec
from msgspec import Raw, Struct

from craze.engine import forms
from craze.engine.answers import AnswerValue, Form, Judge, Pick, Reply, Skip
from craze.engine.intents import Authenticate, Cancel, Intent, Set, Submit
from craze.providers.acp import asks
from craze.store.capture import Row
from craze.transport import Message, Notification, Request, Response, parse

T = TypeVar("T")

OPENING: Final = ("session/new", "session/load", "session/resume")
SETTERS: Final = ("session/set_mode", "session/set_model", "session/set_config_option")
STEPS: Final = ("initialize", *OPENING)
"""What our provider writes by itself, so that the row may still be ahead; wishes are written at theirs or later."""
_ALIKE: Final = (
    ("initialize",),
    OPENING,
    ("session/prompt",),
    ("session/cancel",),
    SETTERS,
    ("authenticate",),
)
"""Methods that stand for one another; any other request of another client has no line of ours."""


class Meaning(Struct, frozen=True):
    """What a line of another client stands for (`providers.replay.foreign.Meaning`)."""

    kind: str
    request: str = ""
    intent: Intent | None = None
    answers: str = ""


def means(row: Row) -> Meaning:
    """What a line of another client stands for."""
    message = message_of(row.payload)
    match message:
        case Request():
            request = message.id.decode("utf-8", "replace")
            kind = _KINDS.get(message.method, "other")
            intent = _intent(message.method, message.params)
            return Meaning("intent" if intent and kind == "other" else kind, request, intent)
        case Notification(method="session/cancel"):
            return Meaning("intent", intent=Cancel())
        case Response():
            return Meaning("answer", answers=message.id.decode("utf-8", "replace"))
        case _:
            return Meaning("ignored")


def answered(row: Row) -> str:
    """The id of the request that a line answers, "" if it answers none."""
    message = message_of(row.payload)
    return message.id.decode("utf-8", "replace") if isinstance(message, Response) else ""


def value(open_: asks.Open | None, row: Row) -> AnswerValue | None:
    """What an answer to an open ask says; None: cancelled."""
    message = message_of(row.payload)
    if open_ is None or not isinstance(message, Response) or message.error is not None:
        return None
    return _value(open_, msgspec.json.decode(message.result or b"{}", type=_Result))


def starts(row: Row) -> bool:
    """Whether this `out` row begins a process."""
    return method_of(row) == "initialize"


def same(ours: bytes, theirs: bytes) -> bool:
    """Equal as JSON; the version of craze in `initialize` says nothing of the conversation."""
    try:
        left, right = msgspec.json.decode(ours), msgspec.json.decode(theirs)
    except msgspec.DecodeError:
        return ours == theirs
    for value in (left, right):
        if isinstance(value, dict) and value.get("method") == "initialize":  # pyright: ignore[reportUnknownMemberType]
            value.get("params", {}).get("clientInfo", {}).pop("version", None)  # pyright: ignore[reportUnknownMemberType]
    return left == right


def message_of(line: bytes) -> Message | None:
    messages = parse(line).messages
    return messages[0] if messages else None


def method_of(row: Row) -> str:
    message = message_of(row.payload)
    return message.method if isinstance(message, Request | Notification) else ""


def answers(row: Row, request: bytes) -> bool:
    message = message_of(row.payload)
    return isinstance(message, Response) and message.id == request


def stands_for(row: Row, method: str) -> bool:
    """Whether a row of another client is the wish that our line of `method` fulfils."""
    alike = next((group for group in _ALIKE if method in group), ())
    return method_of(row) in alike


def _intent(method: str, params: Raw) -> Intent | None:
    if method == "session/prompt":
        blocks = tolerant(params, _Prompt, _Prompt()).prompt
        return Submit(text=next((block.text for block in blocks if block.type == "text"), ""))
    given = tolerant(params, _Setting, _Setting())
    match method:
        case "session/set_mode":
            return Set(kind="mode", value=given.mode_id)
        case "session/set_model":
            return Set(kind="model", value=given.model_id)
        case "session/set_config_option":
            value = str(given.value).lower() if isinstance(given.value, bool) else given.value
            return Set(kind="config", id=given.config_id, value=value)
        case "authenticate":
            return Authenticate(method=given.method_id)
        case _:
            return None


def _value(open_: asks.Open, result: _Result) -> AnswerValue | None:
    """The inverse of `asks.answer`."""
    if open_.kind in ("permission", "plan"):
        chosen = result.outcome.option_id if result.outcome and result.outcome.outcome == "selected" else ""
        if open_.kind == "permission":
            return Pick(option=chosen) if chosen else None
        return Judge(accepted=chosen == open_.accept) if chosen else None
    if result.action == "accept":
        if open_.kind == "url":
            return Reply(answers={"url": ("open",)})
        return forms.reply(open_.form or Form(), result.content or {})
    return Skip() if result.action == "decline" else None


def tolerant(params: Raw, kind: type[T], default: T) -> T:
    try:
        return msgspec.json.decode(params, type=kind)
    except msgspec.DecodeError:
        return default


class Camel(Struct, rename="camel"):
    pass


class _Block(Struct):
    type: str = ""
    text: str = ""


class _Prompt(Struct):
    prompt: list[_Block] = []


class _Setting(Camel):
    mode_id: str = ""
    model_id: str = ""
    config_id: str = ""
    value: str | bool = ""
    method_id: str = ""


class _Outcome(Camel):
    outcome: str = ""
    option_id: str = ""


class _Result(Struct):
    outcome: _Outcome | None = None
    action: str = ""
    content: dict[str, object] | None = None


_KINDS: Final = {"initialize": "start", "session/prompt": "prompt", **dict.fromkeys(OPENING, "opening")}
