"""Requests of the agent that a person answers - permissions, questions, plans, forms, dialogs - and the bodies of
their answers.

Pure. The engine decides and ends asks; here stands what each open one needs to be answered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from craze.codec import Permission, PermissionOption, Plan, Question, QuestionItem, QuestionOption
from craze.engine import forms
from craze.engine.answers import AnswerValue, Form, Judge, OpenAsk, Pick, Reply, Skip
from craze.providers.control import seed
from craze.providers.control.decode import read, value_of
from craze.providers.control.frames import AllowWithRules, DenyAndStop, DialogCompleted
from craze.providers.control.tools import object_of, text_of
from craze.providers.control.types import AskedDialog, AskedForm, AskedTool, Profile, Suggestion

Json: TypeAlias = dict[str, Any]
Kind: TypeAlias = Literal["permission", "question", "plan", "form", "url", "dialog"]

DECLINED: Final = "The user declined this tool call."
CANCELLED: Final = "The user cancelled."
SKIPPED: Final = "The user skipped the questions."
KEEP_PLANNING: Final = "The user wants to keep planning."
NO_DIALOG: Final = seed.DialogResponseBody(behavior="cancelled")
_ALWAYS: Final = 8
_CHOICE: Final = "choice"


class Open(Struct, frozen=True):
    """An open request.

    Attributes:
        input: The tool's input as it came.
        rules: What an option of a permission adds to an allow.
        questions: The texts of the questions, by item, with their labels in order.
        choices: What the options of a dialog stand for.
    """

    id: bytes
    kind: Kind
    tool: str = ""
    agent: str = ""
    input: Raw = Raw(b"{}")
    rules: dict[str, tuple[Raw, ...]] = {}
    questions: dict[str, tuple[str, tuple[str, ...]]] = {}
    choices: dict[str, Any] = {}
    form: Form | None = None


class Asked(NamedTuple):
    """What a request is: an ask, or the answer that it gets at once."""

    ask: OpenAsk | None = None
    open: Open | None = None
    body: Struct | None = None
    refused: str = ""
    lint: str = ""


class Written(NamedTuple):
    """The body of an answer; what must be written behind it where the body cannot say it; the changed input."""

    body: Struct
    interrupt: bool = False
    mode: str = ""
    changed: Raw | None = None

    @property
    def allows(self) -> bool:
        return isinstance(self.body, seed.AllowBody | AllowWithRules)


def key_of(request: bytes) -> str:
    """The JSON text of a request's id."""
    return request.decode("utf-8", "replace")


# ---- permissions


def permission(request: bytes, asked: AskedTool, title: str, agent: str, profile: Profile) -> Asked:
    options, rules = _options(asked, profile)
    body = Permission(tool=asked.tool_use_id or title, options=options)
    ask = OpenAsk(body=body, tool=asked.tool_use_id, agent=agent)
    opened = Open(request, "permission", asked.tool_use_id, agent, input=_input(asked), rules=rules)
    return Asked(ask, opened)


def details_of(asked: AskedTool, title: str) -> dict[str, object]:
    """What the request says for the eye, but for the mere names of tool and call; `title`: that of the call."""
    server, name = asked.mcp_server, asked.title or asked.display_name
    told = {
        "title": name if name != asked.tool_name else "",
        "description": asked.description if asked.description != title else "",
        "decision_reason": asked.decision_reason,
        "blocked_path": asked.blocked_path,
        "mcp_server": server if isinstance(server, str) else server.name if server else "",
    }
    return {key: text for key, text in told.items() if text}


