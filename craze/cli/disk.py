"""The disk as the engine's ports: the journal as its log, stored rows as what it keeps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING

from craze.codec import BadTime, Queued, Record, Stamp, canonical
from craze.engine.facts import Fact
from craze.engine.ports import Kept, Missing
from craze.store.history import Missing as NotThere
from craze.store.journal import Journal
from craze.store.lines import FactLine
from craze.store.session_file import Stored

if TYPE_CHECKING:
    from craze.engine.session import Session


class IndexErrors:
    """Told by the files what went wrong with them; they are made before the session that says it."""

    session: Session | None = None

    def __call__(self, text: str) -> None:
        if self.session:
            self.session.index_error(text)


class JournalLog:
    """The journal as the engine's `Log`: its lines of facts are the engine's facts."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.append, self.close = journal.append, journal.close

    @property
    def last(self) -> Mapping[str, int]:
        return self._journal.last

    async def read(self, first: int, last: int) -> AsyncIterator[Record | Fact | Missing]:
        async for item in self._journal.read(first, last):
            if isinstance(item, FactLine):
                yield Fact(kind=item.kind, key=item.key, data=item.data)
            else:
                yield Missing(first=item.first, last=item.last) if isinstance(item, NotThere) else item


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
