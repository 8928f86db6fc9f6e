"""Process groups of ours: every child leads one, and none outlives craze.

Launchers such as `npx` leave the real agent behind, so it is always the group that is signalled. Groups still
registered when craze ends - return, exception, SIGTERM, SIGHUP - are killed.
"""

from __future__ import annotations

import atexit
import os
import signal
import threading
from contextlib import suppress
from pathlib import Path
from types import FrameType

_live: set[int] = set()


def enlist(group: int) -> None:
    """Kill this group when craze ends."""
    if not _live:
        _guard_signals()
    _live.add(group)


def discharge(group: int) -> None:
    """The group is gone, or no longer ours to kill."""
    _live.discard(group)


def signal_group(group: int, number: int) -> bool:
    """Signal a group (0: only look); False when nobody is left in it."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # macOS says so for a group of zombies
        return False
    return True


def kill_all() -> None:
    """KILL to every group that is left."""
    while _live:
        signal_group(_live.pop(), signal.SIGKILL)


def left_of(leader: int) -> tuple[str, ...]:
    """`pid name` of the live processes of the session that `leader` began; where `/proc` is missing, whether any."""
    if not Path("/proc/self/stat").exists():
        return ("unknown",) if signal_group(leader, 0) else ()
    return tuple(row for entry in Path("/proc").iterdir() if entry.name.isdigit() and (row := _member(entry, leader)))


def _member(entry: Path, leader: int) -> str:
    with suppress(OSError, ValueError):
        head, _, rest = (entry / "stat").read_text(errors="replace").rpartition(")")
        state, _parent, _group, session = rest.split()[:4]
        if int(session) == leader and state not in "ZX":
            return f"{entry.name} {head.partition('(')[2]}"
    return ""


def _guard_signals() -> None:
    """Only where nobody else handles the signal: a handler of the command line's own calls `kill_all` itself."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _die)


def _die(number: int, _frame: FrameType | None) -> None:
    kill_all()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


atexit.register(kill_all)
