"""An agent built with the public Python package of the protocol: what craze writes must please its models.

A prompt that holds `wait` waits for a cancel; any other brings text, a tool behind a permission, and the file that the
tool reads through the client.
"""

from __future__ import annotations

import asyncio
from typing import Any

import acp
from acp import schema

OPTIONS = [
    schema.PermissionOption(option_id="once", name="Yes", kind="allow_once"),
    schema.PermissionOption(option_id="no", name="No", kind="reject_once"),
]


class SdkAgent(acp.Agent):
    def __init__(self) -> None:
        self._cancelled = asyncio.Event()
        self._client: Any = None

    def on_connect(self, conn: Any) -> None:
        self._client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> schema.InitializeResponse:
        info = schema.Implementation(name="sdk", version="1")
        return schema.InitializeResponse(protocol_version=protocol_version, agent_info=info)

    async def new_session(self, cwd: str, **_: Any) -> schema.NewSessionResponse:
        return schema.NewSessionResponse(session_id="sdk-1")

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> schema.PromptResponse:
        await self._client.session_update(session_id, acp.update_agent_message_text("hello"))
        if "wait" in prompt[0].text:
            await self._cancelled.wait()
            return schema.PromptResponse(stop_reason="cancelled")
        call = acp.start_tool_call("t", "write", kind="edit", status="pending")
        await self._client.session_update(session_id, call)
        answer = await self._client.request_permission(session_id, schema.ToolCallUpdate(tool_call_id="t"), OPTIONS)
        chosen = getattr(answer.outcome, "option_id", "")
        status = "completed" if chosen == "once" else "failed"
        read = await self._client.read_text_file(session_id=session_id, path=prompt[0].text)
        content = [acp.tool_content(acp.text_block(read.content))]
        await self._client.session_update(session_id, acp.update_tool_call("t", status=status, content=content))
        return schema.PromptResponse(stop_reason="end_turn")

    async def cancel(self, session_id: str, **_: Any) -> None:
        self._cancelled.set()


if __name__ == "__main__":
    asyncio.run(acp.run_agent(SdkAgent()))
