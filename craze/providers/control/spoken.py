"""What the lines of a control client mean: wishes, answers, the beginning of a process. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import msgspec
from msgspec import Raw, Struct, UnsetType

from craze.engine import forms
from craze.engine.answers import AnswerValue, Form, Judge, Pick, Reply, Skip
from craze.engine.intents import Aside, Cancel, CancelSubagent, Intent, Set, Steer, Submit
from craze.providers.control.answers import Open
from craze.providers.control.decode import read, value_of
from craze.providers.control.tools import Json, object_of, text_of
from craze.store.capture import Row


class Meaning(Struct, frozen=True):
    """What a line of another client stands for (`providers.replay.foreign.Meaning`)."""

    kind: str
    request: str = ""
    intent: Intent | None = None
    answers: str = ""


class Frame(Struct, frozen=True):
    """What of a line must be known to match it. Ids are JSON texts."""

    kind: str = ""
    subtype: str = ""
    request: str = ""
    answers: str = ""
    body: Raw = Raw(b"{}")
    given: Json = {}
    uuid: str = ""
    priority: str = ""
    replayed: bool = False
    command: str = ""


class _Inner(Struct):
    request_id: Raw = Raw()
    response: Raw | UnsetType = msgspec.UNSET


class _Outer(Struct):
    type: str = ""
    request_id: Raw = Raw()
    request: Any = None
    response: Raw | UnsetType = msgspec.UNSET
    uuid: str = ""
    priority: str = ""
    replayed: bool = msgspec.field(default=False, name="isReplay")
    command_uuid: str = ""
    state: str = ""


def frame_of(row: Row) -> Frame:
    return read_frame(row.payload)


def read_frame(line: bytes) -> Frame:
    outer = read(_Outer, line) or _Outer()
    given = _object(outer.request)
    inner = _Inner() if isinstance(outer.response, UnsetType) else read(_Inner, outer.response) or _Inner()
    answers = outer.type == "control_response"
    return Frame(
        kind=outer.type,
        subtype=text_of(given.get("subtype")),
        request=_json(outer.request_id),
        answers=_json(inner.request_id) if answers else "",
        body=Raw(b"{}") if isinstance(inner.response, UnsetType) else inner.response,
        given=given,
        uuid=outer.uuid,
        priority=outer.priority,
        replayed=outer.replayed,
        command=outer.command_uuid if outer.state in ("started", "cancelled") else "",
    )


def _object(value: object) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}


def _json(raw: Raw) -> str:
    return bytes(raw).decode("utf-8", "replace")


def quoted(text: str) -> str:
    return f'"{text}"' if text else ""


def content_of(row: Row) -> str | tuple[Json, ...]:
    content = _object(object_of(row.payload).get("message")).get("content")
    if isinstance(content, str):
        return content
    return tuple(msgspec.convert(content, type=list[dict[str, Any]])) if isinstance(content, list) else ""


def words_of(content: str | tuple[Json, ...]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(text_of(block.get("text")) for block in content if block.get("type") == "text")


def starts(row: Row) -> bool:
    """Whether this `out` row begins a process."""
    return row.dir == "out" and frame_of(row).subtype == "initialize"


def meaning_of(frame: Frame, row: Row, fresh: bool, child_of: Callable[[str], str]) -> Meaning:
    """What a line of another client stands for.

    Args:
        fresh: No process runs, so that a greeting begins one.
        child_of: The row of a task of the agent, "" for none.
    """
    match frame.kind:
        case "user":
            text, uuid = words_of(content_of(row)), quoted(frame.uuid)
            if frame.priority:
                return Meaning("intent", uuid, Steer(text=text))
            return Meaning("prompt", uuid, Submit(text=text)) if text.strip() else Meaning("ignored")
        case "control_response":
            return Meaning("answer", answers=frame.answers)
        case "control_request" if frame.subtype == "initialize":
            return Meaning("start" if fresh else "other", frame.request)
        case "control_request":
            intent = _intent(frame, child_of)
            return Meaning("intent" if intent else "other", frame.request, intent)
        case _:
            return Meaning("ignored")


def _intent(frame: Frame, child_of: Callable[[str], str]) -> Intent | None:
    given = frame.given
    match frame.subtype:
        case "interrupt":
            return Cancel()
        case "set_permission_mode":
            return Set(kind="mode", value=text_of(given.get("mode")))
        case "set_model":
            return Set(kind="model", value=text_of(given.get("model")) or "default")
        case "rename_session":
            return Set(kind="title", value=text_of(given.get("title")))
        case "side_question":
            return Aside(question=text_of(given.get("question")))
        case "stop_task":
            row = child_of(text_of(given.get("task_id")))
            return CancelSubagent(agent=row) if row else None
        case _:
            return None


def alike(ours: AnswerValue, theirs: AnswerValue) -> bool:
    """Whether two answers mean the same: craze adds a reason where none was given, and has an order for chosen labels."""
    match ours, theirs:
        case Pick(), Pick():
            same = value_of(_raw(ours.input)) == value_of(_raw(theirs.input))
            return ours.option == theirs.option and same and theirs.feedback in ("", ours.feedback)
        case Judge(), Judge():
            return ours.accepted == theirs.accepted and theirs.feedback in ("", ours.feedback)
        case Reply(), Reply():
            return {item: sorted(given) for item, given in ours.answers.items()} == {
                item: sorted(given) for item, given in theirs.answers.items()
            }
        case _:
            return type(ours) is type(theirs)


def _raw(given: Raw | UnsetType) -> Raw:
    return Raw(b"null") if isinstance(given, UnsetType) else given


def value_from(open_: Open, body: Json) -> AnswerValue:
    match open_.kind:
        case "permission":
            return _picked(open_, body)
        case "plan":
            allowed = body.get("behavior") == "allow"
            return Judge(accepted=allowed, feedback="" if allowed else text_of(body.get("message")))
        case "question":
            return _replied(open_, body)
        case "dialog":
            choice = body.get("result", body.get("choice"))
            label = next((label for label, value in open_.choices.items() if value == choice), "")
            return Reply(answers={"choice": (label,)}) if label else Skip()
        case _:
            return _filled(open_, body)


def _picked(open_: Open, body: Json) -> Pick:
    if body.get("behavior") != "allow":
        option = "reject_stop" if body.get("interrupt") is True else "reject"
        return Pick(option=option, feedback=text_of(body.get("message")))
    option = _option(open_, body.get("updatedPermissions"))
    given = body.get("updatedInput")
    if not isinstance(given, dict) or given == value_of(open_.input):
        return Pick(option=option)
    return Pick(option=option, input=Raw(msgspec.json.encode(given)))


def _option(open_: Open, rules: object) -> str:
    """The option that adds just these rules; of another client's, which may add more, the one that its first stands for."""
    listed = cast("list[object]", rules) if isinstance(rules, list) else []
    ways = {option: [value_of(raw) for raw in added] for option, added in open_.rules.items()}
    exact = (option for option, added in ways.items() if added == listed)
    first = (option for option, added in ways.items() if added[-1:] == listed[:1])
    return next(exact, "") or next(first, "allow")


def _replied(open_: Open, body: Json) -> Reply | Skip:
    given = _object(_object(body.get("updatedInput")).get("answers"))
    found: dict[str, tuple[str, ...]] = {}
    for item, (text, labels) in open_.questions.items():
        said = text_of(given.get(text))
        parts = tuple(said.split(", "))
        if said:
            found[item] = parts if len(parts) > 1 and any(part in labels for part in parts) else (said,)
    return Reply(answers=found) if found and body.get("behavior") == "allow" else Skip()


def _filled(open_: Open, body: Json) -> AnswerValue:
    action = body.get("action")
    if action == "accept":
        if open_.kind == "url":
            return Reply(answers={"url": ("open",)})
        return forms.reply(open_.form or Form(), _object(body.get("content")))
    return Skip()
