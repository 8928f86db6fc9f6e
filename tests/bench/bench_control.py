"""What a streamed answer costs craze beside the official SDK of the channel, both less the agent itself.

Two numbers: a whole session, in which starting counts for both as it does in a run of either, and a piece alone, which
is what a long answer costs more than a short one.
"""

from __future__ import annotations

import importlib.util
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.bench import Bar, Candidate, Compare, Figure, Measurement, medians
from tests.bench.programs import HOME, SHORT, pieces, program, shell

_AGENT = str(Path(__file__).with_name("control_chunk_agent.py"))


def _readers(quick: bool) -> Mapping[str, Candidate]:
    return _candidates(pieces(quick))


def _candidates(count: int) -> Mapping[str, Candidate]:
    return {
        "sdk": ("env", "CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK=1", *program("sdk_drain.py", _wrapped(count))),
        "craze": program("control_drain.py", _wrapped(count)),
        "agent": _alone(count),
    }


def _wrapped(count: int) -> str:
    """The agent as one program, whatever arguments it gets."""
    path = HOME / f"control-agent-{count}"
    path.write_text(f"#!/bin/sh\nexec {shlex.join((sys.executable, _AGENT, str(count)))}\n")
    path.chmod(0o755)
    return str(path)


def _alone(count: int) -> tuple[str, ...]:
    """The same agent, asked by nobody that reads."""
    asked = '{"type":"user"}'
    return shell(f"echo {shlex.quote(asked)} | {shlex.join((sys.executable, _AGENT, str(count)))}")


def _piece(quick: bool) -> float:
    """What a further piece costs craze, by what it costs the SDK."""
    lengths = pieces(quick), SHORT // 4
    runs = {(name, count): run for count in lengths for name, run in _candidates(count).items()}
    times = medians({f"{name} {count}": run for (name, count), run in runs.items()}, 3 if quick else 5)
    more = {name: times[f"{name} {lengths[0]}"] - times[f"{name} {lengths[1]}"] for name, _ in runs}
    return (more["craze"] - more["agent"]) / (more["sdk"] - more["agent"])


def _measurements() -> list[Measurement]:
    if importlib.util.find_spec("claude_agent_sdk") is None:
        print("  skipped: the official SDK is not installed (the extra `dev` has it)")
        return []
    bar = Bar(rule="", what="a session, less the agent", candidate="craze", baseline="sdk", limit=1 / 3, apart="agent")
    alone = Figure(rule="", what="a piece, less the agent / sdk", measure=_piece, limit=1 / 3)
    return [Compare(candidates=_readers, bars=[bar], rounds=3), alone]


MEASUREMENTS: list[Measurement] = _measurements()
