"""Against the public Python package of the protocol, and against real agents where they are installed."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from craze.engine.facts import Policies
from craze.engine.intents import Cancel, Submit
from tests.fakes.acp_session import stage

SDK = str(Path(__file__).parents[2] / "fakes" / "acp_sdk_agent.py")
RIG = Path(__file__).parents[4] / "shared" / "rig" / "acp"
ALL = Policies(permission="all", question="all", plan="all")
needs_sdk = pytest.mark.skipif(importlib.util.find_spec("acp") is None, reason="needs agent-client-protocol")


@needs_sdk
@pytest.mark.rule("ACP-T56")
async def test_a_turn_with_a_tool_and_a_permission_passes_the_packages_models(tmp_path: Path) -> None:
    async with stage(tmp_path, argv=(sys.executable, SDK), policies=ALL, fs=True) as test:
        path = test.folder / "f.txt"
        path.write_text("inside")
        await test.ready()
        ended = await test.turn(str(path))

        assert ended.turn is not None
        assert ended.turn.stop_reason == "end_turn"
        assert [event.text for event in test.of("text")] == ["hello"]
        last = test.keys("tool")[-1]["tool"]
        assert (last["status"], last["contentText"]) == ("completed", "inside")
        assert test.lints() == {}


@needs_sdk
@pytest.mark.rule("ACP-T56")
async def test_a_cancel_passes_the_packages_models(tmp_path: Path) -> None:
    async with stage(tmp_path, argv=(sys.executable, SDK)) as test:
        await test.ready()
        await test.send(Submit(text="wait"))
        await test.until(lambda: test.of("text"))
        await test.send(Cancel())
        ended = await test.ended()

        assert ended.turn is not None
        assert ended.turn.stop_reason == "cancelled"
        assert test.lints() == {}


@pytest.fixture
def rig() -> Iterator[Any]:
    """The rig beside the checkout, as a module."""
    if not RIG.is_dir():
        pytest.skip("the rig stands beside the checkout")
    sys.path.insert(0, str(RIG))
    try:
        import agents
        from run_scene import Mock

        yield agents, Mock
    finally:
        sys.path.remove(str(RIG))


@pytest.mark.real_agent
@pytest.mark.parametrize("name", ["kimicode", "copilot", "claude", "vibe"])
async def test_a_real_agent_runs_a_command_and_edits_a_file(tmp_path: Path, rig: Any, name: str) -> None:
    agents, mock = rig
    if not agents.installed(name):
        pytest.skip(f"run.sh {name} --install")
    with mock(tmp_path / "mock.log") as port:
        argv, env, _home = agents.launch(name, port=port, home=tmp_path / "home")
        async with stage(tmp_path, argv=tuple(argv), env=env, policies=ALL) as test:
            (test.folder / "hello.txt").write_text("line one\nline two\nline three\n")
            await test.until(lambda: test.session.view.status == "idle", 60)
            for number, scene in enumerate(("text", "shell", "edit"), 1):
                await test.send(Submit(text=f"Please do it. [[mock:{scene} {test.folder}]]"))
                await test.until(lambda number=number: len(test.of("done")) == number, 60)

            assert (test.folder / "mock-out.txt").exists()
            assert "edited by mock" in (test.folder / "hello.txt").read_text()
            assert test.of("error") == []
            assert not {"error"} & {row.level for row in test.provider.lints}
