"""Sub-agents: a row for each, from the agent's tasks and from the lines that carry one's transcript. Pure."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from craze.codec import Event, Stamp, Subagent, ns
from craze.providers.control.types import System, User

AGENT = "local_agent"
_STOP_WAIT = 10_000_000_000  # nanoseconds
_ENDED = {"completed": "completed", "failed": "failed", "stopped": "cancelled", "killed": "cancelled"}


class _Child(Struct):
    row: Subagent
    task: str = ""
    background: bool = False
    prompted: bool = False
    stopped_at: int = 0
    ending: str = ""


class Children:
    """The rows of one process that run, by their ids; of an ended one the ids alone are remembered."""

    def __init__(self) -> None:
        self.running: dict[str, _Child] = {}
        self._by_task: dict[str, str] = {}
        self._by_tool: dict[str, str] = {}
        self.finished_in_background = False

    # ---- who it is

    def of_task(self, task: str) -> str:
        """The row of a task; "" for none."""
        return self._by_task.get(task, "")

    def of_tool(self, tool: str, agent_id: str, at: Stamp) -> tuple[str, list[Event]]:
        """The row that lines below a call belong to, spawned where there is none yet."""
        known = self._by_task.get(agent_id) or self._by_tool.get(tool)
        if known:
            return known, []
        self._by_tool[tool] = tool
        return tool, self._spawn(_Child(Subagent(id=tool, tool_call_id=tool, status="running")), at)

    def is_background(self, row: str) -> bool:
        child = self.running.get(row)
        return child is not None and child.background

    def task_of(self, row: str) -> str:
        """The task of a running row; "" for none."""
        child = self.running.get(row)
        return child.task or row if child else ""

    # ---- what the agent says

    def started(self, line: System, at: Stamp) -> list[Event]:
        known = self._by_tool.get(line.tool_use_id) if line.tool_use_id else None
        row = known or line.task_id
        self._by_task[line.task_id] = row
        if line.tool_use_id:
            self._by_tool[line.tool_use_id] = row
        child = self.running.get(row)
        told = Subagent(
            id=row,
            tool_call_id=line.tool_use_id,
            description=line.description,
            subagent_type=line.subagent_type,
            prompt=line.prompt,
            status="running",
            background=line.is_backgrounded,
            parent_id=self._by_task.get(line.parent_task_id, ""),
        )
        if child is None:
            return self._spawn(_Child(told, line.task_id, line.is_backgrounded, prompted=bool(line.prompt)), at)
        child.task, child.background = line.task_id, line.is_backgrounded
        child.row = replace(told, prompt=line.prompt or child.row.prompt)
        return [_event(child.row, "progress", at)]

    def progress(self, line: System, at: Stamp) -> list[Event]:
        child = self.running.get(self._by_task.get(line.task_id, ""))
        if child is None:
            return []
        usage = line.usage
        child.row = replace(
            child.row,
            activity=line.description or line.summary,
            tokens_used=usage.total_tokens,
            tool_calls=usage.tool_uses,
            duration_ms=usage.duration_ms,
        )
        return [_event(child.row, "progress", at)]

    def updated(self, line: System, at: Stamp) -> list[Event]:
        """A status alone. The notification behind it has output and numbers, so the ending waits for the next line."""
        child = self.running.get(self._by_task.get(line.task_id, ""))
        if child is not None:
            child.ending = _ENDED.get(line.patch.status, "")
            child.row = replace(child.row, error=line.patch.error or child.row.error)
        return []

    def notified(self, line: System, at: Stamp) -> list[Event]:
        row, status = self._by_task.get(line.task_id, ""), _ENDED.get(line.status or "", "")
        child = self.running.get(row)
        if child is None or not status:
            return []
        usage = line.usage
        child.row = replace(
            child.row,
            output="" if line.summary == child.row.description else line.summary,
            tokens_used=usage.total_tokens or child.row.tokens_used,
            tool_calls=usage.tool_uses or child.row.tool_calls,
            duration_ms=usage.duration_ms or child.row.duration_ms,
        )
        if child.row.output or child.background:
            return self._end(row, status, at)
        child.ending = status  # the result of its call has the output, and comes next
        return []

    def prompted(self, row: str, text: str, at: Stamp) -> list[Event]:
        """The first user text of a transcript is what the sub-agent was asked."""
        child = self.running.get(row)
        if child is None or child.prompted:
            return []
        child.prompted = True
        child.row = replace(child.row, prompt=text)
        return [_event(child.row, "progress", at)]

    def tool_ended(self, tool: str, status: str, output: str, at: Stamp, *, launched: bool) -> list[Event]:
        """The result of the call that started one: a foreground row that has no ending yet ends with it."""
        row = self._by_tool.get(tool, "")
        child = self.running.get(row)
        if child is None:
            return []
        if launched:
            child.background = True
            if not child.row.background:
                child.row = replace(child.row, background=True)
                return [_event(child.row, "progress", at)]
            return []
        if child.background:
            return []
        child.row = replace(child.row, output=child.row.output or output)
        return self._end(row, child.ending or status, at)

    def turn_ended(self, status: str, at: Stamp) -> list[Event]:
        """A row in the foreground is over with its turn, whatever the agent told of it. Beside one in the background it
        may be that one's own: then only a row of lines alone, which has no other ending, is over."""
        beside = any(child.background for child in self.running.values())
        rows = [row for row, child in self.running.items() if not child.background and not (beside and child.task)]
        return [event for row in rows for event in self._end(row, self.running[row].ending or status, at)]

    def stopping(self, row: str, at: Stamp) -> None:
        """A person wants it stopped; the agent's word ends it, or the first line after a while."""
        child = self.running.get(row)
        if child is not None and at:
            child.stopped_at = ns(at)

    def due(self, line: object, at: Stamp) -> list[Event]:
        """The endings that waited for a line: this one tells more of one's own ending, or it is over now."""
        task, calls = _about(line)
        ended: list[Event] = []
        for row, child in tuple(self.running.items()):
            late = at and child.stopped_at and ns(at) - child.stopped_at >= _STOP_WAIT
            if child.ending and child.task != task and child.row.tool_call_id not in calls:
                ended += self._end(row, child.ending, at)
            elif late:
                ended += self._end(row, "cancelled", at)
        return ended

    def _spawn(self, child: _Child, at: Stamp) -> list[Event]:
        self.running[child.row.id] = child
        return [_event(child.row, "spawned", at)]

    def _end(self, row: str, status: str, at: Stamp) -> list[Event]:
        child = self.running.pop(row, None)
        if child is None:
            return []
        self.finished_in_background |= child.background
        told = replace(child.row, status=status, activity="")
        return [_event(told, "finished", at)]


def _about(line: object) -> tuple[str, frozenset[str]]:
    """The task that a line ends, and the calls that it has results of."""
    if isinstance(line, System):
        return (line.task_id if line.subtype == "task_notification" else "", frozenset())
    blocks = line.message.blocks if isinstance(line, User) else ()
    return "", frozenset(block.tool_use_id for block in blocks if block.tool_use_id)


def _event(row: Subagent, change: str, at: Stamp) -> Event:
    return Event("subagent", subagent=row, subagent_change=change, at=at)
