"""Named diagnostics about what an agent does: counted for each connection, told as facts.

A fact tells the first time and each doubling of the count, so that an agent that errs on every line does not fill the
journal; `rows` has the exact numbers.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from craze.engine.facts import Fact, Lint, fact

Level: TypeAlias = Literal["error", "warn", "info"]

LEVELS: Final[dict[str, Level]] = {
    **dict.fromkeys(
        (
            "bad-json",
            "unusable-update",
            "no-options",
            "unanswered-cancel",
            "unanswered-prompt-at-exit",
            "duplicate-request-id",
            "orphan-process",
        ),
        "error",
    ),
    **dict.fromkeys(
        (
            "noise",
            "repaired-line",
            "bad-field",
            "unknown-response",
            "duplicate-response",
            "late-response",
            "unknown-session",
            "update-before-call",
            "repeated-tool-call",
            "unknown-terminal",
            "cancel-end-turn",
            "cancel-error",
            "tool-left-open",
            "bad-command",
            "bad-form",
            "stop-reason",
            "session-id-changed",
            "protocol-version",
            "resume-replayed",
            "gated-call",
            "gate-lied",
            "replay-differs",
            "cumulative-output",
        ),
        "warn",
    ),
    **dict.fromkeys(
        (
            "batch",
            "envelope",
            "id-as-string",
            "relative-path",
            "bare-block",
            "chunk-array",
            "unknown-kind",
            "unknown-request",
            "unknown-notification",
            "unknown-option-type",
            "mode-key",
            "permission-before-call",
            "update-after-stop",
            "line-over-1mib",
            "slow-start",
            "too-many-children",
        ),
        "info",
    ),
}
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
    """The lints of one connection."""

    def __init__(self) -> None:
        self._rows: dict[str, LintRow] = {}
        self._once: set[tuple[str, str]] = set()
        self.line = 0

    def note(self, name: str, example: str = "") -> Fact | None:
        """Count one; the fact that tells it, when it is to be told."""
        old = self._rows.get(name)
        cut = example[:_EXAMPLE]
        row = LintRow(name, LEVELS.get(name, "info"), 1, self.line, self.line, cut)
        if old is not None:
            row = replace(old, count=old.count + 1, last=self.line, example=old.example or cut)
        self._rows[name] = row
        if row.count & (row.count - 1):
            return None
        return fact(Lint(name=name, count=row.count, example=row.example), name)

    def once(self, name: str, about: str = "") -> Fact | None:
        """Count one for each thing it is about, such as a method."""
        if (name, about) in self._once or len(self._once) >= _KINDS:
            return None
        self._once.add((name, about))
        return self.note(name, about)

    def rows(self) -> tuple[LintRow, ...]:
        order = {"error": 0, "warn": 1, "info": 2}
        return tuple(sorted(self._rows.values(), key=lambda row: (order[row.level], row.name)))
