"""A session's history as blocks a person reads: prompts, answers, tools, asks and what went wrong.

Pure: `blocks` folds records, `plain` writes a block as text. Text stays as the agent sent it; cleaning it for a
terminal is the caller's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

import msgspec

from craze.codec import Ask, Event, Permission, Plan, Question, Record, Tool
from craze.errors import DecodeError
from craze.store.history import Missing, Told

TERMINAL = frozenset(("completed", "failed", "cancelled"))
"""A tool call that has one of these statuses is over."""


class Base(msgspec.Struct, kw_only=True):
    """`seq` is that of the event a block begins with; `agent` names a sub-agent, "" the main one."""

    seq: int
    agent: str = ""


class Words(Base, kw_only=True):
    """Text that came in pieces. A `user` is a prompt of the person, or one that a sub-agent was given."""

    kind: Literal["user", "text", "thought"]
    at: str = ""
    parts: list[str]

    @property
    def text(self) -> str:
        return "".join(self.parts)


class Call(Base, kw_only=True):
    """A tool call in its last state."""

    tool: Tool


class Asked(Base, kw_only=True):
    """A question to the person, and what became of it ("" while it is open)."""

    id: str
    title: str
    body: Permission | Question | Plan | None = None
    outcome: str = ""


class Note(Base, kw_only=True):
    """What the transcript itself has to say: a failure, a short ending, something missing."""

    text: str


Block: TypeAlias = Words | Call | Asked | Note


def blocks(history: Iterable[Told]) -> Iterator[Block]:
    """The blocks of a history, a turn at a time; at most one turn is held."""
    fold = _Fold()
    for item in history:
        if isinstance(item, Missing):
            fold.note(item.first, _missing(item))
        elif isinstance(item, Record) and fold.take(item):
            yield from fold.flush()
    yield from fold.flush()


def plain(block: Block) -> str:
    """A block as text, ending in a newline: tools one line each, asks with their outcome."""
    if isinstance(block, Words):
        return _prefixed(block)
    if isinstance(block, Call):
        return f"  ● {tool_line(block.tool)}\n"
    if isinstance(block, Asked):
        return f"  ? {block.title} → {block.outcome or 'open'}\n"
    return f"  ! {block.text}\n"


def tool_line(tool: Tool) -> str:
    """Name, title and status of a call on one line."""
    names = [tool.name or tool.tool_name or tool.kind or "tool"]
    if tool.title and tool.title != names[0]:
        names.append(" ".join(tool.title.split()))
    return " · ".join(names) + (f" ({tool.status})" if tool.status else "")


class _Fold:
    """The blocks of the turn that is being read."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._calls: dict[tuple[str, str], Call] = {}
        self._asks: dict[str, Asked] = {}
        self._titles: dict[str, str] = {}

    def take(self, record: Record) -> bool:
        """Fold one record in; True when a turn has ended with it."""
        if record.omitted is not None:
            self.note(record.seq, f"event {record.seq} ({record.omitted.type}) was not kept: {record.omitted.reason}")
            return False
        try:
            event = record.event
        except DecodeError as error:
            self.note(record.seq, f"event {record.seq} cannot be read: {error}")
            return False
        self._event(record.seq, event)
        return event.turn is not None and event.turn.phase == "ended"

    def note(self, seq: int, text: str) -> None:
        if not (self._blocks and isinstance(last := self._blocks[-1], Note) and last.text == text):
            self._blocks.append(Note(seq=seq, text=text))

    def flush(self) -> list[Block]:
        done, self._blocks = self._blocks, []
        self._calls.clear()
        return done

    def _event(self, seq: int, event: Event) -> None:
        match event.type:
            case "text" | "thought" | "user":
                self._words(seq, event.type, event)
            case "tool" if event.tool is not None:
                self._call(seq, event.agent, event.tool)
            case "permission" | "question" | "plan":
                self._opened(seq, event)
            case "ask" if event.ask is not None:
                self._ended(seq, event.ask)
            case "turn" if event.turn is not None and event.turn.phase == "started":
                self._blocks.append(Words(seq=seq, kind="user", at=event.at, parts=[event.turn.text]))
            case "turn" | "error" | "compaction":
                if text := _said(event):
                    self.note(seq, text)
            case _:
                pass

    def _words(self, seq: int, kind: Literal["user", "text", "thought"], event: Event) -> None:
        last = self._blocks[-1] if self._blocks else None
        if isinstance(last, Words) and (last.kind, last.agent) == (kind, event.agent) and kind != "user":
            last.parts.append(event.text)
        else:
            self._blocks.append(Words(seq=seq, kind=kind, agent=event.agent, at=event.at, parts=[event.text]))

    def _call(self, seq: int, agent: str, tool: Tool) -> None:
        known = self._calls.get((agent, tool.id))
        self._titles[tool.id] = tool.title or tool.name
        if known is None or (known.tool.status in TERMINAL and tool.status not in TERMINAL):
            self._calls[agent, tool.id] = known = Call(seq=seq, agent=agent, tool=tool)
            self._blocks.append(known)
        known.tool = tool

    def _opened(self, seq: int, event: Event) -> None:
        body = event.permission or event.question or event.plan
        if body is not None:
            self._asks[body.id] = asked = Asked(seq=seq, id=body.id, title=self._title(body), body=body)
            self._blocks.append(asked)
            if not isinstance(body, Permission) and body.auto:
                asked.outcome = "settled by the agent"

    def _ended(self, seq: int, ask: Ask) -> None:
        asked = self._asks.pop(ask.id, None)
        if asked is None:
            body = ask.body and (ask.body.permission or ask.body.question or ask.body.plan)
            asked = Asked(seq=seq, id=ask.id, title=self._title(body) if body else ask.kind, body=body or None)
            self._blocks.append(asked)
        asked.outcome = _outcome(ask)

    def _title(self, body: Permission | Question | Plan) -> str:
        if isinstance(body, Permission):
            return f"permission for {self._titles.get(body.tool) or body.tool or 'a tool'}"
        if isinstance(body, Plan):
            return f"plan {body.name}".strip()
        prompts = " / ".join(item.prompt for item in body.questions)
        return prompts or body.title or "a question"


