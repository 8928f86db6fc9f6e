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
from craze.store.capture import Row, rows
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


def first_difference(path: Path, context: Context | None = None, agent: Agent | None = None) -> str:
    """The first thing that does not come out as it is recorded, with row, both values and rule; "" when all does.

    Args:
        agent: Derive it with this declaration in place of the recorded one.
    """
    return _display_only(path) or deriving.first_difference(path, _declaration(context, agent)) or _unbalanced(path)


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


def _display_only(path: Path) -> str:
    for row in rows(path):
        if isinstance(row, Row) and row.mark == "long" and row.dir in ("in", "out"):
            return f"row {row.number} was cut for its size, so the capture can only be shown (CLI-53)"
    return ""


def _unbalanced(path: Path) -> str:
    """An opening without exactly one ending; a process that was killed recorded no ending of what was open then."""
    found = Evidence().gather(deriving.derived(Source("wire", (path,))))
    faults = found.unbalanced if _is_closed(path) else [one for one in found.unbalanced if one not in found.unended]
    return f"{faults[0]} (STORE-33)" if faults else ""


def _is_closed(path: Path) -> bool:
    """Whether the capture goes to the end of its session; recordings made elsewhere are closed by the replayer."""
    ours = False
    for row in rows(path):
        if isinstance(row, Row):
            ours |= row.dir == "head"
            if row.dir == "do" and is_close(row):
                return True
    return not ours
