"""The screen on a stored session of 100 000 events in a pseudo terminal, against one of 1 000: TUI-210 and TUI-215.

What counts is the CPU time of the real command. Between two steps it is left alone until it has nothing to do.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import statistics
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tests.bench import Figure, Measurement
from tests.bench.bench_screen import COLUMNS, ROWS, cpu, terminal_of
from tests.bench.programs import HOME, craze
from tests.end_to_end.pty_screen import IDLE, PtyScreen

SHORT, LONG = 1_000, 100_000
ROUNDS = 3
QUIET = 0.2
"""Seconds without work after which nothing is left to do."""
IDLE_SHARE = 0.02
PAGES, RESIZES = 5, 10
_AGENT = Path(__file__).parent / "storied_agent.py"
_PAGE_UP, _END = "\x1b[5~", "\x1b[1;5F"


def _agent(count: int) -> tuple[str, ...]:
    return ("--no-wire", "--agent-command", shlex.join((sys.executable, str(_AGENT), str(count))))


def _stored(count: int) -> str:
    """The id of a session with about so many events."""
    before = set(os.listdir(HOME / "sessions")) if (HOME / "sessions").exists() else set[str]()
    subprocess.run(craze("run", *_agent(count), "go"), check=True, stdout=subprocess.DEVNULL)
    (made,) = set(os.listdir(HOME / "sessions")) - before
    return made


async def _quiet(terminal: PtyScreen) -> float:
    """CPU seconds so far, once the command has nothing to do."""
    spent = cpu(terminal)
    while True:
        await asyncio.sleep(QUIET)
        before, spent = spent, cpu(terminal)
        if spent - before < QUIET * IDLE_SHARE:
            return spent


async def _opened(session: str) -> dict[str, float]:
    """CPU seconds of each step."""
    async with terminal_of(*craze("-r", session, *_agent(0))) as terminal:
        await terminal.until(lambda: "naïve" in terminal.text and "part_" in terminal.text)
        spent = {"first paint": cpu(terminal)}
        terminal.type("key")
        await terminal.until("› key")
        await terminal.until(IDLE)
        spent["settled"] = await _quiet(terminal)
        spent["resize"] = await _each(terminal, [lambda at=at: _resize(terminal, at) for at in range(RESIZES)])
        keys = [*[_PAGE_UP] * PAGES, _END] * 2
        spent["page up"] = await _each(terminal, [lambda key=key: terminal.type(key) for key in keys])
        return spent


def _resize(terminal: PtyScreen, at: int) -> None:
    terminal.resize(COLUMNS - 20 * (1 - at % 2), ROWS)


async def _each(terminal: PtyScreen, steps: list[Callable[[], None]]) -> float:
    before = await _quiet(terminal)
    for step in steps:
        step()
        await _quiet(terminal)
    return cpu(terminal) - before


@cache
def ratios(quick: bool) -> dict[str, float]:
    """What each step takes behind the long session, as a multiple of behind the short one."""
    sessions = {"short": _stored(SHORT), "long": _stored(LONG // 10 if quick else LONG)}

    async def measure() -> dict[str, list[dict[str, float]]]:
        spent: dict[str, list[dict[str, float]]] = {name: [] for name in sessions}
        for _ in range(1 if quick else ROUNDS):
            for name, session in sessions.items():
                spent[name].append(await _opened(session))
        return spent

    spent = asyncio.run(measure())
    steps = spent["long"][0]
    return {step: _median(spent["long"], step) / _median(spent["short"], step) for step in steps}


def _median(rounds: list[dict[str, float]], step: str) -> float:
    return statistics.median(each[step] for each in rounds)


def _figure(rule: str, step: str, limit: float) -> Figure:
    return Figure(rule=rule, what=f"{step}, 100k events / 1k", measure=lambda quick: ratios(quick)[step], limit=limit)


MEASUREMENTS: list[Measurement] = [
    _figure("TUI-210", "first paint", 2.0),
    _figure("TUI-210", "settled", 4.0),
    _figure("TUI-215", "resize", 1.5),
    _figure("TUI-215", "page up", 1.5),
]
