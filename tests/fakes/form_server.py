"""A tool server over stdio whose one tool, `ask`, asks the person for a name. Standard library only."""

from __future__ import annotations

import json
import sys
from typing import Any

FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def main() -> None:
    call: Any = None
    for line in sys.stdin:
        message = json.loads(line)
        match message:
            case {"method": "initialize", "id": number, "params": {"protocolVersion": version}}:
                served = {"tools": {}}
                info = {"name": "form", "version": "1"}
                say({"id": number, "result": {"protocolVersion": version, "capabilities": served, "serverInfo": info}})
            case {"method": "tools/list", "id": number}:
                tool = {"name": "ask", "description": "asks for a name", "inputSchema": {"type": "object"}}
                say({"id": number, "result": {"tools": [tool]}})
            case {"method": "tools/call", "id": number}:
                call = number
                params = {"mode": "form", "message": "Your name?", "requestedSchema": FORM}
                say({"id": "e1", "method": "elicitation/create", "params": params})
            case {"id": "e1"}:
                said = json.dumps(message.get("result"))
                say({"id": call, "result": {"content": [{"type": "text", "text": said}]}})
            case {"id": number, "method": _}:
                say({"id": number, "error": {"code": -32601, "message": "no such method"}})


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


main()
