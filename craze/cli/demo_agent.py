"""`craze demo-agent`: hands over to the scripted agent."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from craze.cli.app import app_of

app = app_of()


@app.command()
def demo_agent(
    speed: Annotated[float, typer.Option(help="Divides all pauses.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Fixes the ids.")] = 0,
    play: Annotated[Path | None, typer.Option(metavar="FILE", help="A script in place of the built-in ones.")] = None,
    script: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Begin like this script.")] = None,
    login: Annotated[bool, typer.Option("--login", help="Sign in and end.")] = False,
) -> int:
    """A scripted agent that speaks ACP on standard input and output."""
    from craze.demo.agent import main

    arguments = ["--speed", str(speed), "--seed", str(seed), *(("--play", str(play)) if play else ())]
    arguments += [word for name in script or () for word in ("--script", name)]
    return main([*arguments, "--login"] if login else arguments)
