"""What a provider reports, one function a kind: events, facts and the signals that end nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec
from msgspec.structs import replace

from craze.codec import Compaction, Event, ForeignTurn
from craze.engine import setting, settlement, turns
from craze.engine.cancel import end_asks
from craze.engine.cancel import failed as cancel_failed
from craze.engine.facts import Fact, Login
from craze.engine.intents import Accepted, Set
from craze.engine.opening import open_failed, refused
from craze.engine.ports import Foreign, Returned, SteersReturned, ToolPatch
from craze.engine.situation import Situation
from craze.engine.tools import TERMINAL, Outcome


def event(s: Situation, event: Event) -> None:
    """An event of the agent; during a replay it is marked, or kept back if the session has a history of its own."""
    if s.replaying and event.type != "replay":
        if s.start.has_history and event.type != "meta":
            s.replayed_prompts += event.type == "user" and not event.agent
            return
        event = replace(event, replayed=not s.start.has_history)
    _EVENTS.get(event.type, _pass)(s, event)


def _pass(s: Situation, event: Event) -> None:
    """Published as it comes, behind the `spawned` of its sub-agent."""
    if event.agent:
        return s.note(s.roster.seen(event))
    return s.say(event)


def _subagent(s: Situation, event: Event) -> None:
    row = event.subagent
    if row and event.subagent_change == "finished":
        for ended in s.tools.close(None, _OUTCOMES.get(row.status, "clean"), s.at, agent=row.id):
            s.note(s.roster.seen(ended))
        settlement.end_compaction(s, row.id, "the sub-agent ended")
        end_asks(s, "cancelled", "call", agent=row.id)
    s.note(s.roster.report(event, event.at or s.at))


_OUTCOMES: Final[dict[str, Outcome]] = {"cancelled": "cancelled", "failed": "failed"}


def _todos(s: Situation, event: Event) -> None:
    """The whole list: items without an id are numbered, a status outside the four is `pending`."""
    todos = tuple(
        replace(todo, id=todo.id or str(at), status=todo.status if todo.status in _TODO_STATUSES else "pending")
        for at, todo in enumerate(event.todos, 1)
    )
    _pass(s, replace(event, todos=todos))


_TODO_STATUSES: Final = frozenset({"pending", "in_progress", "completed", "cancelled"})


def _compaction(s: Situation, event: Event) -> None:
    """Pairs per agent: a second start is no start, an end without a start is legal in a replay alone."""
    told, agent = event.compaction or Compaction(), event.agent
    if told.phase == "started":
        if agent in s.compacting:
            return None
        s.compacting[agent] = told.reason
    elif s.compacting.pop(agent, None) is None and not event.replayed:
        return s.lint("compaction-end")
    _pass(s, event)
    return None


def _replay(s: Situation, event: Event) -> None:
    start = event.replay is not None and event.replay.phase == "start"
    if start == s.replaying or (start and s.phase != "starting"):
        return s.lint("replay-bracket")
    if start:
        s.replaying, s.replayed_prompts = True, 0
        return None if s.start.has_history else s.say(event)
    if s.start.has_history:
        _compare_replay(s)
    return settlement.end_replay(s)


def _compare_replay(s: Situation) -> None:
    own = s.kept.turns
    if s.replayed_prompts and s.replayed_prompts != own:
        s.lint("replay-differs", f"{s.replayed_prompts} prompts replayed, {own} of our own")
        if s.replayed_prompts > own:
            s.notice("warning", "turns made elsewhere are not shown", "replay_differs")


_EVENTS: Final[dict[str, Callable[[Situation, Event], None]]] = {
    "meta": setting.meta,
    "todos": _todos,
    "subagent": _subagent,
    "compaction": _compaction,
    "replay": _replay,
}


def fact(s: Situation, fact: Fact) -> None:
    """A fact of the agent. One about an ask comes under the provider's key and is kept under our id."""
    if fact.kind in ("ask", "details") and (ask := s.asks.id_of(fact.key)):
        fact = replace(fact, key=ask)
    if fact.kind == "login":
        s.methods = msgspec.json.decode(fact.data, type=Login).methods
    if fact.kind == "details" and fact.key == "commands":
        s.command_hints = _hints(fact)
    s.out.append(fact)
    if fact.kind == "login" and s.phase == "ready":
        s.say_slash()


class _Command(msgspec.Struct):
    name: str = ""
    hint: str = ""


class _Commands(msgspec.Struct):
    commands: list[_Command] = []


def _hints(fact: Fact) -> dict[str, str]:
    """The argument hints of the agent's commands, by name."""
    try:
        told = msgspec.json.decode(fact.data, type=_Commands)
    except msgspec.ValidationError:
        return {}
    return {command.name: command.hint for command in told.commands if command.hint}


def tool(s: Situation, patch: ToolPatch) -> None:
    if s.replaying and s.start.has_history:
        return
    turn = s.turn.id if s.turn else ""
    before = s.tools.get(patch.id, patch.agent)
    told = s.tools.patch(patch, s.at, turn=turn, replayed=s.replaying)
    if told is None or told.tool is None:
        return
    s.note(s.roster.seen(told))
    if told.tool.status in TERMINAL and (before is None or before.status not in TERMINAL):
        end_asks(s, "cancelled", "call", agent=patch.agent, tool=patch.id)


def foreign(s: Situation, report: Foreign) -> None:
    """A turn that the agent runs on its own; what waited goes when it ends."""
    if report.running == (s.foreign is not None) or (report.running and s.phase == "stopped"):
        return s.lint("foreign-turn")
    if report.running:
        s.foreign = ForeignTurn(id=s.next_id("wake"), text=report.text, reason=report.reason, running=True)
        return s.say(Event("foreign_turn", foreign_turn=s.foreign))
    settlement.end_foreign(s, report.reason)
    s.again = ""
    return turns.drain(s)


def steers(s: Situation, report: SteersReturned) -> None:
    """Texts that no step consumed wait for the settlement, which puts them at the head of the queue."""
    s.steers += report.texts
    if s.turn is None:
        s.say_all(settlement.steers_back(s))
        turns.drain(s)


def returned(s: Situation, report: Returned) -> None:
    """A call is over; one that was over before is ignored."""
    if report.call == "open" and report.failure:
        return open_failed(s, report.failure)
    if report.call == "cancel" and report.failure:
        return cancel_failed(s, report.failure)
    intent = s.calls.pop(report.call, None)
    if intent is None:
        return setting.forget(s, report.call)
    s.result(report.call, refused(report.failure) if report.failure else Accepted(text=report.text))
    if isinstance(intent, Set):
        setting.returned(s, report.call, intent, report.failure)
    return None
