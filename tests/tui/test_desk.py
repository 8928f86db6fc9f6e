"""What front ends are given and what they know of: the ports stand with their callers, and nothing below is touched."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

import craze
from craze.headless.run import Run
from craze.providers.control.toolserver import ToolServer
from craze.tui.app import CrazeApp
from craze.tui.desk import Agents, Desk, Library, Workspace

PACKAGE = Path(craze.__file__).parent
BELOW = ("craze.store", "craze.transport", "craze.providers", "craze.cli")


def imported(folder: str) -> Iterator[tuple[str, str]]:
    """Each file of a folder with each module that it names, also inside functions."""
    for path in sorted((PACKAGE / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                yield from ((path.name, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield from ((path.name, f"{node.module}.{alias.name}") for alias in node.names)


@pytest.mark.rule("TUI-3", "ENG-121")
@pytest.mark.parametrize("folder", ["tui", "headless"])
def test_a_front_end_touches_no_disk_no_process_and_no_provider(folder: str) -> None:
    found = list(imported(folder))

    assert found
    assert [each for each in found if f"{each[1]}.".startswith(tuple(f"{name}." for name in BELOW))] == []


@pytest.mark.rule("TUI-3", "ENG-121")
def test_the_ports_stand_with_their_callers() -> None:
    desk = inspect.get_annotations(Desk, eval_str=True)
    app = list(inspect.signature(CrazeApp).parameters)

    assert (desk["agents"], desk["library"], desk["workspace"]) == (Agents, Library, Workspace)
    assert app[:3] == ["session", "desk", "config"]
    assert {port.__module__ for port in (Agents, Library, Workspace)} == {"craze.tui.desk"}
    assert ToolServer.__module__ == "craze.providers.control.toolserver"
    assert "desk" not in inspect.signature(Run).parameters
