"""Tool calls: what providers report of them is merged, cut, counted and closed here, for all providers alike.

    Tools.patch(patch, at, *, turn="", replayed=False) -> Event | None   None: nothing that a reader could see changed
    Tools.close(turn, outcome, at, *, agent=None, spare=()) -> tuple[Event, ...]
    Tools.left_open(turn) -> int                                         before `close`: how many it will have to close
    Tools.refused(tool_id, agent="")                                     its permission was refused
    Tools.get(tool_id, agent="") -> Tool | None                          as last published
    Tools.renew()                                                        another agent process: its ids begin anew

A call is keyed by (agent, id). Each event carries the whole call, with the end of long texts only; the full text is in
the wire capture. Pure: no clock, loop or disk. Which turn runs and what becomes of sub-agents is the core's business.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final, Literal, TypeAlias

from msgspec import UNSET
from msgspec.structs import replace

from craze.codec import Diff, Event, Stamp, Tool, ToolOutput
from craze.engine.changes import count_lines
from craze.engine.limits import DIFF_TEXTS, RAW_INPUT, TOOL_FINAL_TAIL, TOOL_RUNNING_TAIL
from craze.engine.ports import ToolPatch
from craze.engine.text import Tail, first_of, to_bytes

Outcome: TypeAlias = Literal["clean", "failed", "cancelled"]

TERMINAL: Final = frozenset({"completed", "failed", "cancelled"})
FINISHED_CALLS: Final = 256  # kept whole for output that comes late; of older ones the id alone
FINISHED_BYTES: Final = 16 * 1024 * 1024

_CLOSED_AS: Final[dict[Outcome, str]] = {"clean": "completed", "failed": "failed", "cancelled": "cancelled"}
_PLAIN: Final = ("name", "status", "kind", "title", "tool_name", "locations", "task")
_STREAMS: Final = ("stdout", "stderr", "content")


class Tools:
    """Every call of the session; the finished ones within bounds."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], _Call] = {}
        self._finished: dict[tuple[str, str], _Call] = {}
        self._forgotten: set[tuple[str, str]] = set()

    def patch(self, patch: ToolPatch, at: Stamp, *, turn: str = "", replayed: bool = False) -> Event | None:
        """Merge what a line says about a call. A call first heard of belongs to `turn`."""
        key = (patch.agent, patch.id)
        if key in self._forgotten:
            return None
        call = self._open.get(key) or self._finished.get(key)
        if call is None:
            call = self._open[key] = _Call(patch.id, turn)
        call.replayed = replayed
        call.merge(patch)
        return self._publish(key, call, at)

    def close(
        self,
        turn: str | None,
        outcome: Outcome,
        at: Stamp,
        *,
        agent: str | None = None,
        spare: Collection[str] = (),
    ) -> tuple[Event, ...]:
        """End what is open and not background: of one turn, or of all (None), background calls too.

        Args:
            agent: Only the calls of this sub-agent ("" = the main transcript); None = of all.
            spare: Sub-agents that go on: their calls are left alone.
        """
        closed: list[Event] = []
        for key, call in self._closing(turn):
            if key[0] in spare or agent not in (None, key[0]):
                continue
            call.end("failed" if call.refused else _CLOSED_AS[outcome])
            if event := self._publish(key, call, at):
                closed.append(event)
        return tuple(closed)

    def left_open(self, turn: str | None, *, spare: Collection[str] = ()) -> int:
        """How many calls `close` would have to end, not counting those known from permission requests alone."""
        return sum(not call.only_asked and key[0] not in spare for key, call in self._closing(turn))

    def refused(self, tool_id: str, agent: str = "") -> None:
        """The permission of the call was refused: closed without a word of the agent it has failed."""
        if call := self._open.get((agent, tool_id)):
            call.refused = True

    def get(self, tool_id: str, agent: str = "") -> Tool | None:
        """The call as last published."""
        key = (agent, tool_id)
        call = self._open.get(key) or self._finished.get(key)
        return call.shown if call else None

    def renew(self) -> None:
        """The agent is another process: an id that ended names another call from now on."""
        self._finished.clear()
        self._forgotten.clear()

    def _closing(self, turn: str | None) -> Iterator[tuple[tuple[str, str], _Call]]:
        for key, call in list(self._open.items()):
            if turn is None or (call.turn == turn and not call.background):
                yield key, call

    def _publish(self, key: tuple[str, str], call: _Call, at: Stamp) -> Event | None:
        tool = call.cut()
        if call.ended:
            self._finish(key, call)
        if tool == call.shown:
            return None
        call.shown = tool
        return Event("tool", agent=key[0], tool=tool, replayed=call.replayed, at=at)

    def _finish(self, key: tuple[str, str], call: _Call) -> None:
        self._open.pop(key, None)
        self._finished.pop(key, None)
        self._finished[key] = call
        held = sum(kept.weight for kept in self._finished.values())
        while len(self._finished) > 1 and (len(self._finished) > FINISHED_CALLS or held > FINISHED_BYTES):
            oldest = next(iter(self._finished))
            held -= self._finished.pop(oldest).weight
            self._forgotten.add(oldest)


