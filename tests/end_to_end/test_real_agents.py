"""Real agents, against a scripted model on loopback: the same scenes for each, through `craze run` as a person runs it.

Needs the rig beside the checkout and agents that it has installed; every test says why it is skipped otherwise.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

RIG = Path(__file__).resolve().parents[3] / "shared" / "rig" / "acp"
AGENTS = ("kimicode", "copilot", "claude", "vibe")
LIMIT = 90

pytestmark = [pytest.mark.real_agent, pytest.mark.timeout(180)]


class Run(NamedTuple):
    """How a run went: exit code, events, stderr."""

    code: int
    events: list[dict[str, Any]]
    stderr: str

    @property
    def types(self) -> Counter[str]:
        return Counter(event["type"] for event in self.events)

    @property
    def text(self) -> str:
        return "".join(event["text"] for event in self.events if event["type"] == "text" and not event.get("agent"))

    def tools(self) -> dict[str, dict[str, Any]]:
        """Each call as it was last told."""
        return {event["tool"]["id"]: event["tool"] for event in self.events if event["type"] == "tool"}


class Stage(NamedTuple):
    """One agent with a home, a workspace and a craze home of its own."""

    name: str
    argv: list[str]
    env: dict[str, str]
    workspace: Path
    mode: tuple[str, ...]

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "craze", *words]

    def prompt(self, script: str) -> str:
        return f"Please do it. [[mock:{script} {self.workspace}]]"

    def start(self, *arguments: str, scripts: tuple[str, ...]) -> subprocess.Popen[bytes]:
        first, *rest = (self.prompt(script) for script in scripts)
        follow = [word for prompt in rest for word in ("--follow-up", prompt)]
        words = ("run", "--agent-command", shlex.join(self.argv), "--format", "json", *self.mode, *arguments, first)
        return subprocess.Popen(
            self.command(*words, *follow),
            env=self.env,
            cwd=self.workspace,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *scripts: str, answers: str = "all", more: tuple[str, ...] = ()) -> Run:
        return ended(self.start("--answers", answers, *more, scripts=scripts))


def ended(process: subprocess.Popen[bytes], before: bytes = b"") -> Run:
    out, err = process.communicate(timeout=LIMIT)
    lines = (before + out).splitlines()
    return Run(process.returncode, [json.loads(line) for line in lines], err.decode())


@pytest.fixture(params=AGENTS)
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    if not RIG.is_dir():
        pytest.skip("the rig for real agents is not beside this checkout")
    sys.path.insert(0, str(RIG))
    try:
        import agents
        from run_scene import Mock
    finally:
        sys.path.remove(str(RIG))
    name = request.param
    if not agents.installed(name):
        pytest.skip(f"{name} is not installed: {RIG.name}/run.sh {name} --install (needs Node)")
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "hello.txt").write_text("line one\nline two\nline three\n")
    with Mock(tmp_path / "mock.log") as port:
        argv, env, _ = agents.launch(name, port=port, home=tmp_path / "home")
        mode = agents.RECIPES[name].get("mode")
        repository = str(Path(__file__).resolve().parents[2])
        env = {**env, "CRAZE_HOME": str(tmp_path / "craze"), "PYTHONPATH": repository}
        yield Stage(name, list(argv), env, workspace, ("--mode", mode) if mode else ())
        left = [row for row in processes() if str(tmp_path) in row]
        assert left == [], "an agent process outlived its run"


def processes() -> Iterator[str]:
    """The command line and environment of every process that can be read."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            told = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if int(entry.name) != os.getpid() and b"node" in told:
            yield told.replace(b"\0", b" ").decode("utf-8", "replace")


def last_turn(run: Run) -> dict[str, Any]:
    return [event["turn"] for event in run.events if event["type"] == "turn"][-1]


def test_text_streams_and_a_follow_up_runs_in_its_own_turn(stage: Stage) -> None:
    run = stage.run("text", "think")

    assert run.code == 0, run.stderr
    assert "Hello" in run.text
    assert run.types["turn"] == 4
    assert run.types["done"] == 2


