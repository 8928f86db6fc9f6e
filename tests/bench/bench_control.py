"""What a piece of a streamed answer costs craze beside the official SDK of the channel, both less the agent itself.

Starting counts for both: it is what a run of either costs.
"""

from __future__ import annotations

import importlib.util
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.bench import Bar, Candidate, Compare, Measurement
from tests.bench.programs import HOME, pieces, program, shell

_AGENT = str(Path(__file__).with_name("control_chunk_agent.py"))


def _readers(quick: bool) -> Mapping[str, Candidate]:
    count = pieces(quick)
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


def _measurements() -> list[Measurement]:
    if importlib.util.find_spec("claude_agent_sdk") is None:
        print("  skipped: the official SDK is not installed (the extra `dev` has it)")
        return []
    bar = Bar(rule="", what="a session, less the agent", candidate="craze", baseline="sdk", limit=1 / 3, apart="agent")
    return [Compare(candidates=_readers, bars=[bar], rounds=3)]


MEASUREMENTS: list[Measurement] = _measurements()
