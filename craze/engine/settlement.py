"""The settlement: what a turn's end takes with it, and what follows.

A fixed order over one value: the ending is said; asks, children, tools and compactions of the turn end; rows move; the
successor is claimed; and only then is the ending of the turn itself published, so that one batch tells a reader all.
The same order ends everything that is open when the agent is gone or the session closes.
"""

from __future__ import annotations

from msgspec.structs import replace

from craze.codec import Compaction, Event, Queued, Replay, Turn
from craze.engine.limits import PROMPT_AGAIN
from craze.engine.ports import StartTimer, WriteAnswer
from craze.engine.situation import Running, Situation
from craze.engine.tools import Outcome
from craze.engine.turns import Class, Ended, following, start

_TOOLS: dict[Class, Outcome] = {
    "clean": "clean",
    "cancelled": "cancelled",
    "withdrawn": "cancelled",
    "refused": "cancelled",
    "failed": "failed",
    "closing": "cancelled",
}


def settle(s: Situation, ended: Ended) -> None:
    """End the current turn, if there is one, and with `gone` all else that is open."""
    turn, outcome = s.turn, _TOOLS[ended.kind]
    if ended.says and (turn or ended.gone):
        s.say(ended.says)
    _end_asks(s, ended)
    left_open = _end_work(s, ended, outcome)
    moved = _back_in_line(s, ended)
    s.turn = None
    s.again = s.again if ended.kind == "refused" else ""
    moved += _pause(s, turn, ended)
    row, origin = following(s)
    attachments = s.queue.attachments.get(row.id, ()) if row else ()
    if row:
        moved += s.queue.take(row.id)[2]
        moved += s.queue.disarm()
    elif ended.gone:
        moved += s.queue.disarm("closing" if ended.kind == "closing" else "stopped")
    s.say_all(event for event in moved if event.type == "queue")
    if turn:
        _say_ended(s, turn, ended, row)
    s.say_all(sorted((event for event in moved if event.type != "queue"), key=_pointer_first))
    if row:
        start(s, row.text, origin, row=row, attachments=attachments, own=False)
    if left_open and not ended.gone:
        s.lint("tool-left-open", count=left_open)


def _say_ended(s: Situation, turn: Running, ended: Ended, row: Queued | None) -> None:
    following = f"turn-{s.numbers.get('turn', 0) + 1}" if row else ""
    s.say(
        Event(
            "turn",
            turn=Turn(
                id=turn.id,
                phase="ended",
                stop_reason=ended.stop_reason,
                err_class=ended.err_class,
                err=ended.err,
                synthetic=ended.synthetic,
                next=following,
                pending=len(s.queue.rows),
            ),
        )
    )
    s.last_failed = ended.kind == "failed"
    if turn.cancelled:
        s.say_cancelling()


def _end_asks(s: Situation, ended: Ended) -> None:
    waiting = s.asks.all() if ended.gone else list(s.asks.of_turn(s.turn.id)) if s.turn else []
    outcome, by = ("closing", ended.gone) if ended.gone else ("turn_ended", "turn")
    for ask in waiting:
        s.say(s.asks.end(ask, outcome, by))
        if ended.gone != "provider":
            s.do(WriteAnswer(key=ask.key, answer=None))


def _end_work(s: Situation, ended: Ended, outcome: Outcome) -> int:
    """Children with their calls, then the calls of the turn, then compactions, a replay and a foreign turn."""
    children: tuple[str, ...] = ()
    if ended.gone:
        children = s.roster.running()
    elif ended.kind == "cancelled":
        children = s.roster.running(background=False)
    error = ended.err or (ended.says.err.message if ended.says and ended.says.err else "")
    status = "failed" if ended.gone == "provider" else "cancelled"
    for child in reversed(children):
        _end_child(s, child, outcome, status, error if status == "failed" else "")
    spare = s.roster.running()
    scope = None if ended.gone else s.turn.id if s.turn else ""
    left_open = s.tools.left_open(scope, spare=spare) if scope else 0
    for closed in s.tools.close(scope, outcome, s.at, spare=spare):
        s.note(s.roster.seen(closed))
    end_compaction(s, "", "the turn ended")
    if ended.gone:
        for agent in tuple(s.compacting):
            end_compaction(s, agent, "the session ended")
        end_replay(s)
        end_foreign(s)
    return left_open


