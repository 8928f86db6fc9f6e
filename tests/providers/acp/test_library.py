"""The agent's own sessions, and the check of an agent."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from craze.errors import AgentExited
from craze.providers.acp.check import check
from craze.providers.acp.declaration import Declaration
from craze.providers.acp.library import delete_session, list_sessions
from tests.fakes.acp_bench import AGENT, Step, initialized, opened, prompted, update

LISTS = {"sessionCapabilities": {"list": {}, "delete": {}}}


def declared(folder: Path, *steps: Step) -> Declaration:
    script = folder / "script.jsonl"
    script.write_text("".join(json.dumps(step) + "\n" for step in steps))
    return Declaration(argv=(sys.executable, AGENT, str(script)))


@pytest.mark.rule("ACP-43", "ACP-T77")
async def test_pages_are_read_to_the_end_and_a_bad_row_is_dropped_alone(tmp_path: Path) -> None:
    rows = [{"sessionId": "a", "cwd": "/w", "title": None, "updatedAt": "2026-01-01T00:00:00"}, {"title": "no id"}]
    agent = declared(
        tmp_path,
        *initialized(agentCapabilities=LISTS),
        {"expect": {"method": "session/list", "params": {"cwd": "/w"}}},
        {"reply": {"result": {"sessions": rows, "nextCursor": "more"}}},
        {"expect": {"method": "session/list", "params": {"cursor": "more"}}},
        {"reply": {"result": {"sessions": [{"sessionId": "b", "title": "B"}], "nextCursor": ""}}},
    )

    found = await list_sessions(agent, str(tmp_path), cwd="/w")

    assert [(row.id, row.title, row.updated) for row in found] == [("a", "", "2026-01-01T00:00:00Z"), ("b", "B", "")]


@pytest.mark.rule("ACP-43", "ACP-T77", "ACP-175")
@pytest.mark.parametrize("reply", [{"result": None}, {"error": {"code": -32601, "message": "no"}}])
async def test_no_answer_to_list_is_no_sessions(tmp_path: Path, reply: Step) -> None:
    steps = [*initialized(agentCapabilities=LISTS), {"expect": {"method": "session/list"}}, {"reply": reply}]

    assert await list_sessions(declared(tmp_path, *steps), str(tmp_path)) == ()


@pytest.mark.rule("ACP-43")
async def test_deleting_what_is_not_there_is_done(tmp_path: Path) -> None:
    gone = {"error": {"code": -32002, "message": "unknown"}}
    steps = [
        *initialized(agentCapabilities=LISTS),
        {"expect": {"method": "session/delete", "params": {"sessionId": "a"}}},
        {"reply": gone},
    ]

    await delete_session(declared(tmp_path, *steps), str(tmp_path), "a")


@pytest.mark.rule("ACP-43", "ACP-28")
async def test_without_its_gate_nothing_is_listed(tmp_path: Path) -> None:
    assert await list_sessions(declared(tmp_path, *initialized()), str(tmp_path)) == ()


async def test_an_agent_that_dies_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AgentExited, match="status 7"):
        await list_sessions(declared(tmp_path, {"expect": {}}, {"exit": 7}), str(tmp_path))


@pytest.mark.rule("ACP-164")
async def test_a_check_tells_what_was_off(tmp_path: Path) -> None:
    agent = declared(tmp_path, {"raw": "hello\n"}, *opened(), *prompted(update("hologram"), update("tool_call")))

    rows = await check(agent, str(tmp_path), "go")

    assert [(row.level, row.name, row.count) for row in rows] == [
        ("error", "unusable-update", 1),
        ("warn", "noise", 1),
        ("info", "unknown-kind", 1),
    ]
    assert [(row.first, row.last) for row in rows] == [(5, 5), (1, 1), (4, 4)]
