"""What a command costs before it does anything, as multiples of an interpreter that starts and stops."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from tests.bench import Bar, Candidate, Compare, Measurement
from tests.bench.programs import HOME, PASS, craze, shell

_LINE = '{"kind":"event","ts":"2026-11-30T12:00:00Z","seq":1,"event":{"type":"text","text":"a"}}\n'
_AGENT = "sh -c 'kill -KILL $PPID'"
"""Ends craze by its first act, so that nothing behind the spawn is counted."""


def _starts(quick: bool) -> Mapping[str, Candidate]:
    journal = HOME / "journal.jsonl"
    journal.write_text(_LINE)
    run = shlex.join(craze("run", "--agent-command", _AGENT, "hello"))
    return {
        "python -c pass": PASS,
        "--version": craze("--version"),
        "dump": craze("dump", str(journal)),
        "run": shell(f"{run} 2> /dev/null; test $? = 137"),
    }


def _bar(what: str, candidate: str, limit: float) -> Bar:
    return Bar(rule="CLI-6", what=what, candidate=candidate, baseline="python -c pass", limit=limit)


MEASUREMENTS: list[Measurement] = [
    Compare(
        candidates=_starts,
        bars=[
            _bar("craze --version", "--version", 1.5),
            _bar("craze dump, the first line", "dump", 6),
            _bar("craze run, ready to spawn", "run", 10),
        ],
        rounds=15,
    )
]
