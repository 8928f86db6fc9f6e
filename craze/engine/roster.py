"""Sub-agents: their rows are completed here, and each is spawned before and finished after everything else of it, once.

    Roster.report(event, at) -> Said             a provider's `subagent` event
    Roster.seen(event) -> Said                   any other event on its way out: the events to publish in its place
    Roster.end(child, status, error, at) -> Said                        one child
    Roster.end_all(status, error, at, *, background) -> Said            close, Gone, a cancelled parent turn
    Roster.running(*, background=True) -> tuple[str, ...]               ids in order of their start
    Roster.get(child) -> Subagent | None

`Said(events, lints)`: what to publish, in order, and the names of the lints to note. Pure: no clock, loop or disk.
The tool calls of a child are the business of `tools`; the rows that a view shows are folded by `view`.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from craze.codec import Event, Stamp, Subagent, Tool, ns
from craze.engine.limits import FINISHED_CHILDREN, PARKED_RECEIPTS, ROUTED_CHILDREN

_ENDED: Final = frozenset({"completed", "failed", "cancelled"})


class Said(Struct, frozen=True):
    """Events to publish, in order, and names of lints to note."""

    events: tuple[Event, ...] = ()
    lints: tuple[str, ...] = ()


class Roster:
    """Every sub-agent that runs, and the newest that finished."""

    def __init__(self) -> None:
        self._running: dict[str, _Child] = {}
        self._finished: dict[str, _Child] = {}
        self._gone: set[str] = set()  # finished and forgotten; their ids are known
        self._receipts: dict[str, Tool] = {}  # by child: the call that says it started it, for a row yet to come

    def report(self, event: Event, at: Stamp) -> Said:
        """Take a provider's row: completed, in legal order, or refused with a lint."""
        row = event.subagent
        if row is None or not row.id:
            return Said(lints=("child-without-id",))
        ends = event.subagent_change == "finished" or row.status in _ENDED
        running = self._running.get(row.id)
        if running is None:
            return self._first(event, row, at, ends)
        lints = ("child-spawned-twice",) if event.subagent_change == "spawned" and not ends else ()
        return Said(
            (self._finish(running, row, event, at) if ends else running.say("progress", row, event, at),), lints
        )

    def seen(self, event: Event) -> Said:
        """Note what a child does. An event of a child unknown so far is preceded by its `spawned`; one of a child
        beyond the limit goes to the main transcript."""
        if event.tool and event.tool.task:
            self._receipt(event.tool)
        if not event.agent:
            return Said((event,))
        before = Said()
        child = self._find(event.agent)
        if child is None and event.agent not in self._gone:
            before = self._spawn(Subagent(id=event.agent, status="running"), event, event.at)
            before = replace(before, lints=(*before.lints, "child-not-spawned"))
            child = self._running[event.agent]
        if child is None:
            return Said((event,))
        child.note(event)
        if child.routed:
            return Said((*before.events, event), before.lints)
        return Said((*before.events, replace(event, agent="")), before.lints)

    def end(self, child: str, status: str, error: str, at: Stamp) -> Said:
        """Finish one child without a word of the agent; nothing when it does not run."""
        running = self._running.get(child)
        if running is None:
            return Said()
        row = replace(running.row, status=status, error=error or running.row.error, activity="")
        return Said((self._finish(running, row, Event("subagent", replayed=running.replayed), at),))

    def end_all(self, status: str, error: str, at: Stamp, *, background: bool) -> Said:
        """Finish every running child, those in the background only when asked to; children before their parents."""
        ended = [self.end(child, status, error, at) for child in reversed(self.running(background=background))]
        return Said(tuple(event for said in ended for event in said.events))

    def running(self, *, background: bool = True) -> tuple[str, ...]:
        """Ids of the running children in order of their start, those in the background on request."""
        return tuple(key for key, child in self._running.items() if background or not child.row.background)

    def get(self, child: str) -> Subagent | None:
        """The row as last published; None for an unknown child and for one long finished."""
        found = self._find(child)
        return found.row if found else None

    def _first(self, event: Event, row: Subagent, at: Stamp, ends: bool) -> Said:
        """A report of a child that does not run: its start, or one that comes too early or too late."""
        again = event.subagent_change == "spawned" and not ends and self._is_new_attempt(row)
        if (row.id in self._finished or row.id in self._gone) and not again:
            return Said(lints=("child-ended-twice" if ends else "child-after-end",))
        said = self._spawn(
            replace(row, status="running", ended_at=Stamp(""), duration_ms=0) if ends else row, event, at
        )
        if event.subagent_change != "spawned":
            said = Said(said.events, (*said.lints, "child-not-spawned"))
        if not ends:
            return said
        return Said((*said.events, self._finish(self._running[row.id], row, event, at)), said.lints)

    def _is_new_attempt(self, row: Subagent) -> bool:
        before = self._finished.get(row.id)
        return before is None or row.attempt_id != before.row.attempt_id

    def _spawn(self, row: Subagent, event: Event, at: Stamp) -> Said:
        self._finished.pop(row.id, None)
        self._gone.discard(row.id)
        routed = sum(child.routed for child in self._running.values()) < ROUTED_CHILDREN
        child = self._running[row.id] = _Child(row, routed=routed)
        if receipt := self._receipts.pop(row.id, None):
            child.join(receipt)
        said = child.say("spawned", row, event, at)
        return Said((said,), () if routed else ("child-not-routed",))

    def _finish(self, child: _Child, row: Subagent, event: Event, at: Stamp) -> Event:
        said = child.say("finished", row, event, at)
        self._finished[row.id] = self._running.pop(row.id)
        while len(self._finished) > FINISHED_CHILDREN:
            oldest = next(iter(self._finished))
            del self._finished[oldest]
            self._gone.add(oldest)
        return said

    def _receipt(self, tool: Tool) -> None:
        """A call names the child that it started: joined to its row, or parked until there is one."""
        child_id = tool.task.agent_id if tool.task else ""
        if not child_id:
            return
        if child := self._find(child_id):
            child.join(tool)
        elif child_id not in self._gone:
            self._receipts[child_id] = tool
            if len(self._receipts) > PARKED_RECEIPTS:
                del self._receipts[next(iter(self._receipts))]

    def _find(self, child: str) -> _Child | None:
        return self._running.get(child) or self._finished.get(child)


