"""The tool call that an ask is about, as rows to read before answering and as text for the full screen. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from textual.content import Content

from craze.codec import Diff, Tool
from craze.tui.dialogs.context import MOST_ROWS
from craze.tui.dialogs.rows import Row, Rows, text_row
from craze.tui.lines import DIM, spread
from craze.tui.scrub import exact, line, path_in, prose, untabbed
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.paint.diff import DiffPainter
from craze.tui.transcript.paint.difference import counts
from craze.tui.transcript.paint.lines import Line, Run
from craze.tui.transcript.paint.parts import patch, pretty_input, raw_input
from craze.tui.transcript.paint.prose import prose_lines


def call_rows(tool: Tool, folder: str, width: int, brush: Brush, *, side: bool = False) -> Rows:
    """The command with its folder, the diffs, or the places and the input."""
    command, where = command_of(tool), _directory_of(tool) or folder
    if command:
        return [*exact_rows(command, width), *([text_row((f" in {line(where)}", DIM))] if where else [])]
    if tool.diffs:
        return [row for diff in tool.diffs for row in _diff_rows(diff, width, brush, side)]
    rows = exact_rows(line(tool.title or tool.name), width) if tool.title or tool.name else []
    rows += [text_row((f" {brush.inside(line(place))}", DIM)) for place in tool.locations if place not in tool.title]
    return rows + exact_rows(_told(tool), width)


def call_text(tool: Tool, folder: str) -> str:
    """Everything that is known of the call."""
    command = command_of(tool)
    parts = [line(tool.title)]
    if command:
        parts += [exact(command), f"in {line(_directory_of(tool) or folder)}"]
    parts += [line(place) for place in tool.locations]
    parts += [patch(diff) for diff in tool.diffs]
    parts += [prose(tool.content_text), "" if command else exact(pretty_input(tool))]
    return "\n\n".join(part for part in parts if part)


def command_of(tool: Tool) -> str:
    """The command line that a call would run, "" for none."""
    given: object = raw_input(tool).get("command")
    if isinstance(given, list):
        return " ".join(map(str, cast("list[object]", given)))
    return given if isinstance(given, str) else ""


def exact_rows(text: str, width: int) -> Rows:
    """A text in which every character counts, over as many rows as it needs."""
    return (
        [
            Row(Content(" ") + row)
            for each in exact(text).rstrip("\n").split("\n")
            for row in (Content(untabbed(each)).fold(max(2, width - 2)) or [Content("")])
        ]
        if text
        else []
    )


def prose_rows(text: str, width: int, brush: Brush) -> Rows:
    """Markdown."""
    return _painted(prose_lines(prose(text).strip("\n"), max(8, width - 2), brush))


def _diff_rows(diff: Diff, width: int, brush: Brush, side: bool) -> Rows:
    painter = DiffPainter(diff, 0, brush, width - 2, side=side)
    added, removed = (diff.added, diff.removed) if diff.added or diff.removed else counts(painter.rows or [])
    count = Content.assemble((f"+{added}", "$diff-add"), " ", (f"{brush.glyphs['minus']}{removed}", "$diff-del"))
    head = spread(width - 1, Content(f" {path_in(brush.inside(line(diff.path)), width - 14)}"), count)
    cut = [text_row((" … cut by the agent", DIM))] if diff.truncated else []
    return [Row(head), *_painted(painter.lines(MOST_ROWS)), *cut]


def _painted(lines: Iterable[Line]) -> Rows:
    """Rows of a painter, one cell to the right."""
    return [Row(line.indented(Run(" ")).strip) for line in lines]


def _directory_of(tool: Tool) -> str:
    given = raw_input(tool)
    return next((said for name in ("cwd", "workdir", "directory") if isinstance(said := given.get(name), str)), "")


def _told(tool: Tool) -> str:
    if tool.raw_input and raw_input(tool):
        return pretty_input(tool)
    return tool.content_text or tool.raw_input
