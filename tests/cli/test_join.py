"""A session that is joined: its agent boots at once, and goes when nobody begins the session."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from craze.cli.answering import Answering
from craze.cli.context import Context
from craze.cli.join import Joined, Wanted, join
from craze.config.agents import Agent, Declaration
from craze.engine import core
from craze.store.folder import Folder
from tests.transport.hearing import spawned

DEMO = (sys.executable, "-m", "craze.demo", "--speed", "1000")


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[subprocess.Popen[bytes]]:
    monkeypatch.setenv("CRAZE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    return spawned(monkeypatch)


def joined(place: Path) -> Joined:
    wanted = Wanted(
        folder=Folder(place / "sessions", "s"),
        workspace=str(place),
        origin="run",
        answering=Answering(),
        after_short="pause",
        after_cancel="pause",
    )
    return join(Context(place), Agent("demo", Declaration(provider="acp", command=DEMO)), wanted)


@pytest.mark.rule("ACP-23")
@pytest.mark.parametrize("failure", [OSError, KeyboardInterrupt])
async def test_an_agent_goes_when_its_session_cannot_be_made(
    children: list[subprocess.Popen[bytes]],
    failure: type[BaseException],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(core, "Core", fail)

    with pytest.raises(failure):
        joined(tmp_path)

    (child,) = children
    assert child.returncode == -signal.SIGKILL


@pytest.mark.rule("ACP-23")
async def test_an_agent_goes_when_its_session_never_begins(
    children: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    session = joined(tmp_path)
    (child,) = children
    assert child.poll() is None

    await session.close()

    assert child.returncode == -signal.SIGKILL


async def test_a_session_that_begins_has_the_agent_that_runs_already(
    children: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    session = joined(tmp_path)
    session.session.begin()
    stream = session.session.subscribe(lossless=True)
    async for _ in stream:
        if session.session.view.status in ("idle", "stopped"):
            break
    assert session.session.view.status == "idle"
    stream.close()
    await session.session.close()
    await session.close()

    (child,) = children
    assert child.returncode == 0
