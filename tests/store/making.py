"""What the store's tests build: events, headers, journals, disks that fail."""

from __future__ import annotations

import asyncio
import errno
import os
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from craze.codec import Event, Record, Stamp, Turn, encode, stamp
from craze.store.history import Told
from craze.store.journal import Journal
from craze.store.lines import Header
from craze.store.writer import Disk, Limits, RealDisk


class Fact(msgspec.Struct, frozen=True):
    """A fact as the engine has it."""

    kind: str
    data: msgspec.Raw = msgspec.Raw(b"{}")
    key: str = ""


def at(second: int) -> Stamp:
    return stamp(1_796_040_000_000_000_000 + second * 1_000_000_000)


def text(seq: int, words: str = "") -> Record:
    return record(seq, Event("text", text=words or f"piece {seq} ", at=at(seq)))


def ended(seq: int, turn: str = "turn-1") -> Record:
    return record(seq, Event("turn", turn=Turn(id=turn, phase="ended", stop_reason="end_turn"), at=at(seq)))


def record(seq: int, event: Event) -> Record:
    return Record.of(seq, encode(event), event)


def header(incarnation: str = "run-1", **more: object) -> Header:
    known = {"ts": at(0), "format": 1, "event_codec": 1, "craze_id": "session-1", "agent": "demo", "cwd": "/srv/p"}
    return msgspec.structs.replace(Header(**known, incarnation=incarnation), **more)  # pyright: ignore


def journal(
    path: Path,
    head: Header | None = None,
    *,
    on_error: Callable[[str], None] = lambda text: None,
    before: tuple[Path, ...] = (),
    limits: Limits | None = None,
    disk: Disk | None = None,
) -> Journal:
    return Journal(
        path, head or header(), now=lambda: at(1), on_error=on_error, before=before, limits=limits, disk=disk
    )


async def written(path: Path, *lines: Record | Fact, head: Header | None = None) -> Path:
    """A journal that holds these lines and was closed."""
    log = journal(path, head)
    for line in lines:
        log.append(line)
    await log.close(20)
    return path


async def drained(log: Journal) -> None:
    """Returns when all that was appended is on disk, or the writer has failed."""
    while log.waiting:  # noqa: ASYNC110 - the writer is a thread
        await asyncio.sleep(0)


async def read(log: Journal, first: int = 1, last: int = 1 << 40) -> list[Told]:
    return [item async for item in log.read(first, last)]


def seqs(items: list[Told]) -> list[int]:
    return [item.seq for item in items if isinstance(item, Record)]


class FullDisk(RealDisk):
    """Takes `room` bytes; what comes then is written in part, or not at all, and refused."""

    def __init__(self, room: int) -> None:
        self.room = room

    def write(self, fd: int, data: memoryview) -> int:
        if self.room <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        done = super().write(fd, data[: self.room])
        self.room -= done
        return done


class Stuck(RealDisk):
    """Does not write until it is let go."""

    def __init__(self) -> None:
        self.reached, self.go = threading.Event(), threading.Event()

    def write(self, fd: int, data: memoryview) -> int:
        self.reached.set()
        self.go.wait(20)
        return super().write(fd, data)
