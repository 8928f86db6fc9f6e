"""A journal while it is written: what reaches the disk, what is read back, what a bad disk does."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import msgspec
import pytest

from craze.codec import Omitted, Record
from craze.store.history import Missing
from craze.store.journal import Journal
from craze.store.lines import Closing, FactLine, Gap, Header
from craze.store.reader import items
from craze.store.writer import Limits, RealDisk
from tests.store.making import Fact, FullDisk, Stuck, drained, ended, header, journal, read, seqs, text, written

ROOT = Path(__file__).parents[2]


@pytest.mark.rule("STORE-5", "STORE-6")
async def test_a_closed_journal_holds_header_events_facts_and_closing_in_order(tmp_path: Path) -> None:
    path = await written(tmp_path / "j.jsonl", text(1), Fact("lint", key="late"), ended(2))

    lines = [json.loads(line) for line in path.read_bytes().splitlines()]

    assert [line["kind"] for line in lines] == ["header", "event", "fact", "event", "closing"]
    assert [next(iter(line)) for line in lines] == ["kind"] * 5
    assert lines[1]["event"] == {"type": "text", "text": "piece 1 ", "at": "2026-11-30T12:00:01Z"}
    assert lines[2] == {"kind": "fact", "ts": lines[2]["ts"], "after": 1, "fact": "lint", "key": "late", "data": {}}
    assert lines[4]["lastSeq"] == 2


@pytest.mark.rule("STORE-5")
async def test_no_file_is_made_before_the_first_event(tmp_path: Path) -> None:
    log = journal(tmp_path / "j.jsonl")
    log.append(Fact("info"))
    await log.close(20)

    assert not log.path.exists()


@pytest.mark.rule("STORE-5", "STORE-10")
async def test_a_file_that_is_there_is_never_opened_again(tmp_path: Path) -> None:
    path = await written(tmp_path / "j.jsonl", text(1))
    before = path.read_bytes()
    told = asyncio.Queue[str]()

    second = journal(path, on_error=told.put_nowait)
    second.append(text(1))

    async with asyncio.timeout(20):
        assert "exists" in await told.get()
    assert path.read_bytes() == before


@pytest.mark.rule("STORE-2")
async def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = await written(tmp_path / "j.jsonl", text(1))

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.rule("STORE-6", "ENG-7")
async def test_an_omitted_event_keeps_its_number_and_says_why(tmp_path: Path) -> None:
    gone = Record.left_out(1, Omitted(type="tool", reason="oversized", bytes=9 << 20))
    path = await written(tmp_path / "j.jsonl", gone, text(2))

    back = [item for item in items(path) if isinstance(item, Record)]

    assert [item.seq for item in back] == [1, 2]
    assert back[0].omitted == gone.omitted


@pytest.mark.rule("STORE-7")
async def test_a_fact_that_is_too_large_says_its_kind_and_size(tmp_path: Path) -> None:
    data = msgspec.Raw(json.dumps({"x": "y" * 70_000}).encode())
    path = await written(tmp_path / "j.jsonl", text(1), Fact("details", data, "config"))

    [fact] = [item for item in items(path) if isinstance(item, FactLine)]

    assert (fact.kind, fact.key) == ("details", "config")
    assert json.loads(bytes(fact.data)) == {"oversized": True, "bytes": len(bytes(data))}


@pytest.mark.rule("STORE-8", "ENG-8")
async def test_what_still_waits_in_the_queue_is_read_back(tmp_path: Path) -> None:
    log = journal(tmp_path / "j.jsonl", limits=Limits(flush_after=3600))
    for seq in range(1, 6):
        log.append(text(seq))

    assert seqs(await read(log)) == [1, 2, 3, 4, 5]
    assert seqs(await read(log, 2, 3)) == [2, 3]
    await log.close(20)
    assert seqs(await read(log)) == [1, 2, 3, 4, 5]


@pytest.mark.rule("STORE-9")
async def test_the_end_of_a_turn_is_synced_at_once(tmp_path: Path) -> None:
    synced = threading.Event()

    class Disk(RealDisk):
        def sync(self, fd: int) -> None:
            super().sync(fd)
            synced.set()

    log = journal(tmp_path / "j.jsonl", limits=Limits(flush_after=3600), disk=Disk())
    log.append(text(1))
    log.append(ended(2))

    assert await asyncio.to_thread(synced.wait, 20)
    assert b'"phase":"ended"' in (tmp_path / "j.jsonl").read_bytes()
    await log.close(20)


@pytest.mark.rule("STORE-8")
async def test_an_overflow_is_one_gap_at_its_place_and_the_journal_goes_on(tmp_path: Path) -> None:
    disk = Stuck()
    path = tmp_path / "j.jsonl"
    log = journal(path, limits=Limits(max_lines=8, flush_lines=4), disk=disk)
    for seq in range(1, 4):
        log.append(text(seq))
    await asyncio.to_thread(disk.reached.wait, 20)
    for seq in range(4, 31):
        log.append(text(seq))
    log.append(Fact("lint"))
    disk.go.set()
    async with asyncio.timeout(20):
        await drained(log)
    log.append(text(31))
    await log.close(20)

    found = list(items(path))
    [gap] = [item for item in found if isinstance(item, Gap)]
    kept = [item.seq for item in found if isinstance(item, Record)]

    assert kept == [*range(1, gap.from_seq), 31]
    assert (gap.to_seq, gap.events, gap.facts) == (30, 31 - gap.from_seq, 1)
    assert found.index(gap) == gap.from_seq
    assert Missing(gap.from_seq, 30) in await read(log)


@pytest.mark.rule("STORE-9")
async def test_a_close_that_takes_too_long_is_given_up_with_a_warning(tmp_path: Path) -> None:
    disk, said = Stuck(), list[str]()
    log = Journal(
        tmp_path / "j.jsonl", header(), now=lambda: text(1).event.at, on_error=said.append, warn=said.append, disk=disk
    )
    log.append(text(1))

    await log.close(0.01)
    disk.go.set()

    assert len(said) == 1
    assert "not finished" in said[0]


@pytest.mark.rule("STORE-10")
async def test_a_full_disk_is_told_once_and_ends_the_journal_with_an_open_gap(tmp_path: Path) -> None:
    told = asyncio.Queue[str]()

    class Once(RealDisk):
        writes = 0

        def write(self, fd: int, data: memoryview) -> int:
            self.writes += 1
            if self.writes == 2:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return super().write(fd, data)

    path = tmp_path / "j.jsonl"
    log = journal(path, on_error=told.put_nowait, disk=Once())
    log.append(ended(1))
    async with asyncio.timeout(20):
        await drained(log)
        log.append(ended(2))
        assert "No space left" in await told.get()
    log.append(text(3))
    await log.close(20)

    found = list(items(path))
    assert isinstance(found[0], Header)
    assert [item.seq for item in found if isinstance(item, Record)] == [1]
    assert isinstance(found[-1], Gap)
    assert (found[-1].from_seq, found[-1].to_seq) == (2, None)
    assert told.empty()
    assert seqs(await read(log)) == [1]


@pytest.mark.rule("STORE-10")
@pytest.mark.parametrize("room", [1, 100, 250, 300])
async def test_after_a_partial_write_nothing_more_is_written(tmp_path: Path, room: int) -> None:
    told = asyncio.Queue[str]()
    path = tmp_path / "j.jsonl"
    log = journal(path, on_error=told.put_nowait, disk=FullDisk(room))
    for seq in range(1, 5):
        log.append(text(seq))
    log.append(ended(5))
    async with asyncio.timeout(20):
        await told.get()
    log.append(text(6))
    await log.close(20)

    assert path.stat().st_size == room
    assert all(seq < 5 for seq in (item.seq for item in items(path) if isinstance(item, Record)))


@pytest.mark.rule("STORE-10")
async def test_a_folder_that_is_not_there_or_not_ours_costs_the_journal_alone(tmp_path: Path) -> None:
    told = asyncio.Queue[str]()
    log = journal(tmp_path / "nowhere" / "j.jsonl", on_error=told.put_nowait)

    log.append(ended(1))

    async with asyncio.timeout(20):
        assert "No such file" in await told.get()
    await log.close(20)


@pytest.mark.rule("ENG-2", "STORE-22", "ENG-15")
async def test_a_journal_that_continues_another_reads_both_as_one(tmp_path: Path) -> None:
    first = await written(tmp_path / "1_a.jsonl", text(1), Fact("usage"), text(2))
    log = journal(tmp_path / "2_b.jsonl", header("run-2", continues="run-1", numbers={"seq": 2}), before=(first,))
    assert log.last == {"seq": 2}
    log.append(text(3))

    found = await read(log)

    assert [getattr(item, "seq", "fact") for item in found] == [1, "fact", 2, 3]
    assert seqs(await read(log, 2, 3)) == [2, 3]
    assert log.last["seq"] == 3
    await log.close(20)


@pytest.mark.rule("ENG-15")
async def test_a_range_that_no_file_has_is_said_to_be_missing(tmp_path: Path) -> None:
    log = journal(tmp_path / "2_b.jsonl", header("run-2", numbers={"seq": 5}))
    log.append(text(6))
    log.append(text(9))

    assert [item for item in await read(log) if isinstance(item, Missing)] == [Missing(1, 5), Missing(7, 8)]
    assert await read(log, 3, 4) == [Missing(3, 4)]
    assert await read(log, 20, 30) == []
    await log.close(20)


WRITES_AND_WAITS = """
import asyncio, sys
from pathlib import Path
from tests.store.making import drained, ended, journal, text

async def main():
    log = journal(Path(sys.argv[1]))
    seq = 0
    while True:
        for _ in range(50):
            seq += 1
            log.append(text(seq))
        seq += 1
        log.append(ended(seq))
        await drained(log)
        print(seq, flush=True)

asyncio.run(main())
"""


@pytest.mark.rule("STORE-5", "STORE-11")
def test_what_was_synced_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with subprocess.Popen(
        [sys.executable, "-c", WRITES_AND_WAITS, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        safe = [int(process.stdout.readline()) for _ in range(3)][-1]
        process.send_signal(signal.SIGKILL)

    found = [item.seq for item in items(path) if isinstance(item, Record)]

    assert found == list(range(1, len(found) + 1))
    assert len(found) >= safe
    assert not any(isinstance(item, Closing) for item in items(path))
