"""Folds events into the blocks of one transcript: the main one, or that of a sub-agent.

Pure. A page of events that begins in the middle is folded by itself; `join` puts it behind an older one, so that paging
backwards gives the blocks that folding everything forwards gives. Drawing, and what is hidden, is left to the painters.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Final, Literal, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from craze.codec import Ask, AskBody, Event, Failure, Plan, Tool
from craze.codec.times import ns
from craze.codec.turns import Command
from craze.errors import BadTime
from craze.tui.transcript import said
from craze.tui.transcript.source import Source

Kind = Literal["prompt", "text", "thought", "tool", "shell", "plan", "ask", "command", "line", "error"]
Expansion = Literal["auto", "open", "closed"]

T = TypeVar("T")

TERMINAL: Final = frozenset({"completed", "failed", "cancelled"})


class Shell(Struct, frozen=True):
    """A command of the person's own; `status` is None while it runs, and when it was stopped."""

    command: str
    output: str = ""
    status: int | None = None
    running: bool = False


class Planned(Struct, frozen=True):
    """A plan and, once it is there, how its ask ended."""

    plan: Plan
    ending: Ask | None = None


class Asked(Struct, frozen=True):
    """The ending of an ask with what was asked, as far as that is known."""

    ending: Ask
    opening: AskBody | None = None


class Noted(Struct, frozen=True):
    """One dim line. `fact` says what it is about: `turn`, `mode`, `model`, `title`, `todos`, …"""

    text: str
    fact: str = ""


Data: TypeAlias = Source | Tool | Shell | Planned | Asked | Noted | Command | Failure


class Block:
    """One thing in the transcript.

    Attributes:
        id: The `seq` of its first event; a local block and a second one of an event have a fraction.
        revision: Raised whenever it would be drawn otherwise.
        open: More is expected: a text streams, a call runs.
        at: When it began and `until` when it last changed, in milliseconds since 1970; 0 = not known.
        mark: `interjection` of a prompt, else "".
        flags: How the person wants it drawn, as painters define it.
    """

    __slots__ = ("at", "data", "expansion", "flags", "id", "kind", "mark", "open", "revision", "until")

    def __init__(self, id_: float, kind: Kind, data: Data, at: int = 0, *, open_: bool = False, mark: str = "") -> None:
        self.id, self.kind, self.data, self.at, self.until = id_, kind, data, at, at
        self.open, self.mark = open_, mark
        self.revision = self.flags = 0
        self.expansion: Expansion = "auto"

    @property
    def source(self) -> Source:
        """The text of a prompt, text or thought."""
        assert isinstance(self.data, Source)
        return self.data

    def __repr__(self) -> str:
        return f"Block({self.id}, {self.kind}, {self.data!r})"


class Changes:
    """What happened to the blocks since the last look: from `low` on all may differ, before it only `touched`."""

    __slots__ = ("low", "touched")

    def __init__(self, low: int) -> None:
        self.low = low
        self.touched: set[float] = set()


class Joined(Struct, frozen=True):
    """What `join` did to the blocks that were there: removed and then inserted at these places, in this order, before
    `added` others came above; `renamed` by old id; `touched` by id."""

    added: int
    removed: tuple[int, ...]
    inserted: tuple[int, ...]
    renamed: dict[float, float]
    touched: frozenset[float]


