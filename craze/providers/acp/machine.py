"""This computer, as an agent's session sees it: the one real `Outside`."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

from craze.providers.acp.files import Files
from craze.providers.acp.link import Allowed, Answer, Attached, Call, Folders, Wanted
from craze.providers.acp.prompts import needs_disk, read_attached, text_block
from craze.providers.acp.terminals import Commands
from craze.transport import MAX_LINE, Command, Hearer, Link, Process, Spawn, Tap, spawn


class Machine:
    """Processes, files and terminals of one session. `child_of` gives the agent's process."""

    def __init__(self, child_of: Spawn = spawn) -> None:
        self._child_of = child_of
        self._files = Files()
        self._commands: Commands | None = None
        self._workspace = Path("/")
        self._tasks: set[asyncio.Task[None]] = set()

    def start(
        self,
        command: Command,
        hearer: Hearer,
        tap: Tap,
        ready: Callable[[Link], None],
        limit: int = MAX_LINE,
    ) -> None:
        async def begin() -> None:
            process = await Process.start(command, hearer, tap, limit, self._child_of)
            if process is not None:
                ready(process)

        self._keep(begin())

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()

    def program(self, name: str) -> str:
        return shutil.which(name) or name

    def folders(self, folders: Folders, ask: Callable[[str], None], said: Callable[[str, str], None]) -> None:
        self._workspace = Path(folders.workspace)
        self._files.begin(folders, ask)
        if self._commands is None:  # the numbers of terminals go on through every process of the agent
            self._commands = Commands(folders.workspace, self._files.inside, said)

    def serve(self, call: Call, done: Callable[[Answer], None]) -> None:
        if call.method.startswith("fs/"):
            self._files.serve(call, done)
        elif self._commands is not None:
            self._commands.serve(call, done)

    def settle(self, key: str, allowed: Allowed) -> None:
        self._files.settle(key, allowed)

    def attach(self, wanted: Wanted, done: Callable[[Attached], None]) -> None:
        if not needs_disk(wanted.prompt):
            done(Attached((text_block(wanted.prompt.text),)))
            return

        async def read() -> None:
            try:
                attached = await asyncio.to_thread(read_attached, wanted, self._workspace, self._files.inside)
            except OSError as refused:
                words = text_block(wanted.prompt.text)
                attached = Attached((words,), (f"what goes with the prompt cannot be read: {refused}",))
            done(attached)

        self._keep(read())

    async def close(self) -> None:
        await asyncio.gather(*self._tasks, return_exceptions=True)  # a start under way is told that it is over
        await self._files.close()
        if self._commands is not None:
            await self._commands.close()

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
