"""What a command printed: its colours kept, wrapped, the last lines or all of them."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from rich.errors import StyleSyntaxError
from rich.style import Style

from craze.tui import scrub
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.paint.lines import PLAIN, Line, Run, tabbed, wrap


def output_lines(text: str, base: int, width: int, brush: Brush, *, last: int = 0, ink: Style = PLAIN) -> list[Line]:
    """The lines of an output whose plain text begins at `base`; only the `last` ones, if told so."""
    rows = scrub.output(text.rstrip("\n"))
    lines: list[Line] = []
    skipped = max(0, len(rows) - last) if last else 0
    for row in rows[:skipped]:
        base += sum(len(span.text) for span in row) + 1
    for row in rows[skipped:]:
        runs: list[Run] = []
        column = 0
        for span in row:
            for run in tabbed(Run(span.text, ink + style_of(span.style, brush), base), column):
                runs.append(run)
                column += len(run.text)
            base += len(span.text)
        base += 1
        lines += [Line(each, joined=at > 0) for at, each in enumerate(wrap(runs, width, words=False))]
    return lines[-last:] if last else lines


def style_of(definition: str, brush: Brush) -> Style:
    """The style of a span; colours beyond the sixteen only where the screen has them."""
    if not definition:
        return PLAIN
    if not brush.true_colour or brush.palette.ansi:
        definition = _sixteen(definition)
    return _parsed(definition)


def _sixteen(definition: str) -> str:
    words = definition.split()
    kept = [word for word in words if not _beyond(word)]
    return " ".join(word for word, after in pairwise([*kept, ""]) if not (word == "on" and "(" not in after))


def _beyond(word: str) -> bool:
    return word.startswith("#") or (word.startswith("color(") and int(word[6:-1]) > 15)


@lru_cache(maxsize=512)
def _parsed(definition: str) -> Style:
    try:
        return Style.parse(definition)
    except StyleSyntaxError:
        return PLAIN
