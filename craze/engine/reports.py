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
from craze.engine.facts import Cancelling, Fact, Login
from craze.engine.intents import Accepted, Set
from craze.engine.opening import open_failed, refused
from craze.engine.ports import Foreign, Returned, SteersReturned, ToolPatch
from craze.engine.situation import Situation


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
        s.say_all(s.tools.close(None, "cancelled" if row.status == "cancelled" else "clean", s.at, agent=row.id))
        settlement.end_compaction(s, row.id, "the sub-agent ended")
        end_asks(s, "cancelled", "call", row.id)
    s.note(s.roster.report(event, event.at or s.at))


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
    if start == s.replaying:
        return s.lint("replay-bracket")
    if start:
        s.replaying, s.replayed_prompts = True, 0
        return None if s.start.has_history else s.say(event)
    if s.start.has_history:
        s.replaying = False
        return _compare_replay(s)
    s.say_all(replace(ended, replayed=True) for ended in s.tools.close(None, "clean", s.at))
    for agent in tuple(s.compacting):
        settlement.end_compaction(s, agent, "the replay ended")
    s.replaying = False
    s.say(event)
    return turns.drain(s)


def _compare_replay(s: Situation) -> None:
    own = s.kept.turns
    if s.replayed_prompts and s.replayed_prompts != own:
        s.lint("replay-differs", f"{s.replayed_prompts} prompts replayed, {own} of our own")
        s.notice("warning", "turns made elsewhere are not shown", "replay_differs")


_EVENTS: Final[dict[str, Callable[[Situation, Event], None]]] = {
    "meta": setting.meta,
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
    told = s.tools.patch(patch, s.at, turn=turn, replayed=s.replaying)
    if told is not None:
        s.note(s.roster.seen(told))


def foreign(s: Situation, report: Foreign) -> None:
    """A turn that the agent runs on its own; what waited goes when it ends."""
    if report.running == (s.foreign is not None):
        return s.lint("foreign-turn")
    if report.running:
        s.foreign = ForeignTurn(id=s.next_id("wake"), text=report.text, reason=report.reason, running=True)
        return s.say(Event("foreign_turn", foreign_turn=s.foreign))
    ended = s.foreign
    assert ended is not None
    s.foreign = None
    s.say(Event("foreign_turn", foreign_turn=replace(ended, running=False, text="")))
    s.tell(Cancelling())
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
        return None
    s.result(report.call, refused(report.failure) if report.failure else Accepted(text=report.text))
    if isinstance(intent, Set):
        setting.returned(s, report.call, intent, report.failure)
    return None
