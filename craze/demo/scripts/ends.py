"""Scripts about processes: how ours ends, what it leaves behind, what it prints."""

from __future__ import annotations

import os
import subprocess
import sys

from craze.demo.turn import Desk, Turn
from craze.demo.wire import RpcError


def crash(turn: Turn) -> None:
    """Dies in the middle of a tool; the status may be given."""
    turn.stream("This will end badly.")
    turn.tool("rm -rf /", "execute", name="Bash", rawInput={"command": "boom"}).run()
    _say_and_exit(("demo: something is very wrong", "demo: giving up"), int(turn.words) if turn.words.isdigit() else 3)


def exit0(turn: Turn) -> None:
    os._exit(0)


def orphans(turn: Turn) -> None:
    """Leaves a process behind that outlives us."""
    quiet = subprocess.DEVNULL
    child = subprocess.Popen(["sleep", "600"], stdin=quiet, stdout=quiet, stderr=quiet)
    turn.stream(f"Process {child.pid} will still be there when I am gone.")


def stubborn(turn: Turn) -> None:
    turn.desk.ignores_end = True
    turn.stream("I ignore the end of my input, and polite requests.")


def stderrflood(turn: Turn) -> None:
    line = "demo: " + "x" * 1017 + "\n"
    for _ in range(10):
        sys.stderr.write(line * 1024)
    sys.stderr.flush()
    turn.stream("Ten megabytes went to my error output.")


def crash_at_start(desk: Desk) -> None:
    _say_and_exit(("demo: cannot read my configuration",), 1)


def exit_at_start(desk: Desk) -> None:
    desk.wire.raw(b"This agent is no longer maintained.\n")
    os._exit(0)


def version_2_only(desk: Desk) -> None:
    raise RpcError(-32602, "Invalid params", {"errors": [{"loc": ["info"], "msg": "Field required"}]})


def stubborn_at_start(desk: Desk) -> None:
    desk.ignores_end = True


def _say_and_exit(lines: tuple[str, ...], status: int) -> None:
    for line in lines:
        print(line, file=sys.stderr, flush=True)
    os._exit(status)
