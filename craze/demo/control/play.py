"""Plays steps: what the agent writes, what it waits for. One step is one JSON object with one key.

    send: a line as it is                 raw, raw_b64: bytes as they are          repeat: [times, line]
    expect: a subset of the client's next line, else exit 97
    greet: reply to `initialize`          reply: body for the last request of the client       refuse: its error
    begin: `system/init` of a turn        say, think: whole text                   stream: [pieces] as the model's stream
    call: {name, input, id?}              ask: a request; its answer is kept       unless_denied: steps
    answered: the tool's result           end: `result`, with these keys           sleep_ms, stderr, exit, kill

`$answer` in a text stands for the last answer. An interrupt ends the turn wherever it is.
"""

from __future__ import annotations

import base64
import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, TypeAlias, cast

Json: TypeAlias = dict[str, Any]
SESSION = "00000000-0000-4000-8000-00000000cafe"
MODEL = "demo-model-1"
_USAGE = {"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
_STRANGE = 97
_DIALOG = 3.0  # seconds


class Interrupted(Exception):
    """The client wants the turn to end."""


class Player:
    """The agent's end of both pipes."""

    def __init__(self) -> None:
        self.code = 0
        self.answer: Any = None
        self._last: Json = {}
        self._tool = ""
        self._count = 0
        self._spent = 0
        self._lines: queue.Queue[Json | None] = queue.Queue()
        self._closed = False
        threading.Thread(target=self._listen, daemon=True).start()
        self._steps: dict[str, Callable[[Any], None]] = {
            "send": self.write,
            "raw": lambda text: self.raw(text.encode("utf-8", "surrogatepass")),
            "raw_b64": lambda data: self.raw(base64.b64decode(data)),
            "repeat": self._repeat,
            "expect": self._expect,
            "greet": lambda body: self._reply(self._expect_request("initialize"), body),
            "reply": lambda body: self._reply(self._last, body),
            "refuse": self._refuse,
            "begin": self._begin,
            "say": lambda text: self._whole({"type": "text", "text": self._filled(text)}),
            "think": lambda text: self._whole({"type": "thinking", "thinking": text, "signature": "c2ln"}),
            "stream": self._stream,
            "call": self._call,
            "ask": self._ask,
            "unless_denied": self._unless_denied,
            "answered": self._answered,
            "end": self._end,
            "sleep_ms": self._sleep,
            "stderr": _mutter,
            "exit": lambda code: os._exit(code),
            "kill": lambda name: os.kill(os.getpid(), getattr(signal, name)),
        }

    # ---- the whole

    def play(self, step: Json) -> None:
        for name, value in step.items():
            self._steps[name](value)

    def finish(self) -> None:
        """Until the client closes our input; what it still asks for is taken."""
        while self._next() is not None:
            pass

    def prompt(self) -> str | None:
        """The next prompt; requests of the client in between are answered. None: no more comes."""
        while (line := self._next()) is not None:
            if line.get("type") == "user":
                content = line.get("message", {}).get("content", "")
                return content if isinstance(content, str) else str(content[0].get("text", ""))
            with suppress(Interrupted):  # no turn runs that it could end
                self._serve(line)
        return None

    def turn(self, steps: Iterable[Json]) -> None:
        self.code = 0
        self._begin({})
        try:
            for step in steps:
                self.play(step)
        except Interrupted:
            self.write(_user([{"type": "text", "text": "[Request interrupted by user]"}]))
            self._end({"subtype": "error_during_execution", "is_error": True, "terminal_reason": "aborted_streaming"})

    # ---- out

    def write(self, line: Json) -> None:
        self.raw(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n")

    def raw(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(1, data) :]
        except BrokenPipeError:
            os._exit(0)

    def _repeat(self, told: list[Any]) -> None:
        times, line = told
        self.raw((json.dumps(line, separators=(",", ":")).encode() + b"\n") * times)

    def _reply(self, request: Json, body: Json | None) -> None:
        inner: Json = {"subtype": "success", "request_id": request.get("request_id")}
        self.write({"type": "control_response", "response": inner if body is None else {**inner, "response": body}})

    def _refuse(self, text: str) -> None:
        inner = {"subtype": "error", "request_id": self._last.get("request_id"), "error": text}
        self.write({"type": "control_response", "response": inner})

    def _begin(self, more: Json) -> None:
        line = {"type": "system", "subtype": "init", "session_id": SESSION, "model": MODEL, "cwd": os.getcwd()}
        self.write({**line, "permissionMode": "default", **more})

    def _whole(self, block: Json, message: str = "") -> None:
        self._count += not message
        line = {
            "id": message or f"msg_{self._count}",
            "role": "assistant",
            "model": MODEL,
            "content": [block],
            "usage": _USAGE,
        }
        self.write({"type": "assistant", "message": line, "parent_tool_use_id": None, "session_id": SESSION})

    def _stream(self, pieces: list[str]) -> None:
        self._count += 1
        message = f"msg_{self._count}"
        self._event({"type": "message_start", "message": {"id": message, "role": "assistant", "content": []}})
        self._event({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
        for piece in pieces:
            delta = {"type": "text_delta", "text": piece}
            self._event({"type": "content_block_delta", "index": 0, "delta": delta})
            self._sleep(5)
        self._whole({"type": "text", "text": "".join(pieces)}, message)
        self._event({"type": "content_block_stop", "index": 0})
        self._event({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": _USAGE})
        self._event({"type": "message_stop"})

    def _event(self, event: Json) -> None:
        self.write({"type": "stream_event", "event": event, "parent_tool_use_id": None, "session_id": SESSION})

    def _call(self, call: Json) -> None:
        self._tool = call.get("id") or f"toolu_{self._count + 1}"
        self._whole({"type": "tool_use", "id": self._tool, "name": call["name"], "input": call["input"]})

    def _answered(self, told: Json) -> None:
        """The result of the last call: `content`, `is_error`, and the structured `result`."""
        block = {"type": "tool_result", "tool_use_id": told.get("id", self._tool), "content": told.get("content", "")}
        failed = {"is_error": True} if told.get("is_error") else {}
        result = {"tool_use_result": told["result"]} if "result" in told else {}
        self.write({**_user([{**block, **failed}]), **result})

    def _end(self, more: Json) -> None:
        self._spent += 1
        total = {"inputTokens": 100 * self._spent, "outputTokens": 20 * self._spent, "costUSD": 0.001 * self._spent}
        line: Json = {"type": "result", "subtype": "success", "is_error": False, "session_id": SESSION}
        usage = {"modelUsage": {MODEL: {**total, "contextWindow": 200000}}}
        self.write({**line, "stop_reason": "end_turn", "result": "", **usage, **more})
        self.code = int(bool(more.get("is_error")))

    # ---- in

    def _listen(self) -> None:
        with os.fdopen(0, "rb", closefd=False) as lines:
            for line in lines:
                if line.strip():
                    self._lines.put(json.loads(line))
        self._lines.put(None)

    def _next(self, seconds: float | None = None) -> Json | None:
        """The client's next line; None at the end of our input, or when none came in time."""
        if self._closed:
            return None
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            return None
        self._closed = line is None
        return line

    def _expect(self, wanted: Json) -> None:
        line = self._next()
        if line is None or not _within(wanted, line):
            _mutter(f"expected {json.dumps(wanted)}, got {json.dumps(line)}\n")
            os._exit(_STRANGE)
        self._last = line

    def _expect_request(self, subtype: str) -> Json:
        self._expect({"type": "control_request", "request": {"subtype": subtype}})
        return self._last

    def _ask(self, request: Json) -> None:
        """Ask the client, and wait for the answer; a dialog that nobody shows is withdrawn after a while."""
        self._count += 1
        name = f"ask-{self._count}"
        body = {"tool_use_id": self._tool, **request} if request["subtype"] == "can_use_tool" else request
        self.write({"type": "control_request", "request_id": name, "request": body})
        seconds = _DIALOG if request["subtype"] == "request_user_dialog" else None
        while (line := self._next(seconds)) is not None:
            inner = line.get("response", {})
            if line.get("type") == "control_response" and inner.get("request_id") == name:
                self.answer = inner.get("response", {"error": inner.get("error")})
                return
            self._serve(line)
        if self._closed:
            os._exit(0)
        self.write({"type": "control_cancel_request", "request_id": name})
        self.answer = {"behavior": "cancelled"}

    def _unless_denied(self, steps: list[Json]) -> None:
        if self.answer.get("behavior") == "deny" or "error" in self.answer:
            return self._answered({"content": self.answer.get("message", "refused"), "is_error": True})
        for step in steps:
            self.play(step)
        return None

    def _sleep(self, milliseconds: int) -> None:
        until = time.monotonic() + milliseconds / 1000
        while (left := until - time.monotonic()) > 0:
            if line := self._next(left):
                self._serve(line)
            elif self._closed:
                time.sleep(max(0.0, left))

    def _serve(self, line: Json) -> None:
        """What a client may ask at any time."""
        if line.get("type") != "control_request":
            return None
        request = line.get("request", {})
        subtype = request.get("subtype")
        if subtype == "interrupt":
            self._reply(line, {"still_queued": []})
            raise Interrupted
        bodies: dict[str, Json] = {
            "initialize": CATALOGS,
            "set_permission_mode": {"mode": request.get("mode")},
            "set_model": {"model": request.get("model") or MODEL},
            "side_question": {"response": f"about that: {request.get('question')}", "synthetic": False},
            "cancel_async_message": {"cancelled": False},
            "rename_session": {},
            "stop_task": {},
        }
        if subtype in bodies:
            return self._reply(line, bodies[subtype])
        self._last = line
        return self._refuse(f"Unsupported control request subtype: {subtype}")

    def _filled(self, text: str) -> str:
        return text.replace("$answer", json.dumps(self.answer, sort_keys=True))


CATALOGS: Json = {
    "commands": [{"name": "compact", "description": "Make the conversation shorter", "argumentHint": "[instructions]"}],
    "models": [{"value": "default", "resolvedModel": MODEL, "displayName": "Demo", "description": "plays scripts"}],
    "output_style": "default",
    "available_output_styles": ["default"],
    "claude_code_version": "demo",
    "current_permission_mode": "default",
    "capabilities": [],
}


def _user(content: list[Json]) -> Json:
    message = {"role": "user", "content": content}
    return {"type": "user", "message": message, "parent_tool_use_id": None, "session_id": SESSION}


def _mutter(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _within(wanted: Any, given: Any) -> bool:
    """Whether every key of `wanted` is in `given` with that value."""
    if not isinstance(wanted, dict) or not isinstance(given, dict):
        return wanted == given
    held = cast("Json", given)
    return all(key in held and _within(each, held[key]) for key, each in cast("Json", wanted).items())
