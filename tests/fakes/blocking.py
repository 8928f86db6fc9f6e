"""Refuses calls of craze that would hold up the loop: files, processes and sleeps on its own thread.

Python tells of such calls itself, by audit events; whose call it is says the nearest frame of craze or of a test. What
an import reads is let through, and so are processes that asyncio starts.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final
from unittest.mock import patch

_ROOT: Final = Path(__file__).parents[2]
_CRAZE, _TESTS = f"{_ROOT / 'craze'}/", f"{_ROOT / 'tests'}/"
_FILES: Final = frozenset(
    f"os.{name}" for name in ("listdir", "scandir", "mkdir", "remove", "rename", "rmdir", "truncate", "utime")
) | {"open", "fcntl.flock", "sqlite3.connect", "shutil.copyfile", "shutil.rmtree"}
_PROCESSES: Final = frozenset(("subprocess.Popen", "os.system", "os.fork", "os.posix_spawn", "socket.getaddrinfo"))
_SLEEP: Final = time.sleep
_BEFORE: Final = (f"{_CRAZE}tui/app.py", "__init__")
"""Where the app is made: nothing runs yet that could be held up."""
_told: list[list[str]] = []
"""The calls of each guard that is set, the innermost last."""


class Blocked(AssertionError):
    """The loop would have waited."""


@contextmanager
def guarded() -> Generator[list[str]]:
    """Raises `Blocked` where such a call is made, and keeps each: a handler of errors may have been around it."""
    _told.append([])
    try:
        with patch.object(time, "sleep", _sleep):
            yield _told[-1]
    finally:
        _told.pop()


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if not _told or (event not in _FILES and event not in _PROCESSES):
        return
    _refuse(event, arguments, sys._getframe(1))


def _sleep(seconds: float) -> None:
    _refuse("time.sleep", (seconds,), sys._getframe(1))
    _SLEEP(seconds)


def _refuse(event: str, arguments: tuple[object, ...], frame: FrameType | None) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return  # another thread, or no loop at all
    if place := _place(frame, within_asyncio=event in _PROCESSES):
        call = f"{event}{arguments[:1]} at {place}"
        _told[-1].append(call)
        raise Blocked(call)


def _place(frame: FrameType | None, *, within_asyncio: bool) -> str:
    """Where craze made the call; "" when something else did."""
    place = ""
    while frame is not None:
        name = frame.f_code.co_filename
        if (name, frame.f_code.co_name) == _BEFORE:
            return ""
        if name.startswith(_CRAZE) and not place:
            place = f"{name.removeprefix(f'{_ROOT}/')}:{frame.f_lineno}"
        elif name.startswith((_TESTS, "<frozen importlib")) or (within_asyncio and "/asyncio/" in name):
            return place
        frame = frame.f_back
    return place


sys.addaudithook(_audit)
