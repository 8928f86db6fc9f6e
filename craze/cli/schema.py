"""`craze schema`: prints or writes the JSON Schemas."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from craze.cli import exit_codes, stdio
from craze.cli.app import app_of
from craze.cli.schemas import SCHEMAS, text_of
from craze.config.near import meant
from craze.errors import UsageError

app = app_of()


@app.command()
def schema(
    name: Annotated[str, typer.Argument(help="event, journal, config, …")] = "",
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="For --write.")] = Path("schema"),
    listed: Annotated[bool, typer.Option("--list", help="Their names.")] = False,
    write: Annotated[bool, typer.Option("--write", help="Write NAME, or all of them, into DIR.")] = False,
) -> int:
    """Print a schema (the event's by default), or write them into a folder."""
    if listed:
        for each in SCHEMAS:
            stdio.show(each)
        return exit_codes.DONE
    if write and name and name not in SCHEMAS:
        name, folder = "", Path(name)
    if name and name not in SCHEMAS:
        raise UsageError(f"no schema is called {name!r}", hint=meant(name, SCHEMAS))
    if not write:
        stdio.data(text_of(name or "event"))
        return exit_codes.DONE
    folder.mkdir(parents=True, exist_ok=True)
    for file in [folder / f"{each}.json" for each in ([name] if name else SCHEMAS)]:
        try:
            file.write_bytes(text_of(file.stem))
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(file)) from error
        stdio.show(str(file))
    return exit_codes.DONE
