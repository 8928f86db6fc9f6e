"""Runs one command; the one place where an error becomes a line on stderr and an exit code."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

from craze.cli import exit_codes, quick, stdio
from craze.errors import CrazeError


def main(arguments: Sequence[str]) -> int:
    stdio.complete()
    try:
        code = quick.run(arguments)
        if code is None:
            from craze.cli import app

            code = app.run(list(arguments))
        stdio.flush()
    except BrokenPipeError:
        stdio.give_up_stdout()
        return exit_codes.DONE
    except BaseException as error:  # noqa: BLE001 - nothing may leave as a traceback
        return _told(error)
    return code


def _told(error: BaseException) -> int:
    """The line, the hint and the code of what ended a command."""
    if os.environ.get("CRAZE_DEBUG") == "1":
        import traceback

        traceback.print_exception(error)
    if isinstance(error, SystemExit):
        return (
            error.code if isinstance(error.code, int) else exit_codes.DONE if error.code is None else exit_codes.FAILED
        )
    if isinstance(error, KeyboardInterrupt):
        return exit_codes.INTERRUPTED
    if isinstance(error, CrazeError):
        return _say(str(error), error.hint, exit_codes.NUMBERS[error.exit])
    if isinstance(error, OSError):
        return _say(_disk(error), "", exit_codes.FAILED)
    place = _where(error)
    text = f"internal error{place}: {type(error).__name__}: {error}"
    return _say(text, "CRAZE_DEBUG=1 shows where; please report it", exit_codes.FAILED)


def _where(error: BaseException) -> str:
    """The innermost place of a bug."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return f" at {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else ""


def _say(text: str, hint: str, code: int) -> int:
    stdio.say(text)
    if hint:
        stdio.hint(hint)
    sys.stderr.flush()
    return code


def _disk(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT) and not error.filename:
        stdio.give_up_stdout()
        return f"standard output: {error.strerror}"
    return f"{error.filename}: {error.strerror}" if error.filename else str(error)