def _said(event: Event) -> str:
    """What a failure, a short ending or a compaction is worth saying; "" for a turn that ended well."""
    if event.err is not None:
        return f"{event.err.error_class}: {event.err.message}"
    if event.turn is not None and event.turn.err_class:
        return f"{event.turn.err_class}: {event.turn.err}"
    if event.turn is not None and event.turn.stop_reason != "end_turn":
        return f"the turn ended: {event.turn.stop_reason}" if event.turn.stop_reason else ""
    if event.compaction is not None and event.compaction.phase == "ended":
        return f"compaction failed: {event.compaction.err}" if event.compaction.err else "the context was compacted"
    return ""


def _outcome(ask: Ask) -> str:
    chosen = ask.label or ask.option_id
    if ask.kind == "plan" and ask.outcome in ("answered", "automatic"):
        chosen = "accepted" if ask.accepted else "rejected"
    if ask.answers:
        chosen = "; ".join(", ".join(values or ()) for values in ask.answers.values())
    by = f"{ask.outcome} by {ask.by}" if ask.by else ask.outcome
    return f"{chosen} ({by})" if chosen else by


def _missing(gap: Missing) -> str:
    if gap.first == gap.last:
        return f"event {gap.first} is missing"
    return f"events {gap.first} to {gap.last} are missing"


def _prefixed(words: Words) -> str:
    mark = {"user": "> ", "text": "", "thought": "~ "}[words.kind]
    mark = f"  [{words.agent}] {mark}" if words.agent else mark
    return "".join(f"{mark}{line}".rstrip() + "\n" for line in words.text.strip("\n").split("\n")) + "\n"
