"""How many lines a change adds and removes."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from typing import Final

_EXACT: Final = 60_000  # pairs of lines; beyond it lines are counted without regard to their order


def count_lines(old: str, new: str) -> tuple[int, int]:
    """Lines added and removed between two texts, as a diff shows them.

    A very large change is counted by its lines alone, in linear time: a line that only moved is then no change.
    """
    before, after = _differing(_lines(old), _lines(new))
    if len(before) * len(after) > _EXACT:
        gone, came = Counter(before), Counter(after)
        return (came - gone).total(), (gone - came).total()
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    kept = sum(block.size for block in matcher.get_matching_blocks())
    return len(after) - kept, len(before) - kept


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _differing(before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """Both without the lines that they begin and end with in common."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return before[start : len(before) - end], after[start : len(after) - end]