def _options(asked: AskedTool, profile: Profile) -> tuple[tuple[PermissionOption, ...], dict[str, tuple[Raw, ...]]]:
    offered: list[PermissionOption] = []
    rules: dict[str, tuple[Raw, ...]] = {}
    if profile == "extended" and not asked.suppress_always_allow_rule:
        for number, raw in enumerate(asked.permission_suggestions):
            for option, name, *added in _always(number, raw):
                if len(offered) < _ALWAYS:
                    offered.append(PermissionOption(option_id=option, name=name, kind="allow_always"))
                    rules[option] = tuple(added)
    allow = PermissionOption(option_id="allow", name="Allow", kind="allow_once")
    reject = PermissionOption(option_id="reject", name="Reject", kind="reject_once")
    stop = PermissionOption(option_id="reject_stop", name="Reject and stop", kind="reject_once")
    if asked.default_to_no:
        return (reject, allow, *offered, stop), rules
    return (allow, *offered, reject, stop), rules


def _always(number: int, raw: Raw) -> Iterator[tuple[str, str, *tuple[Raw, ...]]]:
    """Option id, name and rules of each way to take a suggestion; none for one that nobody can read.

    A build reads what it stores with its next start alone: what it is to remember is told for this session as well.
    """
    made = read(Suggestion, raw)
    if made is None:
        return
    if made.type == "addRules" and made.behavior == "allow" and made.rules:
        name = f"Always allow {', '.join(map(_rule, made.rules))}"
        session = Raw(msgspec.json.encode({**object_of(raw), "destination": "session"}))
        yield f"always:{number}:session", f"{name} in this session", session
        if made.destination != "session":
            yield f"always:{number}", f"{name} and remember", session, raw
    elif made.type == "addDirectories" and made.directories:
        yield f"always:{number}", f"Allow in {', '.join(made.directories)}", raw
    elif made.type == "setMode" and made.mode:
        yield f"always:{number}", f"Switch to {made.mode}", raw


def _rule(rule: Json) -> str:
    name, content = text_of(rule.get("toolName")), text_of(rule.get("ruleContent"))
    return f"{name}({content})" if content else name


def _input(asked: AskedTool) -> Raw:
    return Raw(b"{}") if isinstance(asked.input, UnsetType) else asked.input


# ---- questions


def question(request: bytes, asked: AskedTool, agent: str) -> Asked:
    raw = object_of(asked.input).get("questions", UNSET)
    if wrong := _malformed(raw):
        return Asked(refused=f"malformed can_use_tool: {wrong}")
    listed = cast("list[Json]", raw)
    texts = [text_of(each.get("question")) for each in listed]
    if unusable := _unusable(texts):
        return Asked(body=seed.DenyBody(message=unusable), lint="bad-question")
    items = tuple(_item(number, each) for number, each in enumerate(listed))
    header = next((header for each in listed if (header := text_of(each.get("header")))), "")
    body = Question(title=header, questions=items)
    form = Form(custom=tuple(item.id for item in items))
    known = {
        item.id: (text, tuple(option.label for option in item.options)) for item, text in zip(items, texts, strict=True)
    }
    ask = OpenAsk(body=body, tool=asked.tool_use_id, form=form, agent=agent)
    return Asked(ask, Open(request, "question", asked.tool_use_id, agent, input=_input(asked), questions=known))


def _malformed(questions: object) -> str:
    """Where the list of questions cannot be read, with what is wrong there; "" = nowhere."""
    if not isinstance(questions, list):
        return f"input.questions {'is missing' if questions is UNSET else 'is not a list'}"
    for number, each in enumerate(cast("list[object]", questions)):
        here = f"input.questions[{number}]"
        if not isinstance(each, dict):
            return f"{here} is not an object"
        options = cast("Json", each).get("options")
        if options is not None and not isinstance(options, list):
            return f"{here}.options is not a list"
        for place, option in enumerate(cast("list[object]", options or [])):
            label = cast("Json", option).get("label", UNSET) if isinstance(option, dict) else UNSET
            if not isinstance(label, str):
                return f"{here}.options[{place}].label {'is missing' if label is UNSET else 'is not a string'}"
    return ""


