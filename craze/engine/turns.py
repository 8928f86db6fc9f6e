"""Turns: how one is started, and what a signal makes of its end.

A turn is driven by signals, never by awaiting a response. What follows from an ending is the `settlement`.
"""

from __future__ import annotations

import unicodedata
from typing import Literal

import msgspec
from msgspec.structs import replace

from craze.codec import Event, Failure, Queued, Turn
from craze.engine.facts import Attachment, Attachments
from craze.engine.limits import TITLE_CELLS
from craze.engine.ports import (
    Ending,
    Gone,
    Prompt,
    PromptBack,
    StartTimer,
    TurnEnded,
    TurnFailed,
    WritePrompt,
)
from craze.engine.situation import Running, Situation

Class = Literal["clean", "cancelled", "withdrawn", "refused", "failed", "closing"]


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How a turn ended: `says` is the event that goes before everything else, `gone` that the agent is, `pauses` that
    a failure or the chain policy may pause the queue."""

    kind: Class
    stop_reason: str = ""
    err_class: str = ""
    err: str = ""
    synthetic: bool = False
    says: Event | None = None
    gone: Literal["", "close", "provider"] = ""
    pauses: bool = True


CLOSING = Ended(kind="closing", stop_reason="closing", synthetic=True, gone="close")


def classify(signal: Ending, *, cancelled: bool) -> Ended:
    """What a signal makes of a turn; `cancelled`: a cancel of ours is pending."""
    match signal:
        case TurnEnded(stop_reason=word):
            word = "cancelled" if cancelled else word
            kind = "cancelled" if word == "cancelled" else "clean"
            return Ended(kind=kind, stop_reason=word, says=_done(word))
        case TurnFailed() if cancelled:
            return Ended(kind="cancelled", stop_reason="cancelled", says=_done("cancelled"))
        case PromptBack(reason=reason) if cancelled or reason == "prompt_cancelled":
            return Ended(kind="withdrawn", stop_reason="cancelled", err_class="prompt_cancelled", synthetic=True)
        case PromptBack(reason=reason):
            return Ended(kind="refused", err_class=reason, synthetic=True)
        case Gone(failure=failure) if cancelled:
            error = _error(failure)
            return Ended(kind="cancelled", stop_reason="cancelled", synthetic=True, says=error, gone="provider")
        case TurnFailed(failure=failure) | Gone(failure=failure):
            gone = "provider" if isinstance(signal, Gone) else ""
            return replace(failed(failure), says=_error(failure), gone=gone)


def failed(failure: Failure) -> Ended:
    """A failed turn without an event of its own in front."""
    return Ended(kind="failed", err_class=failure.error_class, err=failure.message, gone="provider")


def start(
    s: Situation, text: str, origin: str, *, row: Queued | None = None, attachments: tuple[str, ...] = (), own: bool
) -> str:
    """Start a turn: said first, then written. `own`: the intent of this step is its cause."""
    direct = origin != "drain" or (row is not None and row.id in s.wanted)
    lifts = s.queue.paused if direct else ""
    s.wanted = [wanted for wanted in s.wanted if row is None or wanted != row.id]
    s.turn = turn = Running(s.next_id("turn"), text, row, attachments, lifts)
    s.last_failed = False
    s.heard = s.at
    s.kept = replace(s.kept, turns=s.kept.turns + 1)
    name_after(s, text)
    s.say(Event("turn", turn=Turn(id=turn.id, phase="started", text=text, origin=origin)), own=own)
    if attachments:
        s.tell(Attachments(attachments=tuple(_attachment(path) for path in attachments)), turn.id)
    s.do(WritePrompt(turn=turn.id, prompt=Prompt(text=text, attachments=attachments)))
    s.do(StartTimer(timer=f"quiet:{turn.id}", seconds=s.settings.quiet_after))
    if s.settings.turn_timeout is not None:
        s.do(StartTimer(timer=f"turn-deadline:{turn.id}", seconds=s.settings.turn_timeout))
    return turn.id


def following(s: Situation) -> tuple[Queued | None, str]:
    """The row that goes next and its origin: the armed one, then one that goes as soon as the agent is ready, both
    paused or not; else the head, unless the queue is paused or the head waits to be tried again."""
    if not s.promptable():
        return None, ""
    at = s.queue.find(s.queue.armed.from_row) if s.queue.armed else None
    if at is not None:
        return s.queue.rows[at], "send_now"
    for row in s.queue.rows:
        if row.id in s.wanted:
            return row, "drain"
    if s.queue.paused or s.again or not s.queue.rows:
        return None, ""
    return s.queue.rows[0], "drain"


def drain(s: Situation) -> None:
    """Start what goes next, if anything may."""
    row, origin = following(s)
    if row is None:
        return
    _, attachments, events = s.queue.take(row.id)
    s.say_all([*events, *s.queue.disarm()])
    start(s, row.text, origin, row=row, attachments=attachments, own=False)


def _done(word: str) -> Event:
    return Event("done", stop_reason=word)


def _error(failure: Failure) -> Event:
    return Event("error", err=failure)


def _attachment(path: str) -> Attachment:
    """What is known of an attachment without looking at the disk."""
    kind = path.rpartition(".")[2].lower()
    return Attachment(path=path, mime=f"image/{'jpeg' if kind == 'jpg' else kind}")


def name_after(s: Situation, text: str) -> None:
    """The first prompt names a session that nobody named."""
    s.first_prompt = s.first_prompt or first_line(text)
    if not s.kept.title:
        s.retitle(s.first_prompt, pinned=False)


def first_line(text: str) -> str:
    """The title of a session that has none: the first line with words, cut at 80 cells."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    cells, cut = 0, ""
    for character in line:
        cells += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if cells > TITLE_CELLS:
            return cut
        cut += character
    return cut
