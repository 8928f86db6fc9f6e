"""Our open requests of one connection: numbers given out, and which of them an answer belongs to. Pure."""

from __future__ import annotations

from typing import Generic, Literal, NamedTuple, TypeVar

import msgspec

T = TypeVar("T")

Lint = Literal["", "id-as-string", "unknown-response", "duplicate-response", "late-response"]


class Taken(NamedTuple, Generic[T]):
    """What was kept for a request, or None with the lint that says why the answer is ignored."""

    value: T | None
    lint: Lint
    number: int = 0


class Calls(Generic[T]):
    """Numbers behind `last`, never used twice; each open one keeps what its answer is for."""

    def __init__(self, last: int = 0) -> None:
        self._open: dict[int, T] = {}
        self._late: set[int] = set()
        self._first = last
        self._last = last

    def open(self, value: T) -> int:
        self._last += 1
        self._open[self._last] = value
        return self._last

    def take(self, answered: bytes) -> Taken[T]:
        """Close the request that the id bytes of a response mean; `"7"` means 7 too."""
        number, lint = _number(answered)
        if number in self._open:
            return Taken(self._open.pop(number), lint, number)
        if number in self._late:
            self._late.discard(number)
            return Taken(None, "late-response", number)
        return Taken(None, "duplicate-response" if self._first < number <= self._last else "unknown-response", number)

    def give_up(self, number: int) -> T | None:
        """Nobody waits for this answer any more; one that still comes is late, not unknown."""
        value = self._open.pop(number, None)
        if value is not None:
            self._late.add(number)
        return value

    @property
    def last(self) -> int:
        """The last number given."""
        return self._last

    def get(self, number: int) -> T | None:
        return self._open.get(number)

    def drain(self) -> list[T]:
        """Close all, in the order they were opened."""
        values = list(self._open.values())
        self._open.clear()
        return values


def _number(answered: bytes) -> tuple[int, Lint]:
    """0 for what none of our ids can be."""
    try:
        value: object = msgspec.json.decode(answered)
    except msgspec.DecodeError:
        return 0, ""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
        return int(value), "id-as-string"
    if isinstance(value, float) and value.is_integer():
        return int(value), ""
    return (value, "") if isinstance(value, int) and not isinstance(value, bool) else (0, "")
