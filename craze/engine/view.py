"""What is true now, folded from the stream and from nothing else.

`fold` and `fold_fact` are pure: the same records and facts give the same `View`, live or replayed. A piece of text or
thought changes nothing here, so folding one costs a look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from craze.codec import Event, ForeignTurn, Queued, State, Subagent, Todo, Tool
from craze.codec import SendNow as Armed
from craze.engine.answers import OpenAsk
from craze.engine.facts import AskFact, Cancelling, Cost, Fact, Info, SpendPart, Status, UsageFact
from craze.engine.limits import FINISHED_CHILDREN
from craze.engine.value import Value

TERMINAL: Final = frozenset({"completed", "failed", "cancelled"})
"""Tool statuses that end a call."""

CAME_BACK: Final = frozenset({"prompt_in_flight", "foreign_turn", "prompt_cancelled"})
"""`errClass` of a turn that came back before it ran: no failure of the session."""

_HELD: Final = frozenset({"stopped", "closing", "closed"})


class View(Value, frozen=True):
    """The shared state of a session; immutable, replaced by each fold."""

    seq: int = 0
    status: Status = "starting"
    info: Info = Info()
    turn: str = ""
    turn_text: str = ""
    cancelling: bool = False
    foreign: ForeignTurn | None = None
    queue: tuple[Queued, ...] = ()
    paused: str = ""
    send_now: Armed | None = None
    draft: str = ""
    stored_title: str = ""
    asks: tuple[OpenAsk, ...] = ()
    state: State = State()
    tools_open: tuple[Tool, ...] = ()
    todos: tuple[Todo, ...] = ()
    roster: tuple[Subagent, ...] = ()
    compacting: bool = False
    last: Event | None = None
    facts: Mapping[tuple[str, str], Fact] = {}

    @property
    def title(self) -> str:
        """What the session is called: as was said since it began, else as it was stored."""
        return self.stored_title if self.state.title is None else self.state.title

    @property
    def usage(self) -> Raw | None:
        """The JSON of a `UsageFact`, one form for every provider: from `state.usage`, else the fact `usage`."""
        if self.state.usage is not None:
            return _native_usage(self.state)
        fact = self.facts.get(("usage", ""))
        return fact.data if fact else None


def fold(view: View, event: Event) -> View:
    """The view after `event`; `seq` is left to the caller."""
    change = _FOLDS.get(event.type)
    return change(view, event) if change else view


def fold_fact(view: View, fact: Fact) -> View:
    """The view after `fact`: kept as the newest of its kind and key, and read where the view has a field for it."""
    view = replace(view, facts={**view.facts, (fact.kind, fact.key): fact})
    change = _FACT_FOLDS.get(fact.kind)
    return change(view, fact) if change else view


def merge(held: State, delta: State) -> State:
    """`held` with every section that `delta` has; `reason` and `detail` belong to one delta and are not held."""
    sections = {name: value for name in _SECTIONS if (value := getattr(delta, name)) is not None}
    index = delta.index_err if delta.index_err or delta.reason == "index_ok" else held.index_err
    return replace(held, **sections, index_err=index)


_SECTIONS: Final = (
    "title",
    "mode",
    "model",
    "config",
    "commands",
    "plugins",
    "slash",
    "send_now",
    "usage",
    "catalog",
)


def without_known(held: State, delta: State) -> State | None:
    """`delta` less the sections that are held already; None when nothing is left to say."""
    same = {
        name: None for name in _SECTIONS if (value := getattr(delta, name)) is not None and value == getattr(held, name)
    }
    rest = replace(delta, **same) if same else delta
    return None if rest == State() else rest


def _turn(view: View, event: Event) -> View:
    turn = event.turn
    if turn is None:
        return view
    if turn.phase == "started":
        status = view.status if view.status in _HELD else "working"
        return replace(view, status=status, turn=turn.id, turn_text=turn.text, cancelling=False)
    if turn.phase != "ended":
        return view
    status: Status = "error" if turn.err_class and turn.err_class not in CAME_BACK else "idle"
    if view.status in _HELD:
        status = view.status
    return replace(view, status=status, turn="", turn_text="", cancelling=False, last=event)


def _replay(view: View, event: Event) -> View:
    if event.replay is None or view.status in _HELD:
        return view
    if event.replay.phase == "start":
        return replace(view, status="replaying")
    return replace(view, status="starting" if view.info.status in ("starting", "replaying") else "idle")


def _foreign(view: View, event: Event) -> View:
    turn = event.foreign_turn
    return replace(view, foreign=turn if turn and turn.running else None)


def _queue(view: View, event: Event) -> View:
    row = event.queue
    if row is None:
        return view
    if event.queue_change == "edited":
        return replace(view, queue=tuple(row if row.id == held.id else held for held in view.queue))
    rest = [held for held in view.queue if held.id != row.id]
    if event.queue_change == "queued":
        rest.insert(event.queue_pos, row)
    return replace(view, queue=tuple(rest))


def _opening(view: View, event: Event) -> View:
    body = event.permission or event.question or event.plan
    if body is None or not body.id or getattr(body, "auto", False):
        return view
    ask = OpenAsk(body=body, id=body.id, agent=event.agent, turn=view.turn)
    return replace(view, asks=(*(held for held in view.asks if held.id != body.id), ask))


def _ask(view: View, event: Event) -> View:
    ended = event.ask.id if event.ask else ""
    return replace(view, asks=tuple(held for held in view.asks if held.id != ended))


def _meta(view: View, event: Event) -> View:
    delta = event.state
    if delta is None:
        return view
    paused = {"queue_paused": delta.detail, "queue_resumed": ""}.get(delta.reason, view.paused)
    armed = view.send_now
    if delta.send_now is not None:
        armed = delta.send_now if delta.send_now.armed else None
    return replace(view, state=merge(view.state, delta), paused=paused, send_now=armed)


def _tool(view: View, event: Event) -> View:
    tool = event.tool
    if tool is None:
        return view
    at = next((n for n, held in enumerate(view.tools_open) if held.id == tool.id), None)
    held = view.tools_open
    if tool.status in TERMINAL:
        return view if at is None else replace(view, tools_open=held[:at] + held[at + 1 :])
    return replace(view, tools_open=(*held, tool) if at is None else (*held[:at], tool, *held[at + 1 :]))


def _todos(view: View, event: Event) -> View:
    return replace(view, todos=event.todos)


def _subagent(view: View, event: Event) -> View:
    row = event.subagent
    if row is None:
        return view
    known = any(held.id == row.id for held in view.roster)
    rows = [row if held.id == row.id else held for held in view.roster] if known else [*view.roster, row]
    finished = [held.id for held in rows if held.status != "running"]
    gone = set(finished[: max(0, len(finished) - FINISHED_CHILDREN)])
    return replace(view, roster=tuple(held for held in rows if held.id not in gone))


def _compaction(view: View, event: Event) -> View:
    if event.compaction is None or event.agent:
        return view
    return replace(view, compacting=event.compaction.phase == "started")


_FOLDS: Final[dict[str, Callable[[View, Event], View]]] = {
    "turn": _turn,
    "replay": _replay,
    "foreign_turn": _foreign,
    "queue": _queue,
    "permission": _opening,
    "question": _opening,
    "plan": _opening,
    "ask": _ask,
    "meta": _meta,
    "tool": _tool,
    "todos": _todos,
    "subagent": _subagent,
    "compaction": _compaction,
}


def _info(view: View, fact: Fact) -> View:
    info = msgspec.json.decode(fact.data, type=Info)
    status = view.status
    if info.status in ("starting", *_HELD) or status in ("starting", "stopped"):
        status = info.status
    return replace(view, info=info, status=status)


def _ask_fact(view: View, fact: Fact) -> View:
    more = msgspec.json.decode(fact.data, type=AskFact)
    return replace(
        view,
        asks=tuple(
            replace(ask, tool=more.tool, form=more.form, person_only=more.person_only) if ask.id == fact.key else ask
            for ask in view.asks
        ),
    )


def _cancelling(view: View, fact: Fact) -> View:
    what = msgspec.json.decode(fact.data, type=Cancelling)
    return replace(view, cancelling=bool(what.turn) and what.turn == view.turn)


_FACT_FOLDS: Final[dict[str, Callable[[View, Fact], View]]] = {
    "info": _info,
    "ask": _ask_fact,
    "cancelling": _cancelling,
}


def _native_usage(state: State) -> Raw:
    usage = state.usage
    assert usage is not None

    def part(spend: object) -> SpendPart:
        return msgspec.convert(msgspec.to_builtins(spend), SpendPart)

    session = part(usage.session)
    whole, pico = divmod(usage.session.cost_pico_usd, 10**12)
    dollars = f"{whole}.{pico:012d}".rstrip("0").rstrip(".")
    return Raw(
        msgspec.json.encode(
            UsageFact(
                source="native",
                context_tokens=usage.context_tokens,
                context_window=usage.context_window or None,
                turn=part(usage.turn),
                session=session,
                cost=Cost(amount=dollars, currency="USD"),
            )
        )
    )
