"""Where unified diffs stand in a text, and in which style each of their lines is drawn. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from craze.tui.lines import DIM

_STYLES: Final = {"+": "$success", "-": "$error", "@": DIM, " ": ""}


def styles(lines: Iterable[str]) -> Iterator[str]:
    """A style for each line, "" outside of diffs. A diff begins with `--- ` and `+++ ` and ends where a line is none of
    its own."""
    before, inside = "", False
    for line in lines:
        if line.startswith("--- ") or (before.startswith("--- ") and line.startswith("+++ ")):
            inside, style = line.startswith("+++ "), "bold"
        else:
            inside = inside and line[:1] in _STYLES
            style = _STYLES.get(line[:1], "") if inside else ""
        before = line
        yield style