def test_an_allowed_command_runs_and_shows_its_output(stage: Stage) -> None:
    run = stage.run("shell")

    assert run.code == 0, run.stderr
    assert run.types["permission"] == run.types["ask"] == 1
    assert [tool["status"] for tool in run.tools().values()] == ["completed"]


def test_a_refused_command_does_not_run(stage: Stage) -> None:
    run = stage.run("shell", answers="deny")

    assert run.code == 5
    assert run.types["ask"] == 1
    assert "would have allowed it" in run.stderr
    assert all(tool["status"] != "completed" for tool in run.tools().values())


def test_an_edit_has_its_diff(stage: Stage) -> None:
    run = stage.run("edit")

    diffs = [diff for tool in run.tools().values() for diff in tool.get("diffs", [])]
    assert run.code == 0, run.stderr
    assert any(diff["path"].endswith("hello.txt") for diff in diffs)
    assert "line two" not in (stage.workspace / "hello.txt").read_text()


def test_parallel_calls_each_end_once(stage: Stage) -> None:
    run = stage.run("parallel")

    endings = Counter(
        event["tool"]["id"]
        for event in run.events
        if event["type"] == "tool" and event["tool"]["status"] in ("completed", "failed", "cancelled")
    )
    assert run.code == 0, run.stderr
    assert len(run.tools()) >= 3
    assert set(endings) == set(run.tools())


def test_a_plan_or_its_refusal_ends_the_turn_well(stage: Stage) -> None:
    run = stage.run("plan")

    assert run.code == 0, run.stderr
    if stage.name == "kimicode":
        assert [todo["status"] for todo in [e for e in run.events if e["type"] == "todos"][-1]["todos"]]


def test_a_question_is_answered_where_the_agent_offers_one(stage: Stage) -> None:
    run = stage.run("ask")

    assert run.code == 0, run.stderr
    if stage.name != "copilot":
        assert run.types["question"] == run.types["ask"] == 1
        asked = next(event["ask"] for event in run.events if event["type"] == "ask")
        assert asked["answers"]


def test_an_interrupt_while_text_streams_ends_as_cancelled(stage: Stage) -> None:
    process = stage.start("--answers", "all", scripts=("slow",))
    before = until(process, lambda event: event["type"] == "text")
    process.send_signal(signal.SIGINT)
    run = ended(process, before)

    assert run.code == 130
    assert last_turn(run)["stopReason"] == "cancelled"


def test_a_provider_error_is_told_and_never_hangs(stage: Stage) -> None:
    run = stage.run("err400")

    assert run.code in (0, 1)
    assert run.types["turn"] == 2
    assert run.code == 1 or run.text or "without any output" in run.stderr


def test_a_stored_session_goes_on_where_it_ended(stage: Stage) -> None:
    first = stage.run("text")
    second = stage.run("text", more=("-c",))

    assert (first.code, second.code) == (0, 0), second.stderr
    assert last_turn(first)["id"] == "turn-1"
    assert last_turn(second)["id"] == "turn-2"
    assert "replay" not in second.types


def test_what_was_recorded_is_derived_again(stage: Stage) -> None:
    assert stage.run("shell", "edit").code == 0

    session = next(Path(stage.env["CRAZE_HOME"], "sessions").iterdir()).name
    words = ("check", session, *(w for name in ("balanced", "valid", "rederives") for w in ("--expect", name)))
    check = subprocess.run(stage.command(*words), env=stage.env, capture_output=True, timeout=LIMIT, check=False)

    assert check.returncode == 0, check.stdout.decode()


def until(process: subprocess.Popen[bytes], wanted: Callable[[dict[str, Any]], bool]) -> bytes:
    """What the process wrote up to the first event that is wanted."""
    assert process.stdout is not None
    read = b""
    while line := process.stdout.readline():
        read += line
        if wanted(json.loads(line)):
            break
    return read
