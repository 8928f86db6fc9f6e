"""The log of a session whose journal is off, and the numbers that a session goes on with."""

from __future__ import annotations

from pathlib import Path

import pytest

from craze.codec import Event, Queued, Record, Turn
from craze.store.folder import Folder
from craze.store.history import Missing, Told
from craze.store.incarnation import before, file_stamp
from craze.store.memory import MemoryLog
from craze.store.stored import Row, Stored
from tests.store.making import Fact, at, header, record, text, written


async def read(log: MemoryLog, first: int = 1, last: int = 1 << 40) -> list[Told | Fact]:
    return [item async for item in log.read(first, last)]  # pyright: ignore[reportReturnType]


@pytest.mark.rule("ENG-8", "ENG-15")
async def test_memory_keeps_the_newest_records_and_says_what_is_missing() -> None:
    log = MemoryLog(max_records=3)
    log.append(Fact("early"))
    for seq in range(1, 6):
        log.append(text(seq))
        log.append(Fact(f"after-{seq}"))

    found = await read(log)

    assert [item.seq if isinstance(item, Record) else item for item in found] == [
        *(Missing(1, 2), 3, Fact("after-3"), 4, Fact("after-4"), 5, Fact("after-5"))
    ]
    assert [item.kind for item in await read(log, 4, 4) if isinstance(item, Fact)] == ["after-4"]
    assert await read(log, 1, 2) == [Missing(1, 2)]
    assert log.last == {"seq": 5}


@pytest.mark.rule("ENG-8")
async def test_the_newest_record_is_kept_however_large_it_is() -> None:
    log = MemoryLog(max_bytes=100)
    log.append(text(1))
    log.append(text(2, "x" * 1000))

    assert [item.seq for item in await read(log) if isinstance(item, Record)] == [2]


async def test_facts_alone_do_not_grow_without_end() -> None:
    log = MemoryLog(max_records=10)
    for number in range(1000):
        log.append(Fact("usage", key=str(number)))

    assert len(await read(log, 0)) <= 11


@pytest.mark.rule("STORE-23", "ENG-2")
async def test_a_session_goes_on_behind_its_last_journal_and_its_stored_rows(tmp_path: Path) -> None:
    folder = Folder(tmp_path, "session-1")
    folder.make()
    assert before(folder).continues == ""
    assert not before(folder).has_history
    await written(
        folder.journal(file_stamp(at(0)), "run-1"),
        record(1, Event("turn", turn=Turn(id="turn-1", phase="started"))),
        record(2, Event("queue", queue=Queued(id="q-1", text="x"), queue_change="queued")),
        head=header("run-1"),
    )
    found = before(folder, Stored(craze_id="session-1", queue=(Row(id="q-4", text="y"),)))

    assert [path.name for path in found.journals] == ["20261130T120000Z_run-1.jsonl"]
    assert (found.continues, found.has_history) == ("run-1", True)
    assert found.numbers == {"seq": 2, "turn": 1, "q": 4}
