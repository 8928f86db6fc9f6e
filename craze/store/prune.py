"""Removing what is old: whole sessions, or their captures alone; what somebody may still want is never touched."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from craze.codec import Record, ns
from craze.errors import BadTime, CrazeError, StoreError
from craze.store.folder import Folder, Lock, all_folders, remove, sweep
from craze.store.reader import items
from craze.store.session_file import row
from craze.store.stored import Stored

_DAY: Final = 86_400_000_000_000
Why: TypeAlias = Literal["old", "over", "orphan", "capture"]


class Retention(msgspec.Struct, frozen=True, kw_only=True):
    """How long and how much is kept; 0 = without a limit. `orphans`: folders without any event go, too."""

    keep_days: float = 0
    wire_keep_days: float = 30
    max_bytes: int = 0
    orphans: bool = False


class Going(msgspec.Struct, frozen=True):
    """What is to go and why. For a `capture` these files, else the whole folder."""

    folder: Folder
    why: Why
    size: int
    title: str = ""
    files: tuple[Path, ...] = ()


class _Known(msgspec.Struct, frozen=True):
    folder: Folder
    stored: Stored | None
    updated: int


def plan(sessions: Path, keep: Retention, now: int, stop: Callable[[], bool] = lambda: False) -> Iterator[Going]:
    """What goes, the session that was used longest ago first; `now` in nanoseconds since 1970. Touches nothing.

    Once `stop` says so, no further session is looked at.
    """
    folders = takewhile(lambda _: not stop(), all_folders(sessions))
    known = sorted(map(_look, folders), key=lambda one: one.updated)
    total = sum(one.folder.size() for one in known) if keep.max_bytes else 0
    for one in known:
        if _is_safe(one):
            continue
        if why := _reason(one, keep, now, total):
            size = one.folder.size()
            total -= size
            yield Going(one.folder, why, size, one.stored.title if one.stored else "")
        elif old := _old_captures(one.folder, keep.wire_keep_days, now):
            size = sum(path.stat().st_size for path in old)
            total -= size
            yield Going(one.folder, "capture", size, one.stored.title if one.stored else "", old)


def prune(
    sessions: Path,
    keep: Retention,
    now: int,
    *,
    within: float = 0.2,
    clock: Callable[[], float] = time.monotonic,
) -> list[Going]:
    """Remove what `plan` names, for at most `within` seconds; gives what went. Run it off the event loop."""
    until = clock() + within
    gone: list[Going] = []
    sweep(sessions)
    for going in plan(sessions, keep, now, lambda: clock() >= until):
        if clock() >= until:
            break
        with suppress(CrazeError):  # another process opened it meanwhile
            carry_out(going)
            gone.append(going)
    return gone


def carry_out(going: Going) -> None:
    """Remove one thing of a plan.

    Raises:
        SessionBusy: Another process has opened the session since.
        CrazeError: The disk refused.
    """
    if going.why != "capture":
        remove(going.folder)
        return
    with Lock(going.folder):
        for path in going.files:
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise CrazeError(f"{path} could not be removed: {error.strerror or error}") from error


def _look(folder: Folder) -> _Known:
    stored = row(folder)
    return _Known(folder, stored, _updated(folder, stored))


def _updated(folder: Folder, stored: Stored | None) -> int:
    with suppress(BadTime):
        if stored is not None and stored.updated_at:
            return ns(stored.updated_at)
    with suppress(FileNotFoundError):
        return folder.path.stat().st_mtime_ns
    return 0


def _is_safe(one: _Known) -> bool:
    wanted = one.stored is not None and (one.stored.pinned or one.stored.pending)
    return wanted or one.folder.running() != 0


def _reason(one: _Known, keep: Retention, now: int, total: int) -> Why | None:
    if keep.keep_days and one.updated < now - keep.keep_days * _DAY:
        return "old"
    if keep.max_bytes and total > keep.max_bytes:
        return "over"
    return "orphan" if keep.orphans and not _has_events(one.folder) else None


def _old_captures(folder: Folder, days: float, now: int) -> tuple[Path, ...]:
    if not days:
        return ()
    before = now - days * _DAY
    return tuple(path for path in folder.wires() if path.stat().st_mtime_ns < before)


def _has_events(folder: Folder) -> bool:
    for path in folder.journals():
        with suppress(StoreError):
            if any(isinstance(item, Record) for item in items(path)):
                return True
    return False
