"""`python -m craze.demo.control [STEPS.jsonl]`: the agent; with a file it plays those steps once, whatever is asked.

Any other option is passed over, so that it can stand in for an agent CLI under its usual flags.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from craze.demo.control.play import Player
from craze.demo.control.scripts import SCRIPTS, named


def main(argv: list[str]) -> int:
    """The exit code is 1 after a last turn that failed, as of a real agent."""
    player = Player()
    if steps := next((word for word in argv if word.endswith(".jsonl")), ""):
        for line in Path(steps).read_text(encoding="utf-8").splitlines():
            if line.strip():
                player.play(json.loads(line))
        player.finish()
        return player.code
    while (prompt := player.prompt()) is not None:
        player.turn(SCRIPTS[named(prompt)])
    return player.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
