"""The sessions on disk: one folder each, found by id, listed, locked, and removed as a whole.

Knows names and locks; what stands in the files is `journal`'s, `wire`'s and `session_file`'s.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from craze.errors import CrazeError, SessionBusy, SessionNotFound, UsageError

FOLDER_MODE: Final = 0o700
FILE_MODE: Final = 0o600
SHORTEST_PREFIX: Final = 4
_GOING: Final = ".going-"
_ID_CHARS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


class Folder:
    """The folder of one session; making the object touches no disk."""

    def __init__(self, sessions: Path, id_: str) -> None:
        if not is_id(id_):
            raise UsageError(f"not a session id: {id_[:80]!r}")
        self.id, self.sessions = id_, sessions
        self.path = sessions / id_

    @property
    def session_file(self) -> Path:
        return self.path / "session.json"

    @property
    def attachments(self) -> Path:
        return self.path / "attachments"

    def journal(self, stamp: str, incarnation: str) -> Path:
        """Where the journal of an incarnation that began at `stamp` (`yyyymmddThhmmssZ`) is written."""
        return self.path / f"{stamp}_{incarnation}.jsonl"

    def wire(self, stamp: str, incarnation: str) -> Path:
        return self.path / f"{stamp}_{incarnation}.wire.jsonl"

    def journals(self) -> list[Path]:
        """All journals by file name, which begins with a time; `history.in_order` reads how they continue."""
        return [path for path in _lines_files(self.path) if not path.name.endswith(".wire.jsonl")]

    def wires(self) -> list[Path]:
        return [path for path in _lines_files(self.path) if path.name.endswith(".wire.jsonl")]

    def make(self) -> None:
        """Make the folder and what is above it, for its owner alone; what exists keeps its modes."""
        make_folder(self.path)

    def size(self) -> int:
        """Bytes of all files."""
        return sum(size for _, size in _files(self.path))

    def running(self) -> int:
        """The id of the process that runs the session, 0 when none does. -1: one does, and says no number."""
        try:
            fd = os.open(self.path / "lock", os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return 0
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _pid(fd)
        finally:
            os.close(fd)
        return 0


class Lock:
    """Held by the process that runs a session, or that renames or removes it; free again when that process is gone.

    Raises:
        SessionBusy: Another process holds it.
        SessionNotFound: The session was removed meanwhile.
    """

    def __init__(self, folder: Folder) -> None:
        self._path = folder.path / "lock"
        try:
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        except FileNotFoundError:
            raise SessionNotFound(f"session {folder.id} is gone") from None
        if not _lock(self._fd):
            pid = _pid(self._fd)
            os.close(self._fd)
            raise SessionBusy(folder.id, pid)
        if not self._is_there():
            os.close(self._fd)
            raise SessionNotFound(f"session {folder.id} is gone")
        os.ftruncate(self._fd, 0)
        with suppress(OSError):  # a full disk: the lock holds all the same, and says no number
            os.pwrite(self._fd, b"%d\n" % os.getpid(), 0)

    def release(self) -> None:
        """Let go; again: nothing."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Lock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _is_there(self) -> bool:
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(self._fd))
        except FileNotFoundError:
            return False


def _lines_files(folder: Path) -> list[Path]:
    """Files alone: a pipe or a device of that name would never end."""
    return sorted(path for path in folder.glob("*_*.jsonl") if path.is_file())


def is_id(text: str) -> bool:
    """Whether `text` may name a session: 1 to 128 letters, digits, `.`, `_`, `-`, not beginning with a point."""
    return 0 < len(text) <= 128 and _ID_CHARS.issuperset(text) and not text.startswith(".")


def make_folder(path: Path) -> None:
    """Make a folder and those above it with mode 0700; existing ones are left as they are."""
    missing = [path]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    for folder in reversed(missing):
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)


def all_folders(sessions: Path) -> Iterator[Folder]:
    """Every session's folder, in the order of ids; none when there is no place for them yet."""
    try:
        names = sorted(entry.name for entry in os.scandir(sessions) if entry.is_dir())
    except FileNotFoundError:
        return
    for name in names:
        if is_id(name):
            yield Folder(sessions, name)


def by_prefix(sessions: Path, prefix: str) -> list[Folder]:
    """The sessions that `prefix` names: the one with this very id, else those whose id begins with it (from 4 on)."""
    if is_id(prefix) and (exact := Folder(sessions, prefix)).path.is_dir():
        return [exact]
    if len(prefix) < SHORTEST_PREFIX:
        return []
    return [folder for folder in all_folders(sessions) if folder.id.startswith(prefix)]


def remove(folder: Folder) -> None:
    """Delete a session: renamed first, so that a crash leaves none that is half there.

    Raises:
        SessionBusy: It is open in another process.
        CrazeError: The disk refused.
    """
    import shutil  # here, since a dump begins with this module

    with Lock(folder):
        going = folder.sessions / f"{_GOING}{folder.id}"
        try:
            shutil.rmtree(going, ignore_errors=True)
            folder.path.rename(going)
            shutil.rmtree(going)
        except OSError as error:
            raise CrazeError(f"session {folder.id} could not be removed: {error.strerror or error}") from error


def sweep(sessions: Path) -> None:
    """Finish removals that a crash interrupted."""
    import shutil

    for going in sessions.glob(f"{_GOING}*"):
        shutil.rmtree(going, ignore_errors=True)


def _files(path: Path) -> Iterator[tuple[Path, int]]:
    for root, _, names in os.walk(path):
        for name in names:
            file = Path(root, name)
            try:
                yield file, file.lstat().st_size
            except FileNotFoundError:
                continue


def _lock(fd: int) -> bool:
    """Take the lock; tries for a moment, since `Folder.running` of another process holds it for an instant."""
    for _ in range(5):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.01)
        else:
            return True
    return False


def _pid(fd: int) -> int:
    text = os.pread(fd, 32, 0).strip()
    return int(text) if text.isdigit() else -1
