"""The official SDK of the control channel, reading one answer: `python sdk_drain.py PROGRAM`."""

from __future__ import annotations

import asyncio
import sys

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient


async def main(program: str) -> None:
    options = ClaudeAgentOptions(cli_path=program, include_partial_messages=True, cwd="/")
    async with ClaudeSDKClient(options=options) as client:
        await client.query("go on")
        async for _ in client.receive_response():
            pass


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
