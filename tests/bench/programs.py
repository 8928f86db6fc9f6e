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

LONG, SHORT = 100_000, 20_000
"""Pieces of a long answer, and of one in a quick run."""
HOME = Path(tempfile.mkdtemp(prefix="craze-bench-"))
_HERE = Path(__file__).parent
# What is installed is compiled once: so is what is measured, wherever a machine forbids it.
_ENV = ("env", "-u", "PYTHONDONTWRITEBYTECODE", f"PYTHONPATH={_HERE.parents[1]}")
PASS = (*_ENV, sys.executable, "-c", "pass")
atexit.register(shutil.rmtree, HOME, ignore_errors=True)


def craze(*arguments: str) -> tuple[str, ...]:
    """`craze ARGUMENTS`, as a person starts it."""
    return (*_ENV, f"CRAZE_HOME={HOME}", sys.executable, "-m", "craze", *arguments)


def pieces(quick: bool) -> int:
    return SHORT if quick else LONG


def agent(pieces: int) -> tuple[str, ...]:
    """An ACP agent that answers a prompt with so many pieces of text."""
    return (sys.executable, str(_HERE / "chunk_agent.py"), str(pieces))


def program(name: str, *arguments: str) -> tuple[str, ...]:
    """A program of this folder."""
    return (*_ENV, sys.executable, str(_HERE / name), *arguments)


def python(text: str) -> tuple[str, ...]:
    """A program that is given as its text."""
    return (*_ENV, sys.executable, "-c", text)


def shell(script: str) -> tuple[str, ...]:
    return ("sh", "-c", script)


def agent_alone(pieces: int) -> tuple[str, ...]:
    """The same agent, asked by nobody that reads."""
    asked = '{"id":0,"method":"session/prompt"}'
    return shell(f"echo {shlex.quote(asked)} | {shlex.join(agent(pieces))}")
