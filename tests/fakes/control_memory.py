"""A session with the control provider whose agent is the test: lines are given by hand, the clock is turned by hand."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Raw

from craze.codec import Event, Record
from craze.engine.core import Core
from craze.engine.facts import Fact, Policies
from craze.engine.intents import Intent, Result
from craze.engine.ports import Prompt, Start
from craze.engine.session import Session
from craze.engine.situation import Settings
from craze.providers.control.declaration import Declaration
from craze.providers.control.link import Attached, Served
from craze.providers.control.provider import ControlProvider
from craze.providers.control.types import Profile
from craze.store.memory import MemoryLog
from craze.transport import MAX_LINE, Command, Exit, Hearer, Line, LineSplitter, Link, Sent, Stopped, Tap
from tests.fakes.session import HandClock

Json = dict[str, Any]
EXTENDED: Json = {"claude_code_version": "9", "current_permission_mode": "default"}


class Heard:
    """The log: what was published."""

    def __init__(self) -> None:
        self.items: list[Record | Fact] = []

    def __call__(self, item: Record | Fact) -> None:
        self.items.append(item)


class Hand:
    """The agent and its pipes; the `Outside` and the link of the provider."""

    def __init__(
        self,
        *,
        profile: Profile | None = None,
        policies: Policies | None = None,
        start: Start | None = None,
        **declared: Any,
    ) -> None:
        self.clock = HandClock()
        ids = {"argv": ("agent",), "session": "01890a5d-ac96-774b-bcce-b302099a8057", "incarnation": "i-1"}
        self.provider = ControlProvider(Declaration(**{**ids, **declared}), self.clock, lambda: self, profile=profile)
        self.lines: list[bytes] = []
        self.undeliverable = False
        self.blocked = False
        self.over = False
        self.served: list[tuple[Served, Callable[[Raw], None]]] = []
        self.command = Command((), "/")
        self._hearer: Hearer | None = None
        self._splitter = LineSplitter()
        self._start = start or Start(workspace="/workspace")
        self.items: list[Record | Fact] = []
        log = MemoryLog()
        core = Core(Settings(policies=policies or Policies()), session="s", start=self._start)
        self.session = Session(core, self.provider, clock=self.clock, log=log)
        append = log.append

        def heard(item: Record | Fact) -> None:
            self.items.append(item)
            append(item)

        log.append = heard  # type: ignore[method-assign]

    # ---- a session

    def begin(self) -> Hand:
        self.session.begin()
        return self

    def ready(self, body: Json | None = EXTENDED) -> Hand:
        """Begun, and the greeting answered."""
        self.begin()
        self.reply("c-1", body)
        return self

    def prompted(self, text: str = "hello") -> Hand:
        from craze.engine.intents import Submit

        self.do(Submit(text=text))
        return self

    def do(self, intent: Intent) -> asyncio.Future[Result]:
        return self.session.submit(intent)

    # ---- the agent

    def tell(self, line: Json | str | bytes) -> Hand:
        """One line of the agent."""
        data = (
            json.dumps(line).encode()
            if isinstance(line, dict)
            else line.encode("utf-8", "surrogatepass")
            if isinstance(line, str)
            else line
        )
        return self.bytes(data + b"\n")

    def bytes(self, data: bytes) -> Hand:
        """One read of the pipe."""
        assert self._hearer
        for line in self._splitter.feed(data):
            self._hearer.line(line, self.clock.now())
        return self

    def eof(self) -> Hand:
        assert self._hearer
        for line in self._splitter.finish():
            self._hearer.line(line, self.clock.now())
        return self

    def reply(self, request: str, body: Json | None = None) -> Hand:
        inner: Json = {"subtype": "success", "request_id": request}
        return self.tell(
            {"type": "control_response", "response": inner if body is None else {**inner, "response": body}}
        )

    def refuse(self, request: str, text: str) -> Hand:
        return self.tell(
            {"type": "control_response", "response": {"subtype": "error", "request_id": request, "error": text}}
        )

    def ask(self, request: object, **body: Any) -> Hand:
        return self.tell({"type": "control_request", "request_id": request, "request": body})

    def asks_tool(self, request: object = "r1", **more: Any) -> Hand:
        return self.ask(request, **{"subtype": "can_use_tool", "tool_name": "Bash", "input": {"a": 1}, **more})

    def result(self, **more: Any) -> Hand:
        return self.tell({"type": "result", "subtype": "success", "is_error": False, "stop_reason": "end_turn", **more})

    def system(self, subtype: str, **more: Any) -> Hand:
        return self.tell({"type": "system", "subtype": subtype, **more})

    def assistant(self, *content: Json, message: str = "m1", **more: Any) -> Hand:
        return self.tell({"type": "assistant", "message": {"id": message, "content": list(content)}, **more})

    def ends(self, end: Exit | None = None) -> Hand:
        assert self._hearer
        self.over = True
        self._hearer.ended(end or Exit(code=0), self.clock.now())
        return self

    # ---- what came of it

    @property
    def events(self) -> list[Event]:
        return [item.event for item in self.items if isinstance(item, Record)]

    def of(self, *types: str) -> list[Event]:
        return [event for event in self.events if event.type in types]

    def facts(self, kind: str) -> list[Any]:
        return [msgspec.json.decode(item.data) for item in self.items if isinstance(item, Fact) and item.kind == kind]

    @property
    def sent(self) -> list[Any]:
        return [json.loads(line) for line in self.lines]

    def requests(self, subtype: str) -> list[Any]:
        return [line for line in self.sent if line.get("request", {}).get("subtype") == subtype]

    def answers(self) -> list[Any]:
        """The bodies of what was answered, errors as their text, in order."""
        inner = [line["response"] for line in self.sent if line["type"] == "control_response"]
        return [each.get("response", each.get("error")) for each in inner]

    def lints(self) -> dict[str, int]:
        return {row.name: row.count for row in self.provider.lints}

    @property
    def ask_id(self) -> str:
        """The id of the newest open ask."""
        return self.session.view.asks[-1].id

    # ---- the `Outside`

    def start(
        self, command: Command, hearer: Hearer, tap: Tap, ready: Callable[[Link], None], limit: int = MAX_LINE
    ) -> None:
        self.command, self._hearer, self.over = command, hearer, False
        self._splitter = LineSplitter(limit)
        ready(self)

    def private(self, name: str, data: bytes) -> str:
        return f"/private/{name}"

    def serve(self, served: Served, seconds: float, done: Callable[[Raw], None]) -> None:
        self.served.append((served, done))

    def withdraw(self, key: str) -> None:
        self.served = [each for each in self.served if each[0].key != key]

    def attach(self, prompt: Prompt, done: Callable[[Attached], None]) -> None:
        done(Attached(prompt.text))

    async def wait(self) -> None:
        """Nothing is waited for."""

    async def close(self) -> None:
        """Nothing is kept."""

    # ---- the link

    def send(self, line: bytes) -> Sent:
        self.lines.append(line)
        return Sent(len(self.lines), self.clock.now())

    def waiting(self, number: int) -> bool:
        return self.blocked

    def hold(self, holding: bool) -> None:
        """It says no more than the test wants."""

    def kill(self) -> None:
        self.over = True

    async def stop(self, *, eof: float = 3.0, term: float = 2.0) -> Stopped:
        if not self.over:
            self.ends()
        return Stopped("eof", ())


def text(said: str) -> Json:
    return {"type": "text", "text": said}


__all__ = ["EXTENDED", "Hand", "Line", "text"]
