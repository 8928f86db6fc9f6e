"""What a refusal says to the person. Pure."""

from __future__ import annotations

from typing import Final

from craze.engine.intents import Code, Refused
from craze.engine.limits import QUEUE_ROWS, QUEUE_TEXT

_WORDS: Final[dict[Code, str]] = {
    "not_accepting": "not possible now",
    "unsupported": "this agent cannot do that",
    "bad_request": "that cannot be sent",
    "bad_answer": "that answer cannot be given",
    "foreign_turn": "the agent works on its own; that must wait",
    "already_submitted": "that was sent already",
    "queue_full": f"the queue is full ({QUEUE_ROWS} prompts)",
    "text_too_long": f"that is longer than {QUEUE_TEXT // 1024} KiB",
    "unknown_row": "that prompt was already sent or changed",
    "stale_version": "that prompt was already sent or changed",
    "stale_turn": "that turn is over",
    "unknown_ask": "that question is gone",
    "already_resolved": "that was answered already",
    "unknown_subagent": "that agent is gone",
    "failed": "the agent refused",
}


def words(refused: Refused) -> str:
    """The code in words, and what the detail adds."""
    said = refused.detail.get("message") or refused.detail.get("text") or ""
    known = _WORDS[refused.code]
    if not said or said == known:
        return known
    return f"{known}: {said}" if refused.code in ("failed", "bad_request") else said
