"""What the store keeps, as the engine and its readers have it."""

from __future__ import annotations

import pytest

from craze.cli.disk import StoreLog
from craze.codec import Event, Record, encode
from craze.engine.facts import AgentStderr, Fact, fact
from craze.engine.ports import Missing
from craze.store.memory import MemoryLog


def record(seq: int) -> Record:
    event = Event("text", text=f"{seq} ")
    return Record.of(seq, encode(event), event)


@pytest.mark.rule("ENG-8")
async def test_what_a_session_without_a_journal_no_longer_has_is_a_hole_of_the_engines_own() -> None:
    log = StoreLog(MemoryLog(max_records=2))
    told = fact(AgentStderr(lines=("hello",)))
    for seq in range(1, 5):
        log.append(record(seq))
    log.append(told)

    found = [item async for item in log.read(1, 4)]

    assert found[0] == Missing(first=1, last=2)
    assert [item.seq for item in found if isinstance(item, Record)] == [3, 4]
    assert [item for item in found if isinstance(item, Fact)] == [told]
