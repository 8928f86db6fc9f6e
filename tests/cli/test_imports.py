"""What each command imports, and what it must not."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.conftest import Craze

SCREEN = {"textual"}
HEAVY = SCREEN | {"mcp", "dbos", "sqlalchemy", "httpx2", "pydantic", "acp"}
PROVIDERS = {"craze.providers.acp", "craze.transport"}

BESIDE = {"craze.engine.core", "craze.engine.session", "craze.providers.acp.connect", *SCREEN}
"""What is imported while the agent boots."""

COMMANDS: list[tuple[list[str], set[str]]] = [
    (["--version"], HEAVY | PROVIDERS | {"typer", "msgspec", "asyncio", "click"}),
    (["--help"], HEAVY | PROVIDERS | {"jsonschema", "rich"}),
    (["schema"], HEAVY | PROVIDERS | {"jsonschema"}),
    (["completion", "bash"], HEAVY | PROVIDERS | {"jsonschema"}),
    (["sessions", "list"], HEAVY | PROVIDERS | {"jsonschema"}),
    (["agents", "list"], HEAVY | PROVIDERS | {"jsonschema"}),
    (["config", "show"], HEAVY | PROVIDERS | {"jsonschema"}),
    (["doctor"], HEAVY | PROVIDERS | {"jsonschema"}),
    (["validate", "-"], HEAVY | PROVIDERS),
    (["dump", "journal.jsonl"], HEAVY | PROVIDERS | {"typer", "jsonschema", "asyncio", "craze.codec.event"}),
    (["dump", "--envelope", "journal.jsonl"], HEAVY | PROVIDERS | {"jsonschema"}),
    (["run", "--agent", "demo", "hi"], HEAVY | {"jsonschema", "pathspec", "rich"}),
    (["demo-agent"], HEAVY | PROVIDERS | {"jsonschema", "asyncio"}),
]

PROBE = """
import sys
sys.argv[0] = "craze"
from craze.__main__ import main
code = main()
sys.stderr.write("\\nMODULES " + " ".join(sorted(sys.modules)))
sys.exit(code)
"""


@pytest.mark.rule("CLI-6", "CLI-51")
@pytest.mark.parametrize(("arguments", "absent"), COMMANDS, ids=[" ".join(each[0]) for each in COMMANDS])
def test_a_command_imports_only_what_it_needs(craze: Craze, arguments: list[str], absent: set[str]) -> None:
    line = '{"kind":"event","ts":"2026-11-30T12:00:00Z","seq":1,"event":{"type":"text","text":"a"}}\n'
    (craze.work / "journal.jsonl").write_text(line)

    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=craze.work,
        env=craze.environment,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    loaded = set(done.stderr.decode().rpartition("MODULES ")[2].split())
    assert not loaded & absent


AT_SPAWN = """
import sys
sys.argv[0] = "craze"
sys.addaudithook(lambda event, _: event == "subprocess.Popen" and print("MODULES", *sys.modules, file=sys.stderr))
from craze.__main__ import main
sys.exit(main())
"""


@pytest.mark.rule("CLI-6")
def test_an_agent_is_started_before_its_session_is_imported(craze: Craze) -> None:
    done = subprocess.run(
        [sys.executable, "-c", AT_SPAWN, "run", "--agent", "demo", "hi"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=craze.work,
        env=craze.environment,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    (loaded,) = (line.split() for line in done.stderr.decode().splitlines() if line.startswith("MODULES"))
    assert not set(loaded) & BESIDE
