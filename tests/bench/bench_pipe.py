"""What a session costs without disk and printer, beside a client that only reads the agent's lines."""

from __future__ import annotations

from collections.abc import Mapping

from tests.bench import Bar, Candidate, Compare, Measurement
from tests.bench.programs import agent, agent_alone, pieces, program


def _readers(quick: bool) -> Mapping[str, Candidate]:
    count = pieces(quick)
    return {
        "raw drain": program("raw_drain.py", *agent(count)),
        "session": program("session_drain.py", *agent(count)),
        "agent": agent_alone(count),
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
