"""The journal of one incarnation, while it is written: events and facts in, lines on disk, history back out.

`Journal` is the engine's `Log`. The file is made with the first event and never opened again by another process;
`LineWriter` owns the thread, `History` what earlier incarnations wrote.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

import msgspec
from msgspec import Raw

from craze.codec import Record, Stamp
from craze.store.history import History, Told, Within
from craze.store.lines import Closing, EventLine, Gap, Header, encode_line, event_line, fact_line
from craze.store.reader import parsed
from craze.store.writer import Disk, Failed, Limits, LineWriter

CLOSE_WITHIN: Final = 0.5
"""Seconds a close may take before the journal is given up."""


_TURN: Final = b'{"type":"turn"'
_ENDED: Final = b'"phase":"ended"'


class FactLike(Protocol):
    """A fact as the engine has it; `data` is JSON."""

    @property
    def kind(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def data(self) -> Raw: ...


class Journal:
    """One file of a session's log.

    Args:
        before: The session's earlier journals, in the order they were written.
        on_error: Told once when the journal is lost: the text for `state.indexErr`.
        warn: Told when the file could not be finished in time.
    """

    def __init__(
        self,
        path: Path,
        header: Header,
        *,
        now: Callable[[], Stamp],
        on_error: Failed,
        before: Sequence[Path] = (),
        warn: Failed | None = None,
        limits: Limits | None = None,
        disk: Disk | None = None,
    ) -> None:
        self.path, self.header = path, header
        self._now, self._warn = now, warn or _on_stderr
        self._seq = header.numbers.get("seq", 0)
        self._history = History([*before, path])
        self._lost: Gap | None = None
        self._closed = False
        self._writer = LineWriter(path, on_error=on_error, last_words=self._open_gap, limits=limits, disk=disk)
        self._writer.put(encode_line(header))

    @property
    def last(self) -> Mapping[str, int]:
        """The last number of each prefix before this journal; `seq` counts on."""
        return {**self.header.numbers, "seq": self._seq} if self._seq else self.header.numbers

    @property
    def waiting(self) -> int:
        """How many lines are not on disk yet."""
        return len(self._writer.state()[1])

    def append(self, line: Record | FactLike) -> None:
        """Queue a line; what finds no room is counted and becomes one gap."""
        ts = self._now()
        if not isinstance(line, Record):
            self._put(fact_line(ts, self._seq, line.kind, line.key, bytes(line.data)), event=False)
            return
        self._seq = line.seq
        if line.omitted is None:
            body = line.body
            self._put(event_line(ts, line.seq, body), event=True, sync=body.startswith(_TURN) and _ENDED in body)
        else:
            omitted = EventLine(ts=ts, seq=line.seq, omitted=Raw(msgspec.json.encode(line.omitted)))
            self._put(encode_line(omitted), event=True)
        self._writer.start()

    async def read(self, first: int, last: int) -> AsyncIterator[Told]:
        """The session's events `first` to `last` and the facts among them, also those that are not on disk yet."""
        written, waiting = self._writer.state()
        within = Within(first, last)
        batches = self._history.batches(within, stop=written)
        while batch := await asyncio.to_thread(next, batches, None):
            for item in batch:
                yield item
        for item in within.pick(parsed(waiting)):
            yield item
        if rest := within.rest(self._seq):
            yield rest

    async def close(self, timeout: float = CLOSE_WITHIN, reason: str = "quit") -> None:
        """Write the rest and the `closing` line; gives up with a warning after `timeout` seconds. Again: nothing."""
        if self._closed:
            return
        self._closed = True
        self._settle_gap(always=True)
        self._writer.put(encode_line(Closing(ts=self._now(), reason=reason, last_seq=self._seq)), always=True)
        if not await asyncio.to_thread(self._writer.close, timeout):
            self._warn(f"the journal {self.path.name} was not finished in {timeout:g} s; its end may be missing")

    # ---- what found no room

    def _put(self, line: bytes, *, event: bool, sync: bool = False) -> None:
        if (self._lost is None or self._settle_gap()) and self._writer.put(line, sync=sync):
            return
        if not self._writer.error:
            self._lose(event)

    def _lose(self, event: bool) -> None:
        if self._lost is None:
            first = self._seq if event else self._seq + 1
            self._lost = Gap(ts="", from_seq=first, to_seq=self._seq, error="writer queue full")
        lost = self._lost
        self._lost = msgspec.structs.replace(
            lost, to_seq=self._seq, events=lost.events + event, facts=lost.facts + (not event)
        )

    def _settle_gap(self, *, always: bool = False) -> bool:
        """Write the line of a gap once there is room again; False while there is none."""
        if self._lost is None:
            return True
        if not (always or self._writer.half_empty()):
            return False
        self._writer.put(encode_line(msgspec.structs.replace(self._lost, ts=self._now())), always=True)
        self._lost = None
        return True

    def _open_gap(self, error: str, lost: Sequence[bytes]) -> bytes:
        first = next((item.seq for item in parsed(lost) if isinstance(item, Record)), self._seq + 1)
        return encode_line(Gap(ts=self._now(), from_seq=first, error=error))


def _on_stderr(text: str) -> None:
    print(f"craze: {text}", file=sys.stderr)
