"""`craze config show|path`. Works with a broken configuration too, and then says what is broken."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import typer

from craze.cli import exit_codes, stdio
from craze.cli.app import app_of
from craze.cli.context import Context
from craze.config.settings import leaves
from craze.errors import ConfigError

app = app_of("Show the settings that hold, and where each came from.")


@app.command()
def show(output: Annotated[Literal["text", "json"], typer.Option("--format")] = "text") -> int:
    """Every setting, and what gave it its value.

    That is a file and line, a variable, or the default.
    """
    context = Context()
    try:
        values = context.settings.values
    except ConfigError as error:
        stdio.say(str(error))
        return exit_codes.USAGE
    rows: list[tuple[str, object, str]] = []
    for name, leaf in leaves():
        if leaf.open:
            rows += [
                (key, value.value, value.place) for key, value in sorted(values.items()) if key.startswith(f"{name}.")
            ]
        else:
            held = values.get(name)
            rows.append((name, held.value, held.place) if held else (name, leaf.default, "default"))
    if output == "json":
        for name, value, place in rows:
            stdio.data(msgspec.json.encode({"key": name, "value": value, "from": place}) + b"\n")
    else:
        stdio.table((name, _spell(value), place) for name, value, place in rows)
    return exit_codes.DONE


@app.command()
def path() -> None:
    """Where craze keeps configuration, sessions, state and cache."""
    places = Context().places
    for warning in places.warnings:
        stdio.say(warning)
    stdio.table((name, str(getattr(places, name))) for name in ("config", "sessions", "state", "cache"))


def _spell(value: object) -> str:
    return "-" if value is None else msgspec.json.encode(value).decode()
