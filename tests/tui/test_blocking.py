"""The guard that every test of the screen runs under."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import craze
from tests.fakes.blocking import Blocked, guarded

CALLS = [
    "open('/dev/null')",
    "import os; os.listdir('/')",
    "import time; time.sleep(0)",
    "import subprocess; subprocess.run(['true'])",
]


def of_craze(code: str) -> None:
    """Runs it as if a module of craze did."""
    exec(compile(code, str(Path(craze.__file__).parent / "made_up.py"), "exec"), {})


@pytest.mark.rule("TUI-218")
@pytest.mark.parametrize("code", CALLS)
async def test_a_call_that_would_hold_up_the_loop_is_refused(code: str) -> None:
    with guarded() as calls, pytest.raises(Blocked, match=r"craze/made_up.py:1"):
        of_craze(code)

    assert len(calls) == 1


@pytest.mark.parametrize("code", CALLS)
async def test_the_same_call_on_another_thread_is_not(code: str) -> None:
    with guarded() as calls:
        await asyncio.to_thread(of_craze, code)

    assert calls == []


async def test_a_process_that_asyncio_starts_is_not() -> None:
    with guarded() as calls:
        process = await asyncio.create_subprocess_exec("true")
        await process.wait()

    assert calls == []
