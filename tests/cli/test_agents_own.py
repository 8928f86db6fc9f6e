"""Sessions that only the agent knows: listed, taken over and deleted through the screen's library."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from craze.cli.answering import of_screen
from craze.cli.context import Context
from craze.cli.desk import desk_of
from craze.cli.live import Flags
from craze.codec import Record
from craze.tui.desk import Library
from tests.cli.conftest import Craze


@pytest.fixture
def library(craze: Craze, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """That of a craze which has not seen what the agent and another craze have said in the folder."""
    assert craze("run", "--agent", "demo", "hello you").returncode == 0
    for name, value in {**craze.environment, "CRAZE_HOME": str(tmp_path / "other home")}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(craze.work)
    context = Context(craze.work)
    return desk_of(context, Flags(answering=of_screen("", context.settings, context.folder)), craze.work).library


@pytest.mark.rule("ACP-43")
async def test_a_session_of_the_agent_is_listed_and_is_one_of_crazes_once_it_was_opened(library: Library) -> None:
    (own,) = await library.of_agent("demo", everywhere=False)
    assert (own.title, own.agent, own.agents_own) == ("hello you", "demo", True)

    session = (await library.open(own.id)).session
    async with asyncio.timeout(20):
        stream = session.subscribe()
        while session.view.status != "idle":
            await anext(stream)
    told = [item async for item in session.history(1, session.view.seq)]
    await session.close()

    assert any(isinstance(item, Record) and b"hello you" in item.body for item in told)
    assert await library.of_agent("demo", everywhere=False) == ()
    (row,), count = await library.page(everywhere=False, offset=0, limit=9)
    assert (row.title, row.agents_own, count) == ("hello you", False, 1)


@pytest.mark.rule("ACP-43")
async def test_a_session_of_the_agent_is_deleted_by_the_agent(library: Library) -> None:
    (own,) = await library.of_agent("demo", everywhere=False)

    await library.delete(own.id)

    assert await library.of_agent("demo", everywhere=False) == ()


async def test_an_agent_that_nobody_declared_has_no_sessions_to_tell(library: Library) -> None:
    assert await library.of_agent("nobody", everywhere=True) == ()
