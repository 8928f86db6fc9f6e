"""All transcripts of a session: the main one and one for each sub-agent. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from craze.codec import Record, Tool
from craze.engine.ports import Missing
from craze.errors import DecodeError
from craze.tui.transcript.folding import Transcript
from craze.tui.transcript.joining import Joined, join

Item: TypeAlias = Record | Missing


class Fold:
    """Takes events in order, and older pages before them.

    Attributes:
        first: The lowest `seq` taken, 0 before the first event.
        last: The highest; what is not above it was taken already and is passed over.
    """

    def __init__(self) -> None:
        self._transcripts: dict[str, Transcript] = {}
        self._children: dict[str, str] = {}  # the sub-agent that a tool started, by the id of the tool
        self.first = self.last = 0

    @property
    def complete(self) -> bool:
        """Whether nothing older is missing."""
        return self.first <= 1

    def transcript(self, agent: str = "") -> Transcript:
        """The transcript of an agent, `""` = the main one."""
        if agent not in self._transcripts:
            self._transcripts[agent] = Transcript(complete=self.complete)
        return self._transcripts[agent]

    def child(self, tool: Tool) -> str:
        """The sub-agent that a tool started, "" when nothing of it was taken."""
        agent = (tool.task.agent_id if tool.task else "") or self._children.get(tool.id, "")
        return agent if agent in self._transcripts and self._transcripts[agent].blocks else ""

    def fold(self, items: Iterable[Item]) -> None:
        """Events behind those that were taken."""
        for item in items:
            seq = item.first if isinstance(item, Missing) else item.seq
            if seq <= self.last and seq:
                continue
            self.first = self.first or seq
            if isinstance(item, Missing):
                self._missing(item)
            else:
                self._event(item)
                self.last = max(seq, self.last)

    def prepend(self, items: Iterable[Item]) -> dict[str, Joined]:
        """An older page; what it did to each transcript that it touched."""
        page = Fold()
        page.fold(item for item in items if _seq(item) < self.first or not self.first)
        if not page.first:
            return {}
        self.first, complete = page.first, page.complete
        joined: dict[str, Joined] = {}
        for agent in self._transcripts.keys() | page._transcripts.keys():
            older = page._transcripts.get(agent) or Transcript(complete=complete)
            joined[agent] = join(older, self.transcript(agent))
        self.last = max(self.last, page.last)
        self._children = page._children | self._children
        return joined

    def _event(self, record: Record) -> None:
        try:
            event = record.event
        except DecodeError:
            why = record.omitted.reason if record.omitted else "not readable"
            self.transcript().note(record.seq, f"event {record.seq} was not kept: {why}", "missing")
        else:
            if event.subagent and event.subagent.tool_call_id:
                self._children[event.subagent.tool_call_id] = event.subagent.id
            self.transcript(event.agent).fold(record.seq, event)

    def _missing(self, missing: Missing) -> None:
        self.transcript().note(missing.first, f"events {missing.first}–{missing.last} missing", "missing")
        self.last = max(self.last, missing.last)


def _seq(item: Item) -> int:
    return item.first if isinstance(item, Missing) else item.seq
