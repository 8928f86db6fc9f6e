"""The log of a session whose journal is off: the newest records in memory, nothing on disk."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Mapping
from typing import Final

from craze.codec import Record
from craze.store.history import Missing
from craze.store.journal import FactLike

MAX_RECORDS: Final = 4096
MAX_BYTES: Final = 8 << 20


class MemoryLog:
    """The newest 4096 records or 8 MiB of bodies, whichever is less, and always the newest record. Some more records
    are kept for a while, so that room is not made at each."""

    def __init__(self, max_records: int = MAX_RECORDS, max_bytes: int = MAX_BYTES) -> None:
        self._max_records, self._max_bytes = max_records, max_bytes
        self._full = max_records + max_records // 16
        self._lines: deque[tuple[int, Record | FactLike]] = deque()
        self._records = self._bytes = self._seq = 0

    @property
    def last(self) -> Mapping[str, int]:
        """Nothing that was numbered before; `seq` counts on."""
        return {"seq": self._seq} if self._seq else {}

    def append(self, line: Record | FactLike) -> None:
        """Keep a line; the oldest make room."""
        if isinstance(line, Record):
            self._seq = line.seq
            self._records += 1
            self._bytes += len(line.body)
        self._lines.append((self._seq, line))
        if len(self._lines) > self._full or self._bytes > self._max_bytes:
            self._make_room()

    async def read(self, first: int, last: int) -> AsyncIterator[Record | FactLike | Missing]:
        """Records `first` to `last` and the facts that follow them; what is no longer here is `Missing`."""
        due = max(1, first)
        for after, line in tuple(self._lines):
            if not isinstance(line, Record):
                if first <= after <= last:
                    yield line
            elif due <= line.seq <= last:
                if line.seq > due:
                    yield Missing(due, line.seq - 1)
                due = line.seq + 1
                yield line
        if due <= min(last, self._seq):
            yield Missing(due, min(last, self._seq))

    async def close(self, timeout: float) -> None:
        """Nothing to write."""

    def _make_room(self) -> None:
        """Let go of the oldest lines, with a record of the facts that follow it."""
        lines, most = self._lines, self._max_records
        records, size = self._records, self._bytes
        while (records > 1 and (records > most or size > self._max_bytes)) or len(lines) - records > most:
            oldest = lines.popleft()[1]
            if isinstance(oldest, Record):
                records -= 1
                size -= len(oldest.body)
                while lines and not isinstance(lines[0][1], Record):
                    lines.popleft()
        self._records, self._bytes = records, size
