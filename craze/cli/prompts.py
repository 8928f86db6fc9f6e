"""The first prompt of a run: arguments, standard input, or a file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from craze.config import whole
from craze.errors import UsageError

MOST = 64 * whole.MIB
"""Bytes of a prompt: what one line of the protocol may hold."""


def prompt_text(words: Sequence[str], file: Path | None) -> str:
    """The words joined by a space; `-`, or none with piped input: standard input; both: a blank line between them.

    Raises:
        UsageError: There is nothing, or it is not UTF-8.
    """
    if file:
        if words:
            raise UsageError("-f and a prompt exclude each other")
        try:
            return _said(_text(whole.read(file, most=MOST, name=f"-f {file}"), str(file)))
        except OSError as error:
            raise UsageError(f"-f {file}: {error.strerror}") from error
    said = " ".join(word for word in words if word != "-")
    # Only when it is asked for: an input that nobody closes must not hold a run that has its prompt.
    piped = "-" in words or (not words and not sys.stdin.isatty())
    read = _text(whole.read(sys.stdin.buffer, most=MOST, name="standard input"), "standard input") if piped else ""
    return _said("\n\n".join(filter(None, (said, read))))


def _said(text: str) -> str:
    if not text.strip():
        raise UsageError("there is no prompt", hint="craze run PROMPT, or pipe one in")
    return text


def _text(data: bytes, name: str) -> str:
    """As typed, but for one newline at the end."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not UTF-8 (byte {error.start})") from error
    return text.removesuffix("\n").removesuffix("\r") if text.endswith("\r\n") else text.removesuffix("\n")
