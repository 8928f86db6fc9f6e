"""What is known of a block without painting it: how many lines it takes, and what it stands together with."""

from __future__ import annotations

from typing import Final

from craze.codec import Tool
from craze.tui.transcript.blocks import Block
from craze.tui.transcript.layout import Extent
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.paint.state import is_open

PROMPT_ROWS: Final = 12
"""Rows of a prompt that stand in the compact form."""

LONGEST_GROUP: Final = 4096
"""Events that one group can stand for."""

GROUPED: Final = frozenset({"read", "search"})
"""Kinds of calls that may be one line with their neighbours."""

_DENSE: Final = frozenset({"tool", "ask", "shell", "command"})


def rows_of(block: Block, brush: Brush) -> int:
    """Rows that a prompt or a message may take, 0 = all it has."""
    if block.kind not in ("prompt", "text"):
        return 0
    if block.expansion == "closed":
        return 1
    return PROMPT_ROWS if block.kind == "prompt" and not is_open(block, brush) else 0


def gap(before: Block | None, block: Block) -> int:
    """Empty lines above a block."""
    if before is None or before.kind == block.kind == "line":
        return 0
    return int(not (before.kind in _DENSE and block.kind in _DENSE))


def hidden(block: Block, brush: Brush) -> bool:
    """Whether it is not drawn at all."""
    return block.kind == "thought" and brush.thoughts == "hidden" and block.expansion == "auto"


def extent(block: Block, brush: Brush) -> Extent:
    """The estimate of its lines, without the gap above it."""
    if hidden(block, brush):
        return Extent(0, 0)
    if block.kind in ("text", "prompt"):
        source, most = block.source, rows_of(block, brush)
        if most and source.lines >= most:
            return Extent(most + (most > 1), 0)
        return Extent(source.lines + 1, source.size) if most != 1 else Extent(1, 0)
    if block.kind == "thought":
        return Extent(1, block.source.size) if is_open(block, brush) else Extent(3 if block.open else 1, 0)
    if block.kind == "tool":
        return Extent(11, 0) if _has_body(block) else Extent(1, 0)
    return Extent(1, 0)


def _has_body(block: Block) -> bool:
    """Whether the compact form has more than its head."""
    tool = block.data
    return isinstance(tool, Tool) and bool(tool.diffs) and block.expansion != "closed"


def grouped(block: Block, brush: Brush) -> bool:
    """Whether it may be one line with its neighbours: finished reads and searches that nobody has touched."""
    tool = block.data
    return (
        isinstance(tool, Tool)
        and block.expansion == "auto"
        and not brush.full
        and tool.status == "completed"
        and tool.kind in GROUPED
        and tool.task is None
        and not tool.diffs
    )


def together(one: Block, next_: Block, brush: Brush) -> bool:
    """Whether two neighbours are in one group. No group goes on without end: that would be walked through each time."""
    return (
        int(one.id) // LONGEST_GROUP == int(next_.id) // LONGEST_GROUP and grouped(one, brush) and grouped(next_, brush)
    )
