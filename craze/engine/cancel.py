"""Cancelling: what runs is told once, every open ask ends, and the ending comes from the agent."""

from __future__ import annotations

from craze.codec import Failure
from craze.engine.intents import Accepted, Cancel
from craze.engine.limits import CANCEL_LINT
from craze.engine.ports import StartTimer, WriteAnswer, WriteCancel
from craze.engine.situation import Situation


def cancel(s: Situation, intent: Cancel) -> None:
    """Cancel the turn that is named, or whatever runs; a late key press never hits the next turn."""
    running = {turn.id for turn in (s.turn, s.foreign) if turn}
    if intent.turn and intent.turn not in running:
        return s.refuse("stale_turn", turn=intent.turn)
    foreign = intent.foreign or (s.foreign is not None and intent.turn in ("", s.foreign.id))
    if intent.foreign and s.foreign is None:
        return s.refuse("not_accepting")
    if s.turn and not intent.foreign and intent.turn in ("", s.turn.id):
        cancel_turn(s)
    elif foreign:
        return _cancel_foreign(s)
    else:
        end_asks(s, "cancelled", "cancel")
    return s.result(s.cause, Accepted(turn=s.turn.id if s.turn else ""))


def cancel_turn(s: Situation) -> None:
    """Cancel the running turn: told, written, then every open ask ends. A second cancel writes nothing."""
    assert s.turn is not None
    if not s.turn.cancelled:
        s.turn.cancelled = True
        s.say_cancelling()
        s.do(WriteCancel())
        s.do(StartTimer(timer=f"cancel-lint:{s.turn.id}", seconds=CANCEL_LINT))
    end_asks(s, "cancelled", "cancel")


def end_asks(s: Situation, outcome: str, by: str, *, agent: str | None = None, tool: str | None = None) -> None:
    """End every open ask (of one sub-agent, of one call) without an answer; the agent is told so."""
    for waiting in s.asks.all():
        if agent in (None, waiting.ask.agent) and tool in (None, waiting.ask.tool):
            s.do(WriteAnswer(key=waiting.key, answer=None))
            s.say(s.asks.end(waiting, outcome, by))


def failed(s: Situation, failure: Failure) -> None:
    """The cancel did not reach the agent: said, and a send-now that waited for it is disarmed."""
    if not (s.turn.cancelled if s.turn else s.foreign_cancelled):
        return
    s.notice("warning", f"the cancel did not reach the agent: {failure.message}", "cancel_failed")
    s.say_all(s.queue.disarm("cancel_failed"))


def _cancel_foreign(s: Situation) -> None:
    assert s.foreign is not None
    if s.can("cancel_foreign"):
        if not s.foreign_cancelled:
            s.foreign_cancelled = True
            s.say_cancelling()
            s.do(WriteCancel())
    elif not len(s.asks):
        return s.refuse("unsupported")
    end_asks(s, "cancelled", "cancel")
    return s.result(s.cause, Accepted(turn=s.foreign.id))