class _Child:
    """One child: its row as last said, and what was counted since."""

    def __init__(self, row: Subagent, *, routed: bool) -> None:
        self.row = row
        self.routed = routed
        self.replayed = False
        self._calls: set[str] = set()
        self._tools: dict[str, None] = {}
        self._transcript = False
        self._call_of = ""
        self._background = False

    def note(self, event: Event) -> None:
        self._transcript |= self.routed
        if event.tool:
            self._calls.add(event.tool.id)
            if event.tool.name:
                self._tools[event.tool.name] = None

    def join(self, receipt: Tool) -> None:
        """The call that started it is known."""
        self._call_of = receipt.id
        self._background |= receipt.task is not None and receipt.task.background

    def say(self, change: str, row: Subagent, event: Event, at: Stamp) -> Event:
        """The event that says the row, completed by what the provider left out."""
        self.replayed = event.replayed
        self.row = self._completed(row, change, Stamp("") if event.replayed else event.at or at)
        return Event(
            "subagent",
            subagent=self.row,
            subagent_change=change,
            replayed=event.replayed,
            cause=event.cause,
            at=event.at or at,
        )

    def _completed(self, row: Subagent, change: str, at: Stamp) -> Subagent:
        spawned = change == "spawned"
        started = row.started_at or (at if spawned else self.row.started_at)
        ended = row.ended_at or (at if change == "finished" else Stamp(""))
        return replace(
            row,
            status=row.status or ("completed" if change == "finished" else "running"),
            tool_call_id=row.tool_call_id or self._call_of,
            background=row.background or self._background,
            started_at=started,
            ended_at=ended,
            duration_ms=row.duration_ms or _milliseconds(started, ended),
            tool_calls=row.tool_calls or len(self._calls),
            tools_used=row.tools_used or tuple(self._tools),
            transcript=row.transcript or self._transcript,
        )


def _milliseconds(started: Stamp, ended: Stamp) -> int:
    return max(0, ns(ended) - ns(started)) // 1_000_000 if started and ended else 0
