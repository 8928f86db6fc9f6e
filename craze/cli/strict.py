"""A capture held to what it recorded: it can be derived, every line comes out alike, every opening has one ending."""

from __future__ import annotations

from pathlib import Path

import msgspec

from craze.cli import deriving
from craze.cli.context import Context
from craze.cli.control_agents import control_declaration
from craze.cli.deriving import Declaration
from craze.cli.providers import Started, acp_declaration
from craze.config.agents import Agent
from craze.engine.facts import Lint
from craze.providers.acp.lints import LEVELS as ACP_LEVELS
from craze.providers.control.lints import LEVELS as CONTROL_LEVELS
from craze.providers.replay.capture import is_close
from craze.store.capture import BadRow, rows
from craze.store.evidence import Evidence
from craze.store.lines import FactLine
from craze.store.source import Source


class LintLine(msgspec.Struct, frozen=True):
    """A lint of a recording, as `agents check` prints it."""

    name: str
    level: str
    count: int
    example: str


_LEVELS = {**CONTROL_LEVELS, **ACP_LEVELS}


def first_fault(path: Path, context: Context | None = None, agent: Agent | None = None) -> str:
    """What keeps a capture from being the cassette of a whole run, with row, both values and rule; "" when nothing.

    Args:
        agent: Derive it with this declaration in place of the recorded one.
    """
    extent = _extent(path)
    if difference := _first_difference(path, extent, _declaration(context, agent)):
        return difference
    if extent.breaks_off:
        return f"the capture breaks off behind row {extent.rows}, the end of its session is not in it (STORE-33)"
    return _unbalanced(path, whole=not extent.stopped)


def first_difference(path: Path) -> str:
    """The first thing that does not come out as it is recorded, as far as it is; "" when all does."""
    return _first_difference(path, _extent(path), None)


def _first_difference(path: Path, extent: _Extent, declaration: Declaration | None) -> str:
    if extent.cut_row:
        return f"row {extent.cut_row} was cut for its size, so the capture can only be shown (CLI-53)"
    return deriving.first_difference(path, declaration)


def lints_of(path: Path) -> list[LintLine]:
    """What the agent of a capture did that it should not."""
    found = deriving.derived(Source("wire", (path,)))
    newest = {item.key: item for item in found if isinstance(item, FactLine) and item.kind == "lint"}
    lints = [msgspec.json.decode(fact.data, type=Lint) for fact in newest.values()]
    return [LintLine(lint.name, _LEVELS.get(lint.name, "info"), lint.count, lint.example) for lint in lints]


def _declaration(context: Context | None, agent: Agent | None) -> Declaration | None:
    if not context or not agent:
        return None
    if agent.declaration.provider == "control":
        return control_declaration(agent, context.settings, command=agent.declaration.command, environment={})
    started = Started(command=agent.declaration.command, environment={}, preset="deny", screen=False)
    return acp_declaration(agent, context.settings, started)


class _Extent(msgspec.Struct):
    """How far a capture goes.

    Attributes:
        rows: The number of its last whole row.
        cut_row: The first line that is not kept in full, 0 for none.
        stopped: It says itself that nothing more was captured.
        breaks_off: It neither goes to the end of its session nor says why not; recordings made elsewhere are closed by
            the replayer.
    """

    rows: int = 0
    cut_row: int = 0
    stopped: bool = False
    breaks_off: bool = False


def _extent(path: Path) -> _Extent:
    found = _Extent()
    for row in rows(path):
        if isinstance(row, BadRow):
            found.breaks_off |= row.reason == "torn"
            continue
        found.rows = row.number
        if row.mark == "long" and row.dir in ("in", "out"):
            found.cut_row = found.cut_row or row.number
        elif row.dir == "head":
            found.breaks_off = True
        elif row.dir == "end":
            found.stopped, found.breaks_off = True, False
        elif row.dir == "do" and is_close(row):
            found.breaks_off = False
    return found


def _unbalanced(path: Path, *, whole: bool) -> str:
    """An opening without exactly one ending; one whose ending was not captured any more counts in a whole one alone."""
    found = Evidence().gather(deriving.derived(Source("wire", (path,))))
    faults = [one for one in found.unbalanced if whole or one not in found.unended]
    return f"{faults[0]} (STORE-33)" if faults else ""
