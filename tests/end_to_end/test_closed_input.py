"""An agent that takes its input away and lives on will never answer: its turn ends, and so does the agent."""

from __future__ import annotations

import json
import shlex
import sys

import pytest

from tests.cli.conftest import Craze

AGENT = """
import json, os, sys, time

def say(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        say({"id": message["id"], "result": {"protocolVersion": 1, "agentCapabilities": {}}})
    else:
        os.close(0)
        say({"id": message["id"], "result": {"sessionId": "s"}})
        break
time.sleep(600)
"""


@pytest.mark.rule("ACP-9", "ACP-18", "CLI-52")
def test_a_prompt_that_cannot_be_delivered_ends_the_run(craze: Craze) -> None:
    agent = shlex.join([sys.executable, "-c", AGENT])

    done = craze("run", "--agent-command", agent, "--format", "json", "hi")

    ended = [json.loads(line) for line in done.stdout.splitlines()][-1]["turn"]
    assert done.returncode == 1
    assert (ended["phase"], ended["errClass"]) == ("ended", "closed")
    assert "the agent closed its input" in done.stderr.decode()
