"""This computer, as an agent's session sees it: the one real `Outside`."""

from __future__ import annotations

import asyncio
import base64
import mimetypes
import os
import tempfile
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from msgspec import Raw

from craze.engine.ports import Prompt
from craze.providers.control import toolserver
from craze.providers.control.link import Attached, Served
from craze.providers.control.toolserver import ToolServer
from craze.transport import MAX_LINE, Command, Hearer, Link, Process, Tap

_IMAGES: Final = 10
_BYTES: Final = 15 << 20


class Machine:
    """Processes and served tools of one session."""

    def __init__(self, servers: Iterable[ToolServer] = ()) -> None:
        self._servers = {server.name: server for server in servers}
        self._tasks: set[asyncio.Task[None]] = set()
        self._serving: set[asyncio.Task[None]] = set()
        self._calls: dict[str, asyncio.Event] = {}
        self._files: list[str] = []

    def start(
        self, command: Command, hearer: Hearer, tap: Tap, ready: Callable[[Link], None], limit: int = MAX_LINE
    ) -> None:
        async def begin() -> None:
            process = await Process.start(command, hearer, tap, limit)
            if process is not None:
                ready(process)

        self._keep(begin())

    def private(self, name: str, data: bytes) -> str:
        handle, path = tempfile.mkstemp(prefix="craze-", suffix=f"-{name}")  # readable by its owner alone
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        self._files.append(path)
        return path

    def serve(self, served: Served, seconds: float, done: Callable[[Raw], None]) -> None:
        cancel = self._calls[served.key] = asyncio.Event()

        async def answer() -> None:
            body = await toolserver.reply(self._servers, served.server, served.message, seconds, cancel)
            if self._calls.get(served.key) is cancel:
                del self._calls[served.key]
                done(body)

        task = self._keep(answer())
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    def withdraw(self, key: str) -> None:
        if cancel := self._calls.pop(key, None):
            cancel.set()

    def attach(self, prompt: Prompt, done: Callable[[Attached], None]) -> None:
        if not prompt.attachments:
            done(Attached(prompt.text))
            return

        async def read() -> None:
            done(await asyncio.to_thread(_with_images, prompt))

        self._keep(read())

    async def close(self) -> None:
        for key in tuple(self._calls):
            self.withdraw(key)
        await asyncio.sleep(0)  # who was told that nobody waits may still end by itself
        for task in tuple(self._serving):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for path in self._files:
            with suppress(OSError):
                os.unlink(path)
        self._files.clear()

    def _keep(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _with_images(prompt: Prompt) -> Attached:
    """The text, then the images; one that cannot be sent is named. Touches the disk."""
    blocks: list[dict[str, Any]] = [{"type": "text", "text": prompt.text}]
    notices: list[str] = []
    left = _BYTES
    for number, name in enumerate(prompt.attachments, 1):
        path = Path(name)
        try:
            data = path.read_bytes()
        except OSError as error:
            blocks.append({"type": "text", "text": name})
            notices.append(f"{path.name} goes as its path: {error.strerror}")
            continue
        left -= len(data)
        if number > _IMAGES or left < 0 or not data:
            blocks.append({"type": "text", "text": name})
            notices.append(f"{path.name} goes as its path: too many or too large images")
            continue
        kind = mimetypes.guess_type(path.name)[0] or "image/png"
        source = {"type": "base64", "media_type": kind, "data": base64.b64encode(data).decode()}
        blocks.append({"type": "image", "source": source})
    return Attached(tuple(blocks), tuple(notices))
