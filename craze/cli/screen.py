"""`craze` without a command: the screen."""

from __future__ import annotations

from typing import Annotated

import typer

from craze.cli import stdio
from craze.cli.app import COMMANDS, app_of
from craze.config.near import nearest
from craze.errors import UsageError

app = app_of()


@app.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def screen(prompt: Annotated[list[str] | None, typer.Argument(metavar="[PROMPT]")] = None) -> None:
    """The screen is not part of this craze yet; says what works."""
    words = prompt or []
    if len(words) == 1 and (near := nearest(words[0], COMMANDS)):
        raise UsageError(f"no command {words[0]!r}", hint=f"did you mean craze {near}?")
    what = "this craze has no screen yet" if stdio.is_terminal() else "the screen needs a terminal"
    raise UsageError(what, hint="craze run PROMPT runs without one; craze --help lists the commands")
