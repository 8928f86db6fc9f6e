"""The least that a client of an ACP agent does: `python raw_drain.py COMMAND...`.

It starts the agent, opens a session, sends one prompt, and parses every line until the answer.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import IO

_REQUESTS: tuple[tuple[str, dict[str, object]], ...] = (
    ("initialize", {"protocolVersion": 1, "clientCapabilities": {}}),
    ("session/new", {"cwd": "/", "mcpServers": []}),
    ("session/prompt", {"sessionId": "chunks", "prompt": [{"type": "text", "text": "go on"}]}),
)


def main(command: list[str]) -> None:
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        for number, (method, params) in enumerate(_REQUESTS):
            _write(agent.stdin, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            while json.loads(agent.stdout.readline()).get("id") != number:
                pass
        agent.stdin.close()


def _write(stdin: IO[bytes], message: dict[str, object]) -> None:
    stdin.write(json.dumps(message).encode() + b"\n")
    stdin.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
