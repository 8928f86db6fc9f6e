"""The difference of two texts as rows; large ones are computed off the loop and kept. Pure but for what it keeps."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Final, TypeAlias

from msgspec import Struct

CONTEXT: Final = 3
INLINE_LINES: Final = 5_000
INLINE_SIZE: Final = 512 << 10
MOST_LINES: Final = 20_000
WORD_CELLS: Final = 200
KEPT: Final = 64
ANCHORED: Final = 100_000
"""Pairs of lines from which on a comparison is parted at lines that both texts have once."""

Marks: TypeAlias = tuple[tuple[int, int], ...]
"""Start and end of the changed words of a line."""

Code: TypeAlias = tuple[str, int, int, int, int]
"""As `SequenceMatcher` has them: what happened, and where in the old and in the new lines."""


class DiffRow(Struct, frozen=True):
    """One row: a line of the old text, of the new one, or both. Numbers from 1, 0 = not there; `offset` are the places
    of the lines in their texts. `gap` > 0: so many unchanged lines are left out here."""

    old: int = 0
    new: int = 0
    old_offset: int = 0
    new_offset: int = 0
    old_text: str = ""
    new_text: str = ""
    old_marks: Marks = ()
    new_marks: Marks = ()
    gap: int = 0

    @property
    def sign(self) -> str:
        return " " if self.old and self.new else "-" if self.old else "+" if self.new else ""


class Differ:
    """Keeps differences; `get` computes small ones, others are `wanted` until `put`."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], list[DiffRow]] = OrderedDict()
        self.wanted: dict[tuple[str, str], None] = {}
        self._begun: set[tuple[str, str]] = set()

    def get(self, old: str, new: str) -> list[DiffRow] | None:
        key = (old, new)
        if found := self._known.get(key):
            self._known.move_to_end(key)
            return found
        if old.count("\n") + new.count("\n") > INLINE_LINES or len(old) + len(new) > INLINE_SIZE:
            self.wanted[key] = None
            return None
        return self.put(key, difference(old, new))

    def take(self) -> tuple[str, str] | None:
        """One that is wanted and that nobody computes yet; it is to be `put`."""
        key = next((key for key in self.wanted if key not in self._begun), None)
        if key is not None:
            self._begun.add(key)
        return key

    def put(self, key: tuple[str, str], rows: list[DiffRow]) -> list[DiffRow]:
        self.wanted.pop(key, None)
        self._begun.discard(key)
        self._known[key] = rows
        if len(self._known) > KEPT:
            self._known.popitem(last=False)
        return rows


