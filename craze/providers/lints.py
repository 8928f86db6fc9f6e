"""Named diagnostics about what an agent does: counted for each session, told as facts.

A fact tells the first time and each doubling of the count, so that an agent that errs on every line does not fill the
journal; `rows` has the exact numbers. Which names there are is each protocol's own table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from craze.engine.facts import Lint, fact
from craze.engine.ports import Report

Level: TypeAlias = Literal["error", "warn", "info"]

_ORDER: dict[Level, int] = {"error": 0, "warn": 1, "info": 2}
_EXAMPLE = 200
_KINDS = 1000  # an agent may make up as many as it likes


class LintRow(Struct, frozen=True):
    """One lint as `craze agents check` prints it; `first` and `last` are numbers of inbound lines."""

    name: str
    level: Level
    count: int
    first: int
    last: int
    example: str


class Lints:
    """The lints of one session. `line`: the number of the line being read, counted by who reads it."""

    def __init__(self, levels: Mapping[str, Level]) -> None:
        self._levels = levels
        self._rows: dict[str, LintRow] = {}
        self._once: set[tuple[str, str]] = set()
        self.line = 0

    def note(self, name: str, example: str = "") -> list[Report]:
        """Count one; gives the fact that tells it, when it is to be told."""
        old, cut = self._rows.get(name), example[:_EXAMPLE]
        row = LintRow(name, self._levels.get(name, "info"), 1, self.line, self.line, cut)
        if old is not None:
            row = replace(old, count=old.count + 1, last=self.line, example=old.example or cut)
        self._rows[name] = row
        if row.count & (row.count - 1):
            return []
        return [fact(Lint(name=name, count=row.count, example=row.example), name)]

    def once(self, name: str, about: str = "") -> list[Report]:
        """Count one for each thing it is about, such as a method."""
        if (name, about) in self._once or len(self._once) >= _KINDS:
            return []
        self._once.add((name, about))
        return self.note(name, about)

    def rows(self) -> tuple[LintRow, ...]:
        """The worst first."""
        return tuple(sorted(self._rows.values(), key=lambda row: (_ORDER[row.level], row.name)))
