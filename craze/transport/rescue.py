"""Repairing what a strict JSON reader refuses: broken UTF-8, lone surrogates, raw control characters, NaN.

Pure and slow; only lines that the fast decoder refused come here.
"""

from __future__ import annotations

import math
from typing import cast

_INT64_DIGITS = 18


def repaired(line: bytes) -> bytes | None:
    """The line as valid JSON, or None when it cannot be read at all. Numbers that JSON cannot hold become null."""
    import json  # here, since most runs meet no such line

    try:
        value: object = json.loads(
            line.decode("utf-8", "replace"),
            strict=False,
            parse_constant=lambda _name: None,
            parse_float=_finite,
            parse_int=_bounded,
        )
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return None
    return _paired(text).encode()


def without_lone_surrogates(value: object) -> object:
    """The same lists, dicts and texts, each lone surrogate as U+FFFD."""
    if isinstance(value, str):
        return _paired(value)
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value)
        return {_paired(key): without_lone_surrogates(held) for key, held in pairs.items()}
    if isinstance(value, list | tuple):
        return [without_lone_surrogates(held) for held in cast("list[object]", value)]
    return value


def _paired(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


def _bounded(text: str) -> int | None:
    return int(text) if len(text) <= _INT64_DIGITS else None
