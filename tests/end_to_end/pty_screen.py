"""The real command in a pseudo terminal, its output kept by a terminal emulator that a test reads."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
from collections.abc import Callable
from pathlib import Path

import pyte

from tests.cli.conftest import Craze

PATIENCE = 20.0
READY = "◆ Code"
IDLE = "enter send"
LEFT = b"\x1b[?1049l"
"""What gives the terminal's own screen back."""

WHOLE_ASKED, WHOLE_KNOWN = b"\x1b[?2026$p", b"\x1b[?2026;2$y"
"""Whether the terminal shows whole pictures only, as asked and answered."""
BEGIN, END = b"\x1b[?2026h", b"\x1b[?2026l"
LATE = 2.0
"""Seconds after which what there is of a picture is shown: its writer may have been stopped."""
UNFINISHED = re.compile(rb"\x1b(?:\[[^@-~]*)?\Z")
UNKNOWN = re.compile(rb"\x1b\[(?:>1u|<u|>25u|\?2026[$]p)")
"""What the emulator does not know and would print."""


class PtyScreen:
    """Starts `command` on a terminal of its own; `until` waits for what the screen shows.

    Like terminals of today it shows a picture only once all of it has come.

    Attributes:
        raw: Everything that was written to the terminal.
    """

    def __init__(
        self, command: list[str], folder: Path, environment: dict[str, str], *, columns: int = 100, rows: int = 30
    ) -> None:
        self.raw = bytearray()
        self._ahead = b""
        """What has come of a picture, or of an escape, that is not whole yet."""
        self._late: asyncio.TimerHandle | None = None
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._look: Callable[[], object] = bool
        """What looks at each picture."""
        self.master, slave = pty.openpty()
        self._modes = termios.tcgetattr(slave)
        self._slave = slave
        self._size(columns, rows)
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            # A runner of tests may set a size of its own for what it starts; the terminal's is meant here.
            env={"TERM": "xterm-256color", "LANG": "C.UTF-8", **environment, "COLUMNS": "", "LINES": ""},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.set_blocking(self.master, False)
        asyncio.get_running_loop().add_reader(self.master, self._read)

    async def __aenter__(self) -> PtyScreen:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.master >= 0:
            asyncio.get_running_loop().remove_reader(self.master)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(5)
        for number in {self.master, self._slave} - {-1}:
            os.close(number)

    def close_window(self) -> None:
        """What a terminal does whose window is closed: nobody has the other end any more."""
        asyncio.get_running_loop().remove_reader(self.master)
        os.close(self.master)
        self.master = -1

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)

    @property
    def modes_restored(self) -> bool:
        """Whether the terminal's own modes are those of before."""
        return termios.tcgetattr(self._slave) == self._modes

    def type(self, text: str | bytes) -> None:
        os.write(self.master, text.encode() if isinstance(text, str) else text)

    def place(self, text: str) -> tuple[int, int]:
        """The column and row, from 1, of a text on the screen."""
        found = next(((row.index(text), y) for y, row in enumerate(self._screen.display) if text in row), None)
        assert found, f"not on the screen: {text}\n{self.text}"
        return found[0] + 1, found[1] + 1

    def ground(self, column: int, row: int) -> str:
        """The colour behind a cell."""
        return self._screen.buffer[row - 1][column - 1].bg

    def mouse(self, button: int, column: int, row: int, *, up: bool = False) -> None:
        """One event as terminals report it: 0 is the left button, 32 more with it held, 64 and 65 the wheel, 16 ctrl."""
        self.type(f"\x1b[<{button};{column};{row}{'m' if up else 'M'}")

    def click(self, text: str, *, held: int = 0) -> None:
        """On the first character of a text that is on the screen."""
        at = self.place(text)
        self.mouse(held, *at)
        self.mouse(held, *at, up=True)

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        self.mouse(0, *start)
        self.mouse(32, *end)
        self.mouse(0, *end, up=True)

    def resize(self, columns: int, rows: int) -> None:
        self._screen.resize(rows, columns)
        self._size(columns, rows)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGWINCH)

    async def until(self, shown: str | Callable[[], object], *, patience: float = PATIENCE) -> None:
        """Until the screen shows a text, or something holds; a picture that came and went counts, too.

        Args:
            patience: Seconds after which it will not come.
        """
        true = shown if callable(shown) else lambda: shown in self.text
        if true():
            return
        seen = asyncio.Event()
        self._look = lambda: true() and seen.set()
        try:
            async with asyncio.timeout(patience):
                await seen.wait()
        except TimeoutError:
            raise AssertionError(f"not shown: {shown}\n{self.text}") from None
        finally:
            self._look = bool

    async def exit(self) -> int:
        """The exit status of the command."""
        try:
            return await asyncio.to_thread(self.process.wait, PATIENCE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running:\n{self.text}") from None

    def _size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self) -> None:
        try:
            data = os.read(self.master, 1 << 16)
        except OSError:
            asyncio.get_running_loop().remove_reader(self.master)
            return
        self.take(data)

    def take(self, data: bytes) -> None:
        """Something was written to the terminal."""
        self.raw += data
        if WHOLE_ASKED in self._ahead + data:
            self.type(WHOLE_KNOWN)
        shown, self._ahead = whole(self._ahead + data)
        self._show(shown)
        if self._late:
            self._late.cancel()
        self._late = asyncio.get_running_loop().call_later(LATE, self._show_rest) if self._ahead else None

    def _show_rest(self) -> None:
        shown, self._ahead = self._ahead, b""
        self._show(shown)

    def _show(self, written: bytes) -> None:
        for picture in written.split(END):
            with contextlib.suppress(Exception):
                self._stream.feed(UNKNOWN.sub(b"", picture))
            self._look()


def whole(written: bytes) -> tuple[bytes, bytes]:
    """What can be shown, and what is to wait for the rest of it."""
    begins = written.rfind(BEGIN)
    if begins > written.rfind(END):
        return written[:begins], written[begins:]
    unfinished = UNFINISHED.search(written)
    at = unfinished.start() if unfinished else len(written)
    return written[:at], written[at:]


def screen(craze: Craze, *arguments: str, columns: int = 100, rows: int = 30, **environment: str) -> PtyScreen:
    """The screen with the demo agent."""
    variables = {**craze.environment, **environment}
    command = craze.command("--agent", "demo", *arguments)
    return PtyScreen(command, craze.work, variables, columns=columns, rows=rows)


def idle(terminal: PtyScreen) -> bool:
    """Whether no turn is drawn as running: nothing moves by itself any more."""
    return IDLE in terminal.text and "esc to stop" not in terminal.text


async def leave(terminal: PtyScreen) -> None:
    """Quit once nothing runs."""
    await terminal.until(lambda: idle(terminal))
    await quit_screen(terminal)


async def quit_screen(terminal: PtyScreen) -> None:
    """The last words of an answer may be there before the end of its turn: then stop it, as the screen asks."""
    before = len(terminal.raw)
    terminal.type(b"\x11")
    await terminal.until(lambda: LEFT in terminal.raw[before:] or "Stop it and quit?" in terminal.text)
    if LEFT not in terminal.raw[before:]:
        terminal.type("q")
