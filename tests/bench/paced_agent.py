"""`chunk_agent` at a pace: `python paced_agent.py COUNT RATE` streams COUNT pieces, RATE of them a second."""

from __future__ import annotations

import json
import sys
import time

from chunk_agent import _RESULTS, LAST, _piece, _text, _update, _write


def main(count: int, rate: float) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("method") == "session/prompt":
            began = time.monotonic()
            for number in range(count):
                time.sleep(max(0.0, began + number / rate - time.monotonic()))
                _update(_piece(number))
            _update(_text(LAST))
        if "id" in message:
            _write({"id": message["id"], "result": _RESULTS.get(message["method"], {})})


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
