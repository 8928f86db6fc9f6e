"""A small ACP client on the transport: it answers what it is asked, and remembers everything."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from craze.codec.times import Stamp
from craze.transport import (
    Calls,
    Command,
    Exit,
    Line,
    Notification,
    Process,
    Request,
    Response,
    Stopped,
    Tap,
    jsonrpc,
    parse,
)

Json = dict[str, Any]

RICH: Json = {
    "fs": {"readTextFile": True, "writeTextFile": True},
    "terminal": True,
    "session": {"configOptions": {"boolean": {}}, "notices": {}, "compaction": {}},
    "subagents": {},
    "elicitation": {"form": {}, "url": {}},
    "_meta": {"terminal_output": True, "terminal_output_delta": True},
}


class Refused(Exception):  # what the agent said, not a fault of ours
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Client:
    """One agent process. `picks` is the kind of option that permissions get; None leaves them open."""

    def __init__(self, cwd: Path, *flags: str, offers: Json = RICH, picks: str | None = "allow_once") -> None:
        self.cwd, self.flags, self.offers, self.picks = cwd, flags, offers, picks
        self.lines: list[bytes] = []
        self.lints: list[str] = []
        self.updates: list[Json] = []
        self.children: list[Json] = []
        self.asked: list[tuple[str, Json]] = []
        self.answers: dict[str, Callable[[Json], object]] = {}
        self.refused: set[str] = set()
        self.end: Exit | None = None
        self.session = ""
        self.news = asyncio.Event()
        self._calls: Calls[asyncio.Future[Json]] = Calls()
        self._process: Process | None = None

    async def __aenter__(self) -> Client:
        argv = (sys.executable, "-m", "craze.demo", "--speed", "1000", *self.flags)
        root = str(Path(__file__).parents[2])
        command = Command(argv, str(self.cwd), {"PYTHONPATH": root})
        self._process = await Process.start(command, self, Tap(lambda *_: None, lambda: Stamp("")))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @property
    def process(self) -> Process:
        assert self._process is not None
        return self._process

    async def stop(self) -> Stopped:
        return await self.process.stop(term=0.1) if not self.process.over else Stopped("eof", ())

    # ---- what the tests do

    async def initialize(self) -> Json:
        return await self.call("initialize", {"protocolVersion": 1, "clientCapabilities": self.offers})

    async def open(self) -> Json:
        await self.initialize()
        opened = await self.call("session/new", {"cwd": str(self.cwd), "mcpServers": []})
        self.session = opened["sessionId"]
        return opened

    async def call(self, method: str, params: Json) -> Json:
        async with asyncio.timeout(20):
            return await self.begin(method, params)

    def begin(self, method: str, params: Json) -> asyncio.Future[Json]:
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self.process.send(jsonrpc.request(self._calls.open(answer), method, params))
        return answer

    def prompt(self, text: str, *blocks: Json) -> asyncio.Future[Json]:
        prompt = [{"type": "text", "text": text}, *blocks]
        return self.begin("session/prompt", {"sessionId": self.session, "prompt": prompt})

    async def play(self, text: str) -> str:
        """Prompt and wait; the stop reason."""
        async with asyncio.timeout(20):
            return (await self.prompt(text))["stopReason"]

    def cancel(self) -> None:
        self.process.send(jsonrpc.notification("session/cancel", {"sessionId": self.session}))

    async def until(self, true: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not true():
                self.news.clear()
                await self.news.wait()

    @property
    def text(self) -> str:
        return "".join(self.texts("agent_message_chunk"))

    def texts(self, kind: str) -> list[str]:
        return [
            str(update["content"].get("text", "")) for update in self.of(kind) if isinstance(update["content"], dict)
        ]

    def of(self, kind: str) -> list[Json]:
        return [update for update in self.updates if update.get("sessionUpdate") == kind]

    def tools(self) -> dict[str, str]:
        """The last status of each call."""
        rows = [update for update in self.updates + self.children if "toolCallId" in update]
        return {update["toolCallId"]: update["status"] for update in rows if "status" in update}

    # ---- what the agent does

    def line(self, line: Line, at: Stamp) -> None:
        self.lines.append(line.data)
        parsed = parse(line.data)
        self.lints += parsed.lints
        for message in parsed.messages:
            self._take(message)
        self.news.set()

    def said(self, line: Line, at: Stamp) -> None: ...

    def undelivered(self, number: int, line: bytes, at: Stamp) -> None: ...

    def ended(self, end: Exit, at: Stamp) -> None:
        self.end = end
        for answer in self._calls.drain():
            if not answer.done():
                answer.set_exception(Refused(0, "the agent ended"))
        self.news.set()

    def _take(self, message: object) -> None:
        if isinstance(message, Response):
            self._answered(message)
        elif isinstance(message, Notification) and message.method == "session/update":
            self._updated(msgspec.json.decode(message.params))
        elif isinstance(message, Request):
            params = msgspec.json.decode(message.params)
            self.asked.append((message.method, params))
            self._answer(message.id, message.method, params)

    def _updated(self, params: Json) -> None:
        own = self.session in ("", params["sessionId"])
        if isinstance(params["update"], dict):
            (self.updates if own else self.children).append(params["update"])

    def _answered(self, message: Response) -> None:
        answer = self._calls.take(message.id).value
        if answer is None or answer.done():
            return
        if message.error is not None:
            failure = jsonrpc.read_error(message.error)
            answer.set_exception(Refused(failure.code, failure.message))
        else:
            assert message.result is not None
            answer.set_result(msgspec.json.decode(message.result))

    def _answer(self, request: bytes, method: str, params: Json) -> None:
        """An answer of None leaves the request open."""
        known = {"session/request_permission": self._pick, **_DEFAULTS, **self.answers}
        if method not in known or method in self.refused:
            self.process.send(jsonrpc.error(request, -32601, "Method not found", {"method": method}))
        elif (value := known[method](params)) is not None:
            self.process.send(jsonrpc.result(request, value))

    def _pick(self, params: Json) -> object:
        if self.picks is None:
            return None
        option = next(row["optionId"] for row in params["options"] if row["kind"] == self.picks)
        return {"outcome": {"outcome": "selected", "optionId": option}}


_DEFAULTS: dict[str, Callable[[Json], object]] = {
    "elicitation/create": lambda _: {"action": "accept", "content": {"question_0": "Red"}},
    "terminal/create": lambda _: {"terminalId": "term-1"},
    "terminal/wait_for_exit": lambda _: {"exitCode": 0, "signal": None},
    "terminal/output": lambda _: {"output": "line 1\n", "truncated": False},
    "terminal/release": lambda _: {},
    "fs/read_text_file": lambda _: {"content": "one\ntwo\n"},
    "fs/write_text_file": lambda _: {},
}