class Transcript:
    """The blocks of one agent, in order of their ids. `complete`: nothing came before the first event."""

    def __init__(self, *, complete: bool = True) -> None:
        self.blocks: list[Block] = []
        self.changes = Changes(0)
        self.run: Block | None = None
        """The text or thought that the next chunk of its kind joins."""
        self._answer: list[Block] = []
        """The texts and thoughts that an answer written anew replaces."""
        self._edge = _Edge(complete)
        self._tools: dict[str, Block] = {}
        self._running: dict[str, Block] = {}
        self._plans: dict[str, Block] = {}
        self._openings: dict[str, AskBody] = {}
        self._values: dict[str, str] = dict(said.INITIAL) if complete else {}
        self._turn_failed: bool | None = False if complete else None

    # ---- looking

    def index(self, id_: float) -> int:
        """Where the block of that id is, or would be."""
        return bisect_left(self.blocks, id_, key=_id)

    def block(self, id_: float) -> Block | None:
        at = self.index(id_)
        return self.blocks[at] if at < len(self.blocks) and self.blocks[at].id == id_ else None

    def take_changes(self) -> Changes:
        """The changes so far; from here on others are kept."""
        taken, self.changes = self.changes, Changes(len(self.blocks))
        return taken

    def tool(self, tool_id: str) -> Block | None:
        return self._tools.get(tool_id)

    def touch(self, block: Block) -> None:
        """It is to be drawn anew."""
        block.revision += 1
        self.changes.touched.add(block.id)

    # ---- folding

    def fold(self, seq: int, event: Event) -> None:
        """Take one event of this agent; what has nothing to show makes no block."""
        if handler := _HANDLERS.get(event.type):
            handler(self, seq, event)

    def add(self, block: Block) -> Block:
        """A block at the end; it ends a running text."""
        self.close_run()
        return self._put(block)

    def note(self, seq: float, text: str, fact: str = "") -> Block:
        return self.add(Block(seq, "line", Noted(text, fact)))

    def close_run(self) -> None:
        self._edge.untouched = self._edge.only_text = False
        self._answer = []
        self._end_run()

    def _end_run(self) -> None:
        if self.run is not None:
            self.run.open = False
            self.run.source.pack()
            self.touch(self.run)
            self.run = None

    def _put(self, block: Block) -> Block:
        """In its place by id, which is nearly always the end."""
        at = len(self.blocks)
        if self.blocks and self.blocks[-1].id > block.id:
            at = self.index(block.id)
        self.blocks.insert(at, block)
        self.changes.low = min(self.changes.low, at)
        return block

    def _drop(self, block: Block) -> None:
        at = self.index(block.id)
        del self.blocks[at]
        self.changes.low = min(self.changes.low, at)

    def _chunk(self, seq: int, event: Event) -> None:
        if not event.text:
            return
        kind: Kind = "text" if event.type == "text" else "thought"
        if self.run is None or self.run.kind != kind:
            self._end_run()
            self.run = self._put(Block(seq, kind, Source(), _ms(event), open_=True))
            self._answer.append(self.run)
            if self._edge.untouched:
                self._edge.head, self._edge.untouched = self.run, False
        self.run.source.append(event.text)
        self.run.until = _ms(event)
        self.touch(self.run)

    def _user(self, seq: int, event: Event) -> None:
        # A live prompt was drawn when its turn started.
        if event.text and (event.replayed or event.interjection or event.agent):
            mark = "interjection" if event.interjection else ""
            self.add(Block(seq, "prompt", Source(event.text), _ms(event), mark=mark))

    def _tool(self, seq: int, event: Event) -> None:
        tool = event.tool
        if tool is None:
            return
        self.close_run()
        block = self._tools.get(tool.id)
        if block is None or (_ended(block) and tool.status not in TERMINAL):
            block = self._put(Block(seq, "tool", tool, _ms(event)))
            if tool.id not in self._tools and not self._edge.complete:
                self._edge.tools[tool.id] = (tool.status, block)
            self._tools[tool.id] = block
        self._set_tool(block, tool, _ms(event))

    def _set_tool(self, block: Block, tool: Tool, at: int) -> None:
        if not _ended(block) or block.data is tool:
            block.until = at
        block.data, block.open = tool, tool.status not in TERMINAL
        if block.open:
            self._running[tool.id] = block
        else:
            self._running.pop(tool.id, None)
        self.touch(block)

    def _opening(self, seq: int, event: Event) -> None:
        self.close_run()
        if event.plan is not None:
            self._plans[event.plan.id] = self.add(Block(seq, "plan", Planned(event.plan), _ms(event), open_=True))
        elif event.permission is not None:
            self._openings[event.permission.id] = AskBody(permission=event.permission)
        elif event.question is not None:
            self._openings[event.question.id] = AskBody(question=event.question)

    def _ask(self, seq: int, event: Event) -> None:
        ending = event.ask
        if ending is None:
            return
        self.close_run()
        opening = self._openings.pop(ending.id, None) or ending.body
        if plan := self._plans.pop(ending.id, None):
            self._answer_plan(plan, ending)
        elif opening is not None and opening.plan is not None:
            self.add(Block(seq, "plan", Planned(opening.plan, ending), _ms(event)))
        else:
            block = self.add(Block(seq, "ask", Asked(ending, opening), _ms(event)))
            if opening is None and not self._edge.complete:
                self._edge.asks[ending.id] = block

    def _answer_plan(self, block: Block, ending: Ask) -> None:
        assert isinstance(block.data, Planned)
        block.data, block.open = replace(block.data, ending=ending), False
        self.touch(block)

    def _turn(self, seq: int, event: Event) -> None:
        turn = event.turn
        if turn is None:
            return
        self.close_run()
        if turn.phase == "started":
            self._turn_failed = False
            if turn.text:
                self.add(Block(seq, "prompt", Source(turn.text), _ms(event)))
            return
        for block in tuple(self._running.values()):
            self._leave_open(block)
        self._edge.turn_ended = True
        if (turn.err or turn.err_class) and turn.stop_reason != "cancelled":
            self._turn_error(seq, event, Failure(message=turn.err, error_class=turn.err_class, code=0))
        elif words := said.turn_ended(turn.stop_reason):
            self.note(seq, words, "turn")

    def _turn_error(self, seq: int, event: Event, failure: Failure) -> None:
        if self._turn_failed:
            return
        block = self.add(Block(seq, "error", failure, _ms(event)))
        if self._turn_failed is None:
            self._edge.error = block
        self._turn_failed = True

    def _leave_open(self, block: Block) -> None:
        """Its turn is over and it is not: it is drawn as left open."""
        tool = block.data
        assert isinstance(tool, Tool)
        if tool.task is None or not tool.task.background:
            block.open = False
            self._running.pop(tool.id, None)
            self.touch(block)

    def _error(self, seq: int, event: Event) -> None:
        if event.err is not None:
            self._turn_failed = True
            self.add(Block(seq, "error", event.err, _ms(event)))

    def _command(self, seq: int, event: Event) -> None:
        if event.command is not None:
            self.add(Block(seq, "command", event.command, _ms(event)))

    def _line(self, seq: int, event: Event) -> None:
        if words := said.line(event):
            self.note(seq, words, event.type)

    def _meta(self, seq: int, event: Event) -> None:
        if event.state is not None and event.state.reason == "regenerated":
            self._regenerate()
        for key, value in said.values(event):
            self._value(seq + said.FRACTION[key], key, value)

    def _value(self, id_: float, key: str, value: str) -> None:
        """One dim line where a value has changed; the first one of a page waits for what was before."""
        before = self._values.get(key)
        self._values[key] = value
        if before is None and not self._edge.complete:
            self._edge.values[key] = (id_, value)
        elif words := said.change(key, before, value):
            self._put(Block(id_, "line", Noted(words, key)))

    def _regenerate(self) -> None:
        """The unfinished answer is written anew."""
        for block in self._answer:
            self._drop(block)
        if self._edge.head in self._answer:
            self._edge.head = None
        self.run, self._answer = None, []
        self._edge.untouched = False
        self._edge.dropped |= self._edge.only_text

    # ---- paging backwards

    def join(self, older: Transcript) -> Joined:
        """Put the blocks of an older page before these, and settle what only it could tell."""
        return _Join(older, self).done()


