"""From cells to places in a text and back; selected text, words and links. Pure.

A place is a block and an offset in one of its texts, so that it stays the same while text streams and widths change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from craze.tui.clusters import clusters
from craze.tui.transcript.blocks import Block
from craze.tui.transcript.paint.lines import Line, Run
from craze.tui.transcript.paint.parts import copied, parts, slice_of


class Place(NamedTuple):
    """Before the character at `offset` of a block."""

    block: float
    offset: int


class Cell(NamedTuple):
    """A column of a line of a painted block."""

    line: int
    column: int


def offset_at(line: Line, column: int) -> int:
    """The place nearest to a column: that of the cluster there, else of the next text to the left or right; -1: none."""
    at, after = 0, -1
    for run in line.runs:
        cells = cell_len(run.text)
        if run.offset >= 0:
            if column < at:
                return run.offset if after < 0 else after
            if column < at + cells:
                return run.offset + (0 if run.copied else _index(run.text, column - at))
            after = end_of(run)
        at += cells
    return after


def cell_of(lines: Sequence[Line], offset: int) -> Cell | None:
    """Where a place is drawn; None when it is not (the block is closed, or the middle left out)."""
    best: tuple[int, Cell] | None = None
    for number, line in enumerate(lines):
        column = 0
        for run in line.runs:
            if run.offset >= 0:
                if run.offset <= offset < end_of(run):
                    before = 0 if run.copied else cell_len(run.text[: offset - run.offset])
                    return Cell(number, column + before)
                if end_of(run) <= offset and (best is None or end_of(run) >= best[0]):
                    best = (end_of(run), Cell(number, column + cell_len(run.text)))
            column += cell_len(run.text)
    return best[1] if best and offset - best[0] <= 8 else None


def line_of(lines: Sequence[Line], offset: int) -> int:
    """The line that shows the place, else the last one before it."""
    found = 0
    for number, line in enumerate(lines):
        for run in line.runs:
            if 0 <= run.offset <= offset:
                found = number
                if offset < end_of(run):
                    return number
    return found


def first_offset(line: Line) -> int:
    """The place where the text of a line begins, -1 without one."""
    return next((run.offset for run in line.runs if run.offset >= 0), -1)


def end_of(run: Run) -> int:
    return run.offset + (len(run.copied) or len(run.text))


def word_around(block: Block, offset: int) -> tuple[int, int]:
    """The word at a place, as start and end."""
    for base, text in reversed(parts(block)):
        if offset >= base:
            at = min(offset - base, max(0, len(text) - 1))
            start = end = at
            while start > 0 and _in_word(text[start - 1]):
                start -= 1
            while end < len(text) and _in_word(text[end]):
                end += 1
            return base + start, base + max(end, at + 1)
    return offset, offset


def selected(block: Block, lines: Sequence[Line], start: Cell | None, end: Cell | None) -> str:
    """The text between two cells of a painted block as it was written: without rails, numbers, padding and the breaks of
    wrapping. None stands for the block's begin or end; with both the whole block is copied."""
    if start is None and end is None:
        return copied(block)
    texts = parts(block)
    out: list[str] = []
    first, last = start or Cell(0, 0), end or Cell(len(lines), 0)
    previous_end = -1
    for number in range(first.line, min(last.line + 1, len(lines))):
        line = lines[number]
        left = first.column if number == first.line else 0
        right = last.column if number == last.line else 1 << 30
        pieces = _between(line, left, right)
        if number > first.line:
            if not line.joined:
                out.append("\n")
            elif pieces and previous_end >= 0:
                out.append(slice_of(texts, previous_end, max(0, pieces[0].offset - previous_end)))
        for run in pieces:
            out.append(run.copied or slice_of(texts, run.offset, len(run.text)))
            previous_end = end_of(run)
    return "".join(out)


def marked(line: Line, left: int, right: int) -> list[tuple[int, int]]:
    """The columns between two that hold text: start and end of each stretch."""
    spans: list[tuple[int, int]] = []
    at = 0
    for run in line.runs:
        cells = cell_len(run.text)
        if run.offset >= 0 and at < right and at + cells > left:
            spans.append((max(at, left), min(at + cells, right)))
        at += cells
    return spans


def link_at(line: Line, column: int) -> tuple[str, str]:
    """Target and text of a link at a column, or of the first one of the line for -1; "" without one."""
    at = 0
    for run in line.runs:
        cells = cell_len(run.text)
        if run.style.link and (column < 0 or at <= column < at + cells):
            return run.style.link, run.text
        at += cells
    return "", ""


def _between(line: Line, left: int, right: int) -> list[Run]:
    """The runs of text between two columns."""
    found: list[Run] = []
    at = 0
    for run in line.runs:
        cells = cell_len(run.text)
        if run.offset >= 0 and at < right and at + cells > left:
            if run.copied or (left <= at and at + cells <= right):
                found.append(run)
            else:
                start, end = _index(run.text, left - at), _index(run.text, right - at)
                found.append(Run(run.text[start:end], run.style, run.offset + start))
        at += cells
    return [run for run in found if run.text]


def _index(text: str, column: int) -> int:
    """The index of the cluster at a column."""
    if column <= 0:
        return 0
    if text.isascii():
        return min(column, len(text))
    at = 0
    for start, _, cells in clusters(text):
        if at + cells > column:
            return start
        at += cells
    return len(text)


def _in_word(character: str) -> bool:
    return character.isalnum() or character in "_-./~"
