"""From bytes to plain values, for lines that the typed decoder refuses: strict JSON, with text repaired and the last key winning.

It is slow and exact: the only place that decides whether bytes are JSON, and where they stop being it.
"""

from __future__ import annotations

import json
import re
from typing import NoReturn, cast

from craze.codec.text import repaired
from craze.errors import DecodeError

_BAD_BYTE = re.compile("[\udc80-\udcff]")
_PUNCTUATION = re.compile(r"[ \t\r\n]*[{},:][ \t\r\n]*")
_DIGITS = 600


def parse(line: bytes | bytearray | memoryview) -> object:
    """The plain value of a line. Numbers with a fraction or an exponent are `float`.

    Raises:
        DecodeError: `not_json` or `depth`.
    """
    escaped = bytes(line).decode("utf-8", "surrogateescape")
    try:
        return cast("object", _JSON.decode(_BAD_BYTE.sub("\ufffd", escaped)))
    except json.JSONDecodeError as error:
        offset = len(escaped[: error.pos].encode("utf-8", "surrogateescape"))
        what = (error.msg[:1].lower() + error.msg[1:]).removesuffix(" at").removesuffix(" starting")
        around = excerpt(escaped[max(0, error.pos - 40) : error.pos + 40])
        raise DecodeError(f"not JSON at byte {offset}: {what}", "not_json", offset=offset, excerpt=around) from None
    except _NotJsonError as error:
        raise DecodeError(f"not JSON: {error}", "not_json", excerpt=excerpt(escaped)) from None
    except RecursionError:
        raise DecodeError("nested too deep", "depth", excerpt=excerpt(escaped)) from None


def excerpt(text: str, size: int = 80) -> str:
    """The beginning of a text, made printable."""
    return "".join(mark if mark.isprintable() else "\ufffd" for mark in text[:size])


class _NotJsonError(Exception):
    """A word that JSON has not, such as `NaN`."""


def _constant(word: str) -> NoReturn:
    raise _NotJsonError(f"{word} is no value")


def _integer(digits: str) -> int:
    # Python refuses to convert thousands of digits; the first ones are out of range too.
    return int(digits[:_DIGITS])


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Keys are repaired before they are compared, so that of equal ones the last counts and stands in its own place."""
    found: dict[str, object] = {}
    for key, value in pairs:
        key = repaired(key)
        found[key] = value
    return found


_JSON = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_constant=_constant)


def members(line: bytes) -> dict[str, bytes]:
    """The top-level keys of a line that holds an object, each with the exact bytes of its value.

    Raises:
        DecodeError: `not_json`, `depth` or `not_object`.
    """
    if not isinstance(parse(line), dict):
        raise DecodeError("expected an object", "not_object")
    escaped = line.decode("utf-8", "surrogateescape")
    text = _BAD_BYTE.sub("\ufffd", escaped)
    found: dict[str, bytes] = {}
    at = _after(text, 0)  # past the brace, then past each comma
    while text[at : at + 1] == '"':
        key, at = _JSON.raw_decode(text, at)
        start = _after(text, at)
        _, end = _JSON.raw_decode(text, start)
        found[repaired(cast("str", key))] = escaped[start:end].encode("utf-8", "surrogateescape")
        at = _after(text, end)
    return found


def _after(text: str, at: int) -> int:
    """The place after the next brace, comma or colon and the space on both sides of it."""
    return cast("re.Match[str]", _PUNCTUATION.match(text, at)).end()
