"""The agent's sessions: in memory, and in `.craze-demo/` of their folder, so that another process can load them."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from craze.demo.settings import Settings
from craze.demo.wire import Json

FOLDER = ".craze-demo"
_REPLAYED = frozenset(
    [
        "user_message_chunk",
        "agent_message_chunk",
        "agent_thought_chunk",
        "tool_call",
        "tool_call_update",
        "plan",
        "subagent_update",
    ]
)
_CLOSED = frozenset({"completed", "failed"})


class Session:
    """One conversation: settings, history, and how the history is told when it is opened again.

    Attributes:
        manner: `full`, `empty`, `thin` (no thoughts, final tools only) or `resume` (told on resume too).
        quirks: Names of scripts that change how the session behaves from then on.
    """

    def __init__(self, name: str, cwd: str) -> None:
        self.id, self.cwd = name, cwd
        self.title = ""
        self.updated = _now()
        self.manner = "full"
        self.settings = Settings()
        self.history: list[Json] = []
        self.allowed: set[str] = set()
        self.quirks: set[str] = set()
        self.tokens = 0
        self.turns = 0
        self.busy = 0
        self.spoiled = False
        self._file = -1

    @property
    def path(self) -> Path:
        return _file(self.cwd, self.id)

    def keep(self, update: Json, child: str = "") -> None:
        """Remember an update for a later load."""
        if not child and update.get("sessionUpdate") in _REPLAYED:
            self.history.append(update)
            self._append({"update": update})

    def keep_head(self) -> None:
        self.updated = _now()
        head = {"title": self.title, "updated": self.updated, "manner": self.manner, "settings": self.settings.chosen}
        self._append({"session": head})

    def replayed(self, *, resuming: bool) -> Iterator[Json]:
        """The updates that tell the history again."""
        if self.manner == "empty" or (resuming and self.manner != "resume"):
            return
        yield from _thin(self.history) if self.manner == "thin" else self.history

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def _append(self, row: Json) -> None:
        with suppress(OSError):  # a folder that cannot be written: the session lives in memory
            if self._file < 0:
                self.path.parent.mkdir(exist_ok=True)
                (self.path.parent / ".gitignore").write_text("*\n")
                self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            os.write(self._file, msgspec.json.encode(row) + b"\n")


def create(cwd: str, ids: random.Random) -> Session:
    while True:
        session = Session(f"demo-{ids.getrandbits(48):012x}", cwd)
        if not session.path.exists():
            session.keep_head()
            return session


def stored(cwd: str, name: str) -> Session | None:
    """The session of this name as the last process left it."""
    path = _file(cwd, name)
    if not path.is_file():
        return None
    session = Session(name, cwd)
    for line in path.read_bytes().splitlines():
        with suppress(msgspec.DecodeError):  # the line that a killed process did not finish
            _apply(session, msgspec.json.decode(line, type=dict[str, Any]))
    return session


def listed(cwd: str) -> list[Session]:
    """All sessions of a folder, the newest first."""
    found = [stored(cwd, path.stem) for path in Path(cwd, FOLDER).glob("demo-*.jsonl")]
    return sorted(filter(None, found), key=lambda session: (session.updated, session.id), reverse=True)


def delete(cwd: str, name: str) -> None:
    _file(cwd, name).unlink(missing_ok=True)


def _file(cwd: str, name: str) -> Path:
    return Path(cwd, FOLDER, f"{os.path.basename(name)}.jsonl")


def _apply(session: Session, row: Json) -> None:
    if "update" in row:
        session.history.append(row["update"])
        session.turns += row["update"].get("sessionUpdate") == "user_message_chunk"
    if head := row.get("session"):
        session.title, session.updated, session.manner = head["title"], head["updated"], head["manner"]
        session.settings.chosen.update(head["settings"])


def _thin(history: list[Json]) -> Iterator[Json]:
    calls: dict[str, Json] = {}
    for update in history:
        kind = update["sessionUpdate"]
        if kind == "agent_thought_chunk":
            continue
        if "toolCallId" not in update:
            yield update
            continue
        call = calls.setdefault(update["toolCallId"], {})
        call.update(update)
        if call.get("status") in _CLOSED:
            yield {**call, "sessionUpdate": "tool_call"}


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
