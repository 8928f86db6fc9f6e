"""Agents that cannot be used as they are, played from their captures."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.fakes.acp_session import stage

SHARED = Path(__file__).parents[4] / "shared"
PLAYER = SHARED / "rig" / "acp" / "fake_agent.py"
pytestmark = pytest.mark.skipif(not PLAYER.exists(), reason="the rig stands beside the checkout")


@pytest.mark.rule("ACP-T78", "ACP-30", "ACP-29")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("kimi-init", ["exited before it answered", "no longer maintained"]),
        ("crow2-init", ["speaks only ACP v2"]),
        ("copilot-v99", ["exited with status 1 before it answered"]),
    ],
)
async def test_a_start_that_fails_says_why(tmp_path: Path, name: str, words: list[str]) -> None:
    argv = (sys.executable, str(PLAYER), str(SHARED / "captures" / "acp" / f"{name}.jsonl"))
    async with stage(tmp_path, argv=argv) as test:
        (error,) = await test.until(lambda: test.of("error"))

        assert error.err is not None
        assert all(word in error.err.message for word in words), error.err.message
        assert test.session.view.status == "stopped"


@pytest.mark.rule("ACP-T78", "ACP-32")
async def test_a_start_that_wants_a_sign_in_waits_for_it(tmp_path: Path) -> None:
    argv = (sys.executable, str(PLAYER), str(SHARED / "captures" / "acp" / "cline-init.jsonl"))
    async with stage(tmp_path, argv=argv) as test:
        (login,) = await test.until(lambda: test.facts("login"))

        assert login["required"]
        assert test.of("error") == []
        assert json.loads(test.rows[0][1])["method"] == "initialize"
