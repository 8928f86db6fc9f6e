"""Requests of the agent that a person answers - permissions, plans, forms, links - and their answers on the wire.

Pure. The engine decides and ends asks; here stands what each open one needs to be answered.
"""

from __future__ import annotations

import ipaddress
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

from msgspec import Raw, Struct
from msgspec.structs import replace

from craze.codec import Permission, PermissionOption, Plan, Question, QuestionItem, QuestionOption
from craze.engine import forms
from craze.engine.answers import AnswerValue, Form, Judge, OpenAsk, Pick, Reply
from craze.engine.facts import details
from craze.engine.ports import AskOpened, Report, ToolPatch
from craze.providers.acp.decode import read
from craze.providers.acp.requests import AskedTool, Choice, ElicitationParams, PermissionParams
from craze.providers.acp.translate import Translator
from craze.providers.acp.types import Text, Wire, text

Kind: TypeAlias = Literal["permission", "plan", "form", "url"]
CANCELLED: Final[dict[str, object]] = {"outcome": {"outcome": "cancelled"}}
_ALLOW: Final = frozenset({"allow_once", "allow_always"})
_REJECT: Final = frozenset({"reject_once", "reject_always"})


class Open(Struct, frozen=True):
    """An open request. `accept` and `reject` are the two options of a plan; `tool_kind` is that of its call."""

    id: bytes
    kind: Kind
    accept: str = ""
    reject: str = ""
    allows: frozenset[str] = frozenset()
    tool_kind: str = ""
    form: Form | None = None
    elicitation: str = ""


class Taken(Struct, frozen=True):
    """What a request brings: reports, and the open request, or the answer that it gets at once."""

    reports: list[Report]
    open: Open | None = None
    result: dict[str, object] | None = None
    refused: str = ""


def key_of(request: bytes) -> str:
    """The JSON text of a request's id."""
    return request.decode("utf-8", "replace")


def permission(request: bytes, params: PermissionParams, state: Translator) -> Taken:
    """A `session/request_permission`."""
    asked = params.tool_call or AskedTool()
    options = params.options or ()
    agent = state.agent_of(params.session_id or "", asked)
    known = state.tools.get(agent, asked.tool_call_id)
    if state.replaying or (known is not None and known.closed):
        return Taken([], result=CANCELLED)
    if not options:
        return Taken(state.note("no-options", asked.tool_call_id), result=CANCELLED)
    title = text(params.title) or text(params.description)
    notes: list[Report] = [] if known or not asked.tool_call_id else [*state.note("permission-before-call", title)]
    patch = state.tools.asked(asked, agent, title) if asked.tool_call_id else None
    state.asked(agent)
    told = _told(title, options) if patch is None or title != text(asked.title) else _told("", options)
    patch, body, opened = _opened(request, asked, options, patch, state)
    ask = OpenAsk(
        body=body,
        tool=asked.tool_call_id,
        person_only=known is None and _is_link(asked, patch),
        agent=agent,
    )
    key = key_of(request)
    reports: list[Report] = [*notes, *([patch] if patch else [])]
    reports.append(AskOpened(key=key, ask=ask, of_turn=state.belongs_to_turn(agent)))
    if told:
        reports.append(details(key, told))
    return Taken(reports, opened)


def elicitation(request: bytes, params: ElicitationParams, state: Translator, *, url: bool, form: bool) -> Taken:
    """An `elicitation/create`; `url` and `form` say which modes were offered."""
    mode = params.mode or "form"
    if not {"form": form, "url": url}.get(mode, False):
        return Taken([], refused=f"mode {mode} was not offered")
    if state.replaying and params.session_id:
        return Taken([], result={"action": "cancel"})
    agent = state.agent_of(params.session_id or "", None)
    state.asked(agent)
    key, tool = key_of(request), text(params.tool_call_id)
    if mode == "url":
        link = text(params.url)
        if _scheme(link) not in ("http", "https"):
            return Taken([], refused="url is not http or https")
        body = _link_question(link, text(params.message))
        ask = OpenAsk(body=body, tool=tool, person_only=True, agent=agent)
        opened = Open(request, "url", elicitation=text(params.elicitation_id))
        return Taken([AskOpened(key=key, ask=ask, of_turn=state.belongs_to_turn(agent))], opened)
    return _form(request, params, state, agent)


def answer(open_: Open, value: AnswerValue | None) -> dict[str, object]:
    """The result that an answer is on the wire; None is cancelled, which is not a denial."""
    match value:
        case Pick():
            return _selected(value.option)
        case Judge():
            chosen = open_.accept if value.accepted else open_.reject
            return _selected(chosen) if chosen else CANCELLED
        case Reply():
            return _replied(open_, value)
        case None:
            return CANCELLED if open_.kind in ("permission", "plan") else {"action": "cancel"}
        case _:
            return {"action": "decline"}


def allows_change(open_: Open, value: AnswerValue | None) -> bool:
    """Whether the answer lets a call act that does more than read."""
    if open_.tool_kind in ("read", "search"):
        return False
    return (isinstance(value, Pick) and value.option in open_.allows) or (isinstance(value, Judge) and value.accepted)


