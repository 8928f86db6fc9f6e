"""Whether the answers of a capture took effect, as the results of their tools show. Pure.

An answer of which nothing is seen is never taken for one that was followed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from craze.providers.control.decode import line as line_of
from craze.providers.control.spoken import frame_of
from craze.providers.control.tools import object_of, text_of
from craze.providers.control.types import Block, User
from craze.store.capture import Row

Effect: TypeAlias = Literal["true", "false", "unobserved", "undelivered"]
_NOT_READ: Final = ("Tool permission request failed", "returned an invalid permission result")
_WORDS: Final[Mapping[Effect, str]] = {
    "false": "without effect",
    "unobserved": "unobserved",
    "undelivered": "undelivered and so not given",
}


class _Answer(Struct):
    tool: str
    allows: bool
    effect: Effect = "unobserved"


def effects(rows: Iterable[Row]) -> dict[str, Effect]:
    """What became of each answer to a tool's request, by the JSON text of the request's id."""
    asked: dict[str, str] = {}
    given: dict[str, _Answer] = {}
    for row in rows:
        if row.dir == "out":
            _answered(row, asked, given)
        elif row.dir == "in" and b'"can_use_tool"' in row.payload:
            frame = frame_of(row)
            asked[frame.request] = text_of(frame.given.get("tool_use_id"))
        elif row.dir == "in" and b'"tool_result"' in row.payload:
            _observed(row, given)
    return {request: answer.effect for request, answer in given.items()}


def told(found: Mapping[str, Effect]) -> str:
    """Those that are not seen to have taken effect, counted; "" for none."""
    counts = Counter(found.values())
    parts = [f"{counts[effect]} {words}" for effect, words in _WORDS.items() if counts[effect]]
    return f"of {len(found)} answers {', '.join(parts)}" if parts else ""


def _answered(row: Row, asked: Mapping[str, str], given: dict[str, _Answer]) -> None:
    frame = frame_of(row)
    if frame.answers not in asked:
        return
    if row.mark == "undelivered":
        given[frame.answers].effect = "undelivered"
    else:
        allows = object_of(frame.body).get("behavior") == "allow"
        given[frame.answers] = _Answer(asked[frame.answers], allows)


def _observed(row: Row, given: Mapping[str, _Answer]) -> None:
    line = line_of(row.payload)
    results = {block.tool_use_id: block for block in line.message.blocks} if isinstance(line, User) else {}
    for answer in given.values():
        result = results.get(answer.tool) if answer.tool else None
        if result is not None and answer.effect == "unobserved":
            answer.effect = "true" if _follows(answer, result) else "false"


def _follows(answer: _Answer, result: Block) -> bool:
    """A tool that was allowed ran, well or not; one that was refused has no result but its refusal."""
    failed = bool(result.is_error)
    if failed and any(words in str(result.content) for words in _NOT_READ):
        return False
    return answer.allows or failed
