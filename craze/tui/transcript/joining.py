"""Puts a page of a transcript behind an older one, so that paging backwards gives what folding forwards gives. Pure."""

from __future__ import annotations

from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from craze.tui.transcript import said
from craze.tui.transcript.blocks import TERMINAL, Asked, Block, Noted, has_ended
from craze.tui.transcript.folding import Changes, Transcript

T = TypeVar("T")


class Joined(Struct, frozen=True):
    """What `join` did to the blocks that were there: removed and then inserted at these places, in this order, before
    `added` others came above; `renamed` by old id; `touched` by id."""

    added: int
    removed: tuple[int, ...]
    inserted: tuple[int, ...]
    renamed: dict[float, float]
    touched: frozenset[float]


def join(older: Transcript, newer: Transcript) -> Joined:
    """`newer` becomes the whole: the older blocks come before its own, and what only they could tell is settled."""
    return _Join(older, newer).done()


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
        if newer.state.turn_failed is None:
            newer.state.turn_failed = older.state.turn_failed
        return Joined(added, tuple(self.removed), tuple(self.inserted), self.renamed, frozenset(self.touched))

    def _text(self) -> None:
        older, newer, edge = self.older, self.newer, self.newer.state.edge
        if edge.dropped:
            older.regenerate()
        head = edge.head
        if older.state.run is None or (edge.untouched and head is None):
            newer.state.run = newer.state.run or older.state.run
            self._answer()
            return
        run = older.state.run
        if head is None or head.kind != run.kind:
            older.end_run()
            self._answer()
            return
        run.source.extend(head.source)
        run.until = head.until
        if newer.state.run is head:
            newer.state.run = run
        else:
            older.end_run()
        if head in newer.state.answer:
            newer.state.answer.remove(head)
        self._replace(head, run)
        self._answer()

    def _answer(self) -> None:
        if self.newer.state.edge.only_text and not self.newer.state.edge.dropped:
            self.newer.state.answer = self.older.state.answer + self.newer.state.answer

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
        self.newer.drop(block)

    def _tools(self) -> None:
        older, newer, edge = self.older, self.newer, self.newer.state.edge
        for tool_id, first in older.state.tools.items():
            if tool_id not in edge.tools:
                continue
            status, block = edge.tools.pop(tool_id)
            if has_ended(first) and status not in TERMINAL:
                continue
            self._continue_tool(first, block, tool_id)
        if edge.turn_ended:
            for block in tuple(older.state.running.values()):
                older.leave_open(block)
        _add_below(newer.state.tools, older.state.tools)
        _add_below(newer.state.running, older.state.running)
        edge.tools |= older.state.edge.tools

    def _continue_tool(self, first: Block, block: Block, tool_id: str) -> None:
        newer = self.newer
        if not has_ended(first):
            first.until = block.until
        first.data, first.open = block.data, block.open
        self.older.state.running.pop(tool_id, None)
        for known in (newer.state.tools, newer.state.running):
            if known.get(tool_id) is block:
                known[tool_id] = first
        self._replace(block, first)

    def _asks(self) -> None:
        older, newer, edge = self.older, self.newer, self.newer.state.edge
        for ask_id, block in tuple(edge.asks.items()):
            assert isinstance(block.data, Asked)
            if plan := older.state.plans.pop(ask_id, None):
                older.answer_plan(plan, block.data.ending)
                self._remove(block)
            elif opening := older.state.openings.pop(ask_id, None):
                block.data = replace(block.data, opening=opening)
                block.revision += 1
                self.touched.add(block.id)
            else:
                continue
            del edge.asks[ask_id]
        edge.asks |= older.state.edge.asks
        _add_below(newer.state.plans, older.state.plans)
        _add_below(newer.state.openings, older.state.openings)

    def _values(self) -> None:
        older, newer, edge = self.older, self.newer, self.newer.state.edge
        for key, (id_, value) in tuple(edge.values.items()):
            before = older.state.values.get(key)
            if before is None and not older.state.edge.complete:
                continue
            del edge.values[key]
            if words := said.change(key, before, value):
                block = Block(id_, "line", Noted(words, key))
                self.inserted.append(newer.index(id_))
                newer.put(block)
        edge.values |= older.state.edge.values
        _add_below(newer.state.values, older.state.values)

    def _error(self) -> None:
        older, edge = self.older, self.newer.state.edge
        if edge.error is not None and older.state.turn_failed is not None:
            if older.state.turn_failed:
                self._remove(edge.error)
            edge.error = None
        edge.error = edge.error or older.state.edge.error

    def _edge(self) -> None:
        older, edge = self.older.state.edge, self.newer.state.edge
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
