"""The words of the dim lines: how a turn ended, what changed, how an ask was settled. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from craze.codec import Ask, AskBody, Event

INITIAL: Final[Mapping[str, str]] = {"title": "", "todos": "none"}
"""What holds before the first event; a mode and a model are there from the start and not told."""

FRACTION: Final[Mapping[str, float]] = {"mode": 0.1, "model": 0.2, "title": 0.3, "todos": 0.4}
"""The part of a line's id behind the `seq`: one event may tell several changes."""

_TURN_ENDS: Final = {
    "max_tokens": "the answer was cut at the limit of tokens",
    "max_turn_requests": "the turn ended at the limit of requests",
    "refusal": "the agent refused to go on",
    "cancelled": "stopped",
}
_REASONS: Final = {
    "subagent_wake": "a sub-agent has finished",
    "resume": "going on with an interrupted turn",
    "external": "asked from elsewhere",
}
_DECISIONS: Final = {
    "allow_once": ("done", "allowed once"),
    "allow_always": ("done", "always allowed"),
    "reject_once": ("failed", "rejected"),
    "reject_always": ("failed", "always rejected"),
}


def turn_ended(stop_reason: str) -> str:
    """In words, or "" for an ordinary end."""
    return "" if stop_reason in ("", "end_turn") else _TURN_ENDS.get(stop_reason, f"the turn ended: {stop_reason}")


def line(event: Event) -> str:
    """The line of a `compaction`, `foreign_turn` or `replay` event, or ""."""
    if found := event.compaction:
        return _compaction(found.phase, found.reason, found.tokens_before, found.tokens_after, found.err)
    if event.foreign_turn is not None and event.foreign_turn.running:
        reason = _REASONS.get(event.foreign_turn.reason, "")
        return "the agent works on its own" + (f": {reason}" if reason else "")
    if event.replay is not None:
        return {"start": "restoring…", "end": "restored"}.get(event.replay.phase, "")
    return ""


def _compaction(phase: str, reason: str, before: int, after: int, err: str) -> str:
    if phase == "started":
        return "compacting the context" + (f" ({reason})" if reason else "")
    if err:
        return f"the context could not be compacted: {err}"
    return "context compacted" + (f": {tokens(before)} → {tokens(after)} tokens" if before and after else "")


def values(event: Event) -> Iterator[tuple[str, str]]:
    """What an event sets of what is told when it changes."""
    if event.type == "todos":
        left = [todo for todo in event.todos if todo.status not in ("completed", "cancelled")]
        yield "todos", "some" if left else "done" if event.todos else "none"
        return
    state = event.state
    mode, model, title = (state.mode, state.model, state.title) if state is not None else (None, None, None)
    for key, value in (("mode", mode or event.mode), ("model", model), ("title", title)):
        if value:
            yield key, value


def change(key: str, before: str | None, value: str) -> str:
    """The line of a change, or "" where nothing changed that a person would want to read."""
    if key == "todos":
        if value == "some" and before in (None, "none", "done"):
            return "todos planned"
        return "all todos done" if (before, value) == ("some", "done") else ""
    return "" if before is None or before == value else f"{key} {value}"


def decision(ending: Ask, opening: AskBody | None) -> tuple[str, str, str]:
    """How an ask was settled: a glyph's name, the words, and what it was about."""
    about = _about(opening)
    if ending.outcome not in ("answered", "automatic"):
        return "cancelled", _UNANSWERED.get(ending.outcome, "cancelled"), about or ending.label
    glyph, words = _chosen(ending, opening)
    return glyph, words + (" by policy" if ending.outcome == "automatic" else ""), about


_UNANSWERED: Final = {"cancelled": "cancelled", "turn_ended": "not answered", "closing": "not answered"}


def _chosen(ending: Ask, opening: AskBody | None) -> tuple[str, str]:
    if ending.kind == "plan":
        return ("done", "plan accepted") if ending.accepted else ("failed", "plan rejected")
    if ending.skip:
        return "cancelled", "skipped"
    if ending.kind == "question":
        answers = answer_words(ending, opening)
        return "done", f"answered {answers}" if answers else "answered"
    options = opening.permission.options if opening and opening.permission else ()
    kind = next((option.kind for option in options if option.option_id == ending.option_id), "")
    return _DECISIONS.get(kind, ("done", f"chose {ending.label or ending.option_id}"))


def answer_words(ending: Ask, opening: AskBody | None) -> str:
    """The answers of a question as their labels."""
    items = opening.question.questions if opening and opening.question else ()
    labels = {(item.id, option.id): option.label for item in items for option in item.options}
    given = [
        ", ".join(labels.get((item, choice), choice) for choice in choices)
        for item, choices in ending.answers.items()
        if choices
    ]
    return " · ".join(given)


def _about(opening: AskBody | None) -> str:
    if opening is None:
        return ""
    if opening.permission is not None:
        return opening.permission.tool
    if opening.question is not None:
        return opening.question.title or next((item.prompt for item in opening.question.questions), "")
    return opening.plan.name if opening.plan is not None else ""


def tokens(count: int) -> str:
    """A number of tokens, short."""
    return str(count) if count < 1000 else f"{count / 1000:.1f}k" if count < 10_000 else f"{count // 1000}k"


def size(count: int) -> str:
    """A number of characters or bytes, short."""
    return f"{count} B" if count < 1000 else f"{count / 1000:.0f} KB" if count < 1_000_000 else f"{count / 1e6:.1f} MB"


def duration(ms: int) -> str:
    """`0.4s` below ten seconds, `31s` below a minute, else `1:31`."""
    return f"{ms / 1000:.1f}s" if ms < 10_000 else f"{ms // 1000}s" if ms < 60_000 else clock(ms)


def clock(ms: int) -> str:
    seconds = ms // 1000
    hours, rest = divmod(seconds, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
