"""Searching what was said: over the journals of sessions, newest session first, also across streamed pieces."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from typing import Final, Literal, TypeAlias

import msgspec

from craze.codec import Event, Record, Tool
from craze.errors import DecodeError
from craze.store.history import Told

Part: TypeAlias = Literal["user", "text", "thought", "tool"]
PARTS: Final[tuple[Part, ...]] = ("user", "text", "thought", "tool")
AROUND: Final = 40
"""Characters of a snippet on each side of a match."""


class Hit(msgspec.Struct, frozen=True, omit_defaults=True):
    """A match: the event it begins in, and where in that event's text (`start`; `end` may lie in a later piece)."""

    session: str
    seq: int
    type: Part
    snippet: str
    start: int
    end: int
    agent: str = ""


def pattern(text: str, *, regex: bool = False) -> re.Pattern[str]:
    """What to look for, without regard to case.

    Raises:
        re.error: `text` is no regular expression.
    """
    return re.compile(text if regex else re.escape(text), re.IGNORECASE)


def search(
    session: str, history: Iterable[Told], wanted: re.Pattern[str], parts: Collection[Part] = PARTS
) -> Iterator[Hit]:
    """The matches in a session's history, in order; a tool call's equal match counts once."""
    seen: set[tuple[str, str, str]] = set()
    for run in _runs(history, frozenset(parts)):
        for found in wanted.finditer(run.text):
            if found.end() == found.start():
                continue
            hit = run.hit(session, found.start(), found.end())
            same = (run.agent, run.call, found[0])
            if run.call and same in seen:
                continue
            seen.add(same)
            yield hit


class _Run:
    """Text that reads as one, though it came in several events."""

    def __init__(self, kind: Part, agent: str, call: str = "") -> None:
        self.kind: Part = kind
        self.agent, self.call = agent, call
        self._seqs: list[int] = []
        self._starts: list[int] = []
        self._parts: list[str] = []
        self._size = 0

    def add(self, seq: int, text: str) -> None:
        self._seqs.append(seq)
        self._starts.append(self._size)
        self._parts.append(text)
        self._size += len(text)

    @property
    def text(self) -> str:
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""

    def hit(self, session: str, start: int, end: int) -> Hit:
        at = bisect_right(self._starts, start) - 1
        before = self._starts[at]
        snippet = " ".join(self.text[max(0, start - AROUND) : end + AROUND].split())
        return Hit(session, self._seqs[at], self.kind, snippet, start - before, end - before, self.agent)


def _runs(history: Iterable[Told], parts: frozenset[Part]) -> Iterator[_Run]:
    """The runs in which the wanted parts were said, one at a time for each agent."""
    runs: dict[str, _Run] = {}
    for item in history:
        if not isinstance(item, Record) or not item.body.startswith(_VISIBLE):
            continue
        try:
            event = item.event
        except DecodeError:
            continue
        said, run = _said(event), runs.get(event.agent)
        if run is not None and not (said and said[0] == run.kind and run.kind in _STREAMED):
            yield runs.pop(event.agent)
        if said and said[0] in parts:
            call = event.tool.id if event.tool else ""
            runs.setdefault(event.agent, _Run(said[0], event.agent, call)).add(item.seq, said[1])
    yield from runs.values()


def _said(event: Event) -> tuple[Part, str] | None:
    match event.type:
        case "text" | "thought" | "user":
            return event.type, event.text
        case "turn" if event.turn is not None and event.turn.phase == "started":
            return "user", event.turn.text
        case "tool" if event.tool is not None:
            return "tool", _tool_text(event.tool)
        case _:
            return None


def _tool_text(tool: Tool) -> str:
    output = tool.output
    fields = [tool.name, tool.title, *tool.locations, tool.raw_input, tool.content_text]
    fields += [output.stdout, output.stderr, output.content] if output else []
    fields += [text for diff in tool.diffs for text in (diff.path, diff.old_text, diff.new_text)]
    return "\n".join(field for field in fields if field)


_STREAMED: Final = frozenset(("text", "thought"))
_VISIBLE: Final = tuple(
    b'{"type":"%b"' % kind
    for kind in (b"text", b"thought", b"user", b"turn", b"tool", b"permission", b"question", b"plan", b"error")
)
"""Events of other types may come in the middle of a text and do not cut it."""
