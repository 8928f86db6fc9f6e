"""`session.json` on disk: written whole while a session runs, read, listed, renamed, and made again when it is damaged.

`SessionFile` is called as the engine's `Keep`: it takes the newest state and writes it in a thread of its own, so that
no caller waits for a disk. Keys that this version does not know are kept.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from craze.codec import Record, Stamp
from craze.errors import DecodeError, SessionNotFound, StoreError
from craze.store.folder import Folder, Lock, make_folder
from craze.store.history import in_order
from craze.store.reader import header, items
from craze.store.stored import KeptLike, Stored, with_kept, without_text
from craze.store.writer import FILE_MODE, Failed, threadsafe


class SessionFile:
    """The `session.json` of a session that this process runs and has locked.

    Args:
        stored: What is known of the session when it opens (`load`, or a fresh one).
        private: With the journal off: no title, queue or draft is written, only folder, agent and times.
        on_error: Told when a write fails, and "" when one works again.
    """

    def __init__(
        self,
        folder: Folder,
        stored: Stored,
        *,
        now: Callable[[], Stamp],
        on_error: Failed,
        private: bool = False,
    ) -> None:
        self._folder, self._stored, self._now, self._private = folder, stored, now, private
        self._on_error, self._failing = threadsafe(on_error), False
        self._changed = threading.Condition()
        self._worth_it = folder.session_file.exists()
        self._newest: Stored | None = None
        self._closing = False
        self._thread: threading.Thread | None = None

    @property
    def stored(self) -> Stored:
        return self._stored

    def __call__(self, kept: KeptLike) -> None:
        """Store what the engine keeps; only the newest is written when they come faster than the disk."""
        self._stored = stored = with_kept(self._stored, kept, self._now())
        self._worth_it = self._worth_it or bool(stored.turns or stored.title or stored.pending)
        if self._worth_it:
            self._put(without_text(stored) if self._private else stored)

    async def close(self, timeout: float) -> bool:
        """Write what waits; False when that took longer than `timeout` seconds."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread is None:
            return True
        await asyncio.to_thread(self._thread.join, timeout)
        return not self._thread.is_alive()

    def _put(self, stored: Stored) -> None:
        with self._changed:
            self._newest = stored
            self._changed.notify()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="write session.json", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while (stored := self._next()) is not None:
            try:
                save(self._folder, stored)
            except OSError as error:
                self._failing = True
                self._on_error(f"session.json: {error.strerror or error}")
            else:
                if self._failing:
                    self._failing = False
                    self._on_error("")

    def _next(self) -> Stored | None:
        with self._changed:
            self._changed.wait_for(lambda: self._newest is not None or self._closing)
            stored, self._newest = self._newest, None
            return stored


def save(folder: Folder, stored: Stored) -> None:
    """Write the file whole: a temporary one beside it, synced, then put in its place."""
    make_folder(folder.path)
    path = folder.session_file
    data = msgspec.json.encode({**_unknown(path), **_known(stored)})
    temporary = path.with_name(f".session.json.{os.getpid()}")
    try:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE)
        with os.fdopen(fd, "wb") as file:
            file.write(data + b"\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from error


def read(folder: Folder) -> Stored | None:
    """What the file says; None when there is none, or none that can be read."""
    try:
        return msgspec.json.decode(folder.session_file.read_bytes(), type=Stored)
    except (FileNotFoundError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def row(folder: Folder) -> Stored | None:
    """The list row of a session: its file, else what its newest journal's header says; None for a folder of neither."""
    return read(folder) or _from_header(folder)


def load(folder: Folder, say: Failed) -> Stored | None:
    """What to open a session with, under its lock. An unreadable file is put aside as `session.json.bad` and made
    again from the newest journal, with nothing queued."""
    stored = read(folder)
    if stored is not None:
        return stored
    if folder.session_file.exists():
        bad = folder.session_file.with_name("session.json.bad")
        folder.session_file.replace(bad)
        say(f"{folder.session_file} could not be read and is now {bad.name}; what waited in it is not queued")
        if (made := _from_journals(folder)) is not None:
            save(folder, made)
            return made
    return _from_journals(folder)


def rename(folder: Folder, title: str, now: Stamp) -> None:
    """Give the session a title that stays (`pinned`); an empty one lets go of it.

    Raises:
        SessionBusy: Another process runs the session.
        SessionNotFound: There is nothing to rename.
    """
    with Lock(folder):
        stored = row(folder)
        if stored is None:
            raise SessionNotFound(f"session {folder.id} holds nothing yet")
        save(folder, replace(stored, title=title, pinned=bool(title), updated_at=now))


def _from_header(folder: Folder) -> Stored | None:
    for path in reversed(folder.journals()):
        try:
            head = header(path)
        except StoreError:
            continue
        if head is not None:
            return Stored(
                craze_id=folder.id,
                provider=head.provider,
                agent=head.agent,
                cwd=head.cwd,
                origin=head.origin,
                created_at=head.ts,
                updated_at=head.ts,
                turns=head.numbers.get("turn", 0),
            )
    return None


def _from_journals(folder: Folder) -> Stored | None:
    stored = _from_header(folder)
    if stored is None:
        return None
    stored = replace(stored, turns=0)
    for path in in_order(folder.journals()):
        for item in items(path):
            if isinstance(item, Record):
                stored = _told(stored, item)
    return stored


def _told(stored: Stored, record: Record) -> Stored:
    """The row after an event: titles and turns are what a journal knows."""
    if not record.body.startswith((b'{"type":"meta"', b'{"type":"turn"')):
        return stored
    try:
        event = record.event
    except DecodeError:
        return stored
    if event.state is not None and event.state.title:
        return replace(stored, title=event.state.title, pinned=bool(event.cause))
    if event.turn is not None and event.turn.phase == "ended":
        return replace(stored, turns=stored.turns + 1, updated_at=event.at or stored.updated_at)
    return stored


def _unknown(path: Path) -> dict[str, Raw]:
    try:
        before = msgspec.json.decode(path.read_bytes(), type=dict[str, Raw])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return {key: value for key, value in before.items() if key not in _KEYS}


def _known(stored: Stored) -> dict[str, Raw]:
    known = msgspec.json.decode(msgspec.json.encode(stored), type=dict[str, Raw])
    return known if stored.dirs else {key: value for key, value in known.items() if key != "dirs"}


_KEYS = frozenset(Stored.__struct_encode_fields__)
