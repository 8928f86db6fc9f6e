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
    """How a turn ended: `says` is the event that goes before everything else, `gone` that the agent is."""

    kind: Class
    stop_reason: str = ""
    err_class: str = ""
    err: str = ""
    synthetic: bool = False
    says: Event | None = None
    gone: Literal["", "close", "provider"] = ""


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
    lifts = s.queue.paused if origin != "drain" else ""
    s.turn = turn = Running(s.next_id("turn"), text, row, attachments, lifts)
    s.last_failed = False
    s.heard = s.at
    s.kept = replace(s.kept, turns=s.kept.turns + 1)
    if not s.kept.title:
        s.retitle(first_line(text), pinned=False)
    s.say(Event("turn", turn=Turn(id=turn.id, phase="started", text=text, origin=origin)), own=own)
    if attachments:
        s.tell(Attachments(attachments=tuple(_attachment(path) for path in attachments)), turn.id)
    s.do(WritePrompt(turn=turn.id, prompt=Prompt(text=text, attachments=attachments)))
    s.do(StartTimer(timer=f"quiet:{turn.id}", seconds=s.settings.quiet_after))
    if s.settings.turn_timeout is not None:
        s.do(StartTimer(timer=f"turn-deadline:{turn.id}", seconds=s.settings.turn_timeout))
    return turn.id


def drain(s: Situation) -> None:
    """Start what goes next while nothing runs: a row wanted at once, else the head of a queue that is not paused."""
    if not s.promptable():
        return
    s.wanted = [row for row in s.wanted if s.queue.find(row) is not None]
    if s.wanted:
        _send(s, s.wanted.pop(0), "drain")
    elif s.queue.rows and not s.queue.paused and not s.again:
        _send(s, s.queue.rows[0].id, "drain")


def _send(s: Situation, row_id: str, origin: str) -> None:
    row, attachments, events = s.queue.take(row_id)
    s.say_all(events)
    start(s, row.text, origin, row=row, attachments=attachments, own=False)


def _done(word: str) -> Event:
    return Event("done", stop_reason=word)


def _error(failure: Failure) -> Event:
    return Event("error", err=failure)


def _attachment(path: str) -> Attachment:
    """What is known of an attachment without looking at the disk."""
    kind = path.rpartition(".")[2].lower()
    return Attachment(path=path, mime=f"image/{'jpeg' if kind == 'jpg' else kind}")


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
