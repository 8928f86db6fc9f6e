"""Starting a program: by argv, without a shell, as the leader of a session and process group of its own."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, TypeAlias

from msgspec import Struct

from craze.errors import AgentNotFound
from craze.transport.groups import enlist
from craze.transport.tap import Exit

_PIPE_SIZE = 1 << 20


class Command(Struct, frozen=True):
    """What to run: the person's whole environment without `unset`, and `env` over it; `hint` says how it is installed."""

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str] = {}
    hint: str = ""
    unset: tuple[str, ...] = ()


Spawn: TypeAlias = Callable[[Command], "subprocess.Popen[bytes]"]
"""Who gives the child of a command: `spawn`, or one who started it before."""


def spawn(command: Command, *, terminal: bool = False) -> subprocess.Popen[bytes]:
    """Start the program with three pipes; as a `terminal` without input and with one pipe for both outputs.

    Raises:
        AgentNotFound: It cannot be started; the message names the program and why.
    """
    try:
        child = subprocess.Popen(
            command.argv,
            cwd=command.cwd,
            env={**_inherited(command), **command.env},
            stdin=subprocess.DEVNULL if terminal else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if terminal else subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
        )
    except (OSError, ValueError) as refused:  # ValueError: a NUL in an argument
        raise AgentNotFound(_why(command, refused), hint=command.hint) from refused
    enlist(child.pid)
    for pipe in (child.stdin, child.stdout, child.stderr):
        _widen(pipe)
    return child


def _inherited(command: Command) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in command.unset}


def on_exit(child: subprocess.Popen[bytes], tell: Callable[[Exit], None]) -> None:
    """Call `tell` on the running loop once the program has ended."""
    loop = asyncio.get_running_loop()

    def wait() -> None:
        end = _end(child.wait())
        with suppress(RuntimeError):  # the loop is closed: nobody is left to tell
            loop.call_soon_threadsafe(tell, end)

    threading.Thread(target=wait, name=f"wait-{child.pid}", daemon=True).start()


def _end(status: int) -> Exit:
    if status >= 0:
        return Exit(code=status)
    try:
        return Exit(signal=signal.Signals(-status).name)
    except ValueError:
        return Exit(signal=f"SIG{-status}")


def _widen(pipe: IO[bytes] | None) -> None:
    """A wide pipe saves switches between the two processes; a system that refuses has its own size."""
    if pipe is not None and hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):
            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE_SIZE)


def _why(command: Command, refused: OSError | ValueError) -> str:
    name = command.argv[0]
    if not Path(command.cwd).is_dir():
        return f"cannot start {name}: the folder {command.cwd} does not exist"
    if isinstance(refused, FileNotFoundError):
        path = {**os.environ, **command.env}.get("PATH", "")
        where = "no such file" if "/" in name else f"not found in PATH ({path})"
        return f"cannot start {name}: {where}"
    return f"cannot start {name}: {getattr(refused, 'strerror', None) or refused}"
