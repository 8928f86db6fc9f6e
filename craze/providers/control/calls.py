"""The tool calls of one process: begun by the model, asked about, ended by their results. Pure.

What a call is and what its result says is `tools`; here stands which calls are known, and what their results mean for
todo lists, plans and sub-agents.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

import msgspec
from msgspec import UNSET, Raw, UnsetType
from msgspec.structs import replace

from craze.codec import Event, Stamp
from craze.engine.ports import Report, ToolPatch
from craze.providers.control import tools
from craze.providers.control.children import Children
from craze.providers.control.todos import TOOLS, Todos
from craze.providers.control.tools import TASKS, Call, object_of, text_of
from craze.providers.control.types import AskedTool, Block

_PLANS = "*/plans/*.md"


class Calls:
    """Calls without a result by id, and what results left behind."""

    def __init__(self, children: Children) -> None:
        self._children = children
        self._open: dict[str, Call] = {}
        self._todos = Todos()
        self.plan = ""

    def begun(self, tool_id: str, name: str, agent: str) -> list[Report]:
        """The model begins a call; its input is not known yet."""
        return [tools.opened(self._call(tool_id, name, agent))] if tool_id not in self._open else []

    def whole(self, tool_id: str, name: str, agent: str, raw: Raw | UnsetType) -> list[Report]:
        """A call with its input."""
        call = replace(self._call(tool_id, name, agent), input=object_of(raw))
        self._open[tool_id] = call
        return [tools.opened(call, raw=raw)]

    def asked(self, asked: AskedTool, agent: str) -> ToolPatch:
        """A request about a call shows the input as it would run, and what that would change."""
        known = self._open.get(asked.tool_use_id)
        name = asked.tool_name if isinstance(asked.tool_name, str) else ""
        call = Call(asked.tool_use_id, name, known.agent if known else agent, object_of(asked.input))
        self._open[asked.tool_use_id] = call
        display = asked.display_name if asked.display_name != name else ""
        patch = tools.opened(call, display=display, raw=asked.input)
        return replace(patch, diffs=tools.proposed(call) or UNSET, from_ask=True)

    def agent_of(self, tool_id: str, agent: str) -> str:
        known = self._open.get(tool_id)
        return known.agent if known else agent

    def allowed(self, tool_id: str, changed: Raw | None) -> list[Report]:
        """A person let it run, with another input than it had, perhaps."""
        call = self._open.get(tool_id)
        if call is None:
            return []
        if changed is None:
            return [ToolPatch(id=tool_id, agent=call.agent, status="in_progress")]
        call = self._open[tool_id] = replace(call, input=object_of(changed))
        patch = tools.opened(call, raw=changed)
        return [replace(patch, diffs=tools.proposed(call) or UNSET, status="in_progress")]

    def result(self, block: Block, agent: str, raw: Raw | UnsetType, at: Stamp) -> list[Report]:
        """A call ended. A sub-agent that ran in the foreground ends before the call that started it."""
        call = self._open.pop(block.tool_use_id, None) or Call(block.tool_use_id, "", agent, {})
        told = object_of(raw)
        reports: list[Report] = []
        if call.name in TASKS:
            reports += self._child(call, block, told, at)
        reports.append(tools.result(call, block, raw))
        if not block.is_error:
            reports += self._learned(call, told, at)
        return reports

    def _child(self, call: Call, block: Block, told: tools.Json, at: Stamp) -> list[Event]:
        status = "failed" if block.is_error else "completed"
        output = "\n".join(text_of(part.get("text")) for part in _parts(told)) or tools.content_text(block)
        launched = told.get("status") == "async_launched"
        return self._children.tool_ended(call.id, status, output, at, launched=launched)

    def _learned(self, call: Call, told: tools.Json, at: Stamp) -> list[Event]:
        path = text_of(call.input.get("file_path"))
        if call.name == "Write" and not call.agent and fnmatchcase(path, _PLANS):
            self.plan = text_of(call.input.get("content"))
        return self._todos.result(call, told, at) if call.name in TOOLS else []

    def _call(self, tool_id: str, name: str, agent: str) -> Call:
        call = self._open.get(tool_id)
        if call is None:
            call = self._open[tool_id] = Call(tool_id, name, agent, {})
        return call


def _parts(told: tools.Json) -> list[tools.Json]:
    content = told.get("content")
    try:
        return msgspec.convert(content, type=list[dict[str, object]])
    except msgspec.ValidationError:
        return []
