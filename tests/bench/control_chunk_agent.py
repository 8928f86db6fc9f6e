"""An agent of the control kind that answers a prompt with as many pieces as it says: `python control_chunk_agent.py PACE ...`.

`row`: it writes them as agents do that stream a model, one JSON encode and one write a piece, as fast as it can.
`alone`: it writes each when the one before has been read. Standard library alone.
"""

from __future__ import annotations

import array
import fcntl
import json
import sys
import termios
from typing import Any

_SESSION = "00000000-0000-4000-8000-00000000cafe"
_WORDS = ("every", "line", "ends", "with", "a", "newline,", "while", "nothing", "checks", "for", "it:", "“naïve”.\n")


def main(pace: str) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "control_request":
            inner = {"subtype": "success", "request_id": message["request_id"], "response": {}}
            _write({"type": "control_response", "response": inner})
        elif message["type"] == "user":
            _answer(int(message["message"]["content"]), alone=pace == "alone")


def _answer(count: int, *, alone: bool) -> None:
    _write({"type": "system", "subtype": "init", "session_id": _SESSION, "model": "m", "permissionMode": "default"})
    _event({"type": "message_start", "message": {"id": "m1", "role": "assistant", "content": []}})
    _event({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    for number in range(count):
        delta = {"type": "text_delta", "text": f"{_WORDS[number % len(_WORDS)]} "}
        while alone and _unread():
            pass
        _event({"type": "content_block_delta", "index": 0, "delta": delta})
    _event({"type": "content_block_stop", "index": 0})
    _event({"type": "message_stop"})
    ending = {"subtype": "success", "is_error": False, "duration_ms": 1, "duration_api_ms": 1, "num_turns": 1}
    _write({"type": "result", **ending, "stop_reason": "end_turn", "session_id": _SESSION, "total_cost_usd": 0})


def _unread() -> int:
    """Bytes that wait in the pipe for the client."""
    waiting = array.array("i", [0])
    fcntl.ioctl(1, termios.FIONREAD, waiting)
    return waiting[0]


def _event(event: dict[str, Any]) -> None:
    _write({"type": "stream_event", "event": event, "session_id": _SESSION, "parent_tool_use_id": None, "uuid": "u"})


def _write(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
