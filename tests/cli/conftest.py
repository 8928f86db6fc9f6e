"""Runs the real command in a process of its own, with a home of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


class Craze:
    """A home folder, a working folder, and the command in them."""

    def __init__(self, place: Path) -> None:
        self.home, self.work = place / "home", place / "work"
        self.work.mkdir()
        self.variables: dict[str, str] = {}

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("CRAZE_", "XDG_", "COV_"))}
        root = str(Path(__file__).parent.parent.parent)
        return {**kept, "CRAZE_HOME": str(self.home), "PYTHONPATH": root, "HOME": str(self.home), **self.variables}

    def __call__(
        self,
        *arguments: str,
        input: str | bytes | None = "",  # noqa: A002 - subprocess has the name
        stdout: int | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        given = input.encode() if isinstance(input, str) else input
        return subprocess.run(
            self.command(*arguments),
            input=given,
            stdout=subprocess.PIPE if stdout is None else stdout,
            stderr=subprocess.PIPE,
            cwd=self.work,
            env=self.environment,
            timeout=60,
            check=False,
        )

    def start(self, *arguments: str, **options: int) -> subprocess.Popen[bytes]:
        given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen(self.command(*arguments), cwd=self.work, env=self.environment, **given)  # type: ignore[call-overload]

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "craze", *arguments]

    def configure(self, text: str) -> Path:
        self.home.mkdir(exist_ok=True)
        (self.home / "config.toml").write_text(text)
        return self.home / "config.toml"

    @property
    def sessions(self) -> list[Path]:
        return sorted((self.home / "sessions").glob("*")) if (self.home / "sessions").exists() else []

    @property
    def journals(self) -> list[Path]:
        return [
            path for path in sorted(self.home.glob("sessions/*/*_*.jsonl")) if not path.name.endswith(".wire.jsonl")
        ]


@pytest.fixture
def craze(tmp_path: Path) -> Craze:
    return Craze(tmp_path)
