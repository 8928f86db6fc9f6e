"""The log of a session whose journal is off: the newest records in memory, nothing on disk."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Mapping
from operator import itemgetter
from typing import Final

from craze.codec import Record
from craze.store.history import Missing
from craze.store.journal import FactLike

MAX_RECORDS: Final = 4096
MAX_BYTES: Final = 8 << 20


class MemoryLog:
    """The newest 4096 records or 8 MiB of bodies, whichever is less, and always the newest record. Some more records
    are kept for a while, so that room is not made at each. Of a record its bytes are kept, and decoded when it is read.
    """

    def __init__(self, max_records: int = MAX_RECORDS, max_bytes: int = MAX_BYTES) -> None:
        self._max_records, self._max_bytes = max_records, max_bytes
        self._full = max_records + max_records // 16
        self._bodies: deque[bytes | Record] = deque()  # up to `_seq` without a hole; a record only where it has no body
        self._facts: deque[tuple[int, FactLike]] = deque()  # with the number that each follows
        self._bytes = self._seq = 0

    @property
    def last(self) -> Mapping[str, int]:
        """Nothing that was numbered before; `seq` counts on."""
        return {"seq": self._seq} if self._seq else {}

    def append(self, line: Record | FactLike) -> None:
        """Keep a line; the oldest make room."""
        if isinstance(line, Record):
            self._seq = line.seq
            self._bodies.append(line.body or line)
            self._bytes += len(line.body)
            if len(self._bodies) > self._full or self._bytes > self._max_bytes:
                self._make_room()
        else:
            self._facts.append((self._seq, line))
            if len(self._facts) > self._full:
                self._make_room()

    async def read(self, first: int, last: int) -> AsyncIterator[Record | FactLike | Missing]:
        """Records `first` to `last` and the facts that follow them; what is no longer here is `Missing`."""
        due = max(1, first)
        for after, line in self._lines():
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

    def _lines(self) -> list[tuple[int, Record | FactLike]]:
        """All that is kept, in order."""
        lines: list[tuple[int, Record | FactLike]] = [
            (seq, Record.of(seq, body) if isinstance(body, bytes) else body)
            for seq, body in enumerate(self._bodies, self._first)
        ]
        return sorted([*lines, *self._facts], key=itemgetter(0))

    @property
    def _first(self) -> int:
        """The number of the oldest record."""
        return self._seq - len(self._bodies) + 1

    def _make_room(self) -> None:
        """Let go of the oldest lines, with a record of the facts that follow it."""
        bodies, facts, most = self._bodies, self._facts, self._max_records
        while len(bodies) > 1 and (len(bodies) > most or self._bytes > self._max_bytes):
            oldest = bodies.popleft()
            self._bytes -= len(oldest) if isinstance(oldest, bytes) else 0
        while facts and ((bodies and facts[0][0] < self._first) or len(facts) > most):
            facts.popleft()