class _Edge:
    """What the events before a page may still change in it."""

    def __init__(self, complete: bool) -> None:
        self.complete = complete
        self.untouched = True
        """Nothing came yet that would end a text of the older page."""
        self.only_text = True
        self.head: Block | None = None
        """The text or thought that may be the rest of an older one."""
        self.tools: dict[str, tuple[str, Block]] = {}
        self.asks: dict[str, Block] = {}
        self.values: dict[str, tuple[float, str]] = {}
        self.error: Block | None = None
        self.turn_ended = False
        self.dropped = False


class _Join:
    """One `join`: `newer` becomes the whole."""

    def __init__(self, older: Transcript, newer: Transcript) -> None:
        self.older, self.newer = older, newer
        self.removed: list[int] = []
        self.inserted: list[int] = []
        self.renamed: dict[float, float] = {}
        self.touched: set[float] = set()

    def done(self) -> Joined:
        older, newer = self.older, self.newer
        self._text()
        self._tools()
        self._asks()
        self._error()
        self._values()
        self._edge()
        added = len(older.blocks)
        newer.blocks[:0] = older.blocks
        newer.changes = Changes(len(newer.blocks))
        if newer._turn_failed is None:
            newer._turn_failed = older._turn_failed
        return Joined(added, tuple(self.removed), tuple(self.inserted), self.renamed, frozenset(self.touched))

    def _text(self) -> None:
        older, newer, edge = self.older, self.newer, self.newer._edge
        if edge.dropped:
            older._regenerate()
        head = edge.head
        if older.run is None or (edge.untouched and head is None):
            newer.run = newer.run or older.run
            self._answer()
            return
        run = older.run
        if head is None or head.kind != run.kind:
            older._end_run()
            self._answer()
            return
        run.source.extend(head.source)
        run.until = head.until
        if newer.run is head:
            newer.run = run
        else:
            older._end_run()
        if head in newer._answer:
            newer._answer.remove(head)
        self._replace(head, run)
        self._answer()

    def _answer(self) -> None:
        if self.newer._edge.only_text and not self.newer._edge.dropped:
            self.newer._answer = self.older._answer + self.newer._answer

    def _replace(self, block: Block, older: Block) -> None:
        """The newer block is the same thing as an older one."""
        if block.expansion != "auto":
            older.expansion = block.expansion
        older.flags |= block.flags
        older.revision += block.revision + 1
        self.renamed[block.id] = older.id
        self._remove(block)

    def _remove(self, block: Block) -> None:
        at = self.newer.index(block.id)
        self.removed.append(at)
        self.newer._drop(block)

    def _tools(self) -> None:
        older, newer, edge = self.older, self.newer, self.newer._edge
        for tool_id, first in older._tools.items():
            if tool_id not in edge.tools:
                continue
            status, block = edge.tools.pop(tool_id)
            if _ended(first) and status not in TERMINAL:
                continue
            self._continue_tool(first, block, tool_id)
        if edge.turn_ended:
            for block in tuple(older._running.values()):
                older._leave_open(block)
        _add_below(newer._tools, older._tools)
        _add_below(newer._running, older._running)
        edge.tools |= older._edge.tools

    def _continue_tool(self, first: Block, block: Block, tool_id: str) -> None:
        newer = self.newer
        if not _ended(first):
            first.until = block.until
        first.data, first.open = block.data, block.open
        self.older._running.pop(tool_id, None)
        for known in (newer._tools, newer._running):
            if known.get(tool_id) is block:
                known[tool_id] = first
        self._replace(block, first)

    def _asks(self) -> None:
        older, newer, edge = self.older, self.newer, self.newer._edge
        for ask_id, block in tuple(edge.asks.items()):
            assert isinstance(block.data, Asked)
            if plan := older._plans.pop(ask_id, None):
                older._answer_plan(plan, block.data.ending)
                self._remove(block)
            elif opening := older._openings.pop(ask_id, None):
                block.data = replace(block.data, opening=opening)
                block.revision += 1
                self.touched.add(block.id)
            else:
                continue
            del edge.asks[ask_id]
        edge.asks |= older._edge.asks
        _add_below(newer._plans, older._plans)
        _add_below(newer._openings, older._openings)

    def _values(self) -> None:
        older, newer, edge = self.older, self.newer, self.newer._edge
        for key, (id_, value) in tuple(edge.values.items()):
            before = older._values.get(key)
            if before is None and not older._edge.complete:
                continue
            del edge.values[key]
            if words := said.change(key, before, value):
                block = Block(id_, "line", Noted(words, key))
                self.inserted.append(newer.index(id_))
                newer._put(block)
        edge.values |= older._edge.values
        _add_below(newer._values, older._values)

    def _error(self) -> None:
        older, edge = self.older, self.newer._edge
        if edge.error is not None and older._turn_failed is not None:
            if older._turn_failed:
                self._remove(edge.error)
            edge.error = None
        edge.error = edge.error or older._edge.error

    def _edge(self) -> None:
        older, edge = self.older._edge, self.newer._edge
        if not older.untouched:
            edge.head = older.head
        edge.dropped = older.dropped or (edge.dropped and older.only_text)
        edge.turn_ended |= older.turn_ended
        edge.untouched &= older.untouched
        edge.only_text &= older.only_text
        edge.complete = older.complete


def _add_below(newer: dict[str, T], older: dict[str, T]) -> None:
    """What only the older page knows; the cost is that of the older page."""
    for key, value in older.items():
        newer.setdefault(key, value)


def _id(block: Block) -> float:
    return block.id


def _ended(block: Block) -> bool:
    return isinstance(block.data, Tool) and block.data.status in TERMINAL


def _ms(event: Event) -> int:
    # A replayed event has the time of the load, which says nothing.
    try:
        return ns(event.at) // 1_000_000 if event.at and not event.replayed else 0
    except BadTime:
        return 0


_HANDLERS: Final = {
    "text": Transcript._chunk,
    "thought": Transcript._chunk,
    "user": Transcript._user,
    "tool": Transcript._tool,
    "permission": Transcript._opening,
    "question": Transcript._opening,
    "plan": Transcript._opening,
    "ask": Transcript._ask,
    "turn": Transcript._turn,
    "error": Transcript._error,
    "command": Transcript._command,
    "compaction": Transcript._line,
    "foreign_turn": Transcript._line,
    "replay": Transcript._line,
    "meta": Transcript._meta,
    "todos": Transcript._meta,
}
