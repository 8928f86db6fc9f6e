"""The demo agent against another implementation of the protocol: the client of the `agent-client-protocol` package."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.demo.client import Client

acp = pytest.importorskip("acp")
schema = pytest.importorskip("acp.schema")

KNOWN = {
    "user_message_chunk",
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "available_commands_update",
    "current_mode_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
}


class Person(acp.Client):
    """Remembers updates; permissions are answered by kind, or wait for the cancel."""

    def __init__(self) -> None:
        self.updates: list[Any] = []
        self.picks: str | None = "allow_once"
        self.news = asyncio.Event()
        self.cancelled = asyncio.Event()

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.updates.append(update)

    async def request_permission(self, session_id: str, tool_call: Any, options: list[Any], **_: Any) -> Any:
        self.news.set()
        if self.picks is None:
            await self.cancelled.wait()
            return schema.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))
        option = next(row.option_id for row in options if row.kind == self.picks)
        return schema.RequestPermissionResponse(outcome=schema.AllowedOutcome(outcome="selected", option_id=option))

    def on_connect(self, conn: Any) -> None: ...


@pytest.mark.rule("ACP-T56")
async def test_a_turn_with_tool_permission_and_cancel_passes(tmp_path: Path) -> None:
    person = Person()
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    argv = (sys.executable, "-m", "craze.demo", "--speed", "1000")
    async with (
        asyncio.timeout(60),
        acp.spawn_agent_process(person, *argv, env=env, cwd=tmp_path) as (agent, process),
    ):
        hello = await agent.initialize(protocol_version=1, client_capabilities=schema.ClientCapabilities())
        session = await agent.new_session(cwd=str(tmp_path), mcp_servers=[])
        done = await agent.prompt(prompt=[acp.text_block("/permission")], session_id=session.session_id)
        person.picks = None
        person.news.clear()
        prompt = asyncio.ensure_future(agent.prompt(prompt=[acp.text_block("/edit")], session_id=session.session_id))
        await person.news.wait()
        await agent.cancel(session_id=session.session_id)
        person.cancelled.set()
        cancelled = await prompt
        process.stdin.close()
        await process.wait()

    statuses = [update.status for update in person.updates if getattr(update, "tool_call_id", None)]
    assert (hello.protocol_version, hello.agent_capabilities.load_session) == (1, True)
    assert (done.stop_reason, cancelled.stop_reason) == ("end_turn", "cancelled")
    assert statuses == ["pending", "in_progress", "completed", "pending", "failed"]


@pytest.mark.rule("ACP-171")
async def test_what_the_agent_says_is_of_the_published_schema(tmp_path: Path) -> None:
    async with Client(tmp_path) as client:
        hello = await client.initialize()
        opened = await client.open()
        for name in ("tour", "question", "multi", "form", "url", "fs", "resource", "options", "models", "planexit3"):
            await client.play(name)

    schema.InitializeResponse.model_validate(hello)
    schema.NewSessionResponse.model_validate(opened)
    for method, params in client.asked:
        if method == "session/request_permission":
            schema.RequestPermissionRequest.model_validate(params)
    for line in client.lines:
        message = msgspec.json.decode(line)
        if message.get("method") == "session/update" and message["params"]["update"]["sessionUpdate"] in KNOWN:
            schema.SessionNotification.model_validate(message["params"])
