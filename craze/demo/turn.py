"""What a script can do in one turn: talk, call tools, ask, wait.

Every wait ends at once with `CancelledTurnError` when the person cancels; the agent then answers the prompt for the script.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NoReturn, cast

import msgspec

from craze.demo.sessions import Session
from craze.demo.wire import Json, Reply, RpcError, Wire

THREE_OPTIONS = (
    ("allow-once", "Allow", "allow_once"),
    ("allow-always", "Allow always", "allow_always"),
    ("reject-once", "Reject", "reject_once"),
)
_WORD_PAUSE = 0.01
_FOREVER = 3600.0


class CancelledTurnError(Exception):
    """The person cancelled the turn."""


class Client:
    """What the client offered at `initialize`."""

    def __init__(self, capabilities: Json) -> None:
        self.form = _offered(capabilities, "elicitation", "form")
        self.url = _offered(capabilities, "elicitation", "url")
        self.terminal = _offered(capabilities, "terminal")
        self.read = _offered(capabilities, "fs", "readTextFile")
        self.write = _offered(capabilities, "fs", "writeTextFile")
        self.subagents = _offered(capabilities, "subagents")
        self.compaction = _offered(capabilities, "session", "compaction")
        self.notices = _offered(capabilities, "session", "notices")
        self.booleans = _offered(capabilities, "session", "configOptions", "boolean")
        self.deltas = _offered(capabilities, "_meta", "terminal_output_delta") or _offered(
            capabilities, "_meta", "terminal_output"
        )


def _offered(held: object, *path: str) -> bool:
    """True and an object mean yes; what is absent or malformed means no."""
    for key in path:
        held = cast("Json", held).get(key) if isinstance(held, dict) else None
    return held is True or isinstance(held, dict)


class Desk:
    """What all turns of the process share."""

    def __init__(self, wire: Wire, speed: float, seed: int) -> None:
        self.wire, self.speed = wire, speed
        self.ids = random.Random(seed or None)
        self.client = Client({})
        self.lying = False
        self.ignores_end = False

    def new_id(self, prefix: str) -> str:
        return f"{prefix}_{self.ids.getrandbits(32):08x}"


class Turn:
    """One prompt being answered.

    Attributes:
        words: What followed the script's name.
        blocks: The prompt as it came.
        child: The session id that updates go to while a sub-agent talks; `""` is the session itself.
    """

    def __init__(self, desk: Desk, session: Session, request: object, words: str, blocks: list[Json]) -> None:
        self.desk, self.wire, self.client, self.session = desk, desk.wire, desk.client, session
        self.request, self.words, self.blocks = request, words, blocks
        self.answered = self.cancelled = False
        self.child = ""
        self.tools: list[Tool] = []
        self.output = 0

    # ---- talk

    def update(self, kind: str, /, **fields: Any) -> None:
        update: Json = {"sessionUpdate": kind, **fields}
        self.session.keep(update, self.child)
        self.wire.notify("session/update", {"sessionId": self.child or self.session.id, "update": update})

    def say(self, text: str, message: str = "", kind: str = "agent_message_chunk") -> None:
        """One chunk."""
        self.output += len(text.split())
        extra = {"messageId": message} if message else {}
        self.update(kind, content={"type": "text", "text": text}, **extra)

    def stream(self, text: str, pause: float = _WORD_PAUSE, kind: str = "agent_message_chunk") -> None:
        """A message word by word."""
        message = self.desk.new_id("msg")
        for word in text.split(" "):
            self.say(word + " ", message, kind)
            self.pause(pause)
        self.say("\n\n", message, kind)

    def think(self, text: str) -> None:
        self.stream(text, kind="agent_thought_chunk")

    # ---- tools and asks

    def tool(self, title: str, kind: str, **fields: Any) -> Tool:
        tool = Tool(self, self.desk.new_id("call"), title, kind)
        self.tools.append(tool)
        self.update("tool_call", toolCallId=tool.id, title=title, kind=kind, **{"status": "pending", **fields})
        return tool

    def ask_permission(
        self, call: Json, options: tuple[tuple[str, str, str], ...] = THREE_OPTIONS, request: object = None
    ) -> Reply:
        rows = [{"optionId": key, "name": name, "kind": kind} for key, name, kind in options]
        params = {"sessionId": self.child or self.session.id, "toolCall": call, "options": rows}
        return self.wire.ask("session/request_permission", params, request)

    def chosen(self, reply: Reply) -> str:
        """The option that the person picked. A client cancels an ask only with its turn, so that ends the turn."""
        outcome = self.result_of(reply).get("outcome", {})
        if outcome.get("outcome") != "selected":
            raise CancelledTurnError
        return str(outcome.get("optionId", ""))

    def allowed(self, tool: Tool) -> bool:
        """Ask whether a tool may run; "always" holds for its kind until the session ends."""
        if tool.kind in self.session.allowed:
            return True
        picked = self.chosen(self.ask_permission({"toolCallId": tool.id, "title": tool.title, "kind": tool.kind}))
        if picked == "allow-always":
            self.session.allowed.add(tool.kind)
        return picked.startswith("allow")

    def elicit(self, message: str, schema: Json, **fields: Any) -> Json | None:
        """A form; the content, or None when the person would not answer."""
        params = {"sessionId": self.session.id, "mode": "form", "message": message, "requestedSchema": schema, **fields}
        result = self.call("elicitation/create", params)
        if result.get("action") == "cancel":
            raise CancelledTurnError
        return result.get("content", {}) if result.get("action") == "accept" else None

    # ---- waits

    def call(self, method: str, params: Json) -> Json:
        """A request of ours and its result; an error answer raises `RpcError`."""
        return self.result_of(self.wire.ask(method, params))

    def result_of(self, reply: Reply) -> Json:
        self.wire.wait(lambda: reply.done or self.cancelled)
        if not reply.done:
            raise CancelledTurnError
        if reply.failure is not None:
            raise reply.failure
        return reply.result

    def pause(self, seconds: float) -> None:
        """Seconds at speed 1."""
        if self.wire.wait(lambda: self.cancelled, seconds / self.desk.speed):
            raise CancelledTurnError

    def until_cancelled(self) -> NoReturn:
        self.wire.wait(lambda: self.cancelled, _FOREVER)
        raise CancelledTurnError

    def cancel(self) -> None:
        self.cancelled = True
        self.wire.wake()

    # ---- the end

    def end(self, reason: str = "end_turn") -> None:
        """Answer the prompt; a script may go on talking after it."""
        if self.answered:
            return
        self.answered = True
        used = {"inputTokens": 120, "outputTokens": self.output, "totalTokens": 120 + self.output}
        self.session.tokens += 120 + self.output
        self.wire.answer(self.request, {"stopReason": reason, "usage": used})

    def fail(self, failure: RpcError) -> None:
        if not self.answered:
            self.answered = True
            self.wire.refuse(self.request, failure)

    def close_tools(self) -> None:
        """No call is left open by a turn that was cancelled."""
        for tool in self.tools:
            if tool.open:
                tool.fail()


class Tool:
    """A call of the turn; each method is one update."""

    def __init__(self, turn: Turn, name: str, title: str, kind: str) -> None:
        self._turn = turn
        self.id, self.title, self.kind, self.open = name, title, kind, True

    def update(self, **fields: Any) -> None:
        self._turn.update("tool_call_update", toolCallId=self.id, **fields)

    def run(self) -> None:
        self.update(status="in_progress")

    def done(self, *content: Json, **fields: Any) -> None:
        self._close("completed", content, fields)

    def fail(self, *content: Json, **fields: Any) -> None:
        self._close("failed", content, fields)

    def leave(self) -> None:
        """Never close it."""
        self.open = False

    def _close(self, status: str, content: tuple[Json, ...], fields: Json) -> None:
        self.open = False
        shown = {"content": list(content)} if content else {}
        self.update(status=status, **shown, **fields)


Script = Callable[[Turn], None]


def text_content(text: str) -> Json:
    return {"type": "content", "content": {"type": "text", "text": text}}


def diff_content(path: str, old: str | None, new: str) -> Json:
    return {"type": "diff", "path": path, "oldText": old, "newText": new}


def encoded(value: object) -> bytes:
    return msgspec.json.encode(value)
