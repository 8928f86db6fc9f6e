"""The official SDK of the control channel, reading two answers: `python sdk_drain.py PROGRAM PIECES`.

Prints the seconds of CPU that this process took for each, the first one counted from its start.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient


async def main(program: str, count: str) -> None:
    options = ClaudeAgentOptions(cli_path=program, include_partial_messages=True, cwd="/")
    async with ClaudeSDKClient(options=options) as client:
        ends = [0.0]
        for _ in range(2):
            await client.query(count)
            async for _ in client.receive_response():
                pass
            ends.append(time.process_time())
    print(json.dumps([ends[1], ends[2] - ends[1]]))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
