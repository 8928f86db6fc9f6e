"""The agent picker."""

from __future__ import annotations

from typing import cast

import pytest

from craze.tui.desk import AgentRow, Agents
from craze.tui.screens.agents import AgentPicker
from tests.fakes.dialogs import Showing, text_of
from tests.fakes.library import Crew

SIZE = (100, 24)
THIRD = AgentRow(
    name="third", kind="control", state="not found", reason="third-cli is not installed", fix="npm i third"
)
DEMO = AgentRow(name="demo", kind="acp", line="craze demo-agent --speed 2")
OTHER = AgentRow(name="other", kind="acp", state="needs sign-in", fix="other login", last=True)


def showing() -> Showing:
    return Showing(AgentPicker(cast(Agents, Crew(THIRD, DEMO, OTHER))))


@pytest.mark.rule("TUI-156")
async def test_each_agent_has_state_reason_and_fix_and_those_that_cannot_start_are_last() -> None:
    app = showing()

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.pause()
        rows = [row.strip(" │") for row in text_of(app).splitlines() if "│" in row]

    assert [row.lstrip("▸ ").split()[0] for row in rows[:3]] == ["demo", "other", "third"]
    assert rows[1].startswith("▸ other")
    assert "needs sign-in · other login" in rows[1]
    assert "not found · npm i third" in rows[2]


@pytest.mark.rule("TUI-156")
@pytest.mark.parametrize(
    ("keys", "result"), [(("enter",), ["other"]), (("up", "enter"), ["demo"]), (("end", "enter"), [])]
)
async def test_only_agents_that_can_start_are_returned(keys: tuple[str, ...], result: list[str]) -> None:
    app = showing()

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.pause()
        await pilot.press(*keys)
        await pilot.pause()

    assert app.results == result


@pytest.mark.rule("TUI-156")
async def test_i_shows_the_whole_command_line() -> None:
    app = showing()

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.pause()
        await pilot.press("up", "i")
        await pilot.pause()
        assert "craze demo-agent --speed 2" in text_of(app)
