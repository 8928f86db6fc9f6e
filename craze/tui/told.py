"""Reads the facts of a view: the newest of a kind as its struct, or the struct of "nothing was told"."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from craze.codec import ns
from craze.codec.turns import Failure
from craze.engine.facts import Cancelling, Data, Fact, UsageFact
from craze.engine.view import View
from craze.tui.scrub import line

T = TypeVar("T", bound=Data)


def told(view: View, kind: str, shape: type[T], key: str = "") -> T:
    """The fact as told, or the shape's silence where there is none, or one that cannot be read."""
    found = view.facts.get((kind, key))
    return read(found, shape) if found else shape()


def read(fact: Fact, shape: type[T]) -> T:
    try:
        return msgspec.json.decode(fact.data, type=shape)
    except msgspec.DecodeError:
        return shape()


def stderr(view: View) -> tuple[str, ...]:
    """The last lines of the agent's error output."""
    return told(view, "agent_stderr", _Lines).lines


def last_words(view: View, failure: Failure | None) -> tuple[str, ...]:
    """The last lines of the agent's stderr that its failure does not tell itself."""
    message = failure.message.split("\n") if failure else []
    return tuple(row for row in stderr(view) if row not in message)


def plugins(view: View) -> tuple[str, ...]:
    """What each plugin reported last, a line each."""
    facts = [(key, read(fact, _Reported)) for (kind, key), fact in view.facts.items() if kind == "plugin"]
    return tuple(f"{line(key)}  {line(told.kind)}  {line(told.summary)}" for key, told in facts)


def stopping(view: View) -> float:
    """Since when a cancel is pending, in seconds since 1970; 0 = none is, or it does not say."""
    pending = told(view, "cancelling", Cancelling)
    return ns(pending.since) / 1e9 if pending.since and (pending.turn or pending.foreign) else 0.0


class _Lines(Data, frozen=True):
    lines: tuple[str, ...] = ()


class _Reported(Data, frozen=True):
    kind: str = ""
    summary: str = ""


def usage(view: View) -> UsageFact | None:
    raw = view.usage
    try:
        return msgspec.json.decode(raw, type=UsageFact) if raw else None
    except msgspec.DecodeError:
        return None


def details(view: View, key: str) -> dict[str, object]:
    """The free-form fact `details` of a section or an ask."""
    found = view.facts.get(("details", key))
    try:
        return msgspec.json.decode(found.data, type=dict[str, object]) if found else {}
    except msgspec.DecodeError:
        return {}
