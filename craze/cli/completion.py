"""`craze completion SHELL` prints the script, and what the shell then asks for while a person types."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from craze.cli import stdio
from craze.cli.app import app_of

app = app_of()


@app.command()
def completion(shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument()]) -> None:
    """Print the completion script; nothing is installed."""
    from typer._completion_shared import get_completion_script

    stdio.show(get_completion_script(prog_name="craze", complete_var="_CRAZE_COMPLETE", shell=shell))