class _Call:
    """One call: `_tool` and `_output` hold everything but the long texts, which stand in `_tails`."""

    def __init__(self, tool_id: str, turn: str) -> None:
        self.turn = turn
        self.background = self.refused = self.replayed = False
        self.only_asked = True
        self.shown: Tool | None = None
        self._tool = Tool(id=tool_id, status="pending", kind="other")
        self._output: ToolOutput | None = None
        self._tails: dict[str, Tail] = {}
        self._text = Tail()

    @property
    def ended(self) -> bool:
        return self._tool.status in TERMINAL

    @property
    def weight(self) -> int:
        """About how many bytes it holds."""
        texts = sum(tail.held for tail in (self._text, *self._tails.values()))
        return (
            texts
            + len(self._tool.raw_input)
            + sum(len(diff.old_text) + len(diff.new_text) for diff in self._tool.diffs)
        )

    def end(self, status: str) -> None:
        self._tool = replace(self._tool, status=status)

    def merge(self, patch: ToolPatch) -> None:
        self.background |= patch.background
        self.only_asked &= patch.from_ask
        changes: dict[str, Any] = {name: value for name, value in _plain(patch) if value is not UNSET}
        if self.ended or not changes.get("status"):
            changes.pop("status", None)
        if patch.raw_input is not UNSET:
            changes["raw_input"] = first_of(to_bytes(patch.raw_input or ""), RAW_INPUT)
        if patch.diffs is not UNSET:
            changes["diffs"] = tuple(_fit(diff) for diff in patch.diffs or ())
        if changes:
            self._tool = replace(self._tool, **changes)
        if patch.content_text is not UNSET:
            self._text = Tail(patch.content_text or "")
        self._merge_output(patch)

    def _merge_output(self, patch: ToolPatch) -> None:
        if patch.output is None:
            self._output = None
            self._tails = {}
        elif patch.output is not UNSET:
            self._output = _over(self._output or ToolOutput(), patch.output)
            self._tails |= {name: Tail(text) for name in _STREAMS if (text := getattr(patch.output, name))}
        if patch.stdout_add:
            self._output = self._output or ToolOutput()
            self._tails.setdefault("stdout", Tail()).add(patch.stdout_add)

    def cut(self) -> Tool:
        """The call as an event says it now."""
        limit = TOOL_FINAL_TAIL if self.ended else TOOL_RUNNING_TAIL
        texts = {name: tail.last(limit) for name, tail in self._tails.items()}
        too_long = {name for name, tail in self._tails.items() if tail.size > limit}
        heads = {
            f"{name}_head": self._tails[name].head()
            for name in too_long & {"stdout", "stderr"}
            if not getattr(self._output, f"{name}_head")  # what the agent calls the beginning wins
        }
        output = self._output
        if too_long or self._text.size > limit:
            output = replace(output or ToolOutput(), truncated=True)
        if output is not None:
            output = replace(output, **texts, **heads)
        return replace(self._tool, content_text=self._text.last(limit), output=output)


def _plain(patch: ToolPatch) -> Iterator[tuple[str, object]]:
    """The fields that a patch simply sets; None clears a list."""
    for name in _PLAIN:
        value = getattr(patch, name)
        yield name, () if name == "locations" and value is None else value


def _over(output: ToolOutput, newer: ToolOutput) -> ToolOutput:
    """The small fields of an output, merged: zero or absent keeps, but exit code 0 is a code."""
    return ToolOutput(
        exit_code=output.exit_code if newer.exit_code is None else newer.exit_code,
        stdout_head=newer.stdout_head or output.stdout_head,
        stderr_head=newer.stderr_head or output.stderr_head,
        truncated=newer.truncated or output.truncated,
    )


def _fit(diff: Diff) -> Diff:
    """Its lines counted, unless the agent did; without the texts where they are too long."""
    if not (diff.added or diff.removed):
        added, removed = count_lines(diff.old_text, diff.new_text)
        diff = replace(diff, added=added, removed=removed)
    if len(to_bytes(diff.old_text)) + len(to_bytes(diff.new_text)) > DIFF_TEXTS:
        return replace(diff, old_text="", new_text="", truncated=True)
    return diff
