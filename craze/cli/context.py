"""What every command starts from: environment, places, settings and agents of a folder, read once."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from craze.cli import stdio
from craze.config import agents, choices, environment, paths, settings, trust
from craze.config.agents import Roster
from craze.config.choices import Starts
from craze.config.settings import Settings
from craze.errors import UsageError

if TYPE_CHECKING:
    from craze.providers.control.toolserver import ToolServer


class Context:
    """Settings and agents for a folder; what is wrong with them is said once, when they are first read.

    Args:
        trust_run: `--trust`: the project's file counts in full for this run.
        flags: Settings by dotted name from the command line.
        served: What a program that embeds craze serves tools with, to agents whose channel carries them.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        trust_run: bool = False,
        flags: Mapping[str, object] | None = None,
        served: Sequence[ToolServer] = (),
    ) -> None:
        self.environment = environment.read(os.environ)
        self.places = paths.places(self.environment)
        self.folder = folder or here(self.environment.get("PWD"))
        self.served = tuple(served)
        self._trust_run, self._flags = trust_run, flags

    @cached_property
    def settings(self) -> Settings:
        """
        Raises:
            ConfigError: A file cannot be read or parsed.
        """
        trusted = self._trust_run or trust.decision(trust.load(self.places.trust_file), self.folder) is True
        found = settings.read(self.places, self.environment, self.folder, trusted=trusted, flags=self._flags)
        for warning in found.warnings:
            stdio.say(warning)
        if found.untrusted:
            names = ", ".join(found.untrusted)
            stdio.say(f"{self.folder} is not trusted, its settings are ignored: {names}")
            stdio.hint("--trust takes them for this run")
        return found

    @cached_property
    def roster(self) -> Roster:
        found = agents.roster(self.settings, self.places)
        for warning in found.warnings:
            stdio.say(warning)
        return found

    @cached_property
    def starts(self) -> Starts:
        return choices.starts(self.places.state)

    @property
    def sessions(self) -> Path:
        return self.places.sessions


def here(named: str = "") -> Path:
    """The working folder as the person named it: a link in its path is kept when the shell's word for it is true.

    Raises:
        UsageError: It has been removed.
    """
    try:
        actual = Path.cwd()
    except FileNotFoundError as error:
        raise UsageError("the folder in which craze was started is gone", hint="cd to another one") from error
    try:
        return Path(named) if named and os.path.samefile(named, actual) else actual
    except OSError:
        return actual
