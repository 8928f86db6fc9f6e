"""Tool calls: what a call is by its name and input, and what its result says. Pure."""

from __future__ import annotations

from typing import Any, Final, TypeAlias, cast

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from craze.codec import Diff, Task, ToolOutput
from craze.engine.ports import ToolPatch
from craze.providers.control.decode import value_of
from craze.providers.control.types import Block

Json: TypeAlias = dict[str, Any]

KINDS: Final[dict[str, str]] = {
    **dict.fromkeys(("Read", "NotebookRead"), "read"),
    **dict.fromkeys(("Write", "Edit", "MultiEdit", "NotebookEdit"), "edit"),
    **dict.fromkeys(("Bash", "Monitor"), "execute"),
    **dict.fromkeys(("Grep", "Glob", "ToolSearch"), "search"),
    **dict.fromkeys(("WebFetch", "WebSearch"), "fetch"),
    **dict.fromkeys(("ExitPlanMode", "EnterPlanMode"), "switch_mode"),
}
TASKS: Final = frozenset({"Agent", "Task"})
_ERROR_TAGS: Final = ("<tool_use_error>", "</tool_use_error>")
_LOCATIONS: Final = ("file_path", "path", "notebook_path")


class Call(Struct, frozen=True):
    """A call that has no result yet."""

    id: str
    name: str
    agent: str
    input: Json


def object_of(raw: Raw | bytes | UnsetType | None) -> Json:
    """A JSON object, or an empty one for anything else."""
    value = None if raw is None or isinstance(raw, UnsetType) else value_of(raw)
    return cast("Json", value) if isinstance(value, dict) else {}


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def title_of(name: str, given: Json, display: str = "") -> str:
    """What a person knows the call by."""
    if name.startswith("mcp__") and "__" in name[5:]:
        server, _, tool = name[5:].partition("__")
        return f"{server}: {tool}"
    paths = (text_of(given.get(key)).rstrip("/").rpartition("/")[2] for key in ("file_path", "notebook_path"))
    texts = (
        text_of(given.get("command")),
        *paths,
        *(text_of(given.get(key)) for key in ("pattern", "url", "description")),
    )
    return next((text for text in texts if text), display or name)


def opened(call: Call, *, display: str = "", raw: Raw | UnsetType = UNSET) -> ToolPatch:
    """What the beginning of a call says. `raw`: its input as it came."""
    given = call.input
    locations = tuple(place for key in _LOCATIONS if (place := text_of(given.get(key))))
    return ToolPatch(
        id=call.id,
        agent=call.agent,
        name=call.name,
        tool_name=call.name,
        kind=KINDS.get(call.name, "other"),
        title=title_of(call.name, given, display),
        raw_input=UNSET if isinstance(raw, UnsetType) else bytes(raw).decode("utf-8", "replace"),
        locations=locations or UNSET,
        task=_task(given) if call.name in TASKS else UNSET,
    )


def proposed(call: Call) -> tuple[Diff, ...]:
    """What a call would do to its file, as far as its input says: pieces of the text, or all of it."""
    given, path = call.input, text_of(call.input.get("file_path"))
    if not path:
        return ()
    if call.name == "Write":
        return (Diff(path=path, new_text=text_of(given.get("content"))),)
    edits = {"Edit": [given], "MultiEdit": _objects(given.get("edits"))}.get(call.name, [])
    return tuple(
        Diff(path=path, old_text=text_of(edit.get("old_string")), new_text=text_of(edit.get("new_string")))
        for edit in edits
    )


def _task(given: Json) -> Task:
    return Task(
        description=text_of(given.get("description")),
        prompt=text_of(given.get("prompt")),
        subagent_type=text_of(given.get("subagent_type")),
        model=text_of(given.get("model")),
        background=given.get("run_in_background") is True,
    )


def result(call: Call, block: Block, raw: Raw | UnsetType) -> ToolPatch:
    """What the result of a call says. `raw`: the agent's own structured result, which wins when it is an object."""
    told = object_of(raw)
    output, diffs = _output(told, block)
    launched = told.get("status") == "async_launched"
    return ToolPatch(
        id=call.id,
        agent=call.agent,
        status="failed" if block.is_error else "completed",
        output=output,
        diffs=diffs or UNSET,
        task=_receipt(call, told, launched=launched) if call.name in TASKS and told else UNSET,
    )


def _receipt(call: Call, told: Json, *, launched: bool) -> Task:
    return msgspec.structs.replace(
        _task(call.input),
        agent_id=text_of(told.get("agentId")),
        receipt=launched,
        background=launched or call.input.get("run_in_background") is True,
        status="" if launched else text_of(told.get("status")),
        duration_ms=_count(told.get("totalDurationMs")),
    )


def _output(told: Json, block: Block) -> tuple[ToolOutput, tuple[Diff, ...]]:
    if "stdout" in told or "stderr" in told:
        return ToolOutput(stdout=text_of(told.get("stdout")), stderr=text_of(told.get("stderr"))), ()
    path = text_of(told.get("filePath"))
    if path and "structuredPatch" in told:
        return ToolOutput(content=content_text(block)), (_diff(path, told),)
    return ToolOutput(content=content_text(block)), ()


def _diff(path: str, told: Json) -> Diff:
    old = text_of(told.get("originalFile"))
    lines = [line for hunk in _objects(told.get("structuredPatch")) for line in _texts(hunk.get("lines"))]
    new = told.get("content")
    return Diff(
        path=path,
        old_text=old,
        new_text=new if isinstance(new, str) else _patched(old, told),
        added=sum(line.startswith("+") for line in lines),
        removed=sum(line.startswith("-") for line in lines),
    )


def _patched(old: str, told: Json) -> str:
    """The original with the edit, or with the hunks of the patch."""
    before, after = text_of(told.get("oldString")), text_of(told.get("newString"))
    if before and before in old:
        return old.replace(before, after, -1 if told.get("replaceAll") is True else 1)
    lines, shift = old.split("\n"), 0
    for hunk in _objects(told.get("structuredPatch")):
        start, count = _count(hunk.get("oldStart")), _count(hunk.get("oldLines"))
        fresh = [line[1:] for line in _texts(hunk.get("lines")) if line[:1] in ("+", " ")]
        at = max(0, start - 1 + shift)
        lines[at : at + count] = fresh
        shift += len(fresh) - count
    return "\n".join(lines)


def content_text(block: Block) -> str:
    """The content of a result as text, without the tag around an agent's own error; images by their size."""
    if isinstance(block.content, str):
        return block.content.removeprefix(_ERROR_TAGS[0]).removesuffix(_ERROR_TAGS[1])
    return "\n".join(part for part in map(_part, block.content or ()) if part)


def _part(block: Block) -> str:
    if block.type == "image" and block.source:
        size = len(block.source.data) * 3 // 4 - block.source.data[-2:].count("=")
        return f"[{block.source.media_type or 'image'}, {size} bytes]"
    return block.text


def _objects(value: object) -> list[Json]:
    return (
        [cast("Json", each) for each in cast("list[object]", value) if isinstance(each, dict)]
        if isinstance(value, list)
        else []
    )


def _texts(value: object) -> list[str]:
    return [each for each in cast("list[object]", value) if isinstance(each, str)] if isinstance(value, list) else []


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else 0
