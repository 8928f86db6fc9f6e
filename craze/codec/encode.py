"""From an event, or a leaf of one, to the exact bytes of its line."""

from __future__ import annotations

from typing import cast

import msgspec

from craze.codec.event import Event, Leaf
from craze.codec.text import repaired
from craze.errors import EncodeError

_write = msgspec.json.Encoder().encode


def encode(value: Event | Leaf) -> bytes:
    """One compact line without its end; a lone surrogate is written as U+FFFD.

    Raises:
        EncodeError: The event has no type, or an attribute is of a kind that JSON has not.
    """
    if isinstance(value, Event) and not value.type:
        raise EncodeError("at $.type: an event needs a type", "no_type", "$.type")
    try:
        body = _write(value)
    except UnicodeEncodeError:
        body = _write(_repaired(value))
    except (TypeError, ValueError, OverflowError) as error:
        raise EncodeError(f"cannot write {type(value).__name__}: {error}", "kind") from error
    # Their last bytes are rare enough to look for first, and as numbers are found at an eighth of the cost. Inside a body
    # the three are nothing but the two separators.
    if not body.isascii() and (0xA8 in body or 0xA9 in body):
        return body.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")
    return body


def _repaired(value: object) -> object:
    """The same value with every text in it repaired."""
    if isinstance(value, str):
        return repaired(value)
    if isinstance(value, tuple):
        return tuple(_repaired(item) for item in cast("tuple[object, ...]", value))
    if isinstance(value, dict):
        return {_repaired(key): _repaired(item) for key, item in cast("dict[object, object]", value).items()}
    if isinstance(value, msgspec.Struct):
        return type(value)(**{name: _repaired(getattr(value, name)) for name in value.__struct_fields__})
    return value
