"""How much a command costs before it does anything, as multiples of an interpreter that starts and stops."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.bench import Bar, Candidate, Compare, Measurement

_HOME = tempfile.mkdtemp(prefix="craze-bench-")
_STOP_AT_SPAWN = "import subprocess; subprocess.Popen = lambda *a, **k: os._exit(0)"
_LINE = '{"kind":"event","ts":"2026-11-30T12:00:00Z","seq":1,"event":{"type":"text","text":"a"}}\n'


def _starts(quick: bool) -> Mapping[str, Candidate]:
    journal = Path(_HOME) / "journal.jsonl"
    journal.write_text(_LINE)
    return {
        "python -c pass": [sys.executable, "-c", "pass"],
        "--version": _craze("--version"),
        "dump": _craze("dump", str(journal)),
        "run": _craze("run", "--agent-command", "/no/such/agent", "hello", before=_STOP_AT_SPAWN),
    }


def _craze(*arguments: str, before: str = "") -> list[str]:
    """With a home that holds nothing."""
    words = ["craze", *arguments]
    start = f"import os,sys; os.environ['CRAZE_HOME']={_HOME!r}; sys.argv={words!r}; {before}"
    return [sys.executable, "-c", f"{start}\nfrom craze.__main__ import main\nmain()"]


MEASUREMENTS: list[Measurement] = [
    Compare(
        candidates=_starts,
        bars=[
            Bar(rule="CLI-6", what="craze --version", candidate="--version", baseline="python -c pass", limit=1.5),
            Bar(rule="CLI-6", what="craze dump, the first line", candidate="dump", baseline="python -c pass", limit=6),
            Bar(rule="CLI-6", what="craze run, ready to spawn", candidate="run", baseline="python -c pass", limit=13),
        ],
        rounds=15,
    )
]
