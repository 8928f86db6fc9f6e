"""What a recorded run shows, gathered in one pass: what was opened and ended, said, called, denied, spent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Final, TypeAlias

import msgspec

from craze.codec import Ask, Event, Permission, Record, Tool
from craze.errors import DecodeError
from craze.store.history import Missing
from craze.store.lines import FactLine, Gap, Header
from craze.store.reader import Damage, Item
from craze.store.transcript import TERMINAL

Fits: TypeAlias = Callable[[Record], str]
"""Says what is wrong with an event, by the schema; "" when nothing is."""

Opening: TypeAlias = tuple[str, str]
"""What was opened - `turn`, `ask`, `tool`, … - and its id."""

_PICO: Final = 10**12


class Evidence:
    """One recorded run. Fields are what expressions ask for; `faults` and `unbalanced` are said in words. `unended` are
    those of the latter that more rows could have mended."""

    def __init__(self, fits: Fits | None = None) -> None:
        self.faults: list[str] = []
        self.unbalanced: list[str] = []
        self.unended: list[str] = []
        self.stop = ""
        self.turns = self.errors = self.denied = 0
        self.calls: list[frozenset[str]] = []
        self.cost: Decimal | None = None
        self.events = 0
        self._fits = fits
        self._calls: dict[tuple[str, str], tuple[int, str]] = {}
        self._text: list[str] = []
        self._open: dict[Opening, int] = {}
        self._refusals: dict[str, frozenset[str]] = {}
        self._seq = 0
        self._new_file = False
        self._told_error = False

    @property
    def text(self) -> str:
        """All assistant text of the main agent; a blank line between turns."""
        return "".join(self._text).strip("\n")

    def gather(self, recording: Iterable[Item | Missing]) -> Evidence:
        """Take in a whole recording."""
        for item in recording:
            if isinstance(item, Record):
                self._record(item)
            elif isinstance(item, FactLine):
                self._fact(item)
            elif isinstance(item, Header):
                self._new_file = True
            elif isinstance(item, Damage):
                self.faults.append(f"line {item.number} is {item.reason}")
            elif isinstance(item, Gap):
                self.unbalanced.append(f"a gap from event {item.from_seq} on: {item.error or 'not written'}")
                self._seq = max(self._seq, item.to_seq or 0)
        self.unended = [f"{kind} {id_} (event {seq}) has no ending" for (kind, id_), seq in self._open.items()]
        self.unbalanced += self.unended
        self._open.clear()
        return self

    def undelivered(self, count: int) -> None:
        """Answers that never reached the agent are errors, too."""
        self.errors += count

    def _record(self, record: Record) -> None:
        self.events += 1
        self._numbered(record.seq)
        if record.omitted is not None:
            self.faults.append(f"event {record.seq} was not kept: {record.omitted.reason}")
            return
        try:
            event = record.event
        except DecodeError as error:
            self.faults.append(f"event {record.seq}: {error}")
            return
        if self._fits is not None and (fault := self._fits(record)):
            self.faults.append(f"event {record.seq}: {fault}")
        for kind, id_, opens in _brackets(event):
            self._bracket((kind, id_), opens, record.seq)
        self._content(event)

    def _numbered(self, seq: int) -> None:
        """Numbers rise by one. At the start of a file they may fall back: what a kill lost is given again."""
        fell_back = self._new_file and seq <= self._seq
        if seq and self._seq and seq != self._seq + 1 and not fell_back:
            self.unbalanced.append(f"event {seq} follows {self._seq}")
        self._seq, self._new_file = seq, False

    def _bracket(self, what: Opening, opens: bool, seq: int) -> None:
        if opens and what in self._open and what[0] not in _RESTATED:
            self.unbalanced.append(f"{what[0]} {what[1]} begins twice (event {seq})")
        elif opens:
            self._open.setdefault(what, seq)
        elif self._open.pop(what, None) is None and what[0] not in _RESTATED:
            self.unbalanced.append(f"{what[0]} {what[1]} ends without a beginning (event {seq})")

    def _content(self, event: Event) -> None:
        if event.type == "text" and not event.agent:
            self._text.append(event.text)
        elif event.type == "error":
            self.errors += 1
            self._told_error = True
        if event.tool is not None:
            self._tool(event.tool, event.agent)
        if event.permission is not None:
            self._refusals[event.permission.id] = _refusing(event.permission)
        if event.ask is not None and event.ask.kind == "permission":
            self.denied += self._is_denial(event.ask)
        if event.turn is not None and event.turn.phase == "ended":
            self.turns += 1
            self.errors += bool(event.turn.err_class) and not self._told_error
            self._told_error = False
            self.stop = event.turn.err_class or event.turn.stop_reason
            self._text.append("\n\n")
        if event.state is not None and event.state.usage is not None:
            self.cost = Decimal(event.state.usage.session.cost_pico_usd) / _PICO

    def _tool(self, tool: Tool, agent: str) -> None:
        names = frozenset(name for name in (tool.name, tool.tool_name, tool.kind) if name)
        known = self._calls.get((agent, tool.id))
        if known is None or (known[1] in TERMINAL and tool.status not in TERMINAL):
            self.calls.append(names)
            known = (len(self.calls) - 1, "")
        self.calls[known[0]] |= names
        self._calls[agent, tool.id] = (known[0], tool.status)

    def _is_denial(self, ask: Ask) -> bool:
        refusing = self._refusals.pop(ask.id, frozenset[str]())
        if ask.body is not None and ask.body.permission is not None:
            refusing = _refusing(ask.body.permission)
        return ask.outcome in ("answered", "automatic") and (not ask.option_id or ask.option_id in refusing)

    def _fact(self, fact: FactLine) -> None:
        if fact.kind == "usage":
            try:
                cost = _decode_usage(fact.data).cost
                self.cost = Decimal(cost.amount) if cost is not None and cost.currency == "USD" else self.cost
            except (msgspec.DecodeError, ArithmeticError):
                self.faults.append(f"the usage behind event {fact.after} cannot be read")


def _brackets(event: Event) -> Iterator[tuple[str, str, bool]]:
    """What an event opens (True) or ends (False)."""
    for body in (event.permission, event.question, event.plan):
        if body is not None:
            yield "ask", body.id, True
    if event.ask is not None and event.ask.body is None:
        yield "ask", event.ask.id, False
    if event.turn is not None:
        yield "turn", event.turn.id, event.turn.phase == "started"
    if event.tool is not None:
        yield "tool", f"{event.agent}/{event.tool.id}".lstrip("/"), event.tool.status not in TERMINAL
    if event.subagent is not None:
        yield "sub-agent", event.subagent.id, event.subagent_change != "finished"
    if event.compaction is not None and not event.replayed:
        yield "compaction", event.agent, event.compaction.phase == "started"
    if event.foreign_turn is not None:
        yield "foreign turn", event.foreign_turn.id, event.foreign_turn.running
    if event.replay is not None:
        yield "replay", "", event.replay.phase == "start"


def _refusing(permission: Permission) -> frozenset[str]:
    return frozenset(option.option_id for option in permission.options if option.kind.startswith("reject"))


class _Cost(msgspec.Struct):
    amount: str
    currency: str


class _Usage(msgspec.Struct):
    cost: _Cost | None = None


_RESTATED: Final = frozenset(("tool", "sub-agent"))
"""Their events are whole states, so that an opening may be said again, and an ending alone is an opening, too."""
_decode_usage = msgspec.json.Decoder(_Usage).decode
