"""The list of sessions: read from every folder when it is asked for, newest first; there is no index."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from craze.store.folder import Folder, all_folders
from craze.store.session_file import row
from craze.store.stored import Stored

SHORTEST: Final = 8


class Listed(msgspec.Struct, frozen=True):
    """One row: what `session.json` says, the folder, and the shortest prefix that names it among all sessions."""

    stored: Stored
    folder: Folder
    short: str

    @property
    def running(self) -> bool:
        """Whether a process runs the session now."""
        return self.folder.running() != 0

    @property
    def pending(self) -> int:
        """How many prompts wait in it."""
        return len(self.stored.queue)

    def json(self) -> bytes:
        """The row as one JSON object: the keys of `session.json` but queue and draft, with path, running, pending."""
        known = msgspec.to_builtins(self.stored)
        kept = {key: value for key, value in known.items() if key in _LIST_KEYS}
        more = {"path": str(self.folder.path), "running": self.running, "pending": self.pending}
        return msgspec.json.encode({**kept, **more})


def listed(sessions: Path, *, cwd: str = "", agent: str = "", limit: int = 0) -> list[Listed]:
    """The sessions of folder `cwd` (all without one), of `agent` (any without one), newest first."""
    folders = list(all_folders(sessions))
    shorts = shortest_prefixes([folder.id for folder in folders])
    rows = [Listed(stored, folder, shorts[folder.id]) for folder in folders if (stored := row(folder)) is not None]
    wanted = [one for one in rows if not agent or one.stored.agent == agent]
    if cwd:
        wanted = in_folder(wanted, cwd)
    wanted.sort(key=lambda one: (one.stored.updated_at, one.stored.craze_id), reverse=True)
    return wanted[:limit] if limit else wanted


def in_folder(rows: Iterable[Listed], cwd: str) -> list[Listed]:
    """The rows whose folder is `cwd`, as it was given or by its resolved path."""
    here = Path(cwd).resolve()
    return [one for one in rows if one.stored.cwd == cwd or (one.stored.cwd and Path(one.stored.cwd).resolve() == here)]


def shortest_prefixes(ids: list[str]) -> dict[str, str]:
    """For each id its shortest prefix that no other id has, at least 8 characters."""
    ordered = sorted(ids)
    shorts: dict[str, str] = {}
    for at, id_ in enumerate(ordered):
        beside = ordered[max(0, at - 1) : at] + ordered[at + 1 : at + 2]
        shared = max((_shared(id_, other) for other in beside), default=0)
        shorts[id_] = id_[: max(SHORTEST, shared + 1)]
    return shorts


def _shared(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


_LIST_KEYS: Final = frozenset(
    ("crazeId", "sessionId", "provider", "agent", "cwd", "origin", "createdAt", "updatedAt", "title", "pinned", "turns")
)