class _Text:
    """The lines of one side and where each begins."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        if self.lines and self.lines[-1] == "":
            self.lines.pop()
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)


def difference(old: str, new: str) -> list[DiffRow]:
    """The rows with three lines of context around each change; unchanged stretches between are one row with `gap`."""
    before, after = _Text(old), _Text(new)
    rows: list[DiffRow] = []
    ends = (len(before.lines), len(after.lines))
    for tag, i1, i2, j1, j2 in _opcodes(before.lines, after.lines):
        if tag == "equal":
            rows += _equal(before, after, i1, i2, j1, first=not rows, last=(i2, j2) == ends)
        else:
            rows += _changed(before, after, i1, i2, j1, j2)
    return rows


def _opcodes(old: list[str], new: list[str]) -> list[Code]:
    """Equal beginnings and endings are cut off first; what is then still too large is taken as replaced whole."""
    start = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    most = min(len(old), len(new)) - start
    end = next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)
    i2, j2 = len(old) - end, len(new) - end
    if len(old) + len(new) > MOST_LINES or (i2 - start) * (j2 - start) > 25_000_000:
        middle: list[Code] = [("replace", start, i2, start, j2)]
    else:
        middle = _joined(_compared(old, new, start, i2, start, j2))
    head = [("equal", 0, start, 0, start)] if start else []
    tail = [("equal", i2, len(old), j2, len(new))] if end else []
    return [*head, *(code for code in middle if code[1] < code[2] or code[3] < code[4]), *tail]


def _compared(old: list[str], new: list[str], i1: int, i2: int, j1: int, j2: int) -> Iterator[Code]:
    large = (i2 - i1) * (j2 - j1) > ANCHORED
    anchors = _anchors(old[i1:i2], new[j1:j2]) if large else []
    for i, j in [*((i1 + i, j1 + j) for i, j in anchors), (i2, j2)]:
        matcher = SequenceMatcher(None, old[i1:i], new[j1:j], autojunk=False)
        for tag, a1, a2, b1, b2 in matcher.get_opcodes():
            yield tag, i1 + a1, i1 + a2, j1 + b1, j1 + b2
        if i < i2:
            yield "equal", i, i + 1, j, j + 1
        i1, j1 = i + 1, j + 1


def _anchors(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """The longest row of lines that stand once in either text, in the order of both: places in the two."""
    olds, news = Counter(old), Counter(new)
    places = {line: at for at, line in enumerate(new) if news[line] == 1}
    pairs = [(i, places[line]) for i, line in enumerate(old) if olds[line] == 1 and line in places]
    # For each length of a row: its lowest end in the new text, and the pair there.
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for at, (_, j) in enumerate(pairs):
        size = bisect_left(ends, j)
        before.append(last[size - 1] if size else -1)
        ends[size : size + 1], last[size : size + 1] = [j], [at]
    row: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        row.append(pairs[at])
        at = before[at]
    return row[::-1]


def _joined(codes: Iterable[Code]) -> list[Code]:
    """Neighbours of one kind as one."""
    joined: list[Code] = []
    for code in codes:
        if joined and joined[-1][0] == code[0] == "equal":
            joined[-1] = ("equal", joined[-1][1], code[2], joined[-1][3], code[4])
        else:
            joined.append(code)
    return joined


def _equal(before: _Text, after: _Text, i1: int, i2: int, j1: int, *, first: bool, last: bool) -> list[DiffRow]:
    def both(at: int) -> DiffRow:
        new = at - i1 + j1
        line = before.lines[at]
        return DiffRow(at + 1, new + 1, before.starts[at], after.starts[new], line, line)

    head = 0 if first else CONTEXT
    tail = 0 if last else CONTEXT
    left_out = (i2 - i1) - head - tail
    if left_out <= 1:
        return [both(at) for at in range(i1, i2)]
    gap = [] if first or last else [DiffRow(gap=left_out)]
    return [*(both(at) for at in range(i1, i1 + head)), *gap, *(both(at) for at in range(i2 - tail, i2))]


def _changed(before: _Text, after: _Text, i1: int, i2: int, j1: int, j2: int) -> list[DiffRow]:
    marks = [_words(before.lines[i1 + at], after.lines[j1 + at]) for at in range(min(i2 - i1, j2 - j1))]
    none: tuple[Marks, Marks] = ((), ())
    olds = [
        DiffRow(
            old=at + 1,
            old_offset=before.starts[at],
            old_text=before.lines[at],
            old_marks=(marks[at - i1] if at - i1 < len(marks) else none)[0],
        )
        for at in range(i1, i2)
    ]
    news = [
        DiffRow(
            new=at + 1,
            new_offset=after.starts[at],
            new_text=after.lines[at],
            new_marks=(marks[at - j1] if at - j1 < len(marks) else none)[1],
        )
        for at in range(j1, j2)
    ]
    return olds + news


def _words(old: str, new: str) -> tuple[Marks, Marks]:
    """What differs within a pair of lines; nothing when they have little in common."""
    if len(old) > WORD_CELLS or len(new) > WORD_CELLS:
        return (), ()
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < 0.5:
        return (), ()
    codes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return _merged((code[1], code[2]) for code in codes), _merged((code[3], code[4]) for code in codes)


def _merged(spans: Iterable[tuple[int, int]]) -> Marks:
    """Marks that are close to each other as one."""
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if start == end:
            continue
        if merged and start - merged[-1][1] <= 2:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return tuple(merged)


def counts(rows: list[DiffRow]) -> tuple[int, int]:
    """How many lines were added and removed."""
    return sum(row.sign == "+" for row in rows), sum(row.sign == "-" for row in rows)
