"""What is wrong with a file, line by line: events by the codec's own check, journals and captures by their schema, the
lines of the control channel by its document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final, Literal, TypeAlias

import msgspec

from craze.cli.schemas import SCHEMAS
from craze.codec import event_schema
from craze.codec.validate import Finding, event_findings, problems, validator_of
from craze.config.files import Table
from craze.errors import UsageError
from craze.store.source import form_of

Kind: TypeAlias = Literal["event", "journal", "wire", "control"]
_TAGS: Final = {"journal": "kind", "wire": "dir"}
"""The key that says what a line is; lines of a kind that is not known are of tomorrow, and fit."""


def findings(blocks: Iterable[bytes], kind: Kind | None, name: str, *, canonical: bool) -> Iterator[Finding]:
    """Every finding of every line; without a kind the first line tells what the file is.

    Raises:
        UsageError: It is of no known kind.
    """
    blocks = iter(blocks)
    first = next(blocks, b"")
    blocks = chain([first], blocks)
    if not kind:
        kind = _guessed(first, name)
    if kind == "control":
        return _control_findings(blocks)
    return event_findings(blocks, canonical=canonical) if kind == "event" else _line_findings(blocks, _TAGS[kind])


def _guessed(block: bytes, name: str) -> Kind:
    line = next((line for line in block.split(b"\n") if line.strip()), b"")
    if not line:
        return "event"
    try:
        form = form_of(line, name)
    except UsageError:
        return "event"
    return "event" if form == "codec" else form


def _line_findings(blocks: Iterable[bytes], tag: str) -> Iterator[Finding]:
    kinds, events = _by_kind(), validator_of(event_schema())
    for number, line in enumerate(_lines(blocks), 1):
        if not line.strip():
            continue
        try:
            value = msgspec.json.decode(line, type=Table)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            yield Finding(number, "refused", "$", str(error))
            continue
        if not isinstance(kind := value.get(tag), str):
            yield Finding(number, "schema", "$", f"`{tag}` is missing")
            continue
        if validator := kinds.get(kind):
            for path, message in problems(value, validator):
                yield Finding(number, "schema", path, message)
        if kind == "event" and "event" in value:
            for path, message in problems(value["event"], events):
                yield Finding(number, "schema", path.replace("$", "$.event", 1), message)


def _control_findings(blocks: Iterable[bytes]) -> Iterator[Finding]:
    """Lines of the channel, alone or in the rows of a capture."""
    from craze.providers.control.schema import problems as misfits

    for number, line in enumerate(_lines(blocks), 1):
        if not line.strip():
            continue
        try:
            found = list(misfits(line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            yield Finding(number, "refused", "$", str(error))
            continue
        for path, message in found:
            yield Finding(number, "schema", path, message)


def _by_kind() -> dict[str, Any]:
    """A validator for each kind of line; lines of other kinds are kept and passed over by every reader."""
    schema = SCHEMAS["journal"]()
    return {
        _tag(part): validator_of({**part, "$defs": schema["$defs"]}) for part in schema["$defs"].values() if _tag(part)
    }


def _tag(part: dict[str, Any]) -> str:
    keys = part["properties"]
    return next((keys[field]["enum"][0] for field in ("kind", "dir") if field in keys and "enum" in keys[field]), "")


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        yield from lines
    if rest:
        yield rest
