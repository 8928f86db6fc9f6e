"""Real agent CLIs of the control kind, and the scripted model that they are to talk to.

Both lie beside the checkout: the rig, and the CLIs in `../rig/*/node_modules` (the rig's README says how they are
installed). Whoever needs them has `MARKS`, which say why a test is skipped otherwise.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
RIG = ROOT.parent / "shared" / "rig" / "control"
CLIS = sorted((ROOT.parent / "rig").glob("*/node_modules/.bin/claude"))
MARKS = [
    pytest.mark.real_agent,
    pytest.mark.skipif(not RIG.is_dir(), reason="the rig for real agents is not beside this checkout"),
    pytest.mark.skipif(not CLIS, reason="the agent CLI is not installed beside this checkout"),
]
_TOO_LONG = {
    "status": 400,
    "type": "invalid_request_error",
    "message": "prompt is too long: 250000 tokens > 200000 maximum",
    "times": 1,
}


def build_of(cli: Path) -> str:
    """The name of an installed build, for the ids of tests."""
    return cli.parents[2].name


@contextmanager
def scripted_model() -> Iterator[str]:
    """A model that answers by the scripts its prompts name; gives its address."""
    _forget()
    sys.path.insert(0, str(RIG))
    try:
        import run_scene
        from mock_llm import Server
    finally:
        sys.path.remove(str(RIG))
        _forget()
    server = Server({"scripts": _scripts(run_scene), "rules": run_scene.RULES}, 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.shutdown()


def _forget() -> None:
    """The rig of another kind has modules of the same names."""
    for name in ("run_scene", "mock_llm", "control_peer"):
        sys.modules.pop(name, None)


def environment(home: Path, model: str) -> dict[str, str]:
    """What an agent needs to have this home and this model, and no other network."""
    (home / ".claude").mkdir(parents=True)
    quiet = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY")
    proxies = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "ANTHROPIC_BASE_URL": model,
        "ANTHROPIC_API_KEY": "sk-mock-0000",
        "NO_PROXY": "127.0.0.1,localhost",
        "CLAUDE_CODE_MAX_RETRIES": "2",
        **dict.fromkeys(quiet, "1"),
        **dict.fromkeys(proxies, "http://127.0.0.1:9"),
    }


def _scripts(rs: Any) -> dict[str, Any]:
    return {
        **rs.SCRIPTS,
        "mid": [{"blocks": [{"text": "word " * 60}], "chunk": 5, "delay": 0.05}],
        "nap": [rs.call("Bash", {"command": "sleep 2; echo rested", "description": "nap"}), rs.say("Seen.")],
        "make": [rs.call("Bash", {"command": "make -n", "description": "make"}), rs.say("Made.")],
        "look": [rs.call("Read", {"file_path": "seed.txt"}), rs.say("Seen.")],
        "full": [{**rs.say("Much."), "usage": {"input_tokens": 990_000, "output_tokens": 50}}],
        "over": [{**rs.say("Fits now."), "error": _TOO_LONG}],
        "refuse": [{**rs.say("I will not."), "stop_reason": "refusal"}],
        "form": [rs.call("mcp__form__ask", {}), rs.say("Form: {{last_tool_result}}")],
    }
