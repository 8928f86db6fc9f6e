"""A child that runs before it is heard: handed over whole, once, or ended with its group."""

from __future__ import annotations

import signal
import sys
import textwrap
from pathlib import Path

import pytest

from craze.transport import Ahead, Command, Exit, Line, Process, Tap
from craze.transport.groups import left_of
from tests.transport.hearing import Hearer, gone, spawned

_SPEAKS = "import os; os.write(2, b'a word\\n'); os.write(1, b'one\\ntwo\\n')"
_WAITS = "import sys; sys.stdin.read()"
_LAUNCHES = """
    import signal, subprocess, sys
    subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    print("up", flush=True)
    signal.pause()
"""


def python(program: str, cwd: Path) -> Command:
    return Command((sys.executable, "-c", textwrap.dedent(program)), str(cwd))


@pytest.mark.rule("ACP-14")
async def test_what_a_child_said_and_its_end_wait_for_who_hears_it(tmp_path: Path) -> None:
    command, ahead, hearer = python(_SPEAKS, tmp_path), Ahead(), Hearer()
    ahead.start(command)
    child = ahead(command)
    await gone(child.pid)

    process = await Process.start(command, hearer, Tap(hearer.capture, hearer.now), child_of=lambda _: child)
    assert process is not None
    await process.wait()

    assert process.pid == child.pid
    assert hearer.lines == [Line(b"one"), Line(b"two")]
    assert hearer.errors == [Line(b"a word")]
    assert hearer.rows[-1] == ("exit", b'{"code":0}', "", 0)
    assert hearer.stamps == hearer.row_stamps


async def test_a_child_is_handed_over_once_and_the_next_is_a_fresh_one(tmp_path: Path) -> None:
    command, ahead = python(_WAITS, tmp_path), Ahead()
    ahead.start(command)

    with ahead(command) as first, ahead(command) as second:
        ahead.drop()
        assert first.pid != second.pid
        assert (first.poll(), second.poll()) == (None, None)


async def test_another_command_gets_its_own_child_and_the_first_one_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = spawned(monkeypatch)
    ahead = Ahead()
    ahead.start(python(_WAITS, tmp_path))

    with ahead(python(_SPEAKS, tmp_path)) as other:
        first, second = kept
        assert (first.returncode, second) == (-signal.SIGKILL, other)


@pytest.mark.rule("ACP-23")
async def test_a_dropped_child_leaves_nobody_of_its_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (kept, ahead) = spawned(monkeypatch), Ahead()
    ahead.start(python(_LAUNCHES, tmp_path))
    (child,) = kept
    assert child.stdout
    assert child.stdout.readline() == b"up\n"

    ahead.drop()
    ahead.drop()

    assert child.returncode == -signal.SIGKILL
    assert child.stdout.closed
    for row in left_of(child.pid):
        await gone(int(row.split()[0]))
    assert left_of(child.pid) == ()


@pytest.mark.rule("ACP-20")
async def test_why_a_child_cannot_be_started_is_told_to_who_would_hear_it(tmp_path: Path) -> None:
    command, ahead, hearer = Command(("no-such-agent",), str(tmp_path)), Ahead(), Hearer()
    ahead.start(command)

    process = await Process.start(command, hearer, Tap(hearer.capture, hearer.now), child_of=ahead)

    assert process is None
    assert isinstance(hearer.end, Exit)
    assert "no-such-agent: not found in PATH" in hearer.end.error
    assert hearer.told == ["ended"]
