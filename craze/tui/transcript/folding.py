"""Folds events into the blocks of one transcript: the main one, or that of a sub-agent. Pure.

A page of events that begins in the middle is folded by itself. What the events before it may still change in it is kept
in `Edge`, until `joining` puts the page behind an older one.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import ClassVar

from msgspec.structs import replace

from craze.codec import Ask, AskBody, Event, Failure, Tool
from craze.codec.times import ns
from craze.errors import BadTime
from craze.tui.transcript import said
from craze.tui.transcript.blocks import TERMINAL, Asked, Block, Kind, Noted, Planned, has_ended, is_local
from craze.tui.transcript.source import Source


class Changes:
    """What happened to the blocks since the last look: from `low` on all may differ, before it only `touched`."""

    __slots__ = ("low", "touched")

    def __init__(self, low: int) -> None:
        self.low = low
        self.touched: set[float] = set()


class Edge:
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


class State:
    """What a fold remembers beside its blocks.

    Attributes:
        run: The text or thought that the next chunk of its kind joins.
        answer: The texts and thoughts that an answer written anew replaces.
        running: The calls that are open, `tools` all of them, by id.
        plans: Plans that are not answered, `openings` the other asks, by id.
        values: Mode, model, title and todos as told last.
        turn_failed: Whether the turn has an error block; None while its begin is not known.
    """

    def __init__(self, complete: bool) -> None:
        self.run: Block | None = None
        self.answer: list[Block] = []
        self.edge = Edge(complete)
        self.tools: dict[str, Block] = {}
        self.running: dict[str, Block] = {}
        self.plans: dict[str, Block] = {}
        self.openings: dict[str, AskBody] = {}
        self.values: dict[str, str] = dict(said.INITIAL) if complete else {}
        self.turn_failed: bool | None = False if complete else None


class Transcript:
    """The blocks of one agent, in order of their ids. `complete`: nothing came before the first event."""

    def __init__(self, *, complete: bool = True) -> None:
        self.blocks: list[Block] = []
        self.changes = Changes(0)
        self.state = State(complete)

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

    def take_over(self, before: Transcript) -> None:
        """What a person did to the same blocks before they were folded again, and blocks that no event made."""
        for block in before.blocks:
            if is_local(block):
                self.put(block)
            elif again := self.block(block.id):
                again.expansion, again.flags = block.expansion, block.flags

    def tool(self, tool_id: str) -> Block | None:
        return self.state.tools.get(tool_id)

    def touch(self, block: Block) -> None:
        """It is to be drawn anew."""
        block.revision += 1
        self.changes.touched.add(block.id)

    # ---- folding

    def fold(self, seq: int, event: Event) -> None:
        """Take one event of this agent; what has nothing to show makes no block."""
        if handler := self._HANDLERS.get(event.type):
            handler(self, seq, event)

    def add(self, block: Block) -> Block:
        """A block at the end; it ends a running text."""
        self.close_run()
        return self.put(block)

    def note(self, seq: float, text: str, fact: str = "") -> Block:
        return self.add(Block(seq, "line", Noted(text, fact)))

    def close_run(self) -> None:
        self.state.edge.untouched = self.state.edge.only_text = False
        self.state.answer = []
        self.end_run()

    def end_run(self) -> None:
        if self.state.run is not None:
            self.state.run.open = False
            self.state.run.source.pack()
            self.touch(self.state.run)
            self.state.run = None

    def put(self, block: Block) -> Block:
        """In its place by id, which is nearly always the end."""
        at = len(self.blocks)
        if self.blocks and self.blocks[-1].id > block.id:
            at = self.index(block.id)
        self.blocks.insert(at, block)
        self.changes.low = min(self.changes.low, at)
        return block

    def drop(self, block: Block) -> None:
        at = self.index(block.id)
        del self.blocks[at]
        self.changes.low = min(self.changes.low, at)

    def _chunk(self, seq: int, event: Event) -> None:
        if not event.text:
            return
        kind: Kind = "text" if event.type == "text" else "thought"
        if self.state.run is None or self.state.run.kind != kind:
            self.end_run()
            self.state.run = self.put(Block(seq, kind, Source(), _ms(event), open_=True))
            self.state.answer.append(self.state.run)
            if self.state.edge.untouched:
                self.state.edge.head, self.state.edge.untouched = self.state.run, False
        self.state.run.source.append(event.text)
        self.state.run.until = _ms(event)
        self.touch(self.state.run)

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
        block = self.state.tools.get(tool.id)
        if block is None or (has_ended(block) and tool.status not in TERMINAL):
            block = self.put(Block(seq, "tool", tool, _ms(event)))
            if tool.id not in self.state.tools and not self.state.edge.complete:
                self.state.edge.tools[tool.id] = (tool.status, block)
            self.state.tools[tool.id] = block
        else:
            if not has_ended(block):
                block.until = _ms(event)
            block.data = tool
        block.open = tool.status not in TERMINAL
        if block.open:
            self.state.running[tool.id] = block
        else:
            self.state.running.pop(tool.id, None)
        self.touch(block)

    def _opening(self, seq: int, event: Event) -> None:
        self.close_run()
        if event.plan is not None:
            self.state.plans[event.plan.id] = self.add(Block(seq, "plan", Planned(event.plan), _ms(event), open_=True))
        elif event.permission is not None:
            self.state.openings[event.permission.id] = AskBody(permission=event.permission)
        elif event.question is not None:
            self.state.openings[event.question.id] = AskBody(question=event.question)

    def _ask(self, seq: int, event: Event) -> None:
        ending = event.ask
        if ending is None:
            return
        self.close_run()
        opening = self.state.openings.pop(ending.id, None) or ending.body
        if plan := self.state.plans.pop(ending.id, None):
            self.answer_plan(plan, ending)
        elif opening is not None and opening.plan is not None:
            self.add(Block(seq, "plan", Planned(opening.plan, ending), _ms(event)))
        else:
            block = self.add(Block(seq, "ask", Asked(ending, opening), _ms(event)))
            if opening is None and not self.state.edge.complete:
                self.state.edge.asks[ending.id] = block

    def answer_plan(self, block: Block, ending: Ask) -> None:
        assert isinstance(block.data, Planned)
        block.data, block.open = replace(block.data, ending=ending), False
        self.touch(block)

    def _turn(self, seq: int, event: Event) -> None:
        turn = event.turn
        if turn is None:
            return
        self.close_run()
        if turn.phase == "started":
            self.state.turn_failed = False
            if turn.text:
                self.add(Block(seq, "prompt", Source(turn.text), _ms(event)))
            return
        for block in tuple(self.state.running.values()):
            self.leave_open(block)
        self.state.edge.turn_ended = True
        if (turn.err or turn.err_class) and turn.stop_reason != "cancelled":
            self._turn_error(seq, event, Failure(message=turn.err, error_class=turn.err_class, code=0))
        elif words := said.turn_ended(turn.stop_reason):
            self.note(seq, words, "turn")

    def _turn_error(self, seq: int, event: Event, failure: Failure) -> None:
        if self.state.turn_failed:
            return
        block = self.add(Block(seq, "error", failure, _ms(event)))
        if self.state.turn_failed is None:
            self.state.edge.error = block
        self.state.turn_failed = True

    def leave_open(self, block: Block) -> None:
        """Its turn is over and it is not: it is drawn as left open."""
        tool = block.data
        assert isinstance(tool, Tool)
        if tool.task is None or not tool.task.background:
            block.open = False
            self.state.running.pop(tool.id, None)
            self.touch(block)

    def _error(self, seq: int, event: Event) -> None:
        if event.err is not None:
            self.state.turn_failed = True
            self.add(Block(seq, "error", event.err, _ms(event)))

    def _command(self, seq: int, event: Event) -> None:
        if event.command is not None:
            self.add(Block(seq, "command", event.command, _ms(event)))

    def _line(self, seq: int, event: Event) -> None:
        if words := said.line(event):
            self.note(seq, words, event.type)

    def _meta(self, seq: int, event: Event) -> None:
        if event.state is not None and event.state.reason == "regenerated":
            self.regenerate()
        for key, value in said.values(event):
            self._value(seq + said.FRACTION[key], key, value)

    def _value(self, id_: float, key: str, value: str) -> None:
        """One dim line where a value has changed; the first one of a page waits for what was before."""
        before = self.state.values.get(key)
        self.state.values[key] = value
        if before is None and not self.state.edge.complete:
            self.state.edge.values[key] = (id_, value)
        elif words := said.change(key, before, value):
            self.put(Block(id_, "line", Noted(words, key)))

    def regenerate(self) -> None:
        """The unfinished answer is written anew."""
        for block in self.state.answer:
            self.drop(block)
        if self.state.edge.head in self.state.answer:
            self.state.edge.head = None
        self.state.run, self.state.answer = None, []
        self.state.edge.untouched = False
        self.state.edge.dropped |= self.state.edge.only_text

    _HANDLERS: ClassVar = {
        "text": _chunk,
        "thought": _chunk,
        "user": _user,
        "tool": _tool,
        "permission": _opening,
        "question": _opening,
        "plan": _opening,
        "ask": _ask,
        "turn": _turn,
        "error": _error,
        "command": _command,
        "compaction": _line,
        "foreign_turn": _line,
        "replay": _line,
        "meta": _meta,
        "todos": _meta,
    }


def _id(block: Block) -> float:
    return block.id


def _ms(event: Event) -> int:
    # A replayed event has the time of the load, which says nothing.
    try:
        return ns(event.at) // 1_000_000 if event.at and not event.replayed else 0
    except BadTime:
        return 0
