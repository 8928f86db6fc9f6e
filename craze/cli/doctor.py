"""`craze doctor`: one line a check, with a remedy. Changes nothing and starts no agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Final, Literal

import msgspec
import typer

from craze.cli import checkup, exit_codes, stdio
from craze.cli.app import app_of
from craze.cli.checkup import Finding
from craze.cli.context import Context

app = app_of()

CHECKS: Final[tuple[Callable[[Context], Iterator[Finding]], ...]] = (
    checkup.versions,
    checkup.terminal,
    checkup.folders,
    checkup.configuration,
    checkup.agents,
    checkup.programs,
    checkup.sessions,
)


@app.command()
def doctor(output: Annotated[Literal["text", "json"], typer.Option("--format")] = "text") -> int:
    """Check the installation: versions, terminal, folders, configuration, agents, sessions."""
    context = Context()
    failed = False
    for check in CHECKS:
        for finding in check(context):
            failed |= finding.level == "FAIL"
            if output == "json":
                stdio.data(msgspec.json.encode(finding) + b"\n")
            else:
                stdio.row(
                    f"{finding.level:<4} {finding.what}: {finding.text}"
                    + (f" → {finding.remedy}" if finding.remedy else "")
                )
    return exit_codes.FAILED if failed else exit_codes.DONE
