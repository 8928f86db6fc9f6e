"""Replacing what should not leave this machine: the home folder, values of secret variables.

It works on the strings inside JSON, so that a line stays the line it was but for them. It guards against accidents
and is no security boundary.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

SHORTEST_SECRET: Final = 8
_SECRET_NAME: Final = re.compile("KEY|TOKEN|SECRET|PASSWORD")
_LITERAL: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
Change = Callable[[str], str]


def secret_values(environment: Mapping[str, str], declared: Iterable[str] = ()) -> dict[str, str]:
    """The variables whose values are secret: those `declared`, and those whose names say so; of 8 bytes or more."""
    named = set(declared)
    return {
        name: value
        for name, value in environment.items()
        if (name in named or _SECRET_NAME.search(name.upper()))
        and len(value.encode("utf-8", "replace")) >= SHORTEST_SECRET
    }


class Redactor:
    """Replaces folders by names for them and secret values by `«NAME»`; longer ones first."""

    def __init__(self, secrets: Mapping[str, str], folders: Mapping[str, str]) -> None:
        """`folders` maps a path to what stands for it, such as `/home/me` to `~`."""
        swaps = {value: f"«{name}»" for name, value in secrets.items() if value}
        bare = {path.rstrip("/"): name for path, name in folders.items()}
        paths = {path: name for path, name in bare.items() if path and path != name}
        self._swaps = {**paths, **swaps}
        self.secrets = tuple(swaps)
        alternatives = [re.escape(value) for value in sorted(swaps, key=len, reverse=True)]
        alternatives += [re.escape(path) + r"(?![\w-]|\.\w)" for path in sorted(paths, key=len, reverse=True)]
        self._pattern = re.compile("|".join(alternatives)) if alternatives else None

    def finds(self, text: str) -> bool:
        """Whether there is anything to replace."""
        return self._pattern is not None and self._pattern.search(text) is not None

    def __call__(self, text: str) -> str:
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda found: self._swaps[found[0]], text)


def rewrite_json(line: bytes, change: Change) -> bytes:
    """A line of JSON with `change` made to every string in it, JSON inside of strings included; all else stays."""
    text = line.decode("utf-8", "surrogateescape")
    return rewrite_text(text, change).encode("utf-8", "surrogateescape")


def rewrite_text(text: str, change: Change) -> str:
    """`text` is JSON; the strings that `change` leaves alone keep the way they were written."""
    return _LITERAL.sub(lambda found: _literal(found[0], change), text)


def _literal(token: str, change: Change) -> str:
    try:
        value = json.loads(token, strict=False)
    except ValueError:
        return change(token)
    changed = rewrite_text(value, change) if _is_json(value) else change(value)
    if changed == value:
        return token
    try:
        return msgspec.json.encode(changed).decode()
    except UnicodeEncodeError:  # a lone surrogate stays the escape that it was
        return json.dumps(changed)


def _is_json(text: str) -> bool:
    if text[:1] not in ("{", "["):
        return False
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return False
    return True
