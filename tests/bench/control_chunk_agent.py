"""An agent of the control kind that answers each prompt with pieces of text: `python control_chunk_agent.py COUNT ...`.

It writes as agents do that stream a model: one JSON encode and one write a piece. Standard library alone, so that its
own CPU time is that of any small agent.
"""

from __future__ import annotations

import json
import sys
from typing import Any

_SESSION = "00000000-0000-4000-8000-00000000cafe"
_WORDS = ("every", "line", "ends", "with", "a", "newline,", "while", "nothing", "checks", "for", "it:", "“naïve”.\n")


def main(count: int) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "control_request":
            inner = {"subtype": "success", "request_id": message["request_id"], "response": {}}
            _write({"type": "control_response", "response": inner})
        elif message["type"] == "user":
            _answer(count)


def _answer(count: int) -> None:
    _write({"type": "system", "subtype": "init", "session_id": _SESSION, "model": "m", "permissionMode": "default"})
    _event({"type": "message_start", "message": {"id": "m1", "role": "assistant", "content": []}})
    _event({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    for number in range(count):
        delta = {"type": "text_delta", "text": f"{_WORDS[number % len(_WORDS)]} "}
        _event({"type": "content_block_delta", "index": 0, "delta": delta})
    _event({"type": "content_block_stop", "index": 0})
    _event({"type": "message_stop"})
    ending = {"subtype": "success", "is_error": False, "duration_ms": 1, "duration_api_ms": 1, "num_turns": 1}
    _write({"type": "result", **ending, "stop_reason": "end_turn", "session_id": _SESSION, "total_cost_usd": 0})


def _event(event: dict[str, Any]) -> None:
    _write({"type": "stream_event", "event": event, "session_id": _SESSION, "parent_tool_use_id": None, "uuid": "u"})


def _write(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
