"""Named diagnostics about what an agent does: counted, and told as facts at each doubling of the count."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from craze.engine.facts import Fact, Lint, fact

Level: TypeAlias = Literal["error", "warn", "info"]

NOISE: Final = "agent wrote N lines that are not messages"
LEVELS: Final[dict[str, Level]] = {
    "duplicate-request-id": "error",
    "request-without-id": "error",
    "malformed-request": "error",
    "bad-question": "error",
    NOISE: "warn",
    "unknown-hook": "warn",
    "unknown-request": "info",
    "unknown-type": "info",
}
_EXAMPLE: Final = 200
_KINDS: Final = 1000  # an agent may make up as many as it likes


class LintRow(Struct, frozen=True):
    """One lint; `first` and `last` are numbers of inbound lines."""

    name: str
    level: Level
    count: int
    first: int
    last: int
    example: str


class Lints:
    """The lints of one session."""

    def __init__(self) -> None:
        self._rows: dict[str, LintRow] = {}
        self._once: set[tuple[str, str]] = set()
        self.line = 0

    def note(self, name: str, example: str = "") -> list[Fact]:
        """Count one; the fact that tells it, when it is to be told."""
        old, cut = self._rows.get(name), example[:_EXAMPLE]
        row = LintRow(name, LEVELS.get(name, "info"), 1, self.line, self.line, cut)
        if old is not None:
            row = replace(old, count=old.count + 1, last=self.line, example=old.example or cut)
        self._rows[name] = row
        if row.count & (row.count - 1):
            return []
        return [fact(Lint(name=name, count=row.count, example=row.example), name)]

    def once(self, name: str, about: str) -> list[Fact]:
        """Count one for each thing it is about."""
        if (name, about) in self._once or len(self._once) >= _KINDS:
            return []
        self._once.add((name, about))
        return self.note(name, about)

    def rows(self) -> tuple[LintRow, ...]:
        order = {"error": 0, "warn": 1, "info": 2}
        return tuple(sorted(self._rows.values(), key=lambda row: (order[row.level], row.name)))
