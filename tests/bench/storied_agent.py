"""`chunk_agent` with calls between its texts: `python storied_agent.py COUNT` answers with COUNT updates, and loads what
it is asked for without replaying it."""

from __future__ import annotations

import json
import sys

from chunk_agent import _RESULTS, _piece, _update, _write

EVERY = 20
"""Updates from one call to the next."""


def main(count: int) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("method") == "session/prompt":
            for number in range(count):
                _update(_call(number) if number % EVERY == 0 else _piece(number))
        if "id" in message:
            _write({"id": message["id"], "result": _results(message["method"])})


def _call(number: int) -> dict[str, object]:
    call = {"toolCallId": f"call-{number}", "title": f"src/part_{number}.py", "kind": "read", "status": "completed"}
    return {"sessionUpdate": "tool_call", **call}


def _results(method: str) -> dict[str, object]:
    loads = {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}}
    return loads if method == "initialize" else _RESULTS.get(method, {})


if __name__ == "__main__":
    main(int(sys.argv[1]))
