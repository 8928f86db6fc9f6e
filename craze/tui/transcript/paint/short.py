"""The blocks of few lines: endings of asks, dim lines, errors, commands, and plans."""

from __future__ import annotations

from typing import Final

from craze.codec import Tool
from craze.codec.turns import Command, Failure
from craze.tui import scrub
from craze.tui.transcript import said
from craze.tui.transcript.blocks import Asked, Block, Noted, Planned
from craze.tui.transcript.paint import parts
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.paint.lines import PLAIN, Line, Run, crop, width_of, wrap
from craze.tui.transcript.paint.prose import prose_lines, source_lines
from craze.tui.transcript.paint.state import is_open
from craze.tui.transcript.paint.tool import relative, verb_of

_INKS: Final = {"done": "tool-done", "failed": "tool-failed", "cancelled": "thought"}
_FIXES: Final = {
    "auth": "/connect signs in",
    "context_too_large": "/compact makes room",
    "model_not_found": "/model chooses another",
}


def noted_lines(block: Block, width: int, brush: Brush) -> list[Line]:
    data = block.data
    assert isinstance(data, Noted)
    return [Line(row, joined=at > 0) for at, row in enumerate(wrap([brush.dim(scrub.line(data.text), 0)], width))]


def asked_lines(block: Block, width: int, brush: Brush, call: Tool | None) -> list[Line]:
    """`✓ allowed once · run pytest`; `call` is what leave was asked for, if that is known."""
    data = block.data
    assert isinstance(data, Asked)
    glyph, words, about = said.decision(data.ending, data.opening)
    runs = [Run(brush.glyphs[glyph] + " ", brush[_INKS[glyph]]), brush.dim(scrub.line(words), parts.HEAD)]
    if call is not None:
        runs += [brush.dim(f" · {verb_of(call)} {relative(parts.subject(call), call, brush)}")]
    elif about:
        runs += [brush.dim(" · "), brush.dim(scrub.line(about), parts.INPUT)]
    return [Line(crop(runs, width))]


def error_lines(block: Block, width: int, brush: Brush) -> list[Line]:
    """Message, class and code, and what would help."""
    failure = block.data
    assert isinstance(failure, Failure)
    text = scrub.exact(failure.message).strip() or "the turn failed"
    mark = Run(brush.glyphs["failed"] + " ", brush["tool-failed"])
    hang = width_of([mark])
    lines = source_lines(text, width - hang, brush["error"], parts.HEAD)
    lines = [line.indented(Run(" " * hang) if at else mark) for at, line in enumerate(lines)]
    told = [failure.error_class if failure.error_class not in ("", "other") else "", str(failure.code or "")]
    told.append(_FIXES.get(failure.error_class, ""))
    if words := " · ".join(scrub.line(word) for word in told if word):
        lines.append(Line([Run("  "), *crop([brush.dim(words)], width - 2)]))
    return lines


def command_lines(block: Block, width: int, brush: Brush) -> list[Line]:
    """What a plugin's command became."""
    command = block.data
    assert isinstance(command, Command)
    name = scrub.line(parts.command_name(command))
    lines = [Line(crop([Run(brush.glyphs["task"] + " ", brush["thought"]), Run(name, PLAIN, parts.HEAD)], width))]
    if is_open(block, brush):
        body = prose_lines(scrub.prose(command.text), width - 2, brush, parts.CONTENT)
        lines += [line.indented(Run("  ")) for line in body]
    return lines


def plan_lines(block: Block, width: int, brush: Brush) -> list[Line]:
    """The plan as Markdown under a head that says how it was answered."""
    data = block.data
    assert isinstance(data, Planned)
    glyph, words = ("pending", "")
    if data.ending is not None:
        glyph, words, _ = said.decision(data.ending, None)
    ink = brush[_INKS.get(glyph, "thought")]
    name = scrub.line(data.plan.name) or "plan"
    head = [Run(brush.glyphs[glyph] + " ", ink), Run(name, brush["syntax-heading"], parts.HEAD)]
    lines = [Line(crop([*head, *([brush.dim(f" · {words}")] if words else [])], width))]
    if block.expansion == "closed":
        return lines
    if data.plan.overview.strip():
        lines += _inner(scrub.prose(data.plan.overview), parts.INPUT, width, brush)
    lines += _inner(scrub.prose(data.plan.plan), parts.CONTENT, width, brush)
    place = parts.PLACES
    for todo in data.plan.todos:
        text = scrub.line(todo.content)
        runs = [Run("  "), brush.dim(brush.glyphs["pending"] + " "), Run(text, PLAIN, place)]
        lines.append(Line(crop(runs, width)))
        place += len(text) + 1
    return lines


def _inner(text: str, base: int, width: int, brush: Brush) -> list[Line]:
    return [line.indented(Run("  ")) for line in prose_lines(text, width - 2, brush, base)]
