"""The programs that benches start: craze by its real entry point, an agent, and the least that a client of it does.

All run in one home, which begins empty and goes when the bench does.
"""

from __future__ import annotations

import atexit
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

PASS = (sys.executable, "-c", "pass")
HOME = Path(tempfile.mkdtemp(prefix="craze-bench-"))
_HERE = Path(__file__).parent
_ROOT = _HERE.parents[1]
atexit.register(shutil.rmtree, HOME, ignore_errors=True)


def craze(*arguments: str) -> tuple[str, ...]:
    """`craze ARGUMENTS`, as a person starts it."""
    return ("env", f"CRAZE_HOME={HOME}", f"PYTHONPATH={_ROOT}", sys.executable, "-m", "craze", *arguments)


def agent(pieces: int) -> tuple[str, ...]:
    """An ACP agent that answers a prompt with so many pieces of text."""
    return (sys.executable, str(_HERE / "chunk_agent.py"), str(pieces))


def program(name: str, *arguments: str) -> tuple[str, ...]:
    """A program of this folder."""
    return ("env", f"PYTHONPATH={_ROOT}", sys.executable, str(_HERE / name), *arguments)


def shell(script: str) -> tuple[str, ...]:
    return ("sh", "-c", script)


def agent_alone(pieces: int) -> tuple[str, ...]:
    """The same agent, asked by nobody that reads."""
    asked = '{"id":0,"method":"session/prompt"}'
    return shell(f"echo {shlex.quote(asked)} | {shlex.join(agent(pieces))}")