# ---- permissions and plans


def _opened(
    request: bytes, asked: AskedTool, options: tuple[Choice, ...], patch: ToolPatch | None, state: Translator
) -> tuple[ToolPatch | None, Permission | Plan, Open]:
    call = state.tools.get(patch.agent, patch.id) if patch else None
    allows = frozenset(option.option_id for option in options if option.kind in _ALLOW)
    kind = call.kind if call else text(asked.kind)
    if call and (kind == "switch_mode" or call.tool_name == "ExitPlanMode"):
        plan = _plan_text(asked, patch)
        if plan and patch and not call.has_text:
            patch = replace(patch, content_text=plan)
            call.has_text = True
        accept, reject = _pair(options)
        if accept and reject and plan:
            body = Plan(name=text(asked.title) or call.name, plan=plan)
            return patch, body, Open(request, "plan", accept, reject, allows, kind)
    body = Permission(
        tool=asked.tool_call_id or text(asked.title),
        options=tuple(
            PermissionOption(option_id=option.option_id, name=text(option.name), kind=text(option.kind))
            for option in options
        ),
    )
    return patch, body, Open(request, "permission", allows=allows, tool_kind=kind)


def _pair(options: tuple[Choice, ...]) -> tuple[str, str]:
    """The ids of the one way to accept and the one way to reject, when there are no others."""
    accepts = [option.option_id for option in options if option.kind in _ALLOW]
    rejects = [option.option_id for option in options if option.kind in _REJECT]
    return (accepts[0], rejects[0]) if len(options) == 2 and len(accepts) == len(rejects) == 1 else ("", "")


def _plan_text(asked: AskedTool, patch: ToolPatch | None) -> str:
    if patch and isinstance(patch.content_text, str) and patch.content_text:
        return patch.content_text
    given = read(_PlanInput, asked.raw_input).value if isinstance(asked.raw_input, Raw) else None
    return text(given and given.plan)


class _PlanInput(Wire, frozen=True):
    plan: Text = None


def _is_link(asked: AskedTool, patch: ToolPatch | None) -> bool:
    """A call of no kind of work whose only content is an address: a sign-in link."""
    said = patch.content_text if patch and isinstance(patch.content_text, str) else ""
    link = said.strip()
    return text(asked.kind) in ("", "fetch", "other") and link.startswith(("http://", "https://")) and " " not in link


def _told(title: str, options: tuple[Choice, ...]) -> dict[str, object]:
    """What a request says beside the tool: its own title, and what an "always" would cover."""
    covers = {option.option_id: _plain(option.meta) for option in options if isinstance(option.meta, Raw)}
    parts: dict[str, object] = {"title": title, "options": {name: said for name, said in covers.items() if said}}
    return {name: part for name, part in parts.items() if part}


def _plain(meta: Raw) -> str:
    said = bytes(meta).decode("utf-8", "replace")
    return "" if said in ("null", "{}") else said


def _selected(option: str) -> dict[str, object]:
    return {"outcome": {"outcome": "selected", "optionId": option}}


# ---- forms and links


def _form(request: bytes, params: ElicitationParams, state: Translator, agent: str) -> Taken:
    schema = params.requested_schema if isinstance(params.requested_schema, Raw) else None
    message = text(params.message)
    notes: list[Report] = []
    made = forms.question(schema, message)
    if made is None:
        notes = state.note("bad-form", message)
        if not forms.takes_answer(schema):
            return Taken(notes, result={"action": "decline"})
        made = forms.free(schema, message)
    body, form = made
    ask = OpenAsk(body=body, tool=text(params.tool_call_id), form=form, agent=agent)
    opened = AskOpened(key=key_of(request), ask=ask, of_turn=state.belongs_to_turn(agent))
    return Taken([*notes, opened], Open(request, "form", form=form))


def _link_question(link: str, message: str) -> Question:
    warning = _odd_address(link)
    options = (
        QuestionOption(id="open", label="Open", description=warning),
        QuestionOption(id="decline", label="Decline"),
    )
    item = QuestionItem(id="url", prompt=link, options=options)
    return Question(title=f"{message} ({warning})" if warning else message, questions=(item,))


def _scheme(link: str) -> str:
    try:
        return urlsplit(link).scheme
    except ValueError:
        return ""


def _odd_address(link: str) -> str:
    """Why an address should make a person look twice; "" where nothing does."""
    try:
        parts = urlsplit(link)
        host = parts.hostname or ""
    except ValueError:
        return "the address cannot be read"
    if "@" in parts.netloc:
        return "the address holds user information"
    if not host.isascii() or any(label.startswith("xn--") for label in host.split(".")):
        return "the host is not plain ASCII"
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return ""
    return "the host is a bare IP address"


def _replied(open_: Open, value: Reply) -> dict[str, object]:
    if open_.kind == "url":
        return {"action": "accept"} if value.answers.get("url") == ("open",) else {"action": "decline"}
    form = open_.form or Form()
    if forms.declines(form, value.answers):
        return {"action": "decline"}
    return {"action": "accept", "content": forms.content(form, value.answers)}
