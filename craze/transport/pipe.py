"""One output of a program: read when something is there, cut into lines, handed over. What lines mean is the hearer's."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import IO, Final

from craze.transport.lines import Line, LineSplitter

# As much as a pipe holds mostly. For larger reads the memory would come from the system and go back to it each time,
# which costs several times what a piece of an answer does (the loop's own transport asks for a quarter of a MiB).
_AT_ONCE: Final = 1 << 16

_FEW: Final = 16
_FILLS: Final = 0.002
"""Seconds for which a pipe that brings few lines at once, but more than one, is left to fill: a read costs more than
several lines do."""


class LinePipe:
    """Lines of a pipe, those of one read at once, from `start` until it ends, breaks or is closed; `ended` is told of
    the first two."""

    def __init__(
        self, splitter: LineSplitter, hand_over: Callable[[list[Line]], None], ended: Callable[[], None]
    ) -> None:
        self._splitter, self._hand_over, self._tell_end = splitter, hand_over, ended
        self._file: IO[bytes] | None = None
        self._loop = asyncio.get_running_loop()
        self.held = self.ended = False
        self.heard_at = 0.0

    def start(self, file: IO[bytes]) -> None:
        """Read this pipe, which is the reader's to close from now on."""
        os.set_blocking(file.fileno(), False)
        self._file = file
        self.hold(self.held)

    def hold(self, holding: bool) -> None:
        """Stop or resume reading; what was read already is still handed over."""
        self.held = holding
        if self._file is None:
            return
        if holding:
            self._loop.remove_reader(self._file)
        else:
            self._loop.add_reader(self._file, self._read, self._file.fileno())

    def close(self) -> None:
        """Read no more; the last line comes now, if no newline ended it."""
        self.ended = True
        if self._file is not None:
            file, self._file = self._file, None
            self._loop.remove_reader(file)
            file.close()
        self._hand_over(self._splitter.finish())

    def _read(self, descriptor: int) -> None:
        try:
            data = os.read(descriptor, _AT_ONCE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if data:
            self.heard_at = self._loop.time()
            lines = self._splitter.feed(data)
            if 1 < len(lines) <= _FEW and len(data) < _AT_ONCE:
                self._loop.remove_reader(descriptor)
                self._loop.call_later(_FILLS, self._go_on)
            self._hand_over(lines)
        else:
            self.close()
            self._tell_end()

    def _go_on(self) -> None:
        """It may be held by now, or closed."""
        self.hold(self.held)
