"""What a streamed answer costs craze beside the official SDK of the channel.

Only what each client itself spends is counted, by its own clock: the agent, which is the same for both, is left out,
and no difference of two runs is taken. Each process is asked twice. Its first answer is counted from the start of the
process, as a run of either costs; the second one alone is what its pieces cost.

Where pieces come in a row a client reads many at once. Where each comes when the one before has been read, as from a
model that streams, most of what it costs is being woken.

The SDK hands over what it read; so does craze's session, which is what the bars compare it with. A whole run also
prints it, and keeps it in the journal and in the wire capture, which is only told.
"""

from __future__ import annotations

import importlib.util
import json
import shlex
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from tests.bench import Figure, Measurement, programs
from tests.bench.programs import HOME, program

Pace: TypeAlias = Literal["row", "alone"]
_AGENT = str(Path(__file__).with_name("control_chunk_agent.py"))
_SDK = ("env", "CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK=1", *program("sdk_drain.py"))
_CLIENTS = {"sdk": _SDK, "craze": program("control_drain.py"), "run": program("run_drain.py", str(HOME))}


@cache
def seconds(pace: Pace, count: int, rounds: int) -> Mapping[str, tuple[float, float]]:
    """Seconds of CPU by client: from the start of its process to the end of an answer, and for a further such answer.

    The least of rounds in which the clients take turns: what else the machine does only ever adds to them.
    """
    told = [
        (name, _run((*client, _agent(pace), str(count)))) for _ in range(rounds) for name, client in _CLIENTS.items()
    ]
    each = {name: [spent for client, spent in told if client == name] for name in _CLIENTS}
    return {
        name: (min(first for first, _ in spent), min(second for _, second in spent)) for name, spent in each.items()
    }


def _run(command: tuple[str, ...]) -> tuple[float, float]:
    first, second = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return first, second


def _agent(pace: Pace) -> str:
    """The agent as one program, whatever arguments it gets."""
    path = HOME / f"control-agent-{pace}"
    path.write_text(f"#!/bin/sh\nexec {shlex.join((sys.executable, _AGENT, pace))}\n")
    path.chmod(0o755)
    return str(path)


def _figure(what: str, client: str, pace: Pace, answer: Literal[0, 1], limit: float = float("inf")) -> Figure:
    def measure(quick: bool) -> float:
        spent = seconds(pace, programs.SHORT // (1 if pace == "row" else 4), 3 if quick else 11)
        return spent[client][answer] / spent["sdk"][answer]

    return Figure(rule="", what=f"{what} / sdk", measure=measure, limit=limit)


def _measurements() -> list[Measurement]:
    if importlib.util.find_spec("claude_agent_sdk") is None:
        print("  skipped: the official SDK is not installed (the extra `dev` has it)")
        return []
    return [
        _figure("a session", "craze", "row", 0, limit=1 / 3),
        _figure("a piece in a row", "craze", "row", 1, limit=1 / 3),
        _figure("a piece that comes alone", "craze", "alone", 1, limit=1),
        _figure("a piece in a row, with output, journal and capture", "run", "row", 1),
        _figure("a piece that comes alone, with output, journal and capture", "run", "alone", 1),
    ]


MEASUREMENTS: list[Measurement] = _measurements()
