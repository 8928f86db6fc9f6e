"""The writing thread against every kind of disk."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from craze.store.writer import Limits, LineWriter, RealDisk
from tests.store.making import drained, journal, text

LINES = st.lists(st.binary(min_size=1, max_size=20).map(lambda raw: raw.replace(b"\n", b"x") + b"\n"), max_size=30)


class Whims(RealDisk):
    """Writes as much as it likes each time, until it fails."""

    def __init__(self, whims: list[int]) -> None:
        self.whims = iter(whims)

    def write(self, fd: int, data: memoryview) -> int:
        much = next(self.whims, 1 << 20)
        if much == 0:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().write(fd, data[:much])


@pytest.mark.rule("STORE-9", "STORE-10")
@given(LINES, st.lists(st.integers(0, 9), max_size=40))
@settings(max_examples=80, deadline=None)
def test_a_file_is_always_a_beginning_of_what_was_put_and_a_failure_is_told_once(
    lines: list[bytes], whims: list[int]
) -> None:
    told: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "lines")
        writer = LineWriter(path, on_error=told.append, disk=Whims(whims), limits=Limits(flush_lines=3))
        writer.start()
        for line in lines:
            writer.put(line)
        assert writer.close(20)
        data = path.read_bytes() if path.exists() else b""

    assert b"".join(lines).startswith(data)
    assert (data == b"".join(lines)) or len(told) == 1
    assert len(told) == bool(writer.error) <= 1


@pytest.mark.rule("STORE-10")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
async def test_a_device_that_is_really_full_costs_the_journal_alone(tmp_path: Path) -> None:
    class Device(RealDisk):
        def create(self, path: Path) -> int:
            return os.open("/dev/full", os.O_WRONLY)

    told: list[str] = []
    log = journal(tmp_path / "j.jsonl", on_error=told.append, disk=Device())
    for seq in range(1, 100):
        log.append(text(seq))
    await log.close(20)
    await drained(log)

    assert len(told) == 1
    assert "No space left" in told[0]


@pytest.mark.rule("STORE-10")
@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
async def test_a_read_only_folder_costs_the_journal_alone(tmp_path: Path) -> None:
    told: list[str] = []
    os.chmod(tmp_path, 0o500)
    log = journal(tmp_path / "j.jsonl", on_error=told.append)
    log.append(text(1))
    await log.close(20)
    os.chmod(tmp_path, 0o700)

    assert len(told) == 1


def test_a_line_larger_than_all_room_is_taken_when_nothing_else_waits(tmp_path: Path) -> None:
    writer = LineWriter(tmp_path / "lines", on_error=lambda text: None, limits=Limits(max_bytes=10))

    assert writer.put(b"x" * 100 + b"\n")
    assert not writer.put(b"y\n")
    writer.start()
    assert writer.close(20)
    assert not writer.put(b"z\n")


@pytest.mark.rule("STORE-8")
async def test_a_system_without_threads_costs_the_journal_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = asyncio.Queue[str]()
    log = journal(tmp_path / "j.jsonl", on_error=told.put_nowait)

    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        log.append(text(1))
        log.append(text(2))

    async with asyncio.timeout(20):
        assert "can't start new thread" in await told.get()
    assert told.empty()


@pytest.mark.rule("CLI-6")
def test_dumping_events_loads_neither_a_loop_nor_the_codec() -> None:
    code = "import sys, craze.store.bulk, craze.store.source; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert not {"asyncio", "craze.codec", "textual", "jsonschema", "subprocess"} & set(loaded)
