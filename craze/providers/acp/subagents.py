"""Children of a session: those with a session of their own, and those told apart by `_meta` alone.

Pure. It gives `subagent` events; that each is spawned before and finished after everything else of it, once, is kept
by the engine as well.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from craze.codec import Event, Stamp, Subagent, Task
from craze.engine.ports import Report
from craze.providers.acp.blocks import texts
from craze.providers.acp.calls import Call
from craze.providers.acp.tools import Tools
from craze.providers.acp.types import ChildState, ChildUpdate, Meta, SessionMessage, supported, text

Change: TypeAlias = Literal["spawned", "progress", "finished"]
_GOOD_ENDS: Final = frozenset({"", "end_turn", "max_tokens", "max_turn_requests"})


class Child(Struct):
    """One child. `own_session`: the agent tells of it; else there are only its lines, told apart by `_meta` or their id."""

    row: Subagent
    own_session: bool
    call: Call | None = None
    running: bool = True
    can_cancel: bool = False
    attempts: int = 1


class Children:
    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._all: dict[str, Child] = {}

    def get(self, name: str) -> Child | None:
        return self._all.get(name)

    def running(self) -> list[Child]:
        return [child for child in self._all.values() if child.running]

    def spared(self) -> frozenset[str]:
        """Running background children and the calls that began them: a turn's end leaves them alone."""
        background = [child for child in self.running() if child.row.background]
        return frozenset((*(child.row.id for child in background), *(child.row.tool_call_id for child in background)))

    # ---- children with a session

    def update(self, name: str, update: ChildUpdate, parent: str, at: Stamp) -> list[Report]:
        """A patch by the child's session id."""
        title, described = text(update.title), text(update.description)
        child, first = self._known(name, parent)
        child.own_session = True
        row = replace(
            child.row,
            description=title or described or child.row.description,
            subagent_type=(described if title else "") or child.row.subagent_type,
            model=text(update.model) or child.row.model,
        )
        if update.capabilities is not None:
            child.can_cancel = supported(update.capabilities.cancel)
        return self._move(child, first, _state(row, update.state), at)

    def message(self, update: SessionMessage, at: Stamp, *, more: bool = False) -> list[Report]:
        """What the parent tells a child is the child's prompt; the id of the message may be that of the call."""
        name, parent = text(update.recipient_session_id), text(update.sender_session_id)
        if not name or parent in self._all or name not in self._all:
            return []
        child = self._all[name]
        said = "\n".join(texts(update.content))
        reports = self._join(child, self._tools.get(child.row.parent_id, text(update.message_id)))
        row = replace(child.row, prompt=child.row.prompt + said if more else said or child.row.prompt)
        return [*reports, *self._move(child, False, row, at)]

    def strange(self, name: str, at: Stamp) -> list[Report]:
        """A session that nobody announced, so that nobody will tell of its end either."""
        child, first = self._known(name, "", own_session=False)
        return self._move(child, first, replace(child.row, description=name), at) if first else []

    # ---- children told apart by `_meta`

    def tagged(self, meta: Meta, at: Stamp) -> tuple[str, list[Report]]:
        """Whose line this is by its `_meta`, and the child's first event."""
        if meta.claude_code and (name := text(meta.claude_code.parent_tool_use_id)):
            owner = self._tools.owner(name)
            return name, self._tagged(name, self._tools.get(owner or "", name), at)
        if meta.copilot and (name := text(meta.copilot.agent_id)):
            starting = [call for call in self._tools.open_calls() if call.hint and self._free(call)]
            return name, self._tagged(name, starting[0] if starting else None, at)
        return "", []

    def _tagged(self, name: str, call: Call | None, at: Stamp) -> list[Report]:
        if name in self._all:
            return []
        task = (call.task or call.hint if call else None) or Task()
        row = Subagent(
            id=name,
            parent_id=call.agent if call else "",
            description=task.description,
            subagent_type=task.subagent_type,
            prompt=task.prompt,
            model=task.model,
            status="running",
            background=task.background,
        )
        child = self._all[name] = Child(row, own_session=False)
        reports = self._join(child, call)
        return [*reports, *self._move(child, True, child.row, at)]

    def _free(self, call: Call) -> bool:
        return all(child.call is not call for child in self._all.values())

    # ---- ends

    def call_ends(self, call: Call, status: str, at: Stamp) -> list[Report]:
        """Before the terminal patch of a call: its child finishes with it, or goes on in the background."""
        reports: list[Report] = []
        for child in self.running():
            if child.call is not call:
                continue
            if child.own_session or call.background:
                reports += self._move(child, False, replace(child.row, background=True), at)
            else:
                reports += self._move(child, False, replace(child.row, status=status), at)
        return reports

    def quiet(self, name: str, at: Stamp) -> list[Report]:
        """Outside a turn a child that the agent does not tell of ends with its last call."""
        child = self._all.get(name)
        if child is None or child.own_session or not child.running:
            return []
        if any(call.agent == name for call in self._tools.open_calls()):
            return []
        return self._move(child, False, replace(child.row, status="completed"), at)

    def outlive(self, at: Stamp) -> list[Report]:
        """A child that the agent tells of outlives the turn when it still runs at the answer to the prompt."""
        reports: list[Report] = []
        for child in self.running():
            if child.own_session and not child.row.background:
                reports += self._move(child, False, replace(child.row, background=True), at)
        return reports

    def turn_ended(self, at: Stamp) -> list[Report]:
        """Behind the ends of the turn's calls: a child that nothing else will end goes with them."""
        reports: list[Report] = []
        for child in self.running():
            if child.call is None or child.row.background:
                reports += self.quiet(child.row.id, at)
        return reports

    def renew(self) -> None:
        self._all.clear()

    # ---- rows

    def _known(self, name: str, parent: str, *, own_session: bool = True) -> tuple[Child, bool]:
        child = self._all.get(name)
        if child is not None:
            return child, False
        row = Subagent(id=name, parent_id=parent, description=name, status="running")
        child = self._all[name] = Child(row, own_session)
        return child, True

    def _join(self, child: Child, call: Call | None) -> list[Report]:
        """The call that began the child is a task."""
        if call is None or child.call is call:
            return []
        child.call = call
        child.row = replace(child.row, tool_call_id=call.id, background=child.row.background or call.background)
        patch = self._tools.name_parent(call, child.row.description)
        return [patch] if patch else []

    def _move(self, child: Child, first: bool, row: Subagent, at: Stamp) -> list[Report]:
        """The event for a row as it is now; none when nothing of it changed."""
        if row == child.row and not first:
            return []
        ends = row.status not in ("", "running")
        change: Change = "finished" if ends and child.running else "spawned" if first else "progress"
        if not ends and not child.running:
            child.attempts += 1
            row, change = replace(row, attempt_id=f"{row.id}#{child.attempts}"), "spawned"
        began: list[Report] = []
        if first and ends:
            began = [Event("subagent", subagent=replace(row, status="running"), subagent_change="spawned", at=at)]
        child.row, child.running = row, not ends
        return [*began, Event("subagent", subagent=row, subagent_change=change, at=at)]


def _state(row: Subagent, state: ChildState | None) -> Subagent:
    """The row in this state of the child's session."""
    match text(state.state) if state else "":
        case "running":
            return replace(row, status="running", activity="", error="")
        case "requires_action":
            return replace(row, status="running", activity="waiting")
        case "error":
            return replace(row, status="failed", activity="", error=_reason(state))
        case "idle":
            return _idle(row, state)
        case _:
            return row


def _idle(row: Subagent, state: ChildState | None) -> Subagent:
    stop = text(state.stop_reason) if state else ""
    if stop == "cancelled":
        return replace(row, status="cancelled", activity="")
    if stop in _GOOD_ENDS:
        return replace(row, status="completed", activity="")
    return replace(row, status="failed", activity="", error=_reason(state) or stop)


def _reason(state: ChildState | None) -> str:
    return "" if state is None else text(state.message) or text(state.error)
