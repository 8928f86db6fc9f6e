"""`craze check SOURCE --expect EXPR…`: a recorded run held to expectations."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import typer

from craze.cli import exit_codes, stdio
from craze.cli.app import app_of
from craze.cli.context import Context
from craze.codec import Record
from craze.config import whole
from craze.errors import UsageError
from craze.store.capture import Row, rows
from craze.store.check import Expectation, Outcome, expectation, expectations
from craze.store.check import check as checked
from craze.store.chunks import NEXT
from craze.store.evidence import Evidence
from craze.store.reader import Item
from craze.store.recording import recording
from craze.store.source import Source, find

app = app_of()


@app.command()
def check(
    source: Annotated[str, typer.Argument(help="A session id, a file, or - for stdin.")],
    expect: Annotated[list[str] | None, typer.Option(metavar="EXPR", help="Such as tool=Bash or turns<=3.")] = None,
    expect_file: Annotated[Path | None, typer.Option(metavar="FILE", help="One a line, # comments.")] = None,
    output: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
) -> int:
    """One line an expectation: ok, FAILED or UNKNOWN; exit 0 only if all are ok.

    An expectation is a name, an operator (= != ~ !~ <= >= < >) and a value: stop=end_turn, text~"all pass", tool=Bash,
    tools:edit*<=3, turns<=3, errors=0, denied=0, cost<0.50. Three stand alone: valid, balanced, rederives.
    """
    wanted = _wanted(expect or [], expect_file)
    context = Context()
    found = find(source, context.sessions, cwd=str(context.folder), stdin=sys.stdin.buffer)
    with _kept(found) as again:
        outcomes = _outcomes(again, wanted)
    for outcome in outcomes:
        if output == "json":
            stdio.data(msgspec.json.encode(outcome) + b"\n")
        else:
            stdio.row(
                f"{outcome.verdict:<7} {outcome.expectation}" + (f" (found: {outcome.found})" if outcome.found else "")
            )
    return exit_codes.DONE if all(outcome.verdict == "ok" for outcome in outcomes) else exit_codes.FAILED


@contextmanager
def _kept(source: Source) -> Generator[Source]:
    """A source that can be read more than once: of a stream a copy on disk, as long as it is needed."""
    if source.stream is None:
        yield source
        return
    with tempfile.NamedTemporaryFile(prefix="craze-check-", suffix=".wire.jsonl") as copy:
        while data := source.stream.read(NEXT):
            copy.write(data)
        copy.flush()
        yield Source(source.form, (Path(copy.name),))


def _wanted(given: list[str], file: Path | None) -> list[Expectation]:
    wanted = [expectation(text) for text in given]
    if file:
        try:
            wanted += expectations(whole.read(file, most=whole.MIB, name=str(file)).decode(), str(file))
        except UnicodeDecodeError as error:
            raise UsageError(f"--expect-file {file}: not UTF-8 at byte {error.start}") from error
        except OSError as error:
            raise UsageError(f"--expect-file {file}: cannot be read: {error.strerror}") from error
    if not wanted:
        raise UsageError("nothing is expected", hint="--expect stop=end_turn")
    return wanted


def _outcomes(source: Source, wanted: list[Expectation]) -> list[Outcome]:
    from craze.codec import event_schema
    from craze.codec.validate import problems, validator_of

    validator = validator_of(event_schema())

    def fits(record: Record) -> str:
        found = next(problems(msgspec.json.decode(record.body), validator), None) if record.body else None
        return f"{found[0]}: {found[1]}" if found else ""

    evidence = Evidence(fits if any(each.name == "valid" for each in wanted) else None)
    evidence.gather(_items(source))
    evidence.undelivered(sum(1 for row in _rows(source) if row.mark == "undelivered"))
    return checked(wanted, evidence, lambda: _rederives(source))


def _items(source: Source) -> Iterator[Item]:
    if source.form != "wire":
        return iter(recording(source))
    from craze.cli.deriving import derived

    return derived(source)


def _rows(source: Source) -> Iterator[Row]:
    files = source.inputs if source.form == "wire" else tuple(source.session.wires()) if source.session else ()
    for file in files:
        if isinstance(file, Path):
            yield from (row for row in rows(file) if isinstance(row, Row))


def _rederives(source: Source) -> str | None:
    """What the replayer says of the captures; None when there is none."""
    from craze.cli.strict import first_difference

    files = source.session.wires() if source.session else [path for path in source.paths if source.form == "wire"]
    if not files:
        return None
    return next((said for path in files if (said := first_difference(path))), "")
