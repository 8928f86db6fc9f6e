"""Every JSON Schema that craze ships, by name, made from the structs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final, get_type_hints

import msgspec
from msgspec import UNSET, Raw, UnsetType

from craze.codec import event_schema
from craze.config.agents import Declaration
from craze.config.answers import Answers
from craze.config.imports import Registry, SettingsFile
from craze.config.shape import Config
from craze.config.theme import Theme
from craze.store.lines import Closing, EventLine, FactLine, Gap, Header
from craze.store.wire import Head

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="dir"):
    """A row of a wire capture: when it happened, and nanoseconds since the capture began."""

    ts: str
    t: int


class LineRow(Row, frozen=True, kw_only=True):
    """A line: its text, or its bytes in base64. `bytes` is the whole size of one that was cut."""

    line: str | None = None
    b64: str | None = None
    bytes: int = 0
    eof: bool = False
    undelivered: bool = False


class InRow(LineRow, frozen=True, kw_only=True, tag="in"):
    """A line of the agent."""


class OutRow(LineRow, frozen=True, kw_only=True, tag="out"):
    """A line to the agent."""


class ErrRow(LineRow, frozen=True, kw_only=True, tag="err"):
    """A line of the agent's stderr."""


class ExitRow(Row, frozen=True, kw_only=True, tag="exit"):
    """The process ended, or could not be started."""

    code: int | None = None
    signal: str | None = None
    error: str | None = None


class DoRow(Row, frozen=True, kw_only=True, tag="do"):
    """An intent of the person."""

    intent: Raw
    cause: str = ""


class TimerRow(Row, frozen=True, kw_only=True, tag="timer"):
    """A timer that fired."""

    timer: str


class EndRow(Row, frozen=True, kw_only=True, tag="end"):
    """Nothing more is captured."""

    reason: str


_JOURNAL: Final = (Header, EventLine, FactLine, Gap, Closing)
_ROWS: Final = (InRow, OutRow, ErrRow, ExitRow, DoRow, TimerRow, EndRow)


def _plain(kind: type[msgspec.Struct], tag_field: str = "", **more: type) -> type[msgspec.Struct]:
    """`kind` without bytes as defaults, which a schema cannot say; such a key may be absent."""
    hints = get_type_hints(kind, include_extras=True)
    fields: list[Any] = list(more.items())
    for field in msgspec.structs.fields(kind):
        name, type_ = field.encode_name, hints[field.name]
        if isinstance(field.default, Raw):
            fields.append((name, Raw | UnsetType, UNSET))
        elif field.required:
            fields.append((name, type_))
        else:
            fields.append((name, type_, _default(field)))
    config = kind.__struct_config__
    return msgspec.defstruct(
        kind.__name__,
        fields,
        kw_only=True,
        namespace={"__doc__": kind.__doc__},
        tag_field=tag_field or config.tag_field,
        tag=config.tag or kind.__name__.lower(),
    )


def _default(field: msgspec.structs.FieldInfo) -> Any:
    made: Any = field.default_factory
    return field.default if made is msgspec.NODEFAULT else made()


def _anything(_: type) -> dict[str, Any]:
    """Tables that a later part reads may hold whatever it wants."""
    return {"description": "read by the part that it belongs to"}


def _schema(name: str, kinds: Sequence[Any]) -> dict[str, Any]:
    roots, parts = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}", schema_hook=_anything)
    return _titled(name, roots[0] if len(roots) == 1 else {"anyOf": list(roots)}, parts)


def _lines() -> dict[str, Any]:
    head = _plain(Head, "dir", ts=str, t=int, format=int)
    return _schema("journal", [*map(_plain, _JOURNAL), head, *_ROWS])


def _titled(name: str, root: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    return {
        "$schema": DRAFT,
        "$id": f"craze/schema/{name}.json",
        "title": name,
        **root,
        "$defs": dict(sorted(parts.items())),
    }


def _control(*, extended: bool) -> dict[str, Any]:
    from craze.providers.control import schema  # with all that speaks to agents: only when it is asked for

    return schema.extended() if extended else schema.document()


SCHEMAS: Final[dict[str, Callable[[], dict[str, Any]]]] = {
    "event": event_schema,
    "journal": _lines,
    "config": lambda: _schema("config", [Config]),
    "theme": lambda: _schema("theme", [Theme]),
    "agents": lambda: _schema("agents", [Declaration, SettingsFile, Registry]),
    "answers": lambda: _schema("answers", [Answers]),
    "control": lambda: _control(extended=False),
    "control-extended": lambda: _control(extended=True),
}


def text_of(name: str) -> bytes:
    """The bytes of the file: two spaces of indent, UTF-8, a newline at the end."""
    return json.dumps(SCHEMAS[name](), indent=2, ensure_ascii=False).encode() + b"\n"
