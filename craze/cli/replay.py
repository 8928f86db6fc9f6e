"""`craze replay`: a stored session on the screen, or a capture held to what it recorded."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from craze.cli import exit_codes, stdio
from craze.cli.answering import of_screen
from craze.cli.app import app_of
from craze.cli.capturing import expect_capture
from craze.cli.context import Context
from craze.cli.live import Flags
from craze.cli.plan import Played, Wanted
from craze.errors import UsageError
from craze.providers.replay.pace import Pace, pace
from craze.store.source import find_session

app = app_of()


@app.command()
def replay(
    source: Annotated[str, typer.Argument(help="A session id or a file; with --strict a wire capture.")],
    strict: Annotated[bool, typer.Option("--strict", help="Check a capture; no screen, no agent.")] = False,
    agent: Annotated[
        str, typer.Option(metavar="NAME", help="With this agent's declaration, not the recorded one.")
    ] = "",
    speed: Annotated[str, typer.Option("--pace", metavar="P", help="instant, real, 2x.")] = "real",
    first: Annotated[int, typer.Option("--from", metavar="N", min=0, help="The event to begin at.")] = 1,
) -> int:
    """Show a stored session again, or check a capture."""
    if not strict:
        return _shown(source, pace(speed), first)
    from craze.cli.strict import first_fault
    from craze.providers.control.effects import effects, told
    from craze.store.capture import Row, rows

    path = expect_capture(Path(source))
    context = Context()
    if said := first_fault(path, context, context.roster.get(agent) if agent else None):
        stdio.show(said)
        return exit_codes.FAILED
    stdio.row("ok")
    if said := told(effects(row for row in rows(path) if isinstance(row, Row))):
        stdio.show(said)
    return exit_codes.DONE


def _shown(source: str, wish: Pace, first: int) -> int:
    """The screen over a stored session."""
    if not stdio.is_terminal():
        raise UsageError("the screen needs a terminal", hint=f"craze dump {source} prints it")
    if wish.kind == "fixed":
        raise UsageError("the screen plays by the recorded times", hint="--pace instant, real or 2x")
    context = Context()
    folder = find_session(source, context.sessions, cwd=str(context.folder))
    flags = Flags(answering=of_screen("", context.settings, context.folder))
    factor = wish.factor if wish.kind == "real" else 0.0
    wanted = Wanted(context=context, flags=flags, replay=Played(folder.id, first, factor))
    from craze.cli.showing import show

    return exit_codes.NUMBERS[asyncio.run(show(wanted, None))]
