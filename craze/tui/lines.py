"""Single lines of panels and bars: text cut to a width, and a right-hand part. Pure."""

from __future__ import annotations

from typing import TypeAlias

from textual.content import Content

from craze.tui.scrub import cut

Part: TypeAlias = str | tuple[str, str]
"""A piece of text, or a piece with its style."""

DIM = "$thought"
CHOSEN = "▸"
_PLAIN = str.maketrans("○◐✓✗–—▸▲▼…·→←↑↓─⤷◆⧗×›✎≥≤", "o*+x-->^v.|><^v->#=x>e><")


def cells(text: str) -> int:
    return Content(text).cell_length


def row(width: int, *parts: Part) -> Content:
    """The parts behind each other, cut to the width."""
    return Content.assemble(*parts).truncate(width, ellipsis=True)


def spread(width: int, left: Content, right: Content) -> Content:
    """`left` and, at the right edge, `right`; the left part is cut where both do not fit."""
    if not right.plain:
        return left.truncate(width, ellipsis=True)
    room = width - right.cell_length - 1
    if room < 1:
        return left.truncate(width, ellipsis=True)
    return left.truncate(room, ellipsis=True, pad=True) + " " + right


def rule(width: int, title: str = "", sign: str = "─") -> Content:
    """A rule with a title that takes at most half of it."""
    if not title:
        return Content.styled(sign * width, "$rule")
    said = cut(title, max(1, width // 2 - 4))
    rest = width - cells(said) - 4
    return Content.assemble((sign * 2 + " ", "$rule"), said, (" " + sign * max(0, rest), "$rule"))


def cursor_cell(text: Content) -> int | None:
    """The cell of the cursor of a field, else of the sign before a chosen row."""
    field = next((span.start for span in text.spans if span.style == "reverse"), text.plain.find(CHOSEN))
    return cells(text.plain[:field]) if field >= 0 else None


def in_ascii(content: Content) -> Content:
    """The same with plain signs; each has the width of the one that it stands for."""
    return Content(content.plain.translate(_PLAIN), spans=list(content.spans))


def stack(lines: list[Content]) -> Content:
    return Content("\n").join(lines)
