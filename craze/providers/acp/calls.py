"""What one line says about one tool call, field by field; pure.

`Call` is what a later line's fields are computed from. Putting the fields together is `tools`.
"""

from __future__ import annotations

from typing import Final, cast

from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.structs import replace

from craze.codec import Diff, Task
from craze.providers.acp.blocks import shown
from craze.providers.acp.decode import read, value_of
from craze.providers.acp.types import (
    NO_META,
    DiffContent,
    Meta,
    TerminalContent,
    Text,
    ToolFields,
    ToolItem,
    ToolUpdate,
    Unknown,
    Wire,
    WrappedContent,
    text,
)

FINAL: Final = frozenset({"completed", "failed", "cancelled"})
_TASK_TOOLS: Final = frozenset({"Agent", "Task", "task"})


class Call(Struct):
    """What later patches of a call depend on. `closed`: by the end of its turn, not by the agent."""

    id: str
    agent: str
    kind: str = ""
    tool_name: str = ""
    name: str = ""
    final: bool = False
    closed: bool = False
    background: bool = False
    asked_only: bool = True
    has_text: bool = False
    has_input: bool = False
    typed: str = ""
    hint: Task | None = None
    printed: bool = False
    terminals: tuple[str, ...] = ()
    taken: dict[str, int] = {}
    task: Task | None = None
    said: int = 0


def meta_of(fields: Struct) -> Meta:
    """The `_meta` of an update; one library nests all of it once more."""
    meta: object = getattr(fields, "meta", None)
    if not isinstance(meta, Meta):
        return NO_META
    return meta.nested if meta.nested and meta == Meta(nested=meta.nested) else meta


def creates(fields: ToolUpdate) -> bool:
    """An update that says enough to make a call that was not announced."""
    return not all(
        value is UNSET or value is None for value in (fields.title, fields.kind, fields.content, fields.raw_input)
    )


def over(held: ToolUpdate, newer: ToolUpdate) -> ToolUpdate:
    """The waiting update with what a newer one says."""
    said = {name: value for name in held.__struct_fields__ if (value := getattr(newer, name)) is not UNSET}
    return replace(held, **said)


def name_of(fields: ToolFields, meta: Meta, call: Call) -> str | UnsetType:
    """The name, where this line changes it: a tool's own name, else the first title that was not empty."""
    claude = meta.claude_code.tool_name if meta.claude_code else None
    places = (fields.name, claude, meta.tool_name, meta.plain_tool_name)
    tool_name = next((place for place in places if isinstance(place, str) and place), call.tool_name)
    name = tool_name or call.name or text(fields.title)
    if (name, tool_name) == (call.name, call.tool_name):
        return UNSET
    call.name, call.tool_name = name, tool_name
    return name


def input_of(fields: ToolFields, call: Call) -> str | UnsetType | None:
    if not isinstance(fields.raw_input, Raw):
        return UNSET
    call.has_input = True
    raw = bytes(fields.raw_input)
    return None if raw == b"null" else raw.decode("utf-8", "replace")


def locations_of(fields: ToolFields) -> tuple[str, ...] | UnsetType | None:
    if not fields.locations:
        return UNSET if fields.locations is UNSET else None
    return tuple(dict.fromkeys(location.path for location in fields.locations))


def is_typing(fields: ToolFields, call: Call) -> bool:
    """Text that is the arguments so far: before there is an input, or the same as the input that comes with it."""
    items = (fields.content or ()) if fields.content is not UNSET else ()
    ends = isinstance(fields.status, str) and fields.status in FINAL
    if call.final or ends or any(isinstance(item, DiffContent | TerminalContent) for item in items):
        return False
    said = "".join(map(text_of, items))
    if isinstance(fields.raw_input, Raw):
        return value_of(said.encode("utf-8", "replace")) == value_of(fields.raw_input)
    call.typed = said
    return not call.has_input


def typed_input(call: Call) -> Raw | UnsetType:
    """What was typed so far, if it is a whole object: what a person is asked about before the input is told."""
    typed = call.typed.encode("utf-8", "replace")
    return Raw(typed) if isinstance(value_of(typed), dict) and not call.has_input else UNSET


def text_of(item: ToolItem | Unknown) -> str:
    if isinstance(item, DiffContent | TerminalContent):
        return ""
    return shown(item.content if isinstance(item, WrappedContent) else item)


def diff_of(item: DiffContent) -> Diff:
    return Diff(path=item.path, old_text=text(item.old_text), new_text=item.new_text)


def task_of(fields: ToolFields, meta: Meta, call: Call) -> Task | UnsetType:
    """What makes the call a task, where this line changes it."""
    given = _child_input(fields.raw_input)
    if given:
        call.hint = _hinted(given, call.hint or Task())
    if call.task is None and call.tool_name not in _TASK_TOOLS and "subagent_type" not in given:
        return UNSET
    response = _child_response(meta)
    old = call.task or Task()
    task = replace(
        call.hint or old,
        agent_id=text(response.agent_id) or old.agent_id,
        background=response.is_async is True or old.background,
    )
    call.background |= task.background
    if task == call.task:
        return UNSET
    call.task = task
    return task


def _hinted(given: dict[str, str], old: Task) -> Task:
    """What the input of a call says about the child that it starts."""
    return Task(
        description=given.get("description") or old.description,
        prompt=given.get("prompt") or old.prompt,
        model=given.get("model") or old.model,
        subagent_type=given.get("subagent_type") or given.get("agent_type") or old.subagent_type,
    )


def _child_input(raw: Raw | UnsetType) -> dict[str, str]:
    """The texts of a raw input that starts a child, else nothing; large inputs of other tools are not parsed."""
    data = bytes(raw) if isinstance(raw, Raw) else b""
    if not any(key in data for key in (b'"subagent_type"', b'"agent_type"', b'"prompt"')):
        return {}
    value = value_of(data)
    table = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    return {key: held for key, held in table.items() if isinstance(held, str)}


class _ChildResponse(Wire, frozen=True):
    agent_id: Text = None
    is_async: bool | None = None


def _child_response(meta: Meta) -> _ChildResponse:
    raw = meta.claude_code.tool_response if meta.claude_code else UNSET
    found = read(_ChildResponse, raw).value if isinstance(raw, Raw) else None
    return found or _ChildResponse()
