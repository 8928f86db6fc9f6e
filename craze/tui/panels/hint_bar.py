"""The keys that help most where the keyboard is now."""

from __future__ import annotations

from typing import Final, TypeAlias

from textual.content import Content
from textual.reactive import reactive

from craze.tui.keys import shown
from craze.tui.lines import DIM
from craze.tui.panels.panel import Panel

Hint: TypeAlias = tuple[str, str]
"""A key as it is written, and the word for what it does."""

MOST: Final = 6


class HintBar(Panel):
    """Hints behind each other, as many as fit."""

    DEFAULT_CSS = "HintBar { height: 1; color: $thought; }"

    hints: reactive[tuple[Hint, ...]] = reactive(())

    def draw(self) -> Content:
        return line(self.hints, self.size.width)


def line(hints: tuple[Hint, ...], width: int) -> Content:
    """Whole hints only: what does not fit is left out."""
    said = Content(" ")
    for key, word in hints[:MOST]:
        more = Content.assemble((" · " if len(said) > 1 else "", DIM), (key, "bold"), (f" {word}", DIM))
        if said.cell_length + more.cell_length > width:
            break
        said += more
    return said


def first(keys: str) -> str:
    """The first key of several, as it is written."""
    return shown(keys.split(",")[0])
