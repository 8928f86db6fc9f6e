"""What README shows is true: its links lead somewhere and its commands run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Craze

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text()
LINES = [
    line for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) for line in block.splitlines() if line.strip()
]
SETUP = [line for line in LINES if line.startswith("python3 -m venv")]
COMMANDS = [line for line in LINES if line not in SETUP]


@pytest.mark.rule("CLI-67")
@pytest.mark.skipif(os.name != "posix", reason="the commands are for a POSIX shell")
def test_each_command_that_is_shown_runs(craze: Craze) -> None:
    craze.home.mkdir()
    program = craze.home / "craze"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m craze "$@"\n')
    program.chmod(0o755)
    craze.variables["PATH"] = f"{craze.home}{os.pathsep}{os.environ['PATH']}"

    for line in COMMANDS:
        if "| jq " in line and not shutil.which("jq"):
            line = line.partition("| jq ")[0]
        done = subprocess.run(
            ["sh", "-e", "-c", line],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=craze.work,
            env=craze.environment,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, (line, done.stderr)
        assert b"internal error" not in done.stderr


@pytest.mark.rule("CLI-67")
def test_two_commands_set_everything_up_and_the_check_script_runs_the_second() -> None:
    script = (ROOT / ".ci" / "run").read_text()

    assert len(SETUP) == 2
    assert SETUP[0].endswith(".venv/bin/craze --agent demo")
    assert all(
        step in script for step in ("python3 -m venv .venv", "-e '.[dev]'", ".venv/bin/python -m pytest -n auto")
    )
    assert SETUP[1].endswith(".venv/bin/python -m pytest -n auto")


def test_each_link_leads_to_a_file() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", README)

    missing = [target for target in targets if not target.startswith("http") and not (ROOT / target).exists()]
    assert not missing
