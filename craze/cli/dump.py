"""`craze dump SOURCE`: a stored session, a journal, a capture or a file of events on stdout."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer

from craze.cli import dumping, exit_codes, stdio
from craze.cli.app import app_of
from craze.cli.completing import session_ids
from craze.cli.context import Context
from craze.cli.told import Told, follow, told
from craze.codec import Record
from craze.config.duration import seconds
from craze.errors import DecodeError, UsageError
from craze.headless.json import Bare, Envelope
from craze.headless.printer import Printer, Result
from craze.headless.text import Words
from craze.providers.replay.pace import Gaps, Pace, pace
from craze.store.chunks import Readable, chunks
from craze.store.source import Source, find

app = app_of()
_NO_RESULT = Result(exit=0, session="", turns=0, stop_reason="", denied=0)


@app.command()
def dump(
    source: Annotated[str, typer.Argument(help="A session id, a file, or - for stdin.", autocompletion=session_ids)],
    output: Annotated[Literal["json", "text", "wire"], typer.Option("--format")] = "json",
    envelope: Annotated[bool, typer.Option("--envelope", help="With numbers and facts.")] = False,
    speed: Annotated[str, typer.Option("--pace", metavar="P", help="instant, real, 2x, fixed:50ms")] = "instant",
    max_gap: Annotated[str, typer.Option(metavar="DUR", help="The longest wait of a pace.")] = "2s",
    first: Annotated[int, typer.Option("--from", metavar="SEQ", min=0, help="The first event to print.")] = 1,
    last: Annotated[int | None, typer.Option("--until", metavar="SEQ", min=0, help="The last one.")] = None,
    follows: Annotated[bool, typer.Option("--follow", help="Wait for what a live session adds.")] = False,
    kind: Annotated[
        Literal["acp", "control"] | None, typer.Option("--as", help="What a recording made elsewhere speaks.")
    ] = None,
    part: Annotated[int | None, typer.Option(metavar="N", min=1, help="Only the Nth process of a recording.")] = None,
) -> int:
    """Print a stored session on stdout, as it was written."""
    context = Context()
    found = find(source, context.sessions, cwd=str(context.folder), stdin=sys.stdin.buffer)
    if (kind or part) and found.form != "wire":
        raise UsageError("--as and --part are for recordings of what passed, and this is none")
    if output == "wire":
        return _wire(found)
    plain = output == "json" and not envelope and first <= 1 and last is None and speed == "instant"
    if plain and not follows and found.form == "journal":
        return dumping.bytes_of(found)
    if follows and (found.form != "journal" or not found.paths):
        raise UsageError("--follow needs a session or its journal")
    items = follow(found) if follows else told(found, kind, part)
    wait = _Waits(pace(speed, max_gap=seconds(max_gap, "--max-gap")))
    printer = _printer(output, envelope)
    for item in _range(items, first, last):
        if isinstance(item, Record):
            if item.omitted and output != "text":
                stdio.say(f"event {item.seq} was left out when it was written: {item.omitted.reason}")
            wait(item)
        try:
            stdio.data(printer.record(item) if isinstance(item, Record) else printer.fact(item))
        except DecodeError as error:
            stdio.say(str(error))
        if follows or speed != "instant":
            stdio.flush()
    if output == "text":
        stdio.data(printer.result(_NO_RESULT))
    return exit_codes.DONE


class _Waits:
    """Before each event as long as the pace asks."""

    def __init__(self, pace: Pace) -> None:
        self._pace, self._gaps = pace, Gaps()

    def __call__(self, record: Record) -> None:
        if self._pace.kind != "instant" and (length := self._pace.wait(self._gaps.before(record))):
            time.sleep(length)


def _range(items: Iterator[Told], first: int, last: int | None) -> Iterator[Told]:
    """Events `first` to `last` and the facts that follow one of them."""
    seq = 0
    for item in items:
        if isinstance(item, Record):
            seq = item.seq
        if last is not None and seq > last:
            return
        if seq >= first or first <= 1:
            yield item


def _wire(source: Source) -> int:
    """The rows of a capture as they stand in the file."""
    paths: list[Path | Readable] = [*source.inputs] if source.form == "wire" else []
    if source.session:
        paths = [*source.session.wires()]
    if not paths:
        raise UsageError("the source has no wire capture", hint="a session has one unless it was turned off or pruned")
    for file in paths:
        for chunk in chunks(file):
            stdio.data(chunk.data)
    return exit_codes.DONE


def _printer(output: str, envelope: bool) -> Printer:
    if output == "text":
        return Words(terminal=sys.stdout.isatty())
    return Envelope() if envelope else Bare()
