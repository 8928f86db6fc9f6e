"""How fast a stored session is told: at once, as it happened, faster, or one event every so often."""

from __future__ import annotations

import re
from collections.abc import Callable

from craze.codec import ZERO_NS, Event, ns
from craze.config.duration import seconds
from craze.errors import UsageError

Wait = Callable[[Event], float]
"""Seconds to wait before an event is told."""

NANO = 1e-9


def pace(text: str, longest: float = 2.0) -> Wait:
    """
    Args:
        text: `instant`, `real`, `2x`, `0.5x` or `fixed:50ms`.
        longest: No wait is longer, in seconds.

    Raises:
        UsageError: It is none of them.
    """
    if text == "instant":
        return lambda event: 0.0
    if text.startswith("fixed:"):
        length = seconds(text.removeprefix("fixed:"))
        return lambda event: length
    factor = re.fullmatch(r"(\d+(?:\.\d+)?)x", "1x" if text == "real" else text)
    if not factor or not float(factor[1]):
        raise UsageError(f"--pace {text}: instant, real, 2x, 0.5x or fixed:50ms is expected")
    return _Gaps(float(factor[1]), longest)


class _Gaps:
    """The gaps between the times of the file."""

    def __init__(self, factor: float, longest: float) -> None:
        self._factor, self._longest = factor, longest
        self._last: int | None = None

    def __call__(self, event: Event) -> float:
        at = ns(event.at) if event.at else ZERO_NS
        last, self._last = self._last, at
        if last is None or last == ZERO_NS or at == ZERO_NS:
            return 0.0
        return min(max((at - last) * NANO / self._factor, 0.0), self._longest)
