"""Where a replay stands: turns, elapsed time and the part that is over; and what a wish means in event numbers. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

_TURN: Final = re.compile(r"\d{1,6}")
_TIME: Final = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):(\d{1,2})")
NS: Final = 10**9


class Timeline:
    """The events of a recording, numbered from 1.

    Args:
        times: The time of each event in ns, 0 where it has none.
        turns: The numbers of the events that start a turn.
    """

    def __init__(self, times: Sequence[int], turns: Sequence[int]) -> None:
        self.turns = tuple(turns)
        self._passed = _passed(times)

    @property
    def events(self) -> int:
        return len(self._passed)

    @property
    def timed(self) -> bool:
        """Whether progress can be told in time."""
        return self.total > 0

    @property
    def total(self) -> float:
        """Seconds of the whole recording."""
        return self._passed[-1] / NS if self._passed else 0.0

    def elapsed(self, seq: int) -> float:
        """Seconds from the begin to an event."""
        return self._passed[min(seq, self.events) - 1] / NS if seq > 0 and self._passed else 0.0

    def turn(self, seq: int) -> int:
        """The number of the turn that an event belongs to, 0 before the first."""
        return bisect_right(self.turns, seq)

    def part(self, seq: int) -> float:
        """How much is over, 0 to 1: by time, by event number where times are missing."""
        if not self.events:
            return 0.0
        return self.elapsed(seq) / self.total if self.timed else min(1.0, seq / self.events)

    def at(self, part: float) -> int:
        """The last event of a part of the recording."""
        part = min(max(part, 0.0), 1.0)
        if part <= 0.0:
            return 0
        return self.at_time(part * self.total) if self.timed else round(part * self.events)

    def at_time(self, seconds: float) -> int:
        """The last event that had come after so many seconds."""
        return bisect_right(self._passed, round(seconds * NS))

    def next_turn(self, seq: int) -> int | None:
        at = bisect_right(self.turns, seq)
        return self.turns[at] if at < len(self.turns) else None

    def previous_turn(self, seq: int) -> int:
        """The begin of the turn, from its first event that of the one before; 0 is the begin of all."""
        at = bisect_left(self.turns, seq)
        return self.turns[at - 1] if at else 0

    def meant(self, text: str) -> int | None:
        """The event that a turn number (`3`) or a time since the begin (`2:14`, `1:02:14`) names."""
        text = text.strip()
        if _TURN.fullmatch(text):
            number = int(text)
            return self.turns[number - 1] if 0 < number <= len(self.turns) else None
        if self.timed and (found := _TIME.fullmatch(text)):
            hours, minutes, seconds = (int(part or 0) for part in found.groups())
            return self.at_time(hours * 3600 + minutes * 60 + seconds)
        return None


def _passed(times: Sequence[int]) -> list[int]:
    """Nanoseconds since the first known time at each event; an event without a time has that of the one before."""
    start = next((time for time in times if time), 0)
    latest = 0
    passed: list[int] = []
    for time in times:
        latest = max(latest, time - start if time else 0)
        passed.append(latest)
    return passed
