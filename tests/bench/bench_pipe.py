"""What a session costs without disk and printer, beside a client that only reads the agent's lines."""

from __future__ import annotations

from collections.abc import Mapping

from tests.bench import Bar, Candidate, Compare, Measurement
from tests.bench.programs import agent, agent_alone, program


def _readers(quick: bool) -> Mapping[str, Candidate]:
    pieces = 20_000 if quick else 100_000
    return {
        "raw drain": program("raw_drain.py", *agent(pieces)),
        "session": program("session_drain.py", *agent(pieces)),
        "agent": agent_alone(pieces),
    }


MEASUREMENTS: list[Measurement] = [
    Compare(
        candidates=_readers,
        bars=[
            Bar(rule="", what="session, no disk", candidate="session", baseline="raw drain"),
            Bar(
                rule="",
                what="session, no disk, less the agent",
                candidate="session",
                baseline="raw drain",
                apart="agent",
            ),
        ],
        rounds=5,
    )
]