def _unusable(texts: list[str]) -> str:
    """Why questions cannot be answered by their texts; "" = they can."""
    if not texts:
        return "No question was asked."
    for number, text in enumerate(texts):
        if not text.strip():
            return f"Question {number + 1} has no text."
        if text in texts[:number]:
            return f"Questions {texts.index(text) + 1} and {number + 1} have the same text: {text}"
    return ""


def _item(number: int, spec: Json) -> QuestionItem:
    labels: dict[str, QuestionOption] = {}
    for option in spec.get("options") or ():
        label = option["label"]
        labels.setdefault(label, QuestionOption(id=label, label=label, description=text_of(option.get("description"))))
    return QuestionItem(
        id=f"q{number}",
        prompt=text_of(spec.get("question")),
        options=tuple(labels.values()),
        allow_multiple=spec.get("multiSelect") is True,
    )


# ---- plans


def plan(request: bytes, asked: AskedTool, written: str, agent: str) -> Asked:
    """`written`: the plan that the agent wrote into a file, where the request has none."""
    text = text_of(object_of(asked.input).get("plan")) or written
    body = Plan(name=_heading(text), plan=text)
    ask = OpenAsk(body=body, tool=asked.tool_use_id, agent=agent)
    return Asked(ask, Open(request, "plan", asked.tool_use_id, agent, input=_input(asked)))


def _heading(text: str) -> str:
    return next((line.lstrip("#").strip() for line in text.splitlines() if line.startswith("#")), "")


# ---- forms and dialogs


def elicitation(request: bytes, asked: AskedForm) -> Asked:
    message = _first(asked.message, asked.prompt)
    if asked.mode == "url":
        options = (QuestionOption(id="open", label="Open"), QuestionOption(id="decline", label="Decline"))
        item = QuestionItem(id="url", prompt=asked.url, options=options)
        ask = OpenAsk(body=Question(title=message, questions=(item,)), person_only=True)
        return Asked(ask, Open(request, "url"))
    schema = asked.requested_schema
    if isinstance(schema, UnsetType):
        schema = asked.requested_schema_camel
    title = message or _first(asked.mcp_server_name, asked.server)
    body, form = forms.question(schema, title, asked.property_order) or forms.free(schema, title)
    return Asked(OpenAsk(body=body, form=form), Open(request, "form", form=form))


def dialog(request: bytes, asked: AskedDialog) -> Asked:
    """A declared dialog: what its payload shows, or the payload itself."""
    payload = object_of(asked.payload)
    title = text_of(payload.get("title"))
    prompt = text_of(payload.get("message")) or text_of(payload.get("prompt"))
    choices = dict(_choices(payload.get("options"))) if prompt or title else {}
    if not choices:
        shown = "" if isinstance(asked.payload, UnsetType) else bytes(asked.payload).decode("utf-8", "replace")
        prompt, choices = prompt or shown, {"ok": "ok"}
    options = tuple(QuestionOption(id=label, label=label) for label in choices)
    item = QuestionItem(id=_CHOICE, prompt=prompt or title, options=options)
    ask = OpenAsk(body=Question(title=title or asked.kind, questions=(item,)))
    return Asked(ask, Open(request, "dialog", choices=choices))


def _choices(options: object) -> Iterator[tuple[str, Any]]:
    for option in cast("list[object]", options) if isinstance(options, list) else []:
        if isinstance(option, str):
            yield option, option
        elif isinstance(option, dict):
            held = cast("Json", option)
            if label := text_of(held.get("label")):
                yield label, held.get("value", held.get("id", label))


def _first(*values: str | UnsetType) -> str:
    return next((value for value in values if isinstance(value, str)), "")


# ---- answers


def answer(open_: Open, value: AnswerValue | None, profile: Profile, accept_mode: str = "") -> Written:
    """The body of an answer. None is cancelled, which is not a denial."""
    match open_.kind:
        case "permission":
            return _picked(open_, value, profile)
        case "plan":
            return _judged(open_, value, profile, accept_mode)
        case "question":
            return Written(_replied(open_, value))
        case "form" | "url":
            return Written(_filled(open_, value))
        case "dialog":
            return Written(_chosen(open_, value, profile))


