"""`craze run` as it is by default, reading two answers of a control agent: `python run_drain.py HOME PROGRAM PIECES`.

Prints the seconds of CPU that this process took for each, the first one counted from its start.
"""

from __future__ import annotations

import json
import os
import sys
import time

from craze.__main__ import main as craze
from craze.cli import running
from craze.headless.out import ThreadedOut

_ENDS = [0.0]


class Noticing(ThreadedOut):
    """Notes the time of each turn's end."""

    async def write(self, data: bytes) -> None:
        await super().write(data)
        if b'"phase":"ended"' in data:
            _ENDS.append(time.process_time())


def main(home: str, program: str, count: str) -> None:
    os.environ["CRAZE_HOME"] = home
    told, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    running.ThreadedOut = Noticing  # type: ignore[misc]
    agent = ("--provider", "control", "--agent-command", program)
    sys.argv = ["craze", "run", *agent, "--format", "json", count, "--follow-up", count]
    assert craze() == 0
    os.write(told, json.dumps([_ENDS[1], _ENDS[2] - _ENDS[1]]).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
