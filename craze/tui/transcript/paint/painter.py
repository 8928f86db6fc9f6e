"""Chooses the painter of a block and keeps what it painted. A painter that fails costs the block its beauty, no more."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from craze.codec import Tool
from craze.tui.theme import ASCII, OTHERS
from craze.tui.transcript.blocks import Block, Kind
from craze.tui.transcript.paint import parts, short, tool
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.paint.lines import Line, Run, width_of
from craze.tui.transcript.paint.measure import rows_of
from craze.tui.transcript.paint.prose import source_lines
from craze.tui.transcript.paint.state import as_source
from craze.tui.transcript.paint.text import TextPainter, prompt_lines, raw_lines, thought_lines

GUTTER: Final = 2
"""Cells at the left that belong to no block's own text: its mark and the cursor."""

_log = logging.getLogger(__name__)

_PAINTERS: Final[dict[Kind, Callable[[Block, int, Brush], list[Line]]]] = {
    "thought": thought_lines,
    "tool": tool.tool_lines,
    "shell": tool.shell_lines,
    "plan": short.plan_lines,
    "command": short.command_lines,
    "line": short.noted_lines,
    "error": short.error_lines,
}
_MARKS: Final[dict[Kind, tuple[str, str]]] = {"prompt": ("prompt", "user"), "text": ("reply", "primary")}


class Painted:
    """One painted block: `lines` with the mark in the gutter of the first one.

    Args:
        group: The blocks that are drawn as one line with this first one, itself included.
        call: The call that an ask was about.
    """

    def __init__(
        self, block: Block, width: int, brush: Brush, group: Sequence[Block] = (), call: Tool | None = None
    ) -> None:
        self.block, self.revision, self.width = block, block.revision, width
        self._brush, self._inner = brush, max(4, width - GUTTER)
        self.group, self._call = tuple(group), call
        self._text: TextPainter | None = None
        if block.kind == "text" and not as_source(block):
            self._text = TextPainter(block, self._inner, brush)
        self.shortened = False
        """A prompt or message of which not all lines are drawn."""
        self._bare: list[Line] = []
        self.lines: list[Line] = []
        self.lines = self._paint()

    @property
    def waits(self) -> bool:
        """Whether it may look better a little later."""
        if self._text is not None:
            return self._text.plain
        return self._brush.waits

    @property
    def parsed(self) -> int:
        return self._text.parsed if self._text else 0

    def update(self) -> None:
        """The block has grown."""
        self.revision = self.block.revision
        self.lines = self._paint()

    def colour(self) -> None:
        """Colours or differences may be known by now."""
        if self._text is not None:
            self._text.colour()
        self.lines = self._paint()

    def _paint(self) -> list[Line]:
        try:
            lines = self._own_lines()
        except Exception as error:  # noqa: BLE001 - a bug of one block must not take the screen
            if self.block.id not in self._brush.failed:
                self._brush.failed.add(self.block.id)
                _log.exception("block %s was not drawn", self.block.id)
            mark = Line([self._brush.dim(f"‹not drawn: {type(error).__name__}›")])
            lines = [mark, *source_lines(parts.plain(self.block), self._inner, self._brush["foreground"])]
        if self._brush.times == "all" and self.block.kind != "prompt" and lines:
            lines = [self._timed(lines[0]), *lines[1:]]
        return self._guttered(lines)

    def _spelled(self, line: Line) -> Line:
        """With ASCII signs also what craze says is spelled in them; texts of others stay as they are."""
        if self._brush.glyphs is not ASCII:
            return line
        ours = self.block.kind in ("line", "ask")
        runs = (replace(run, text=run.text.translate(OTHERS)) if ours or run.offset < 0 else run for run in line.runs)
        return Line(runs, joined=line.joined)

    def _guttered(self, lines: list[Line]) -> list[Line]:
        """The lines behind the gutter; those that are as they were stay the same objects, whose strips are made."""
        known = min(len(lines), len(self._bare))
        same = next((at for at in range(known) if lines[at] is not self._bare[at]), known)
        self._bare = [*lines]  # a copy: a text goes on with its list in place
        return self.lines[:same] + [
            self._spelled(lines[at]).indented(self._gutter(at)) for at in range(same, len(lines))
        ]

    def _timed(self, line: Line) -> Line:
        """The line with the time of its block at the right, if there is room."""
        time = time_of(self.block, self._brush)
        gap = self._inner - width_of(line.runs) - len(time)
        return Line([*line.runs, Run(" " * gap), self._brush.dim(time)]) if time and gap >= 2 else line

    def _own_lines(self) -> list[Line]:
        block, brush = self.block, self._brush
        if len(self.group) > 1:
            return tool.group_lines(self.group, self._inner, brush)
        if block.kind == "prompt":
            lines = prompt_lines(block, self._inner, brush, time_of(block, brush))
        elif self._text is not None:
            lines = self._text.lines()
        elif block.kind == "ask":
            lines = short.asked_lines(block, self._inner, brush, self._call)
        elif block.kind == "text":
            lines = raw_lines(block, self._inner, brush)
        else:
            lines = _PAINTERS[block.kind](block, self._inner, brush)
        most = rows_of(block, brush)
        self.shortened = bool(most) and len(lines) > most + (most > 1)
        return self._shortened(lines, most) if self.shortened else lines

    def _shortened(self, lines: list[Line], most: int) -> list[Line]:
        """The first lines, and how many more there are: in a row of its own, or behind an only one."""
        more = self._brush.dim(f"{self._brush.glyphs['ellipsis']} {len(lines) - most} more lines")
        if most > 1:
            return [*lines[:most], Line([more])]
        first = Line([*lines[0].runs, Run(" "), more])
        return [first] if len(first.text) <= self._inner else lines[:1]

    def _gutter(self, at: int) -> Run:
        mark = _MARKS.get(self.block.kind)
        if at or mark is None:
            return Run(" " * GUTTER)
        glyph, style = mark
        if self.block.mark == "interjection":
            glyph = "interjection"
        return Run(f"{self._brush.glyphs[glyph]:<{GUTTER}}"[:GUTTER], self._brush[style])


def time_of(block: Block, brush: Brush) -> str:
    """The local time of a prompt, with its date when that is not today."""
    if not block.at or brush.times == "off":
        return ""
    try:
        moment = datetime.fromtimestamp(block.at / 1000).astimezone()
    except (ValueError, OverflowError, OSError):  # a year that no calendar of the system has
        return ""
    today = moment.strftime("%Y-%m-%d") == brush.today or not brush.today
    return moment.strftime("%H:%M" if today else "%Y-%m-%d %H:%M")
