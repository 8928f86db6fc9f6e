"""`craze capture show|scrub`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from craze.cli import exit_codes, stdio
from craze.cli.app import app_of
from craze.cli.capturing import expect_capture
from craze.cli.context import Context
from craze.cli.redacting import redactor_of
from craze.store.capture import rows
from craze.store.capture_show import row_line

app = app_of("Show a wire capture, or make one that can be shared.")


@app.command()
def show(
    capture: Path,
    first: Annotated[int, typer.Option("--from", metavar="N")] = 1,
    last: Annotated[int | None, typer.Option("--until", metavar="N")] = None,
    output: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
) -> int:
    """Print the rows, one a line.

    Each with number, time, direction, what it is, and its text as far as it fits.
    """
    expect_capture(capture)
    width = shutil.get_terminal_size((120, 24)).columns if sys.stdout.isatty() else 0
    for row in rows(capture):
        if row.number < first or (last is not None and row.number > last):
            continue
        if output == "json":
            stdio.data(row.line + b"\n")
        else:
            stdio.row(row_line(row, width))
    return exit_codes.DONE


@app.command()
def scrub(
    source: Annotated[Path, typer.Argument(metavar="IN")], target: Annotated[Path, typer.Argument(metavar="OUT")]
) -> int:
    """Write a copy that can be shared.

    Without ids, paths, addresses and known secrets of yours.
    """
    from craze.store.scrub import scrub as scrubbed

    expect_capture(source)
    count = scrubbed(source, target, redactor_of(Context()))
    stdio.show(f"{count} rows written to {target}")
    return exit_codes.DONE
