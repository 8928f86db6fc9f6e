"""What the person had chosen in a stored session: its model and options, to be set again when it is opened again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from craze.codec import Event, Record
from craze.engine.intents import Set
from craze.errors import DecodeError, StoreError
from craze.store.reader import items

_BORNE = b'{"type":"meta"'


def chosen(journals: Iterable[Path]) -> tuple[Set, ...]:
    """The last choice of each setting but the mode: a change of state that has a cause is a person's."""
    choices = _Choices()
    for path in journals:
        try:
            for item in items(path):
                if isinstance(item, Record) and item.body.startswith(_BORNE):
                    choices.take(item.event)
        except (StoreError, DecodeError):
            continue
    return choices.sets()


class _Choices:
    def __init__(self) -> None:
        self._held: dict[str, str] = {}
        self._chosen: dict[str, Set] = {}

    def take(self, event: Event) -> None:
        for option in event.state.config.options if event.state and event.state.config else ():
            if (
                event.cause
                and option.category != "mode"
                and self._held.get(option.id, option.current) != option.current
            ):
                model = option.category == "model"
                self._chosen[option.id] = Set(
                    kind="model" if model else "config", id="" if model else option.id, value=option.current
                )
            self._held[option.id] = option.current

    def sets(self) -> tuple[Set, ...]:
        """The model first: it may change what else is offered."""
        return tuple(sorted(self._chosen.values(), key=lambda each: each.kind != "model"))
