"""Markdown tables: natural widths, the widest columns wrapped when too wide, at last one line for each cell. Pure."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from msgspec import Struct
from rich.style import Style

from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.paint.inline import inline
from craze.tui.transcript.paint.lines import PLAIN, Line, Run, width_of, wrap

NARROWEST: Final = 8
_GAP: Final = 3
_BOLD: Final = Style(bold=True)
_DELIMITER = re.compile(r"[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)*[ \t]*:?-+:?[ \t]*\|?[ \t]*$")


class Cell(Struct, frozen=True):
    text: str
    offset: int


Row: TypeAlias = tuple[Cell, ...]


def cells_of(line: str, offset: int) -> Row:
    """The cells of a line; `\\|` and bars inside of code divide nothing."""
    cells: list[Cell] = []
    start, ticks = 0, False
    body = line.rstrip()
    for at, character in enumerate(body):
        if character == "`":
            ticks = not ticks and "`" in body[at + 1 :]
        elif character == "|" and not ticks and (at == 0 or body[at - 1] != "\\"):
            cells.append(_cell(body, start, at, offset))
            start = at + 1
    if start < len(body) or not cells:
        cells.append(_cell(body, start, len(body), offset))
    if len(cells) > 1 and line.lstrip().startswith("|"):
        cells.pop(0)
    return tuple(cells)


def is_delimiter(line: str) -> tuple[str, ...]:
    """The alignment of each column (`<`, `>`, `^`) of a line like `|---|:-:|`; () for another line."""
    if "-" not in line or not _DELIMITER.match(line):
        return ()
    return tuple(_alignment(cell.text) for cell in cells_of(line, 0))


def table(rows: tuple[Row, ...], aligned: tuple[str, ...], width: int, brush: Brush) -> list[Line]:
    """The lines of a table whose first row is its head."""
    columns = len(aligned)
    painted = [
        [_painted(row, column, brush, _BOLD if at == 0 else PLAIN) for column in range(columns)]
        for at, row in enumerate(rows)
    ]
    natural = [max(1, *(width_of(row[column]) for row in painted)) for column in range(columns)]
    widths = _fitted(natural, width - _GAP * (columns - 1))
    if widths is None:
        return _stacked(painted, width, brush)
    lines: list[Line] = []
    for at, row in enumerate(painted):
        lines += _row(row, widths, aligned, brush)
        if at == 0:
            rule = brush.glyphs["rule"]
            bar = f"{rule}┼{rule}" if rule != "-" else "-+-"
            lines.append(Line([Run(bar.join(rule * each for each in widths), brush["rule"])]))
    return lines


def _cell(line: str, start: int, end: int, offset: int) -> Cell:
    text = line[start:end]
    left = len(text) - len(text.lstrip())
    return Cell(text.strip(), offset + start + left)


def _alignment(text: str) -> str:
    if text.startswith(":") and text.endswith(":") and len(text) > 1:
        return "^"
    return ">" if text.endswith(":") else "<"


def _painted(row: Row, column: int, brush: Brush, style: Style) -> list[Run]:
    if column >= len(row):
        return []
    return inline(row[column].text, row[column].offset, brush, style)


def _fitted(natural: list[int], room: int) -> list[int] | None:
    """The widest columns give way, down to 8 cells; None when that is not enough."""
    widths = [*natural]
    while (excess := sum(widths) - room) > 0:
        widest = max(widths)
        if widest <= NARROWEST:
            return None
        lower = max([each for each in widths if each < widest] + [NARROWEST])
        at = widths.index(widest)
        share = -(-excess // widths.count(widest))
        widths[at] = max(lower, widest - share, NARROWEST)
        if widths[at] == widest:
            widths[at] -= 1
    return widths


def _row(row: list[list[Run]], widths: list[int], aligned: tuple[str, ...], brush: Brush) -> list[Line]:
    wrapped = [wrap(cell, width) for cell, width in zip(row, widths, strict=True)]
    rail = "│" if brush.glyphs["rail"] != "|" else "|"
    lines: list[Line] = []
    for at in range(max(map(len, wrapped))):
        runs: list[Run] = []
        for column, cell in enumerate(wrapped):
            if column:
                runs.append(Run(f" {rail} ", brush["rule"]))
            part = cell[at] if at < len(cell) else []
            gap = widths[column] - width_of(part)
            before = {"<": 0, ">": gap, "^": gap // 2}[aligned[column]]
            runs += [Run(" " * before), *part, Run(" " * (gap - before))]
        lines.append(Line(run for run in runs if run.text))
    return lines


def _stacked(painted: list[list[list[Run]]], width: int, brush: Brush) -> list[Line]:
    """Each row as lines `Header: value`."""
    head, *rows = painted
    lines: list[Line] = []
    for at, row in enumerate(rows):
        if at:
            lines.append(Line())
        for label, cell in zip(head, row, strict=True):
            runs = [*label, brush.dim(": "), *cell]
            lines += [Line(each, joined=line > 0) for line, each in enumerate(wrap(runs, width))]
    return lines or [Line(head[0])]
