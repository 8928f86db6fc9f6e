"""How a person wants one block drawn: opened, as source, cut, side by side."""

from __future__ import annotations

from typing import Final

from craze.tui.transcript.blocks import Block
from craze.tui.transcript.paint.brush import Brush

SOURCE: Final = 1
SIDE: Final = 2
CUT: Final = 4


def is_open(block: Block, brush: Brush) -> bool:
    """Whether everything of it is drawn."""
    return block.expansion == "open" or (block.expansion == "auto" and brush.full)


def as_source(block: Block) -> bool:
    """Markdown is drawn as it is written."""
    return bool(block.flags & SOURCE)


def side_flipped(block: Block) -> bool:
    """Diffs are drawn the other way than the setting says."""
    return bool(block.flags & SIDE)


def cut_code(block: Block) -> bool:
    """Long lines of code are cut instead of wrapped."""
    return bool(block.flags & CUT)
