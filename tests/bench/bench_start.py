"""How much a command costs before it does anything, as multiples of an interpreter that starts and stops."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.bench import Bar, Candidate, Compare, Measurement

_LINE = '{"kind":"event","ts":"2026-11-30T12:00:00Z","seq":1,"event":{"type":"text","text":"a"}}\n'


def _starts(quick: bool) -> Mapping[str, Candidate]:
    journal = Path(tempfile.mkdtemp(prefix="craze-bench-")) / "journal.jsonl"
    journal.write_text(_LINE)
    return {
        "python -c pass": [sys.executable, "-c", "pass"],
        "--version": _craze("--version"),
        "dump": _craze("dump", str(journal)),
        "run": _craze("run", "--no-journal", "--agent-command", "/no/such/agent", "hello"),
    }


def _craze(*arguments: str) -> list[str]:
    """With a home that holds nothing; what it prints is no part of the measurement."""
    script = f"import os,sys; sys.stderr=open(os.devnull,'w'); os.environ['CRAZE_HOME']='/nowhere'; sys.argv=['craze',*{list(arguments)!r}]\n"
    return [sys.executable, "-c", script + "from craze.__main__ import main\nmain()"]


MEASUREMENTS: list[Measurement] = [
    Compare(
        candidates=_starts,
        bars=[
            Bar(rule="CLI-6", what="craze --version", candidate="--version", baseline="python -c pass", limit=1.5),
            Bar(rule="CLI-6", what="craze dump, the first line", candidate="dump", baseline="python -c pass", limit=6),
            Bar(rule="CLI-6", what="craze run, ready to spawn", candidate="run", baseline="python -c pass", limit=10),
        ],
        rounds=15,
    )
]
