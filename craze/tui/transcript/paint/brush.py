"""What painters are given beside a block: the theme, the signs, and how the person wants things drawn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Literal

from msgspec import Struct, field
from rich.style import Style

from craze.tui.theme import UNICODE, Palette
from craze.tui.transcript.paint.difference import Differ, difference
from craze.tui.transcript.paint.highlight import Highlighter, Spans, lex
from craze.tui.transcript.paint.lines import Run, tabbed


class Brush(Struct, frozen=True, kw_only=True):
    """Painters are functions of a block, a width and this.

    Attributes:
        full: Everything is open that the person has not closed by hand.
        today: The local date (`2026-05-04`); a prompt of another day shows its date.
        folder: The session's folder; paths in it are drawn without it.
        now: The time in milliseconds since 1970, for calls that run; 0 = not told.
        true_colour: Colours of tool output beyond the sixteen are kept.
    """

    palette: Palette
    glyphs: Mapping[str, str] = field(default_factory=lambda: UNICODE)
    diff: Literal["auto", "inline", "side"] = "auto"
    thoughts: Literal["auto", "open", "hidden"] = "auto"
    times: Literal["prompts", "all", "off"] = "prompts"
    full: bool = False
    today: str = ""
    true_colour: bool = True
    folder: str = ""
    now: Callable[[], int] = int
    highlighter: Highlighter = field(default_factory=Highlighter)
    failed: set[float] = field(default_factory=lambda: set[float]())
    """Blocks whose painter failed: each is logged once."""

    differ: Differ = field(default_factory=Differ)

    def __getitem__(self, name: str) -> Style:
        """The style of that name in the theme."""
        return self.palette[name]

    @property
    def waits(self) -> bool:
        """Whether colours or differences that were asked for are not there yet."""
        return not self.highlighter.idle or bool(self.differ.wanted)

    async def find(self) -> bool:
        """Find the next of them beside the loop; False: somebody is at each of them already."""
        if code := self.highlighter.next():
            self.highlighter.put(code, await asyncio.to_thread(lex, *code))
        elif texts := self.differ.take():
            self.differ.put(texts, await asyncio.to_thread(difference, *texts))
        else:
            return False
        return True

    def inside(self, path: str) -> str:
        """The path, without the session's folder where it lies in it."""
        return path.removeprefix(f"{self.folder}/") if self.folder else path

    def dim(self, text: str, offset: int = -1) -> Run:
        return Run(text, self.palette["thought"], offset)


def coloured(brush: Brush, text: str, offset: int, spans: list[tuple[int, str]] | None, ground: Style) -> list[Run]:
    """A line of code as runs: its colours over `ground`, tabs widened."""
    if not spans:
        return tabbed(Run(text, ground, offset))
    runs: list[Run] = []
    at = column = 0
    for size, name in spans:
        style = ground + brush[f"syntax-{name}"] if name else ground
        for run in tabbed(Run(text[at : at + size], style, offset + at if offset >= 0 else -1), column):
            runs.append(run)
            column += len(run.text)
        at += size
    if at < len(text):
        runs += tabbed(Run(text[at:], ground, offset + at if offset >= 0 else -1), column)
    return runs


def row_of(spans: Spans | None, row: int) -> list[tuple[int, str]] | None:
    return spans[row] if spans is not None and row < len(spans) else None
