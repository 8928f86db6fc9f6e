"""What it costs to print a stored session, beside `cat` of its journal into the same pipe."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from craze.store.lines import Header, encode_line, event_line
from tests.bench import Bar, Candidate, Compare, Measurement
from tests.bench.bench_codec import lines
from tests.bench.programs import HOME, craze, shell

EVENTS = 200_000
_TS = "2026-11-30T12:00:00.123456789Z"


@cache
def _journal(events: int) -> Path:
    path = HOME / f"{events}.jsonl"
    bodies = lines(20_000)
    with path.open("wb") as file:
        file.write(encode_line(Header(ts=_TS, format=1, event_codec=1, incarnation="i", craze_id="s")))
        for seq in range(1, events + 1):
            file.write(event_line(_TS, seq, bodies[seq % len(bodies)]))
    return path


def _prints(quick: bool) -> Mapping[str, Candidate]:
    path = str(_journal(EVENTS))
    return {
        "cat": _piped(("cat", path)),
        "dump": _piped(craze("dump", path)),
        "dump --envelope": _piped(craze("dump", "--envelope", path)),
    }


def _piped(command: tuple[str, ...]) -> tuple[str, ...]:
    return shell(f"{shlex.join(command)} | cat > /dev/null")


MEASUREMENTS: list[Measurement] = [
    Compare(
        candidates=_prints,
        bars=[
            Bar(rule="", what="dump, 200 000 events", candidate="dump", baseline="cat", limit=5),
            Bar(rule="", what="dump --envelope, 200 000 events", candidate="dump --envelope", baseline="cat"),
        ],
    )
]
