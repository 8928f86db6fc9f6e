"""A text that is typed into a dialog, as a value: the keys that edit it, and how it is drawn with its cursor. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len, split_graphemes
from textual import events
from textual.content import Content

from craze.tui.scrub import exact

MOST: Final = 64 * 1024
"""Characters that a field takes."""

_WORD_END = re.compile(r"\W*\w+")
_WORD_START = re.compile(r"\w+\W*$|\W+$")


class Typed(Struct, frozen=True):
    """The text and the place of the cursor, in characters."""

    text: str = ""
    at: int = 0

    def put(self, text: str, *, newlines: bool = False) -> Typed:
        """Insert what was typed or pasted; control characters are dropped, newlines too unless wanted."""
        text = exact(text).replace("\t", " ")
        text = text if newlines else " ".join(text.split("\n"))
        text = text[: max(0, MOST - len(self.text))]
        return Typed(self.text[: self.at] + text + self.text[self.at :], self.at + len(text))

    def key(self, key: str) -> Typed | None:
        """The text after an editing key, None when the key is none."""
        edit = _EDITS.get(key)
        return edit(self) if edit else None

    def take(self, event: events.Key) -> Typed | None:
        """The text after a key of either kind."""
        if is_text(event):
            return self.put(event.character or "")
        return self.key(event.key)


def is_text(event: events.Key) -> bool:
    """Whether a key types a character; with alt it has one too, and types none."""
    return event.is_printable and bool(event.character) and not event.key.startswith(("alt+", "ctrl+"))


def end_of(text: str) -> Typed:
    """A text with the cursor at its end."""
    return Typed(text, len(text))


def one_line(typed: Typed, width: int, *, active: bool) -> Content:
    """The part of the text around the cursor in `width` cells."""
    text = typed.text.replace("\n", "⏎")
    before, after = text[: typed.at], text[typed.at :]
    while cell_len(before) > width - 1:
        before = before[_edges(before)[1] :]
    return _with_cursor(before, after, active).truncate(max(1, width))


def lines(typed: Typed, width: int, most: int, *, active: bool) -> list[Content]:
    """The whole text over several rows, at most `most` of them around the cursor."""
    whole = _with_cursor(typed.text[: typed.at], typed.text[typed.at :], active)
    rows = [part for line in whole.split("\n", allow_blank=True) for part in (line.fold(max(2, width)) or [line])]
    if len(rows) <= most:
        return rows
    at = next((n for n, row in enumerate(rows) if any(span.style == "reverse" for span in row.spans)), len(rows) - 1)
    first = max(0, min(at - most // 2, len(rows) - most))
    return rows[first : first + most]


def _with_cursor(before: str, after: str, active: bool) -> Content:
    if not active:
        return Content(before + after)
    under = after[: _edges(after)[1]] if after and after[0] != "\n" else ""
    return Content.assemble(before, (under or " ", "reverse"), after[len(under) :])


def _edges(text: str) -> list[int]:
    """Where whole characters begin and end, 0 included."""
    return [0, *(end for _, end, _ in split_graphemes(text)[0])]


def _left(typed: Typed) -> Typed:
    return replace(typed, at=_edges(typed.text[: typed.at])[-2] if typed.at else 0)


def _right(typed: Typed) -> Typed:
    rest = typed.text[typed.at :]
    return replace(typed, at=typed.at + (_edges(rest)[1] if rest else 0))


def _word_left(typed: Typed) -> Typed:
    found = _WORD_START.search(typed.text[: typed.at])
    return replace(typed, at=found.start() if found else 0)


def _word_right(typed: Typed) -> Typed:
    found = _WORD_END.match(typed.text, typed.at)
    return replace(typed, at=found.end() if found else len(typed.text))


def _start(typed: Typed) -> Typed:
    return replace(typed, at=typed.text.rfind("\n", 0, typed.at) + 1)


def _end(typed: Typed) -> Typed:
    found = typed.text.find("\n", typed.at)
    return replace(typed, at=found if found >= 0 else len(typed.text))


def _cut(move: Callable[[Typed], Typed]) -> Callable[[Typed], Typed]:
    """The edit that removes what a move passes over."""

    def edit(typed: Typed) -> Typed:
        low, high = sorted((typed.at, move(typed).at))
        return Typed(typed.text[:low] + typed.text[high:], low)

    return edit


_EDITS: Final[Mapping[str, Callable[[Typed], Typed]]] = {
    "left": _left,
    "right": _right,
    **dict.fromkeys(("ctrl+left", "alt+left", "alt+b"), _word_left),
    **dict.fromkeys(("ctrl+right", "alt+right", "alt+f"), _word_right),
    **dict.fromkeys(("home", "ctrl+a"), _start),
    **dict.fromkeys(("end", "ctrl+e"), _end),
    **dict.fromkeys(("backspace", "ctrl+h"), _cut(_left)),
    "delete": _cut(_right),
    **dict.fromkeys(("ctrl+w", "alt+backspace", "ctrl+backspace"), _cut(_word_left)),
    "ctrl+u": _cut(_start),
    "ctrl+k": _cut(_end),
}
