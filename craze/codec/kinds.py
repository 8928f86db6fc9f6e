"""The kinds of value that keys have: what the typed decoder checks and what the schema says beyond it.

What `bound` states is a fact of the schema alone: an event that breaks it is decoded and kept, and `craze validate`
reports it.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import msgspec

from craze.codec.text import repaired
from craze.codec.times import Stamp

Int: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
# The length admits every canonical time, so that a time of another form goes the lenient way.
Time: TypeAlias = Annotated[
    Stamp, msgspec.Meta(min_length=20, max_length=30, extra_json_schema={"format": "date-time"})
]
# Question id -> ids of the chosen options; None (no list) and () (an empty one) are different answers.
Answers: TypeAlias = dict[str, tuple[str, ...] | None]

NO_TIME = Stamp("")


class Shape(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False, rename="camel"):
    """The base of every struct of the codec. The docstring of a struct is its description in the schema."""


def says(description: str) -> msgspec.Meta:
    """The description of one key in the schema."""
    return msgspec.Meta(description=description)


def bound(**facts: Any) -> msgspec.Meta:
    """Facts that the schema states and reading does not enforce, such as `minimum=0`."""
    return msgspec.Meta(extra_json_schema=facts)


Count: TypeAlias = Annotated[Int, bound(minimum=0)]
EffortName: TypeAlias = Annotated[str, bound(minLength=1, maxLength=32)]


def in_order(answers: Answers) -> Answers:
    """The answers with their keys sorted as the written bytes are; of keys that repair makes equal the last counts."""
    return {key: answers[key] for key in sorted(answers, key=repaired)}
