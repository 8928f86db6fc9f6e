"""An ACP agent that answers each prompt with pieces of text: `python chunk_agent.py COUNT`.

It writes as agents do that stream a model: one JSON encode and one write a piece. Standard library alone, so that its
own CPU time is that of any small agent.
"""

from __future__ import annotations

import json
import sys

_SESSION = "chunks"
LAST = "that is all"
"""What each answer ends with."""
_WORDS = ("every", "line", "ends", "with", "a", "newline,", "while", "nothing", "checks", "for", "it:", "“naïve”.\n")


def main(count: int) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("method") == "session/prompt":
            for number in range(count):
                _update(_piece(number))
            _update(_text(LAST))
        if "id" in message:
            _write({"id": message["id"], "result": _RESULTS.get(message["method"], {})})


def _piece(number: int) -> dict[str, object]:
    return _text(f"{_WORDS[number % len(_WORDS)]} ")


def _text(text: str) -> dict[str, object]:
    return {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}


def _update(update: dict[str, object]) -> None:
    _write({"method": "session/update", "params": {"sessionId": _SESSION, "update": update}})


def _write(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


_RESULTS: dict[str, dict[str, object]] = {
    "initialize": {"protocolVersion": 1, "agentCapabilities": {}},
    "session/new": {"sessionId": _SESSION},
    "session/prompt": {"stopReason": "end_turn"},
}

if __name__ == "__main__":
    main(int(sys.argv[1]))
