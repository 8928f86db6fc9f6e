"""Which numbers a session has given: the last one of each id prefix, from its newest journal.

`turn-3` counts as `turn`, `perm-x2` as `perm-x`; events count as `seq`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from craze.codec import Event, Record
from craze.errors import DecodeError, StoreError
from craze.store.reader import header, items

_ID = re.compile(r"(.*?)-?(\d{1,18})", re.ASCII | re.DOTALL)
_BEARERS = tuple(
    b'{"type":"%b"' % kind for kind in (b"turn", b"queue", b"permission", b"question", b"plan", b"ask", b"foreign_turn")
)


def last_numbers(journals: Sequence[Path]) -> dict[str, int]:
    """Where a session's numbers go on from; `journals` are in the order they were written."""
    for path in reversed(journals):
        try:
            head = header(path)
        except StoreError:
            continue
        if head is not None:
            return numbers(head.numbers, (item for item in items(path) if isinstance(item, Record)))
    return {}


def numbers(before: dict[str, int], records: Iterable[Record]) -> dict[str, int]:
    """The last number of each prefix after `records`, which follow a file or a session that ended at `before`."""
    last = dict(before)
    for record in records:
        last["seq"] = record.seq
        if record.body.startswith(_BEARERS):
            for id_ in _ids(record):
                form = _ID.fullmatch(id_)
                if form is not None:
                    last[form[1]] = max(last.get(form[1], 0), int(form[2]))
    return last


def _ids(record: Record) -> Iterator[str]:
    try:
        event = record.event
    except DecodeError:
        return
    for bearer in _bearers(event):
        if bearer is not None and bearer.id:
            yield bearer.id


def _bearers(event: Event):
    return event.turn, event.queue, event.permission, event.question, event.plan, event.ask, event.foreign_turn