def _picked(open_: Open, value: AnswerValue | None, profile: Profile) -> Written:
    if not isinstance(value, Pick):
        return Written(seed.DenyBody(message=CANCELLED))
    if value.option in ("reject", "reject_stop"):
        message = value.feedback.strip() or DECLINED
        if value.option == "reject":
            return Written(seed.DenyBody(message=message))
        if profile == "extended":
            return Written(DenyAndStop(message=message))
        return Written(seed.DenyBody(message=message), interrupt=True)
    return _allowed(open_, value.input, open_.rules.get(value.option, ()), profile)


def _judged(open_: Open, value: AnswerValue | None, profile: Profile, accept_mode: str) -> Written:
    if not isinstance(value, Judge):
        return Written(seed.DenyBody(message=CANCELLED))
    if not value.accepted:
        return Written(seed.DenyBody(message=value.feedback.strip() or KEEP_PLANNING))
    rule = {"type": "setMode", "mode": accept_mode, "destination": "session"}
    written = _allowed(open_, value.input, (Raw(msgspec.json.encode(rule)),) if accept_mode else (), profile)
    return written._replace(mode=accept_mode if profile == "seed" else "")


def _allowed(open_: Open, changed: Raw | UnsetType, rules: tuple[Raw, ...], profile: Profile) -> Written:
    """An allow with the input as it came, unless a person changed it."""
    differs = not isinstance(changed, UnsetType) and value_of(changed) != value_of(open_.input)
    given = changed if differs and not isinstance(changed, UnsetType) else open_.input
    updated: Any = given  # encoded as the same JSON text
    body: Struct = seed.AllowBody(updated_input=updated)
    if rules and profile == "extended":
        body = AllowWithRules(updated_input=updated, updated_permissions=rules)
    return Written(body, changed=given if differs else None)


def _replied(open_: Open, value: AnswerValue | None) -> Struct:
    if isinstance(value, Skip):
        return seed.DenyBody(message=SKIPPED)
    if not isinstance(value, Reply):
        return seed.DenyBody(message=CANCELLED)
    answers = {
        open_.questions[item][0]: text
        for item, given in value.answers.items()
        if item in open_.questions and (text := _joined(given, open_.questions[item][1]))
    }
    questions = msgspec.json.decode(open_.input, type=dict[str, Raw])["questions"]
    updated: Any = {"questions": questions, "answers": answers}
    return seed.AllowBody(updated_input=updated)


def _joined(given: tuple[str, ...], labels: tuple[str, ...]) -> str:
    """Chosen labels in the order of the options, then free text."""
    chosen = [label for label in labels if label in given]
    return ", ".join([*chosen, *(text for text in given if text not in labels)])


def _filled(open_: Open, value: AnswerValue | None) -> Struct:
    if value is None:
        return seed.ElicitResponseBody(action="cancel")
    if not isinstance(value, Reply):
        return seed.ElicitResponseBody(action="decline")
    if open_.kind == "url":
        opens = value.answers.get("url") == ("open",)
        return seed.ElicitResponseBody(action="accept" if opens else "decline")
    form = open_.form or Form()
    if forms.declines(form, value.answers):
        return seed.ElicitResponseBody(action="decline")
    return seed.ElicitResponseBody(action="accept", content=_json(forms.content(form, value.answers)))


def _chosen(open_: Open, value: AnswerValue | None, profile: Profile) -> Struct:
    given = value.answers.get(_CHOICE, ()) if isinstance(value, Reply) else ()
    if not given:
        return NO_DIALOG
    choice = _json(open_.choices.get(given[0], given[0]))
    if profile == "extended":
        return DialogCompleted(result=choice)
    return seed.DialogResponseBody(behavior="ok", choice=choice)


def _json(value: object) -> Raw:
    return Raw(msgspec.json.encode(value))
