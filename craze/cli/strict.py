"""A capture held to what it recorded: what comes out when it is derived again, and the first thing that differs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

import msgspec

from craze.cli.context import Context
from craze.cli.deriving import Derived, derive
from craze.cli.providers import Started, acp_declaration
from craze.codec import Record
from craze.config.agents import Agent
from craze.engine.facts import Fact, Lint
from craze.providers.acp.declaration import Declaration
from craze.providers.acp.lints import LEVELS
from craze.providers.replay.capture import is_index_error
from craze.store.capture import Row, rows
from craze.store.evidence import Evidence
from craze.store.reader import items
from craze.store.source import Source

SHOWN = 400
"""Bytes of each of two values that differ."""


class LintLine(msgspec.Struct, frozen=True):
    """A lint of a recording, as `agents check` prints it."""

    name: str
    level: str
    count: int
    example: str


def derived(source: Source, kind: str | None = None, process: int | None = None) -> list[Record | Fact]:
    """What a capture gives when it is derived again, as a session would have published it."""
    found: list[Record | Fact] = []
    for file in source.inputs:
        asyncio.run(derive(file, found.append, kind=kind or "", process=process or 0))
    return found


def first_difference(path: Path, context: Context | None = None, agent: Agent | None = None) -> str:
    """The first thing that does not come out as it is recorded, with row, both values and rule; "" when all does.

    Args:
        agent: Derive it with this declaration in place of the recorded one.
    """
    if said := _display_only(path):
        return said
    found: list[Record | Fact] = []
    result = asyncio.run(derive(path, found.append, declaration=_declaration(context, agent)))
    records = [item for item in found if isinstance(item, Record)]
    return _of_rows(result) or _of_brackets(records) or ("" if agent else _of_journal(records, path))


def lints_of(path: Path) -> list[LintLine]:
    """What the agent of a capture did that it should not."""
    found: list[Record | Fact] = []
    asyncio.run(derive(path, found.append))
    facts = {item.key: item for item in found if isinstance(item, Fact) and item.kind == "lint"}
    lints = [msgspec.json.decode(fact.data, type=Lint) for fact in facts.values()]
    return [LintLine(lint.name, LEVELS.get(lint.name, "info"), lint.count, lint.example) for lint in lints]


def _declaration(context: Context | None, agent: Agent | None) -> Declaration | None:
    if not context or not agent:
        return None
    started = Started(command=agent.declaration.command, environment={}, preset="deny", screen=False)
    return acp_declaration(agent, context.settings, started)


def _display_only(path: Path) -> str:
    for row in rows(path):
        if isinstance(row, Row) and row.mark == "long" and row.dir in ("in", "out"):
            return f"row {row.number}: it was cut for its size, so the capture can only be shown (CLI-53)"
    return ""


def _of_rows(result: Derived) -> str:
    if result.bad:
        return f"row {result.bad[0].number}: it is {result.bad[0].reason} (STORE-35)"
    if result.differences:
        first = result.differences[0]
        return _differ(f"row {first.row}", first.recorded, first.derived, first.rule)
    return ""


def _of_brackets(records: Iterable[Record]) -> str:
    unbalanced = Evidence().gather(records).unbalanced
    return f"{unbalanced[0]} (CLI-34)" if unbalanced else ""


def _of_journal(records: Iterable[Record], capture: Path) -> str:
    """Against the journal of the same incarnation, where it is still there."""
    journal = capture.with_name(capture.name.replace(".wire.jsonl", ".jsonl"))
    if journal == capture or not journal.is_file():
        return ""
    kept = [item for item in items(journal) if isinstance(item, Record) and item.body and not is_index_error(item)]
    ours = [record for record in records if record.body and not is_index_error(record)]
    for theirs, mine in zip(kept, ours, strict=False):
        if theirs.body != mine.body:
            return _differ(f"event {theirs.seq}", theirs.body, mine.body, "STORE-16")
    if len(kept) != len(ours):
        return f"the journal has {len(kept)} events, {len(ours)} were derived (STORE-16)"
    return ""


def _differ(where: str, recorded: bytes, derived_: bytes, rule: str) -> str:
    def cut(value: bytes) -> str:
        return value[:SHOWN].decode("utf-8", "replace") or "nothing"

    return f"{where} differs ({rule})\n  recorded: {cut(recorded)}\n  derived:  {cut(derived_)}"
