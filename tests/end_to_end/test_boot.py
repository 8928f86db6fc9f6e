"""An agent that boots while craze still makes its session: nothing of it is lost, and it never stays alone."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys

import pytest

from tests.cli.conftest import Craze
from tests.transport.hearing import gone

DEMO = shlex.join([sys.executable, "-m", "craze.demo", "--speed", "1000"])


@pytest.mark.rule("STORE-16", "STORE-33")
def test_what_an_agent_says_before_it_is_greeted_is_captured_and_comes_out_again(craze: Craze) -> None:
    talks = f"echo welcome; echo a warning >&2; exec {DEMO}"

    done = craze("run", "--agent-command", shlex.join(["sh", "-c", talks]), "--format", "wire", "hello")
    (craze.work / "x.wire.jsonl").write_bytes(done.stdout)

    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    said = [(row["dir"], row["line"]) for row in rows if row.get("line") in ("welcome", "a warning")]
    assert sorted(said) == [("err", "a warning"), ("in", "welcome")]
    assert [row["t"] for row in rows] == sorted(row["t"] for row in rows)
    assert craze("replay", "--strict", "x.wire.jsonl").stdout == b"ok\n"
    assert craze("dump", "x.wire.jsonl").stdout == craze("dump", craze.sessions[0].name).stdout


@pytest.mark.rule("CLI-23", "ACP-23")
@pytest.mark.parametrize("name", ["INT", "TERM", "HUP"])
async def test_a_signal_while_the_agent_boots_leaves_no_agent(craze: Craze, name: str) -> None:
    boots = f"echo $$ > booted; kill -{name} $PPID; exec sleep 1000"

    done = await asyncio.to_thread(craze, "run", "--agent-command", shlex.join(["sh", "-c", boots]), "hello")

    assert done.returncode == 130, done.stderr
    await gone(int((craze.work / "booted").read_text()))
