"""`--play FILE`: the agent as a list of steps, one JSON object a line.

Steps: `expect` (a subset of the next message of the client, else exit 97), `reply` (to the last expected request),
`send` (with `repeat`), `raw`, `raw_b64`, `sleep_ms`, `stderr`, `spawn_child`, `ignore_eof`, `ignore_term`, `exit`,
`kill`. `$sid` anywhere in a step stands for the session id.
"""

from __future__ import annotations

import base64
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import msgspec

from craze.demo.wire import Json, Wire, incoming

_MISMATCH = 97
_SESSION = "demo-play"


def play(script: Path) -> int:
    player = _Player(incoming())
    for number, line in enumerate(script.read_text().splitlines(), 1):
        if line.strip():
            player.step(number, line)
    for _ in player.messages:
        pass
    while player.ignores_eof:
        time.sleep(60)
    return 0


class _Player:
    def __init__(self, messages: Iterator[Json]) -> None:
        self.messages = messages
        self.ignores_eof = False
        self._wire = Wire()
        self._session = _SESSION
        self._request: object = None
        self._steps: dict[str, Callable[[Json], None]] = {
            "expect": self._expect,
            "reply": self._reply,
            "send": self._send,
            "raw": lambda step: self._wire.raw(step["raw"].encode("utf-8", "surrogatepass")),
            "raw_b64": lambda step: self._wire.raw(base64.b64decode(step["raw_b64"])),
            "sleep_ms": lambda step: time.sleep(step["sleep_ms"] / 1000),
            "stderr": self._stderr,
            "spawn_child": self._spawn,
            "ignore_eof": self._ignore_eof,
            "ignore_term": lambda _: cast("None", signal.signal(signal.SIGTERM, signal.SIG_IGN)),
            "exit": lambda step: os._exit(step["exit"]),
            "kill": lambda step: os.kill(os.getpid(), signal.Signals[step["kill"]]),
        }

    def step(self, number: int, line: str) -> None:
        step = cast("Json", msgspec.json.decode(line.replace("$sid", self._session)))
        for name, act in self._steps.items():
            if name in step:
                try:
                    act(step)
                except _MismatchError as mismatch:
                    print(f"line {number}: {mismatch}", file=sys.stderr, flush=True)
                    os._exit(_MISMATCH)
                return
        print(f"line {number}: no step has the name {', '.join(step)}", file=sys.stderr, flush=True)
        os._exit(2)

    def _expect(self, step: Json) -> None:
        message = next(self.messages, None)
        if message is None:
            raise _MismatchError("the client ended its output")
        self._request = message.get("id")
        named = message.get("params")
        if message.get("method") in ("session/load", "session/resume") and isinstance(named, dict):
            self._session = str(cast("Json", named).get("sessionId"))
        if difference := _difference(step["expect"], message, "$"):
            raise _MismatchError(f"{difference} in {msgspec.json.encode(message).decode()[:500]}")

    def _reply(self, step: Json) -> None:
        self._wire.send({"id": self._request, **step["reply"]})

    def _send(self, step: Json) -> None:
        for _ in range(step.get("repeat", 1)):
            self._wire.send(step["send"])

    def _stderr(self, step: Json) -> None:
        print(step["stderr"], file=sys.stderr, flush=True)

    def _spawn(self, step: Json) -> None:
        quiet = subprocess.DEVNULL
        subprocess.Popen(shlex.split(step["spawn_child"]), stdin=quiet, stdout=quiet, stderr=quiet)

    def _ignore_eof(self, step: Json) -> None:
        self.ignores_eof = bool(step["ignore_eof"])


class _MismatchError(Exception):
    """The client did something else."""


def _difference(wanted: object, found: object, where: str) -> str:
    """The first place where `wanted` is no subset of `found`; lists are compared element by element."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        held = cast("Json", found)
        for key, value in cast("Json", wanted).items():
            if key not in held:
                return f"{where}.{key} is missing"
            if difference := _difference(value, held[key], f"{where}.{key}"):
                return difference
        return ""
    if isinstance(wanted, list) and isinstance(found, list):
        pairs = list(zip(cast("list[object]", wanted), cast("list[object]", found), strict=False))
        differences = (_difference(*pair, f"{where}[{at}]") for at, pair in enumerate(pairs))
        short = "" if len(pairs) == len(cast("list[object]", wanted)) else f"{where} is too short"
        return next(filter(None, differences), short)
    return "" if wanted == found else f"{where} is {found!r}, not {wanted!r}"
