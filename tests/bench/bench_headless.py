"""A headless run as it is by default - JSON out, journal and wire capture on - beside a client that only reads."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Mapping

from tests.bench import Bar, Candidate, Compare, Figure, Measurement
from tests.bench.programs import agent, agent_alone, craze, pieces, program

# In a process of its own: a child's peak begins with that of the process that starts it.
_PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def _readers(quick: bool) -> Mapping[str, Candidate]:
    count = pieces(quick)
    return {
        "raw drain": program("raw_drain.py", *agent(count)),
        "run": _run(count),
        "run --no-wire": _run(count, "--no-wire"),
        "run --no-journal": _run(count, "--no-journal"),
        "agent": agent_alone(count),
    }


def _run(count: int, *options: str) -> tuple[str, ...]:
    return craze("run", *options, "--format", "json", "--agent-command", shlex.join(agent(count)), "go on")


def _growth(quick: bool) -> float:
    """Peak memory of a long run as a multiple of a short one's."""
    return _peak(pieces(quick)) / _peak(pieces(quick) // 10)


def _peak(count: int) -> int:
    run = subprocess.run([sys.executable, "-c", _PEAK, *_run(count)], check=True, capture_output=True, text=True)
    return int(run.stdout)


def _bar(candidate: str, limit: float = float("inf"), apart: str = "") -> Bar:
    what = f"{candidate}, less the agent" if apart else candidate
    return Bar(rule="", what=what, candidate=candidate, baseline="raw drain", limit=limit, apart=apart)


MEASUREMENTS: list[Measurement] = [
    Compare(
        candidates=_readers,
        bars=[
            _bar("run", limit=2.0),
            _bar("run", apart="agent"),
            _bar("run --no-wire"),
            _bar("run --no-journal"),
        ],
        rounds=5,
    ),
    Figure(rule="", what="peak memory of ten times the pieces", measure=_growth, limit=1.2),
]
