"""A process that is killed at any moment leaves a session that can be read, listed and gone on with."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import shlex
import sys

import pytest

from craze.codec import decode
from tests.cli.conftest import Craze

DEMO = shlex.join([sys.executable, "-m", "craze.demo", "--speed", "1000"])
MOMENTS = 56
AT_ONCE = 4


async def killed(craze: Craze, lines: int) -> bytes:
    """What a run had printed when it was killed behind that many lines of output."""
    process = await asyncio.create_subprocess_exec(
        *craze.command("run", "--agent-command", DEMO, "--answers", "all", "--format", "json", "/tour"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=craze.work,
        env=craze.environment,
        limit=1 << 26,
    )
    assert process.stdout
    printed = b""
    while printed.count(b"\n") < lines and (line := await process.stdout.readline()):
        printed += line
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    printed += await process.stdout.read()
    await process.wait()
    return printed


@pytest.mark.rule("STORE-5", "STORE-10", "STORE-11", "STORE-12", "ENG-43")
@pytest.mark.timeout(240)
async def test_a_kill_costs_at_most_the_last_line(craze: Craze) -> None:
    moments = random.Random(7)
    counts = [0, 0, 0, 1, 1, *(moments.randrange(1, 250) for _ in range(MOMENTS - 5))]
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(lines: int) -> bytes:
        async with gate:
            return await killed(craze, lines)

    outputs = await asyncio.gather(*map(one, counts))

    journals = craze.journals
    assert len(journals) >= 10, "most moments come before the first flush"
    printed = [output.splitlines() for output in outputs]
    for journal in journals:
        *whole, rest = journal.read_bytes().split(b"\n")
        stored = [json.loads(line) for line in whole]
        assert rest == b"" or len(rest) < len(journal.read_bytes())
        seqs = [line["seq"] for line in stored if line["kind"] == "event"]
        assert seqs == list(range(1, len(seqs) + 1))
        dumped = await asyncio.to_thread(craze, "dump", str(journal))
        assert dumped.returncode == 0
        events = dumped.stdout.splitlines()
        assert len(events) == len(seqs)
        assert all(decode(event) for event in events)
        assert any(_same_beginning(events, lines) for lines in printed)
    for file in craze.home.glob("sessions/*/session.json"):
        assert json.loads(file.read_bytes())["version"] == 1
    listed = await asyncio.to_thread(craze, "sessions", "list", "--limit", "100", "--format", "json")
    assert not any(json.loads(line)["running"] for line in listed.stdout.splitlines())
    again = await asyncio.to_thread(craze, "run", "-r", journals[-1].parent.name, "--agent-command", DEMO, "hello")
    assert again.returncode == 0, again.stderr


def _same_beginning(events: list[bytes], printed: list[bytes]) -> bool:
    """Of a journal and an output of one run, one is the beginning of the other."""
    size = min(len(events), len(printed))
    return size > 0 and events[:size] == printed[:size]
