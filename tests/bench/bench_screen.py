"""The screen in a pseudo terminal of 120x40: first paint, a burst, CPU a piece, and how keys are answered meanwhile.

Programs take turns in one run. Only ratios count; latencies are medians and 95th percentiles of many keys.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench import Figure, Measurement
from tests.bench.chunk_agent import LAST
from tests.bench.programs import agent, craze, python
from tests.end_to_end.pty_screen import IDLE, PtyScreen

_HERE = Path(__file__).parent
_BARE = """
from textual.app import App
from textual.widgets import Input
class Bare(App):
    def compose(self):
        yield Input("ready")
Bare().run()
"""
COLUMNS, ROWS = 120, 40
ANSWER = 120.0
"""Seconds that an answer may take on a busy machine."""
ROUNDS = 9

_FOLDER = Path(tempfile.gettempdir())


def terminal_of(*command: str) -> PtyScreen:
    return PtyScreen(list(command), _FOLDER, dict(os.environ), columns=COLUMNS, rows=ROWS)


def cpu(terminal: PtyScreen) -> float:
    """CPU seconds so far of what runs in a terminal."""
    # Linux makes a clock of any process from the bits of its id: see clock_getcpuclockid(3).
    return time.clock_gettime((~terminal.process.pid << 3) | 2)


class Painted(PtyScreen):
    """Notes the CPU when a text is first written.

    The emulator takes longer to read a picture than a program to go on with what comes behind it.
    """

    def __init__(self, shown: str, *command: str) -> None:
        self._shown, self.spent = shown.encode(), 0.0
        super().__init__(list(command), _FOLDER, dict(os.environ), columns=COLUMNS, rows=ROWS)

    def take(self, data: bytes) -> None:
        if not self.spent and self._shown in self.raw + data:
            self.spent = cpu(self)
        super().take(data)


def _opened(*agent_command: str) -> tuple[str, ...]:
    return craze("--no-journal", "--no-wire", "--agent-command", shlex.join(agent_command))


def _screen(*agent_command: str) -> PtyScreen:
    return terminal_of(*_opened(*agent_command))


def _paced(count: int, rate: float) -> tuple[str, ...]:
    return (sys.executable, str(_HERE / "paced_agent.py"), str(count), str(rate))


async def _answered(terminal: PtyScreen) -> None:
    """Ask the agent, and wait for the end of its turn: its last words stay, unlike what is shown while it works."""
    terminal.type("go\r")
    await terminal.until(lambda: LAST in terminal.text and IDLE in terminal.text, patience=ANSWER)


async def _first_paint(shown: str, *command: str) -> float:
    async with Painted(shown, *command) as terminal:
        await terminal.until(lambda: terminal.spent)
        return terminal.spent


def first_paint(quick: bool) -> float:
    """CPU to first paint, the composer being there, as a multiple of that of a bare app."""
    rounds = 3 if quick else ROUNDS
    ours: list[float] = []
    bare: list[float] = []

    async def measure() -> None:
        for _ in range(rounds):
            ours.append(await _first_paint("›", *_opened(*agent(1))))
            bare.append(await _first_paint("ready", *python(_BARE)))

    asyncio.run(measure())
    return statistics.median(ours) / statistics.median(bare)


async def _spent(rate: float, count: int) -> float:
    """CPU seconds a piece at a rate, without the start."""
    async with _screen(*_paced(count, rate)) as terminal:
        await terminal.until(IDLE)
        before = cpu(terminal)
        await _answered(terminal)
        return (cpu(terminal) - before) / count


def cpu_a_piece(quick: bool) -> float:
    """CPU a piece at 1 000 pieces a second, as a multiple of that at 100."""
    seconds = 2 if quick else 5
    fast = asyncio.run(_spent(1000, 1000 * seconds))
    slow = asyncio.run(_spent(100, 100 * seconds))
    return fast / slow


async def _echoes(terminal: PtyScreen, keys: int) -> list[float]:
    """Seconds until each typed character is on the screen."""
    waits: list[float] = []
    text = ""
    for number in range(keys):
        key = "abcdefghij"[number % 10]
        text += key
        began = time.perf_counter()
        terminal.type(key)
        await terminal.until(lambda text=text: f"› {text}" in terminal.text)
        waits.append(time.perf_counter() - began)
        await asyncio.sleep(0.05)
    return waits


def echo(quick: bool, share: float) -> float:
    """The wait for a key while 200 pieces a second stream, as a multiple of that on an idle screen."""
    keys = 20 if quick else 60

    async def measure() -> tuple[list[float], list[float]]:
        async with _screen(*_paced(200 * 60, 200)) as terminal:
            await terminal.until(IDLE)
            idle = await _echoes(terminal, keys)
            terminal.type(b"\x15")
            await terminal.until(lambda: "› abc" not in terminal.text)
            terminal.type("go\r")
            await terminal.until("enter queue")
            return idle, await _echoes(terminal, keys)

    idle, busy = asyncio.run(measure())
    return _at(busy, share) / _at(idle, share)


def _at(waits: list[float], share: float) -> float:
    return sorted(waits)[min(len(waits) - 1, int(len(waits) * share))]


def burst(quick: bool) -> float:
    """Seconds until 10 000 pieces are drawn, beyond twice the headless client's time."""
    count = 2_000 if quick else 10_000

    async def drawn() -> float:
        async with _screen(*agent(count)) as terminal:
            await terminal.until(IDLE)
            began = time.perf_counter()
            await _answered(terminal)
            return time.perf_counter() - began

    seconds = asyncio.run(drawn())
    began = time.perf_counter()
    run = craze(
        "run", "--no-journal", "--no-wire", "--format", "json", "--agent-command", shlex.join(agent(count)), "go"
    )
    subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
    return seconds - 2 * (time.perf_counter() - began)


MEASUREMENTS: list[Measurement] = [
    Figure(rule="TUI-216", what="CPU to first paint / a bare Textual app", measure=first_paint, limit=1.3),
    Figure(rule="TUI-213", what="CPU a piece at 1000/s / at 100/s", measure=cpu_a_piece, limit=0.25),
    Figure(
        rule="TUI-212", what="key echo, median, while 200/s stream / idle", measure=lambda q: echo(q, 0.5), limit=3.0
    ),
    Figure(
        rule="TUI-212",
        what="key echo, 95th of 100, while 200/s stream / idle",
        measure=lambda q: echo(q, 0.95),
        limit=6.0,
    ),
    Figure(rule="TUI-214", what="seconds of a burst beyond twice the headless time", measure=burst, limit=3.0),
]
