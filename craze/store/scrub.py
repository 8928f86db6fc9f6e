"""A capture that can be shared: ids, folders, addresses and secrets replaced, the same by the same everywhere."""

from __future__ import annotations

import json
import os
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from string import ascii_letters, digits
from typing import Final

from craze.errors import CrazeError, UsageError
from craze.store.chunks import chunks
from craze.store.redact import Redactor, rewrite_json
from craze.store.writer import FILE_MODE

_SESSION_ID: Final = re.compile(rb'\\*"session_?[iI]d\\*"\s*:\s*\\*"((?=[A-Za-z._-]*\d)[A-Za-z0-9._-]{8,128})')
_B64: Final = re.compile(rb'"b64":\s*"([A-Za-z0-9+/=]*)"')


class Scrubber:
    """Knows what each id and address was replaced by. `sessions` are ids of sessions, whatever their form."""

    def __init__(self, redactor: Redactor, sessions: list[str]) -> None:
        self._redact = redactor
        self._given: dict[str, str] = {}
        self._made: set[str] = set()
        self._counts: dict[str, int] = {}
        own = "|".join(re.escape(id_) for id_ in sorted(sessions, key=len, reverse=True))
        self._forms = [(re.compile(form), make) for form, make in _FORMS]
        if own:
            self._forms.insert(0, (re.compile(rf"(?<![\w-])(?:{own})(?![\w-])"), _session))

    def __call__(self, text: str) -> str:
        text = self._redact(text)
        for form, make in self._forms:
            text = form.sub(lambda found, make=make: self._replaced(found[0], make), text)
        return text

    def _replaced(self, found: str, make: Callable[[str, int], str]) -> str:
        if found in self._made:
            return found
        if found not in self._given:
            kind = make.__name__
            self._counts[kind] = number = self._counts.get(kind, 0) + 1
            self._given[found] = made = make(found, number)
            self._made.add(made)
        return self._given[found]


def scrub(source: Path, target: Path, redactor: Redactor) -> int:
    """Write a scrubbed copy and give the number of its rows.

    Raises:
        UsageError: `target` exists.
        CrazeError: A known secret or a folder is still in it; nothing was written.
    """
    if target.exists():
        raise UsageError(f"{target} exists", hint="name a file that does not")
    scrubber = Scrubber(redactor, _session_ids(source))
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    rows = 0
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE), "wb") as file:
            for number, line in enumerate(_lines(source), 1):
                scrubbed = _row(line, scrubber)
                _refuse_leaks(scrubbed, redactor, number)
                file.write(scrubbed + b"\n")
                rows += 1
        beside.rename(target)
    except OSError as error:
        # The reader needs no name of a file that is never to be seen.
        name = target if error.filename in (None, str(beside)) else error.filename
        raise OSError(error.errno, error.strerror, str(name)) from error
    finally:
        beside.unlink(missing_ok=True)
    return rows


def _row(line: bytes, scrubber: Scrubber) -> bytes:
    line = _B64.sub(lambda found: b'"b64":"%b"' % _bytes(found[1], scrubber), line)
    return rewrite_json(line, scrubber)


def _bytes(encoded: bytes, scrubber: Scrubber) -> bytes:
    try:
        text = b64decode(encoded, validate=True).decode("utf-8", "surrogateescape")
    except ValueError:
        return encoded
    return b64encode(scrubber(text).encode("utf-8", "surrogateescape"))


def _refuse_leaks(line: bytes, redactor: Redactor, number: int) -> None:
    forms = (form for secret in redactor.secrets for form in _written_forms(secret))
    if redactor.finds(line.decode("utf-8", "replace")) or any(form in line for form in forms):
        raise CrazeError(f"row {number} still holds a secret or a folder of yours; nothing was written")


def _written_forms(value: str) -> Iterator[bytes]:
    """A value as it stands in JSON, in JSON inside of JSON, and in base64."""
    for _ in range(3):
        yield value.encode()
        value = json.dumps(value, ensure_ascii=False)[1:-1]
    yield b64encode(value.encode()).rstrip(b"=")[:-1]


def _session_ids(source: Path) -> list[str]:
    return sorted({found.decode() for line in _lines(source) for found in _SESSION_ID.findall(line)})


def _lines(source: Path) -> Iterator[bytes]:
    for chunk in chunks(source):
        for line in chunk.data.split(b"\n"):
            if line.strip():
                yield line


def _session(_: str, number: int) -> str:
    return f"session-{number:04}"


def _uuid(_: str, number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012}"


def _prefixed(found: str, number: int) -> str:
    prefix = found.rstrip(ascii_letters + digits)
    return f"{prefix}{number:08}"


def _ulid(_: str, number: int) -> str:
    return f"{number:026}"


def _address(_: str, number: int) -> str:
    return f"person-{number}@example.com"


_FORMS: Final[list[tuple[str, Callable[[str, int], str]]]] = [
    (r"(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", _uuid),
    (
        r"\b(?:toolu|msg|req|call|chatcmpl|ses|sess|session|resp|item|fc|rs)[_-](?=[A-Za-z]*\d)[A-Za-z0-9]{8,}\b",
        _prefixed,
    ),
    (r"\b[0-9A-HJKMNP-TV-Z]{26}\b", _ulid),
    (r"\b[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b", _address),
]
