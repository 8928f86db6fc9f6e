"""What can still be told of a line that was too long: its kept head says whose it is. Pure."""

from __future__ import annotations

import re

from msgspec import Raw

from craze.transport.jsonrpc import Invalid, Message, Notification, Request, Response, encode

_FRAME = re.compile(rb"\s*(\{|\[\s*\{)")


def is_noise(head: bytes) -> bool:
    """Whether the line is none of the protocol's: neither an object nor a list of some."""
    return _FRAME.match(head) is None


def message_of(head: bytes) -> Message | None:
    """The message that begins with `head`, its payload left out; None when none can be told, as of a batch.

    A request or a response is known by its id; one whose id comes only after the payload counts as a notification,
    or is not known.
    """
    if not head.lstrip().startswith(b"{"):
        return None
    keys = _top_level(head.decode("utf-8", "replace"))
    number = encode(keys["id"]) if "id" in keys else b""
    method = keys.get("method")
    if isinstance(method, str):
        return Request(number, method, Raw(b"{}")) if number else Notification(method, Raw(b"{}"))
    if number and ("result" in keys or "error" in keys):
        return Response(number, result=Raw(b"null"))
    return Invalid(number) if number else None


def _top_level(text: str) -> dict[str, object]:
    """The members of an unfinished object; the last may be a key alone (value None)."""
    import json  # here, since most runs meet no such line

    reader = json.JSONDecoder(strict=False)
    members: dict[str, object] = {}
    at = _skip(text, text.find("{") + 1)
    while text[at : at + 1] == '"':
        try:
            key, at = reader.raw_decode(text, at)
            members[str(key)] = None
            members[str(key)], at = reader.raw_decode(text, _skip(text, _skip(text, at) + 1))
        except (ValueError, RecursionError):
            break
        at = _skip(text, _skip(text, at) + 1)
    return members


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] in " \t\r\n" and at < len(text):
        at += 1
    return at
