"""What a form says of its fields, in words: required, type, range, length, pattern, format. Pure, and lenient."""

from __future__ import annotations

from typing import Final, cast

import msgspec
from msgspec import UNSET, Struct

from craze.engine.answers import Form
from craze.tui.scrub import cut, line

_TYPES: Final = {"integer": "a whole number", "number": "a number"}
_FORMATS: Final = {
    "email": "a mail address",
    "uri": "a URL",
    "date": "a date, 2026-01-31",
    "date-time": "a date and time",
}


class Limit(Struct, frozen=True):
    """`lines`: a text of several lines may fit."""

    required: bool = False
    said: str = ""
    lines: bool = True


def limits(form: Form) -> dict[str, Limit]:
    """By item id; nothing for a form without a schema that can be read."""
    schema = _read(form)
    required = schema.get("required")
    needed = cast("list[object]", required) if isinstance(required, list) else []
    return {name: _limit(name in needed, _object(field)) for name, field in _object(schema.get("properties")).items()}


def _limit(required: bool, field: dict[str, object]) -> Limit:
    single = field.get("type") in ("integer", "number") or "format" in field or "pattern" in field
    return Limit(required, _said(field), not single)


def _said(field: dict[str, object]) -> str:
    kind, form = field.get("type"), field.get("format")
    parts = [_TYPES.get(kind, "") if isinstance(kind, str) else ""]
    parts.append((_FORMATS.get(form) or line(form)) if isinstance(form, str) else "")
    parts.append(_range(field.get("minimum"), field.get("maximum"), ""))
    parts.append(_range(field.get("minLength"), field.get("maxLength"), " characters"))
    parts.append(_range(field.get("minItems"), field.get("maxItems"), " of them"))
    pattern = field.get("pattern")
    parts.append(f"like {cut(line(pattern), 40)}" if isinstance(pattern, str) else "")
    return ", ".join(part for part in parts if part)


def _range(low: object, high: object, unit: str) -> str:
    low, high = (value if isinstance(value, int | float) else None for value in (low, high))
    if low is not None and high is not None:
        return f"{low} to {high}{unit}"
    return f"at least {low}{unit}" if low is not None else f"at most {high}{unit}" if high is not None else ""


def _read(form: Form) -> dict[str, object]:
    if form.schema is UNSET:
        return {}
    try:
        return _object(msgspec.json.decode(form.schema))
    except (msgspec.DecodeError, RecursionError):
        return {}


def _object(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
