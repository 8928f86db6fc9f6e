"""The queue's intents: submit, edit, remove, hold, send now, disarm."""

from __future__ import annotations

from craze.codec import Queued
from craze.engine import turns
from craze.engine.cancel import cancel_turn
from craze.engine.intents import Accepted, Disarm, QueueEdit, QueueHold, QueueRemove, SendNow, Submit
from craze.engine.limits import QUEUE_TEXT
from craze.engine.situation import Situation


def submit(s: Situation, intent: Submit) -> None:
    """Start a turn, or queue behind what runs or waits; a session that is not up sends the row when it is."""
    if _blank(intent.text, intent.attachments):
        return s.refuse("bad_request", text="the prompt is empty")
    waits = bool(s.queue.rows) and not s.queue.paused
    if s.promptable() and not waits:
        turn = turns.start(s, intent.text, "submit", attachments=intent.attachments, own=True)
        return s.result(s.cause, Accepted(turn=turn))
    if code := s.queue.full_for(intent.text):
        return s.refuse(code)
    row = Queued(id=s.next_id("q"), text=intent.text, queued_at=s.at)
    position = len(s.queue.rows)
    if s.phase in ("starting", "stopped") and s.queue.paused:
        position = min(len(s.wanted), position)
        s.wanted.append(row.id)
    s.say_all(s.queue.put(row, position, intent.attachments))
    turns.name_after(s, intent.text)
    return s.result(s.cause, Accepted(row=row.id))


def edit(s: Situation, intent: QueueEdit) -> None:
    at = s.queue.find(intent.row)
    if at is None:
        return s.refuse("unknown_row", row=intent.row)
    if s.queue.rows[at].version != intent.version:
        return s.refuse("stale_version", row=intent.row)
    if intent.text is not None:
        if _blank(intent.text, s.queue.attachments.get(intent.row, ())):
            return s.refuse("bad_request", text="the prompt is empty")
        if len(intent.text.encode("utf-8", "replace")) > QUEUE_TEXT:
            return s.refuse("text_too_long")
    s.say_all(s.queue.edit(at, intent.text, intent.position))
    return s.result(s.cause, Accepted(row=intent.row))


def remove(s: Situation, intent: QueueRemove) -> None:
    if all(s.queue.find(row) is None for row in intent.rows):
        return s.refuse("unknown_row", row=", ".join(intent.rows))
    s.say_all(s.queue.remove(intent.rows))
    s.result(s.cause, Accepted())
    if s.again in intent.rows:
        s.again = ""
        turns.drain(s)
    return None


def hold(s: Situation, intent: QueueHold) -> None:
    if intent.held:
        s.say_all(s.pause("person"))
    else:
        s.say_all(s.queue.resume())
        s.again = ""
    s.result(s.cause, Accepted())
    if not intent.held:
        turns.drain(s)


def send_now(s: Situation, intent: SendNow) -> None:
    """This row first: at once when idle, else as soon as the running turn, which is cancelled, has settled."""
    at = s.queue.find(intent.row) if intent.row else None
    if intent.row and at is None:
        return s.refuse("unknown_row", row=intent.row)
    if not intent.row and _blank(intent.text, intent.attachments):
        return s.refuse("bad_request", text="the prompt is empty")
    if s.turn is None:
        return s.result(s.cause, Accepted(turn=_start_now(s, intent)))
    if at is None:
        row = Queued(id=s.next_id("q"), text=intent.text, queued_at=s.at)
        s.say_all(s.queue.put(row, 0, intent.attachments))
    else:
        row = s.queue.rows[at]
    s.say_all(s.queue.arm(row, s.turn.id, made_row=at is None))
    cancel_turn(s)
    return s.result(s.cause, Accepted(turn=s.turn.id, row=row.id))


def _start_now(s: Situation, intent: SendNow) -> str:
    if not intent.row:
        return turns.start(s, intent.text, "send_now", attachments=intent.attachments, own=True)
    row, attachments, events = s.queue.take(intent.row)
    s.say_all(events)
    return turns.start(s, row.text, "send_now", row=row, attachments=attachments, own=True)


def disarm(s: Situation, intent: Disarm) -> None:
    text, events = s.queue.withdraw()
    s.say_all(events)
    s.result(s.cause, Accepted(text=text))


def _blank(text: str, attachments: tuple[str, ...]) -> bool:
    return not text.strip() and not attachments
