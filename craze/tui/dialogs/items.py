"""The rows of a list: which of them a filter leaves, in what order, and how wide their parts are. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from textual.content import Content

from craze.tui.lines import cells

NARROWEST: Final = 24
"""Cells that labels take where there is room, so that columns stand still."""

CUT: Final = 9
"""Cells of a column below which it is left out rather than cut."""


class Item(Struct, frozen=True):
    """One row. `columns` stand behind the label; `search` is what typing is compared with beside the label; `group`
    is a heading that stands above the first row of it."""

    id: str
    label: str
    columns: tuple[str, ...] = ()
    sign: str = " "
    search: str = ""
    enabled: bool = True
    group: str = ""


def narrowed(items: Sequence[Item], query: str) -> list[Item]:
    """The items that have the query's characters in order: as they are, in the label, then anywhere; closer ones first."""
    if not query:
        return list(items)
    low = query.casefold()
    found: list[tuple[int, int, int, Item]] = []
    for at, item in enumerate(items):
        label, search = item.label.casefold(), item.search.casefold()
        if low in label:
            found.append((0, 0, at, item))
        elif low in search:
            found.append((1, 0, at, item))
        elif where := places(low, label) or places(low, f"{label} {search}"):
            found.append((2, where[-1] - where[0], at, item))
    return [item for *_, item in sorted(found, key=lambda each: each[:3])]


def places(query: str, text: str) -> list[int]:
    """Where the characters of the query stand in the text, in order and close together; empty when they do not."""
    at = text.find(query)
    if at >= 0:
        return list(range(at, at + len(query)))
    best: list[int] = []
    start = text.find(query[:1])
    while start >= 0 and (found := _from(query, text, start)):
        if not best or found[-1] - found[0] < best[-1] - best[0]:
            best = found
        start = text.find(query[0], start + 1)
    return best


def _from(query: str, text: str, at: int) -> list[int]:
    found: list[int] = []
    at -= 1
    for character in query:
        at = text.find(character, at + 1)
        if at < 0:
            return []
        found.append(at)
    return found


def widths(items: Sequence[Item], room: int) -> tuple[int, list[int]]:
    """Cells of the labels and of each column, -1 for one that is left out.

    Half of the room is the labels' if they need it; what is left goes to the columns from the left, the last of which
    may be cut; what none needs keeps the columns at one place.
    """
    natural = max((cells(item.label) for item in items), default=0)
    count = max((len(item.columns) for item in items), default=0)
    label = min(natural, max(16, room // 2), room)
    left = room - label
    columns: list[int] = []
    for at in range(count):
        wish = max((cells(item.columns[at]) for item in items if at < len(item.columns)), default=0)
        got = min(wish, left - 2)
        columns.append(got if got >= min(wish, CUT) else -1)
        left -= columns[-1] + 2 if columns[-1] >= 0 else 0
    more = max(natural, NARROWEST if count else 0) - label
    return label + max(0, min(more, left)), columns


def grown(item: Item, label: int, columns: Sequence[int]) -> int:
    """Cells of the label of one row: one that is cut takes what its own columns leave free at the end of the row."""
    drawn = [(part, room) for part, room in zip(item.columns, columns, strict=False) if room >= 0]
    free = sum(room - min(room, cells(part)) for part, room in drawn[-1:])
    free += sum(room + 2 for room in columns[len(item.columns) :] if room >= 0)
    return label + max(0, min(free, cells(item.label) - label))


def underlined(label: str, query: str) -> Content:
    text = Content(label)
    low = label.casefold()
    if query and len(low) == len(label):
        for at in places(query.casefold(), low):
            text = text.stylize("underline", at, at + 1)
    return text