def _end_child(s: Situation, child: str, outcome: Outcome, status: str, error: str = "") -> None:
    """Its calls and its compaction end before it does."""
    for closed in s.tools.close(None, outcome, s.at, agent=child):
        s.note(s.roster.seen(closed))
    end_compaction(s, child, "the sub-agent ended")
    s.note(s.roster.end(child, status, error, s.at))


def end_compaction(s: Situation, agent: str, why: str) -> None:
    """Supply the ending that a compaction of `agent` never got."""
    reason = s.compacting.pop(agent, None)
    if reason is not None:
        ended = Compaction(phase="ended", reason=reason, err=why)
        s.say(Event("compaction", agent=agent, compaction=ended, replayed=s.replaying))


def end_replay(s: Situation) -> None:
    """Close the brackets of a replay and what was left open within them."""
    if not s.replaying:
        return
    if not s.start.has_history:
        for child in reversed(s.roster.running()):
            _end_child(s, child, "cancelled", "cancelled")
        s.say_all(replace(ended, replayed=True) for ended in s.tools.close(None, "clean", s.at))
        for agent in tuple(s.compacting):
            end_compaction(s, agent, "the replay ended")
        s.say(Event("replay", replay=Replay(phase="end")))
    s.replaying = False


def end_foreign(s: Situation, reason: str = "") -> None:
    """The agent's own turn is over, and a cancel of it with it."""
    if s.foreign is None:
        return
    ended = replace(s.foreign, running=False, text="", reason=reason or s.foreign.reason)
    s.say(Event("foreign_turn", foreign_turn=ended))
    s.foreign = None
    if s.foreign_cancelled:
        s.foreign_cancelled = False
        s.say_cancelling()


def steers_back(s: Situation) -> list[Event]:
    """Texts that no step consumed go to the head of the queue, in the order typed."""
    texts, s.steers = s.steers, []
    events: list[Event] = []
    for position, text in enumerate(texts):
        row = Queued(id=s.next_id("q"), text=text, queued_at=s.at)
        events += s.queue.put(row, position)
    return events


def _back_in_line(s: Situation, ended: Ended) -> list[Event]:
    """Steered texts, and a prompt that came back before it ran."""
    events = steers_back(s)
    if ended.kind in ("refused", "withdrawn"):
        s.kept = replace(s.kept, turns=s.kept.turns - 1)
    if ended.kind != "refused" or s.turn is None:
        return events
    row = s.turn.row or Queued(id=s.next_id("q"), text=s.turn.text, queued_at=s.at)
    events += s.queue.put(row, 0, s.turn.attachments)
    if s.foreign:
        return events
    if row.id in s.tried_again:
        s.tried_again.discard(row.id)
        return events + s.pause("agent_busy")
    s.tried_again.add(row.id)
    s.again = row.id
    s.do(StartTimer(timer=f"prompt-again:{row.id}", seconds=PROMPT_AGAIN))
    return events


def _pause(s: Situation, turn: Running | None, ended: Ended) -> list[Event]:
    """A failure pauses, so do the chain policies; a clean ending of a direct prompt lifts the pause it started under."""
    policy = s.settings
    if turn is None or not ended.pauses:
        return []
    if ended.kind == "failed":
        return s.pause("turn_failed")
    if ended.stop_reason == "cancelled" and policy.after_cancel == "pause" and s.queue.armed is None:
        return s.pause("cancelled")
    if ended.kind != "clean":
        return []
    if ended.stop_reason != "end_turn" and policy.after_short == "pause":
        return s.pause("short")
    lifted = turn.lifts and turn.lifts == s.queue.paused
    return s.queue.resume() if lifted else []


def _pointer_first(event: Event) -> bool:
    return event.state is None or event.state.send_now is None
