"""Lengths of time as people write them: `90s`, `10m`, `1h`, `250ms`, `30d`; a bare number is seconds."""

from __future__ import annotations

import re
from typing import Final

from craze.errors import UsageError

_UNITS: Final = {"ms": 0.001, "": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_FORM = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w|)\s*")
FORM: Final = r"^\s*\d+(\.\d+)?\s*(ms|s|m|h|d|w)?\s*$"


def seconds(text: str, name: str = "") -> float:
    """
    Args:
        name: The option that it was given to, for the message.

    Raises:
        UsageError: It is no length of time.
    """
    if match := _FORM.fullmatch(text):
        return float(match[1]) * _UNITS[match[2]]
    raise UsageError(f"{name + ': ' if name else ''}{text!r} is not a length of time", hint="write 90s, 10m or 1h")


def spell(length: float) -> str:
    """The shortest way to say it: `90s`, `10m`, `2h`."""
    for unit in ("d", "h", "m"):
        if length >= _UNITS[unit] and length % _UNITS[unit] == 0:
            return f"{length / _UNITS[unit]:g}{unit}"
    return f"{length:g}s"


def age(length: float) -> str:
    """About how long ago, in at most four characters."""
    for unit in ("d", "h", "m", "s"):
        if length >= _UNITS[unit]:
            return f"{int(length / _UNITS[unit])}{unit}"
    return "now"
