"""Commands that an agent asks us to run: started, read, waited for, killed, released.

No terminal device: one pipe for both outputs, no input. Whether a command may run, where, and what its answers look
like on the wire is the provider's.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import cast

from msgspec import Struct

from craze.transport.groups import discharge, signal_group
from craze.transport.output import OutputRing
from craze.transport.spawn import Command, on_exit, spawn
from craze.transport.tap import Exit

DEFAULT_LIMIT, MOST_LIMIT = 1 << 20, 64 << 20
MOST_LIVE = 64
_DRAIN, _TERM, _ACTIVITY = 0.5, 2.0, 0.25  # seconds
_SHELL_SIGNS = frozenset(" \t\n|&;<>()$`\\\"'*?[]#~=%{}!")

Activity = Callable[[str, str], None]


class UnknownTerminalError(LookupError):
    """No terminal has this id, or no longer."""


class TooManyTerminalsError(Exception):
    """As many run as may."""


class Output(Struct, frozen=True):
    """What a terminal printed so far; `end` once it ended and its output is complete."""

    text: str
    truncated: bool = False
    end: Exit | None = None


class Terminals:
    """The terminals of one session. Ids (`term-1`, ...) never repeat.

    Args:
        cwd: Where a command runs that names no folder.
        activity: Called with id and last line of what a terminal printed, at most four times a second.
    """

    def __init__(self, cwd: str, activity: Activity | None = None) -> None:
        self._cwd, self._activity = cwd, activity
        self._all: dict[str, _Terminal] = {}
        self._given = 0

    async def create(
        self,
        command: str,
        args: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        cwd: str = "",
        limit: int | None = None,
    ) -> str:
        """Start a command and give its id.

        Raises:
            AgentNotFound: The program cannot be started; no id was used up.
            TooManyTerminalsError: 64 are running.
        """
        if sum(terminal.end is None for terminal in self._all.values()) >= MOST_LIVE:
            raise TooManyTerminalsError(f"{MOST_LIVE} terminals are running already")
        argv = command_line(command, args, env or {})
        child = spawn(Command(argv, cwd or self._cwd, env or {}), terminal=True)
        self._given += 1
        name = f"term-{self._given}"
        size = min(MOST_LIMIT, max(0, DEFAULT_LIMIT if limit is None else limit))
        terminal = self._all[name] = _Terminal(child, OutputRing(size), lambda line: self._tell(name, line))
        await terminal.connect()
        return name

    def output(self, name: str) -> Output:
        return self._terminal(name).output()

    async def wait(self, name: str) -> Exit:
        """How it ended, when it has and everything it wrote before is readable."""
        terminal = self._terminal(name)
        await terminal.over.wait()
        assert terminal.end is not None
        return terminal.end

    async def kill(self, name: str) -> None:
        """TERM to its group, KILL after 2 s; killing an ended one is fine."""
        await self._terminal(name).kill()

    async def release(self, name: str) -> Output:
        """Kill it if it runs, forget the id, and give what it printed."""
        terminal = self._terminal(name)
        del self._all[name]
        await terminal.kill()
        return terminal.output()

    def kill_all(self) -> None:
        """KILL to every group, at once; waiters are answered."""
        for terminal in self._all.values():
            terminal.kill_now()

    async def close(self) -> None:
        """No terminal of the session is left, one that is being made meanwhile included."""
        while self._all:
            self.kill_all()
            name, terminal = next(iter(self._all.items()))
            await terminal.over.wait()
            self._all.pop(name, None)

    def __contains__(self, name: str) -> bool:
        return name in self._all

    def _terminal(self, name: str) -> _Terminal:
        if name not in self._all:
            raise UnknownTerminalError(name)
        return self._all[name]

    def _tell(self, name: str, line: str) -> None:
        if self._activity is not None and name in self._all:
            self._activity(name, line)


def command_line(command: str, args: Sequence[str], env: Mapping[str, str]) -> tuple[str, ...]:
    """The argv that is meant: with arguments exactly those, else a program of that name, else a line for the shell."""
    if args:
        return (command, *args)
    path = env.get("PATH", os.environ.get("PATH", ""))
    if not _SHELL_SIGNS.intersection(command) or shutil.which(command, path=path):
        return (command,)
    shell = env.get("SHELL") or os.environ.get("SHELL") or "/bin/sh"
    return (shell, "-c", command)


class _Terminal(asyncio.Protocol):
    """One running command and what it printed."""

    def __init__(self, child: subprocess.Popen[bytes], ring: OutputRing, tell: Callable[[str], None]) -> None:
        self.pid = child.pid
        self.end: Exit | None = None
        self.over = asyncio.Event()
        self._child, self._ring, self._tell = child, ring, tell
        self._exit: Exit | None = None
        self._pipe: asyncio.ReadTransport | None = None
        self._telling: asyncio.TimerHandle | None = None
        self._ended = False
        self._group = True  # somebody may be left in it; its number is free for others once nobody is

    async def connect(self) -> None:
        assert self._child.stdout
        await asyncio.get_running_loop().connect_read_pipe(lambda: self, self._child.stdout)
        on_exit(self._child, self._exited)

    def output(self) -> Output:
        return Output(self._ring.text(final=self.end is not None), self._ring.truncated, self.end)

    async def kill(self) -> None:
        """Also what a command that ended by itself left running."""
        if not self._group:
            return
        signal_group(self.pid, signal.SIGTERM)
        with suppress(TimeoutError):
            async with asyncio.timeout(_TERM):
                await self.over.wait()
        self.kill_now()
        await self.over.wait()

    def kill_now(self) -> None:
        if self._group:
            signal_group(self.pid, signal.SIGKILL)
        self._leave_group()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._pipe = cast("asyncio.ReadTransport", transport)

    def data_received(self, data: bytes) -> None:
        self._ring.add(data)
        if self._telling is None:
            self._telling = asyncio.get_running_loop().call_later(_ACTIVITY, self._tell_now)

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended = True
        if self._exit is not None:
            self._finish()

    def _exited(self, end: Exit) -> None:
        self._exit = end
        if not signal_group(self.pid, 0):
            self._leave_group()
        if self._ended:
            self._finish()
        else:  # what it started may hold the pipe for as long as it likes
            asyncio.get_running_loop().call_later(_DRAIN, self._finish)

    def _finish(self) -> None:
        if self.end is None:
            self.end = self._exit
            self.over.set()
            if self._telling is not None:
                self._telling.cancel()
            if self._pipe is not None:
                self._pipe.close()

    def _leave_group(self) -> None:
        self._group = False
        discharge(self.pid)

    def _tell_now(self) -> None:
        self._telling = None
        self._tell(self._ring.last_line())
