"""The agent's end of the pipe: JSON-RPC lines out, and answers of the client to whom they belong.

Scripts run in threads of their own and wait here; one condition wakes all of them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, cast

import msgspec

Json: TypeAlias = dict[str, Any]


class RpcError(Exception):
    """An error answer, received or to be sent."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data

    def body(self) -> Json:
        body: Json = {"code": self.code, "message": self.message}
        return body if self.data is None else {**body, "data": self.data}


class Reply:
    """What the client will answer to one request."""

    def __init__(self) -> None:
        self.done = False
        self.result: Json = {}
        self.failure: RpcError | None = None


class Wire:
    """Whole lines out under one lock; requests numbered from 0, as real agents do."""

    def __init__(self) -> None:
        self.news = threading.Condition()
        self._out = threading.Lock()
        self._replies: dict[object, Reply] = {}
        self._next = 0

    def raw(self, data: bytes) -> None:
        """Bytes as they are; when nobody reads any more there is nothing left to do."""
        with self._out:
            try:
                while data:
                    data = data[os.write(1, data) :]
            except BrokenPipeError:
                os._exit(0)

    def send(self, message: Json) -> None:
        self.raw(msgspec.json.encode({"jsonrpc": "2.0", **message}) + b"\n")

    def notify(self, method: str, params: Json) -> None:
        self.send({"method": method, "params": params})

    def answer(self, request: object, result: Json) -> None:
        self.send({"id": request, "result": result})

    def refuse(self, request: object, failure: RpcError) -> None:
        self.send({"id": request, "error": failure.body()})

    def ask(self, method: str, params: Json, request: object = None) -> Reply:
        """Send a request; its reply fills when the answer comes."""
        with self.news:
            if request is None:
                request, self._next = self._next, self._next + 1
            reply = self._replies[request] = Reply()
        self.send({"id": request, "method": method, "params": params})
        return reply

    def answered(self, message: Json) -> None:
        """The client answered one of ours; answers nobody waits for are dropped."""
        request = message.get("id")
        reply = self._replies.pop(request, None) if isinstance(request, int | float | str) else None
        if reply is None:
            return
        with self.news:
            if isinstance(error := message.get("error"), dict):
                held = cast("Json", error)
                reply.failure = RpcError(int(held.get("code", 0)), str(held.get("message", "")), held.get("data"))
            result = message.get("result")
            reply.result = cast("Json", result) if isinstance(result, dict) else {}
            reply.done = True
            self.news.notify_all()

    def wake(self) -> None:
        with self.news:
            self.news.notify_all()

    def wait(self, until: Callable[[], bool], seconds: float | None = None) -> bool:
        with self.news:
            return self.news.wait_for(until, seconds)


def incoming() -> Iterator[Json]:
    """The client's messages until it closes our input; what is no JSON object is passed over."""
    with os.fdopen(0, "rb", closefd=False) as lines:
        for line in lines:
            try:
                message: object = msgspec.json.decode(line)
            except msgspec.DecodeError:
                continue
            if isinstance(message, dict):
                yield cast("Json", message)
