"""An ACP agent that plays a script: JSON lines on stdin and stdout, one step a line of the file named by its argument.

Steps: `expect` (subset match of the next line, else exit 97), `send`, `reply` (to the last expected request), `raw`,
`raw_b64`, `repeat` with `send`, `sleep_ms`, `stderr`, `spawn_child`, `ignore_eof`, `ignore_term`, `exit`, `kill`;
beyond those of the demo agent: `batch` (several messages in one write), `close_stdout`, `wait_file`, `once` (a file
that tells the first process from later ones: `first`, `then`).
`$sid` stands for the session id. Standard library only.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

SESSION = "s"


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        steps = [json.loads(line) for line in file if line.strip()]
    player = Player()
    for step in steps:
        player.play(step)
    player.finish()


class Player:
    def __init__(self) -> None:
        self.last: Any = None
        self.ignores_eof = False

    def play(self, step: dict[str, Any]) -> None:
        match step:
            case {"expect": wanted}:
                self.expect(filled(wanted))
            case {"repeat": times, "send": message}:
                self.write((encoded(filled(message)) + b"\n") * times)
            case {"send": message}:
                self.write(encoded(filled(message)) + b"\n")
            case {"reply": answer}:
                self.write(encoded({"jsonrpc": "2.0", "id": self.last, **filled(answer)}) + b"\n")
            case {"batch": messages}:
                replaced = [{"jsonrpc": "2.0", "id": self.last, **m["reply"]} if "reply" in m else m for m in messages]
                self.write(b"".join(encoded(filled(m)) + b"\n" for m in replaced))
            case {"raw": text}:
                self.write(text.encode("utf-8", "surrogatepass"))
            case {"raw_b64": data}:
                self.write(base64.b64decode(data))
            case {"sleep_ms": pause}:
                time.sleep(pause / 1000)
            case {"stderr": text}:
                sys.stderr.write(text)
                sys.stderr.flush()
            case {"spawn_child": command}:
                subprocess.Popen(["sh", "-c", command], stdin=subprocess.DEVNULL)
            case {"wait_file": path}:
                while not os.path.exists(path):
                    time.sleep(0.01)
            case {"close_stdout": _}:
                os.close(1)
            case {"ignore_eof": on}:
                self.ignores_eof = on
            case {"ignore_term": _}:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
            case {"exit": code}:
                sys.exit(code)
            case {"once": flag, "first": first, "then": then}:
                begun = os.path.exists(flag)
                open(flag, "w").close()
                for one in then if begun else first:
                    self.play(one)
            case {"kill": name}:
                os.kill(os.getpid(), getattr(signal, name))
            case _:
                sys.exit(f"unknown step {step}")

    def expect(self, wanted: Any) -> None:
        line = sys.stdin.buffer.readline()
        if not line:
            sys.exit(98)
        got = json.loads(line)
        if not contains(got, wanted):
            sys.stderr.write(f"expected {json.dumps(wanted)}\ngot {line.decode()}\n")
            sys.exit(97)
        if "id" in got and "method" in got:
            self.last = got["id"]

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(1, view) :]

    def finish(self) -> None:
        while sys.stdin.buffer.readline() or self.ignores_eof:
            if self.ignores_eof:
                time.sleep(0.05)


def encoded(message: Any) -> bytes:
    return json.dumps(message).encode()


def filled(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("$sid", SESSION)
    if isinstance(value, dict):
        return {key: filled(held) for key, held in value.items()}
    return [filled(held) for held in value] if isinstance(value, list) else value


def contains(got: Any, wanted: Any) -> bool:
    """Everything that `wanted` names is in `got`."""
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(key in got and contains(got[key], held) for key, held in wanted.items())
    return got == wanted


if __name__ == "__main__":
    main()
