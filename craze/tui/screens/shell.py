"""The person's own shell commands: one at a time, shown as a block of the transcript, offered with the next prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from craze.engine.facts import Severity
from craze.errors import CrazeError
from craze.tui.desk import Ended, Workspace
from craze.tui.prompt.chips import Chip, Chips

KEPT: Final = 16 << 10
"""Characters of output that are shown while a command runs."""


class Shown(Protocol):
    """Where a command and its output are drawn; `status` None while it runs."""

    def shell(self, key: int, command: str, output: str, status: int | None, *, running: bool) -> None: ...


class Shell:
    """Runs lines of the composer.

    Args:
        done: Given the chip of what a command printed.
        turned: Told when a command begins and when it is over.
    """

    def __init__(
        self,
        workspace: Workspace,
        shown: Shown,
        chips: Chips,
        done: Callable[[Chip], None],
        say: Callable[[str, Severity], None],
        turned: Callable[[], None],
    ) -> None:
        self._workspace, self._shown, self._chips, self._done, self._say = workspace, shown, chips, done, say
        self._turned = turned
        self._task: asyncio.Task[None] | None = None
        self._count = 0

    @property
    def running(self) -> bool:
        return self._task is not None and not self._task.done()

    def run(self, line: str) -> bool:
        """Start a command; False while another one runs."""
        if self.running:
            self._say("a command runs already · esc stops it", "warning")
            return False
        self._count += 1
        self._task = asyncio.get_running_loop().create_task(self._run(self._count, line))
        self._task.add_done_callback(lambda _: self._turned())
        self._turned()
        return True

    def kill(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _run(self, key: int, line: str) -> None:
        tail = ""

        def told(piece: str) -> None:
            nonlocal tail
            tail = (tail + piece)[-KEPT:]
            self._shown.shell(key, line, tail, None, running=True)

        self._shown.shell(key, line, "", None, running=True)
        try:
            ended = await self._workspace.run(line, told)
        except asyncio.CancelledError:
            self._shown.shell(key, line, tail, None, running=False)
            raise
        except (CrazeError, OSError) as error:
            self._say(str(error), "error")
            ended = Ended(None, tail)
        self._shown.shell(key, line, ended.output, ended.status, running=False)
        if ended.output.strip():
            self._done(self._chips.output(line, ended.output.strip("\n")))
