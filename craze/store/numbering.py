"""Which numbers a session has given: the last one of each id prefix, from its newest journal.

`turn-3` counts as `turn`, `perm-x2` as `perm-x`; events count as `seq`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from craze.codec import Record
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


def numbers(before: Mapping[str, int], records: Iterable[Record]) -> dict[str, int]:
    """The last number of each prefix after `records`, which follow a file or a session that ended at `before`."""
    last = dict(before)
    for record in records:
        last["seq"] = record.seq
        if record.body.startswith(_BEARERS):
            take_in(last, _ids(record))
    return last


def take_in(last: dict[str, int], ids: Iterable[str]) -> None:
    """Raise the numbers to those that `ids` have."""
    for id_ in ids:
        form = _ID.fullmatch(id_)
        if form is not None:
            last[form[1]] = max(last.get(form[1], 0), int(form[2]))


def _ids(record: Record) -> Iterator[str]:
    try:
        event = record.event
    except DecodeError:
        return
    for bearer in (
        event.turn,
        event.queue,
        event.permission,
        event.question,
        event.plan,
        event.ask,
        event.foreign_turn,
    ):
        if bearer is not None and bearer.id:
            yield bearer.id
