"""What the person has typed before: `history.jsonl`, newest last, for the editor's history."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Final

import msgspec

from craze.codec import Stamp
from craze.store.folder import make_folder
from craze.store.writer import FILE_MODE

MAX_ROWS: Final = 5000


class Typed(msgspec.Struct, frozen=True):
    """One prompt as it was typed."""

    ts: str
    cwd: str
    text: str


def read_prompts(path: Path) -> list[Typed]:
    """The stored prompts, oldest first, at most 5000; rows that cannot be read are passed over."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    return [row for line in data.splitlines()[-MAX_ROWS:] if (row := _row(line)) is not None]


def add_prompt(path: Path, at: Stamp, cwd: str, text: str) -> None:
    """Store a prompt, unless it begins with a space, is empty, or repeats the newest. Processes take turns."""
    if not text.strip() or text.startswith(" "):
        return
    make_folder(path.parent)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, FILE_MODE)
    with os.fdopen(fd, "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        lines = file.read().splitlines()
        newest = _row(lines[-1]) if lines else None
        if newest is not None and (newest.cwd, newest.text) == (cwd, text):
            return
        added = msgspec.json.encode(Typed(at, cwd, text))
        if len(lines) < MAX_ROWS + MAX_ROWS // 10:
            file.write(added + b"\n")
        else:
            file.truncate(0)
            file.write(b"\n".join((*lines[1 - MAX_ROWS :], added, b"")))


def _row(line: bytes) -> Typed | None:
    try:
        return _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


_decode = msgspec.json.Decoder(Typed).decode
