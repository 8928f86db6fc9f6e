"""Says in a person's words why a value does not fit the type of a key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, get_args, get_origin

import msgspec

_WORDS: Final = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}
_WORD: Final = re.compile(rf"\b({'|'.join(_WORDS)})\b")


def misfit(error: msgspec.ValidationError | str, kind: object) -> str:
    """What is wrong, and what would be right.

    Args:
        kind: The type that was asked for.
    """
    text = str(error).replace("`", "")
    if (choices := list(_choices(kind))) and (value := text.removeprefix("Invalid enum value ")) != text:
        return f"{value} is not one of: {', '.join(choices)}"
    if " matching regex" in text and (examples := _examples(kind)):
        return f"expected something like {examples}"
    if (field := text.removeprefix("Object missing required field ")) != text:
        return f"{field} is missing"
    text, _, place = text.removesuffix(" - at $[...]").partition(" - at $.")
    plain = _WORD.sub(lambda found: _WORDS[found[1]], text.replace(" | null", ""))
    plain = plain.replace("Expected ", "expected ").replace(" | ", " or ")
    return f"{place}: {plain}" if place else plain


def _choices(kind: object) -> Iterator[str]:
    if get_origin(kind) is Literal:
        yield from map(str, get_args(kind))
    else:
        for part in get_args(kind):
            yield from _choices(part)


def _examples(kind: object) -> str:
    if isinstance(kind, msgspec.Meta):
        return kind.description or ""
    return next((found for part in get_args(kind) if (found := _examples(part))), "")
