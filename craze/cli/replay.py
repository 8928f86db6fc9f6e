"""`craze replay`: a stored session on the screen, or a capture held to what it recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from craze.cli import exit_codes, stdio
from craze.cli.app import app_of
from craze.cli.context import Context
from craze.errors import UsageError

app = app_of()


@app.command()
def replay(
    source: Annotated[str, typer.Argument(help="A session id or a file; with --strict a wire capture.")],
    strict: Annotated[bool, typer.Option("--strict", help="Check a capture; no screen, no agent.")] = False,
    agent: Annotated[
        str, typer.Option(metavar="NAME", help="With this agent's declaration, not the recorded one.")
    ] = "",
    speed: Annotated[str, typer.Option("--pace", metavar="P")] = "instant",
    first: Annotated[int, typer.Option("--from", metavar="N")] = 1,
) -> int:
    """Show a stored session again, or check a capture."""
    if not strict:
        what = "this craze has no screen yet" if stdio.is_terminal() else "the screen needs a terminal"
        raise UsageError(what, hint=f"craze dump {source} prints it")
    from craze.cli.strict import first_difference

    path = Path(source)
    if not path.is_file():
        raise UsageError(f"{source}: --strict checks a capture, and there is no such file")
    context = Context()
    if said := first_difference(path, context, context.roster.get(agent) if agent else None):
        stdio.show(said)
        return exit_codes.FAILED
    stdio.row("ok")
    return exit_codes.DONE
