"""The store as the engine's ports: what is read of a session as its log, stored rows as what it keeps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING

from craze.codec import BadTime, Queued, Record, Stamp, canonical
from craze.engine.facts import Fact
from craze.engine.ports import Kept, Missing
from craze.store.history import Missing as NotThere
from craze.store.journal import Journal
from craze.store.memory import MemoryLog
from craze.store.session_file import Stored

if TYPE_CHECKING:
    from craze.engine.session import Session


class IndexErrors:
    """Told by the files what went wrong with them; they are made before the session that says it."""

    session: Session | None = None

    def __call__(self, text: str) -> None:
        if self.session:
            self.session.index_error(text)


class StoreLog:
    """The journal, or the memory in its place, as the engine's `Log`: facts and holes are the engine's own."""

    def __init__(self, log: Journal | MemoryLog) -> None:
        self._log = log
        self.append, self.close = log.append, log.close

    @property
    def last(self) -> Mapping[str, int]:
        return self._log.last

    async def read(self, first: int, last: int) -> AsyncIterator[Record | Fact | Missing]:
        async for item in self._log.read(first, last):
            if isinstance(item, Record):
                yield item
            elif isinstance(item, NotThere):
                yield Missing(first=item.first, last=item.last)
            else:
                yield Fact(kind=item.kind, key=item.key, data=item.data)


def kept_of(stored: Stored) -> Kept:
    """What a session goes on with."""
    return Kept(
        title=stored.title,
        pinned=stored.pinned,
        turns=stored.turns,
        queue=tuple(
            Queued(id=row.id, text=row.text, queued_at=_time(row.queued_at), version=row.version)
            for row in stored.queue
        ),
        attachments={row.id: row.attachments for row in stored.queue if row.attachments},
        paused=stored.paused,
        draft=stored.draft,
        provider_session=stored.session_id,
    )


def _time(text: str) -> Stamp:
    try:
        return canonical(text)
    except BadTime:
        return Stamp("")
