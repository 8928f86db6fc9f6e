"""A session's wire capture while it runs, and what comes of it when it is derived again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

import msgspec

from craze.cli.deriving import first_difference
from craze.codec import Record, Stamp
from craze.engine.facts import Fact
from craze.engine.ports import Kept, Mark, Row, Start
from craze.engine.situation import Settings
from craze.providers.acp.declaration import Declaration
from craze.providers.control.declaration import Declaration as ControlDeclaration
from craze.store.wire import Head, Recorder

CLOSE = 10.0


class Tape:
    """Records to `folder/N.wire.jsonl`; `journal` puts what the session published beside it."""

    def __init__(
        self,
        folder: Path,
        began: Stamp,
        *,
        settings: Settings,
        start: Start,
        declaration: Declaration | ControlDeclaration,
        provider: str = "acp",
    ) -> None:
        folder.mkdir(exist_ok=True)
        self.path = folder / f"{len(list(folder.iterdir()))}.wire.jsonl"
        head = Head(
            provider=provider,
            settings=_raw(settings),
            kept=_raw(Kept()),
            start=_raw(start),
            declaration=_raw(declaration),
        )
        self._recorder = Recorder(self.path, head, began, say=print)

    def capture(self, row: Row, payload: bytes, at: Stamp, mark: Mark = "", size: int = 0) -> None:
        self._recorder(row, payload, at, mark, size)

    async def difference(self, items: Iterable[Record | Fact]) -> str:
        """What comes out of the finished capture otherwise than the session published it; "" when nothing does."""
        assert await self._recorder.close(CLOSE)
        lines = [
            b'{"kind":"event","ts":"","seq":%d,"event":%b}\n' % (item.seq, item.body)
            for item in items
            if isinstance(item, Record)
        ]
        closing = b'{"kind":"closing","ts":"","reason":"quit","lastSeq":%d}\n' % len(lines)
        journal = self.path.with_name(self.path.name.replace(".wire.jsonl", ".jsonl"))
        journal.write_bytes(b"".join([*lines, closing]))
        return await asyncio.to_thread(first_difference, self.path)


def _raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))
