"""Stopping: each step is tried, its time is given, nobody of the group stays; also when craze itself ends."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import textwrap
from pathlib import Path

import pytest

from craze.transport import Exit
from tests.transport.hearing import Hearer, gone

_POLITE = "import sys; print('up'); sys.stdin.read(); print('bye')"
_DEAF = """
    import signal
    print("up")
    while True:
        signal.pause()
"""
_STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + textwrap.dedent(_DEAF)
_LAUNCHER = """
    import subprocess, sys
    quiet = subprocess.DEVNULL
    child = subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdin=quiet, stdout=subprocess.PIPE)
    child.stdout.readline()
    print(child.pid)
    if len(sys.argv) > 2:
        sys.stdin.read()
"""


@pytest.mark.rule("ACP-22", "ACP-177")
@pytest.mark.parametrize(
    ("program", "step", "end"),
    [
        (_POLITE, "eof", Exit(code=0)),
        (_DEAF, "term", Exit(signal="SIGTERM")),
        (_STUBBORN, "kill", Exit(signal="SIGKILL")),
    ],
)
async def test_the_end_is_told_with_the_step_that_brought_it(
    program: str, step: str, end: Exit, tmp_path: Path
) -> None:
    hearer = Hearer()
    process = await hearer.start(program, tmp_path)
    await hearer.until(lambda: bool(hearer.lines))

    stopped = await process.stop(eof=20 if step == "eof" else 0.05, term=20 if step == "term" else 0.05)

    assert (stopped.step, hearer.end) == (step, end)
    assert hearer.told[-1] == "ended"


@pytest.mark.rule("ACP-22")
async def test_an_agent_that_ended_already_is_stopped_at_once(tmp_path: Path) -> None:
    hearer = Hearer()
    process = await hearer.start("pass", tmp_path)
    await process.wait()

    async with asyncio.timeout(20):
        assert (await process.stop(eof=60)).step == "eof"


@pytest.mark.rule("ACP-22")
async def test_a_second_request_to_stop_kills(tmp_path: Path) -> None:
    hearer = Hearer()
    process = await hearer.start(_STUBBORN, tmp_path)
    await hearer.until(lambda: bool(hearer.lines))

    async with asyncio.TaskGroup() as group:
        group.create_task(process.stop(eof=60))
        process.kill()

    assert hearer.end == Exit(signal="SIGKILL")


@pytest.mark.rule("ACP-23")
@pytest.mark.parametrize("child", [_DEAF, _STUBBORN])
async def test_what_a_launcher_leaves_behind_goes_with_it(child: str, tmp_path: Path) -> None:
    hearer = Hearer()
    process = await hearer.start(_LAUNCHER, tmp_path, _unbuffered(child))
    await process.wait()

    await gone(int(hearer.lines[0].data))


@pytest.mark.rule("ACP-22", "ACP-23")
async def test_a_stop_leaves_nobody_of_the_group(tmp_path: Path) -> None:
    hearer = Hearer()
    process = await hearer.start(_LAUNCHER, tmp_path, _unbuffered(_STUBBORN), "stay")
    await hearer.until(lambda: bool(hearer.lines))

    await process.stop()

    await gone(int(hearer.lines[0].data))


@pytest.mark.rule("ACP-177")
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="names of processes are read from /proc")
async def test_who_would_not_go_is_named(tmp_path: Path) -> None:
    hearer = Hearer()
    process = await hearer.start(_STUBBORN, tmp_path)
    await hearer.until(lambda: bool(hearer.lines))

    stopped = await process.stop(eof=0.05, term=0.05)

    assert any(row.startswith(f"{process.pid} python") for row in stopped.left)


async def test_a_process_that_left_the_group_does_not_hold_up_the_end(tmp_path: Path) -> None:
    hearer = Hearer()
    process = await hearer.start(
        """
        import subprocess, sys
        child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"], start_new_session=True)
        print(child.pid)
        """,
        tmp_path,
    )
    await process.wait()

    assert hearer.end == Exit(code=0)
    os.kill(int(hearer.lines[0].data), signal.SIGKILL)


@pytest.mark.rule("ACP-23")
@pytest.mark.parametrize("ending", ["return", "raise", "SIGTERM", "SIGHUP", "SIGINT"])
async def test_no_agent_outlives_craze_however_it_ends(ending: str, tmp_path: Path) -> None:
    program = """
        import asyncio, os, signal, sys
        from tests.transport.hearing import Hearer

        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whatever runs the tests may ignore it

        async def main():
            hearer = Hearer()
            process = await hearer.start(sys.argv[1], sys.argv[2])
            await hearer.until(lambda: bool(hearer.lines))
            print(process.pid, flush=True)
            if sys.argv[3] == "raise":
                raise RuntimeError
            if sys.argv[3] != "return":
                os.kill(os.getpid(), signal.Signals[sys.argv[3]])
                await asyncio.Event().wait()

        asyncio.run(main())
    """
    craze = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", textwrap.dedent(program), textwrap.dedent(_STUBBORN), str(tmp_path), ending),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert craze.stdout is not None
    async with asyncio.timeout(20):
        agent = int(await craze.stdout.readline())
        status = await craze.wait()

    await gone(agent)
    if ending in ("SIGTERM", "SIGHUP"):
        assert status == -signal.Signals[ending]


def _unbuffered(program: str) -> str:
    return textwrap.dedent(program).replace('print("up")', 'print("up", flush=True)')
