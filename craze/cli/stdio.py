"""Standard output for data, standard error for talk. What is shown to a person is cleaned of control characters."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable
from typing import TextIO

from craze.text import clean, clean_line

_LONGEST = 2000


def say(text: str) -> None:
    """One line on stderr, behind all data."""
    _flush()
    print(f"craze: {_one_line(text)}", file=sys.stderr)


def hint(text: str) -> None:
    _flush()
    print(f"hint: {_one_line(text)}", file=sys.stderr)


def _one_line(text: str) -> str:
    """A message of several lines with points between them; of a very long one its beginning."""
    whole = clean_line(" · ".join(filter(None, map(str.strip, clean(text).splitlines()))))
    return whole if len(whole) <= _LONGEST else whole[:_LONGEST] + "…"


def show(text: str) -> None:
    """Lines for a person on stdout."""
    print(clean(text))


def row(*columns: str) -> None:
    """One line of cells."""
    print("  ".join(clean_line(column) for column in columns).rstrip())


def table(rows: Iterable[tuple[str, ...]]) -> None:
    """Cells under each other, each column as wide as its widest cell; the last is not padded."""
    cells = [tuple(map(clean_line, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def data(block: bytes) -> None:
    """Bytes on stdout as they are."""
    sys.stdout.buffer.write(block)


def flush() -> None:
    """
    Raises:
        OSError: The other end is closed, or the disk is full.
    """
    sys.stdout.flush()


def complete() -> None:
    """Makes the three streams fit for use.

    A process that was started without one of them gets an empty one, so that no pipe takes its number. What the
    encoding of the terminal cannot say stands there as a question mark. Output gets a buffer where it has none
    (`PYTHONUNBUFFERED`), since an unbuffered write may end early, and nobody writes its rest.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8"))
    sys.stdout, sys.stderr = _written_whole(sys.stdout), _written_whole(sys.stderr)


def _written_whole(stream: TextIO) -> TextIO:
    if isinstance(stream.buffer, io.FileIO):
        return io.TextIOWrapper(io.BufferedWriter(stream.buffer), stream.encoding, "replace", line_buffering=True)
    if reconfigure := getattr(stream, "reconfigure", None):
        reconfigure(errors="replace")
    return stream


def is_terminal() -> bool:
    """Whether a person sits at both ends."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def give_up_stdout() -> None:
    """Nothing more goes to stdout, nor fails there when the interpreter shuts down."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)


def _flush() -> None:
    try:
        sys.stdout.flush()
    except OSError:
        give_up_stdout()
