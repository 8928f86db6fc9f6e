"""The limits of the engine, as its page states them."""

from __future__ import annotations

import pytest

from craze.engine import limits
from craze.providers.acp.declaration import Timeouts
from craze.store import memory

KIB, MIB = 1024, 1024 * 1024
TABLE = {
    "RECORD_BODY": 8 * MIB,
    "SUBSCRIBER_ITEMS": 1024,
    "SUBSCRIBER_BYTES": 8 * MIB,
    "TOOL_RUNNING_TAIL": 8 * KIB,
    "TOOL_FINAL_TAIL": 256 * KIB,
    "TOOL_HEAD": 4 * KIB,
    "DIFF_TEXTS": 1 * MIB,
    "DRAFT_EVERY": 0.5,
    "CLOSE_PROVIDER": 2,
    "CLOSE_LOG": 0.5,
    "QUEUE_ROWS": 32,
    "QUEUE_TEXT": 256 * KIB,
    "ENDED_ASKS": 256,
    "FINISHED_CHILDREN": 32,
    "ROUTED_CHILDREN": 64,
    "CANCEL_WRITE": 2,
    "SET_TIMEOUT": 15,
    "CANCEL_OFFER": 10,
    "CANCEL_LINT": 30,
    "PROMPT_AGAIN": 2,
    "DEADLINE_TO_RESTART": 10,
    "QUIET_AFTER": 120,
}


@pytest.mark.rule("ENG-115")
@pytest.mark.parametrize("name", list(TABLE))
def test_each_limit_is_one_constant_of_the_stated_value(name: str) -> None:
    assert getattr(limits, name) == TABLE[name]


@pytest.mark.rule("ENG-115")
def test_limits_of_other_parts_are_constants_there() -> None:
    assert (memory.MAX_RECORDS, memory.MAX_BYTES) == (4096, 8 * MIB)
    assert Timeouts().start_setting == 15
