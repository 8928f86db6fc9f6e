"""File mentions: the `@word` under the cursor, and which paths match it best. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

MOST: Final = 100
_OPEN: Final = re.compile(r'(?:^|(?<=\s))@(?:"([^"\n]*)|([^\s"]*))$')


class Mention(Struct, frozen=True):
    """An open mention: where its `@` stands, and what follows it."""

    start: int
    query: str


def open_mention(line: str, column: int) -> Mention | None:
    """The mention that is being typed in front of the cursor."""
    found = _OPEN.search(line[:column])
    return Mention(found.start(), found[1] if found[1] is not None else found[2]) if found else None


def spelled(path: str, *, done: bool = True) -> str:
    """A mention as it stands in the text; `done`: followed by a space."""
    if " " in path:
        return f'@"{path}" ' if done else f'@"{path}'
    return f"@{path} " if done else f"@{path}"


def ranked(paths: Iterable[str], query: str) -> list[str]:
    """The paths that contain the query's characters in order: by the start of the name, the name, then the path."""
    if not query:
        return sorted(paths, key=lambda path: (path.count("/"), path))[:MOST]
    low = query.lower()
    found = [(rank, len(path), path) for path in paths if (rank := _rank(path.lower(), low)) is not None]
    return [path for _, _, path in sorted(found)[:MOST]]


def _rank(path: str, query: str) -> int | None:
    if not _in_order(query, path):
        return None
    name = path.rstrip("/").rpartition("/")[2]
    if name.startswith(query):
        return 0
    if query in name:
        return 1
    if _in_order(query, name):
        return 2
    return 3 if query in path else 4


def _in_order(query: str, text: str) -> bool:
    at = -1
    for character in query:
        at = text.find(character, at + 1)
        if at < 0:
            return False
    return True
