"""The wire capture: every line in both directions, and every decision and timer, as one row each.

`Recorder` is called as the engine's `Capture`; the provider and the session give the rows, the recorder itself writes
`head` and `end`. Formatting is done here, the thread is `LineWriter`'s.
"""

from __future__ import annotations

import asyncio
import time
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from craze.codec import Stamp
from craze.store.writer import Disk, Failed, Limits, LineWriter

FORMAT: Final = 1
CAP: Final = 256 << 20
LINE_CUT: Final = 64 << 10
"""What is kept of a line of stderr, and of a line that is longer than the transport takes."""

RowName: TypeAlias = Literal["in", "out", "err", "exit", "do", "timer"]
Mark: TypeAlias = Literal["", "eof", "undelivered", "long"]


class Head(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first row: who ran, and all that core and provider were built from, as the caller encodes it."""

    provider: str
    agent: str = ""
    command: tuple[str, ...] = ()
    cwd: str = ""
    incarnation: str = ""
    craze: str = ""
    environment: tuple[str, ...] = ()
    settings: msgspec.Raw = msgspec.Raw()
    kept: msgspec.Raw = msgspec.Raw()
    numbers: Mapping[str, int] = {}
    start: msgspec.Raw = msgspec.Raw()
    declaration: msgspec.Raw = msgspec.Raw()


class Recorder:
    """Captures rows to a file, to a listener (`run --format wire`), or to both.

    Args:
        path: The file, made with the first row; None: only the listener is told.
        say: Told once, on the loop that made the recorder, when capturing ended early.
        listener: Given each row as a line with its newline, in the thread that captured it.
        elapsed: Nanoseconds of a clock that never falls.
    """

    def __init__(
        self,
        path: Path | None,
        head: Head,
        at: Stamp,
        *,
        say: Failed,
        max_bytes: int = CAP,
        listener: Callable[[bytes], None] | None = None,
        elapsed: Callable[[], int] = time.monotonic_ns,
        limits: Limits | None = None,
        disk: Disk | None = None,
    ) -> None:
        self.path = path
        self._say, self._listener, self._elapsed = say, listener, elapsed
        self._began = elapsed()
        self._left = max_bytes
        self._at = at
        self._ended = False
        self._writer: LineWriter | None = None
        if path is not None:
            self._writer = LineWriter(
                path, on_error=self._failed, last_words=self._last_row, sync=False, limits=limits, disk=disk
            )
            self._writer.start()
        self._row("head", at, b'"format":%d,%b' % (FORMAT, _encode(head)[1:-1]))

    def __call__(self, row: RowName, payload: bytes, at: Stamp, mark: Mark = "", size: int = 0) -> None:
        """Capture one row; never blocks, never raises."""
        self._row(row, at, _BODIES[row](payload, mark, size))

    async def close(self, timeout: float) -> bool:
        """Write what waits; False when that took longer than `timeout` seconds. Rows that come later are nobody's."""
        self._ended = True
        return self._writer is None or await asyncio.to_thread(self._writer.close, timeout)

    def _row(self, row: str, at: str, body: bytes) -> None:
        self._at = at
        t = self._elapsed() - self._began
        line = b'{"dir":"%b","ts":"%b","t":%d,%b}\n' % (row.encode(), at.encode(), t, body)
        if self._listener is not None:
            self._listener(line)
        if self._writer is None or self._ended:
            return
        self._left -= len(line)
        if self._left < 0:
            self._end(self._writer, "capped", "the wire capture reached its size limit and ends here")
        elif not self._writer.put(line) and not self._writer.error:
            self._end(self._writer, "disk", "the wire capture ends here: lines come faster than the disk takes them")

    def _end(self, writer: LineWriter, reason: str, text: str) -> None:
        writer.put(self._end_row(reason), always=True)
        self._ended = True
        self._say(text)

    def _end_row(self, reason: str) -> bytes:
        t = self._elapsed() - self._began
        return b'{"dir":"end","ts":"%b","t":%d,"reason":"%b"}\n' % (self._at.encode(), t, reason.encode())

    def _last_row(self, error: str, lost: Sequence[bytes]) -> bytes:
        return self._end_row("disk")

    def _failed(self, text: str) -> None:
        self._say(f"the wire capture ended: {text}")


def _line(payload: bytes, mark: Mark, size: int) -> bytes:
    """`"line":…`, or `"b64":…` for what is not UTF-8, and what is marked."""
    if mark == "long":
        return b'%b,"bytes":%d' % (_line(_whole_characters(payload[:LINE_CUT]), "", 0), size)
    try:
        text = b'"line":' + _encode(str(payload, "utf-8"))
    except UnicodeDecodeError:
        text = b'"b64":"%b"' % b64encode(payload)
    return b'%b,"%b":true' % (text, mark.encode()) if mark else text


def _stderr(payload: bytes, mark: Mark, size: int) -> bytes:
    long = mark == "long" or len(payload) > LINE_CUT
    return _line(payload, "long", size or len(payload)) if long else _line(payload, mark, size)


def _object(payload: bytes, _mark: Mark, _size: int) -> bytes:
    return payload.strip()[1:-1] or b'"code":null'


def _timer(payload: bytes, _mark: Mark, _size: int) -> bytes:
    return b'"timer":' + _encode(payload.decode())


def _whole_characters(cut: bytes) -> bytes:
    """Without the last character where it was cut; what is not UTF-8 anyway stays as it is."""
    for end in range(len(cut), len(cut) - 4, -1):
        with suppress(UnicodeDecodeError):
            return str(cut[:end], "utf-8").encode()
    return cut


_encode = msgspec.json.Encoder().encode
_BODIES: dict[str, Callable[[bytes, Mark, int], bytes]] = {
    "in": _line,
    "out": _line,
    "err": _stderr,
    "exit": _object,
    "do": _object,
    "timer": _timer,
}
