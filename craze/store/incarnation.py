"""What a session's next journal needs to know of those before it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from craze.codec import Stamp
from craze.store.folder import Folder
from craze.store.history import head_or_none, in_order
from craze.store.numbering import last_numbers, take_in
from craze.store.stored import Stored


class Before(msgspec.Struct, frozen=True):
    """The earlier journals in order, the incarnation to continue, and the numbers to go on from.

    `numbers` is empty for a fresh session. A `seq` in it means that there are events: a history of our own.
    """

    journals: tuple[Path, ...] = ()
    continues: str = ""
    numbers: dict[str, int] = {}

    @property
    def has_history(self) -> bool:
        return bool(self.numbers.get("seq"))


def before(folder: Folder, stored: Stored | None = None) -> Before:
    """What to continue when the session is opened; reads the newest journal once.

    Rows that are `stored` count: a kill may have come between them and the journal.
    """
    journals = in_order(folder.journals())
    heads = (head_or_none(path) for path in reversed(journals))
    newest = next((head for head in heads if head is not None), None)
    numbers = last_numbers(journals)
    take_in(numbers, (row.id for row in stored.queue) if stored else ())
    return Before(tuple(journals), newest.incarnation if newest else "", numbers)


def file_stamp(at: Stamp) -> str:
    """A time as journals and captures are named by it: `20261130T120000Z`."""
    return at[:19].replace("-", "").replace(":", "") + "Z"
