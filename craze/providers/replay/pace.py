"""How fast a stored session is played: at once, as it was, faster or slower, or one event every so often."""

from __future__ import annotations

import re
from typing import Final, Literal

import msgspec

from craze.codec import Record, ns
from craze.errors import CodecError, UsageError

MAX_GAP: Final = 2.0
"""Seconds; the longest pause of the file that a paced replay keeps."""


class Pace(msgspec.Struct, frozen=True):
    """`instant`; `real`: the file's gaps divided by `factor`, at most `max_gap`; `fixed`: `every` seconds."""

    kind: Literal["instant", "real", "fixed"] = "instant"
    factor: float = 1.0
    every: float = 0.0
    max_gap: float = MAX_GAP

    def wait(self, gap: float) -> float:
        """Seconds to wait before an event that came `gap` seconds after the one before it."""
        if self.kind == "instant":
            return 0.0
        if self.kind == "fixed":
            return self.every
        return min(max(gap, 0.0), self.max_gap) / self.factor


_FACTOR: Final = re.compile(r"(\d+(?:\.\d+)?)x")
_FIXED: Final = re.compile(r"fixed:(\d+(?:\.\d+)?)(ms|s)")


def pace(text: str, *, max_gap: float = MAX_GAP) -> Pace:
    """The pace of `instant`, `real`, `2x`, `0.5x` or `fixed:50ms`.

    Raises:
        UsageError: None of these.
    """
    if text == "instant":
        return Pace()
    if text == "real":
        return Pace("real", max_gap=max_gap)
    if (found := _FACTOR.fullmatch(text)) and float(found[1]) > 0:
        return Pace("real", factor=float(found[1]), max_gap=max_gap)
    if found := _FIXED.fullmatch(text):
        return Pace("fixed", every=float(found[1]) / (1000 if found[2] == "ms" else 1))
    raise UsageError(f"no pace {text!r}", hint="instant, real, 2x, 0.5x or fixed:50ms")


class Gaps:
    """Seconds between one event and the one before it, by their own times; 0 where one has none."""

    def __init__(self) -> None:
        self._last: int | None = None

    def before(self, record: Record) -> float:
        try:
            at = record.event.at
        except CodecError:
            return 0.0
        if not at:
            return 0.0
        last, self._last = self._last, ns(at)
        return 0.0 if last is None else (self._last - last) / 1e9
