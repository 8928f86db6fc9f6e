"""Scripts of lines that are not as they should be."""

from __future__ import annotations

import os

from craze.demo.turn import Desk, Turn, encoded, text_content
from craze.demo.wire import Json

_NOISE = (b"Loaded cached credentials.\n", b"\n", b"[INFO] ready\n", b"\x1b[32mok\x1b[0m\n", b"[1, 2, 3]\n")


def noise(turn: Turn) -> None:
    for line in _NOISE:
        turn.wire.raw(line)
    turn.stream("There were lines between that are no protocol.")


def noise_at_start(desk: Desk) -> None:
    desk.wire.raw(_NOISE[0])


def huge(turn: Turn) -> None:
    """One line of 8 MiB, or as many as is given."""
    size = (int(turn.words) if turn.words.isdigit() else 8) << 20
    turn.say("x" * size)
    turn.stream("That was one line.")


def surrogate(turn: Turn) -> None:
    _raw_text(turn, rb"half a pair: \ud83d")
    turn.stream("That was half a character.")


def badutf8(turn: Turn) -> None:
    _raw_text(turn, b"bad bytes: \xff\xfe")
    turn.stream("That was no UTF-8.")


def nonl(turn: Turn) -> None:
    """The last line has no end."""
    turn.stream("Now I end in the middle of things.")
    turn.wire.raw(b'{"jsonrpc":"2.0","id":%b,"result":{"stopReason":"end_turn"}}' % encoded(turn.request))
    os._exit(0)


def badfields(turn: Turn) -> None:
    """Optional fields of other types than agreed; each of these updates still says something."""
    turn.update("usage_update", used=None, size=200_000)
    turn.update("tool_call", toolCallId="odd", title=None, kind=7, status=[], locations="nowhere", rawInput=3)
    content = [text_content("good"), {"type": "content", "content": 5}, 9]
    turn.update("tool_call_update", toolCallId="odd", status="completed", content=content, _meta=[])
    turn.update("agent_message_chunk", content="a bare string\n")
    turn.update("agent_message_chunk", content=[{"type": "text", "text": "an array\n"}])
    turn.update("plan", entries=[{"content": "no status"}, "no entry"])
    turn.update("available_commands_update", availableCommands=[{"name": ""}, {"name": "good", "description": 1}, 4])
    turn.wire.notify("session/update", {"sessionId": turn.session.id, "update": 5})
    turn.stream("All of that was odd.")


def unknown(turn: Turn) -> None:
    """Kinds, methods and blocks that nobody knows."""
    turn.update("hologram", depth=3)
    turn.update("agent_message_chunk", content={"type": "smell", "of": "coffee"})
    turn.wire.notify("_demo/unheard", {"sessionId": turn.session.id})
    reply = turn.wire.ask("demo/unheard", {"sessionId": turn.session.id})
    turn.wire.wait(lambda: reply.done or turn.cancelled)
    code = reply.failure.code if reply.failure else "no error"
    turn.stream(f"My unknown request was answered with {code}.")


def strid(turn: Turn) -> None:
    """Requests with ids of every kind."""
    for request in ("x", 1.5, "7"):
        tool = turn.tool(f"request {request!r}", "other")
        call: Json = {"toolCallId": tool.id, "title": tool.title}
        picked = turn.chosen(turn.ask_permission(call, request=request))
        tool.done() if picked.startswith("allow") else tool.fail()
    turn.stream("Every answer had the id of its request.")


def fieldmeta(turn: Turn) -> None:
    """`_meta` as one server library nests it."""
    tool = turn.tool("Look around", "read", _meta={"field_meta": {"toolName": "LookAround"}})
    tool.done(text_content("nothing to see"), _meta={"field_meta": {"toolName": "LookAround"}})
    turn.stream("The name of that tool was nested.")


def _raw_text(turn: Turn, text: bytes) -> None:
    head = b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":'
    body = b',"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"'
    turn.wire.raw(head + encoded(turn.session.id) + body + text + b'\\n\\n"}}}}\n')
