"""Asks a person before something that cannot be undone or that fetches from elsewhere."""

from __future__ import annotations

import shlex
import sys

import msgspec

from craze.cli.context import Context
from craze.config import choices
from craze.config.agents import Agent
from craze.errors import UsageError


def confirm(question: str, *, yes: bool) -> bool:
    """Whether to go on: `--yes`, or the person says so on a terminal.

    Raises:
        UsageError: There is no terminal and no `--yes`.
    """
    if yes:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(f"{question} needs --yes where nobody can be asked")
    return _said_yes(question)


def may_start(context: Context, agent: Agent) -> None:
    """A command that would fetch a package is shown and confirmed, once for each declaration.

    Raises:
        UsageError: The person says no, or nobody can be asked and the person did not declare it.
    """
    line = shlex.join(agent.declaration.command)
    told = context.starts
    if not agent.declaration.fetches or line in told.confirmed:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        if agent.built_in:
            raise UsageError(
                f"agent {agent.name} would fetch a package: {line}", hint="run it once on a terminal to allow that"
            )
        return
    if not _said_yes(f"{line}\nThis may fetch a package. Start it?"):
        raise UsageError(f"agent {agent.name} was not started")
    choices.keep_starts(context.places.state, msgspec.structs.replace(told, confirmed=(*told.confirmed, line)))


def _said_yes(question: str) -> bool:
    import typer  # most starts ask nothing and parse no options

    try:
        return typer.confirm(question, err=True)
    except typer.Abort:
        raise KeyboardInterrupt from None
