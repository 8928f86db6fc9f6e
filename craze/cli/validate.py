"""`craze validate`: each line of a file against its schema."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, BinaryIO, Literal

import typer

from craze.cli import exit_codes, stdio
from craze.cli.app import app_of
from craze.errors import UsageError

app = app_of()
SHOWN = 20


@app.command()
def validate(
    file: Annotated[str, typer.Argument(metavar="[FILE|-]")] = "-",
    kind: Annotated[
        Literal["event", "journal", "wire", "control"] | None, typer.Option("--as", help="What the lines are.")
    ] = None,
    canonical: Annotated[bool, typer.Option("--canonical", help="Ask for the exact bytes too.")] = False,
) -> int:
    """Print what is wrong, FILE:LINE: path: message; exit 1 if anything is."""
    from craze.cli.findings import findings

    with _opened(file) as stream:
        found = findings(_blocks(stream), kind, file, canonical=canonical)
        shown = list(islice(found, SHOWN))
        for finding in shown:
            stdio.row(f"{file}:{finding.number}: {finding.path}: {finding.level}: {finding.message}")
        if more := sum(1 for _ in found):
            stdio.row(f"… and {more} more")
    return exit_codes.FAILED if shown else exit_codes.DONE


def _opened(file: str) -> BinaryIO:
    if file == "-":
        return sys.stdin.buffer
    try:
        return Path(file).open("rb")
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from error


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    while block := stream.read(1 << 20):
        yield block
