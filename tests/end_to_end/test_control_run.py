"""craze with an agent of the control kind, from the command line: run, go on, replay, validate."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CAPTURES = ROOT.parent / "shared" / "captures" / "control"
AGENT = f'provider = "control"\ncommand = ["{sys.executable}", "-m", "craze.demo.control"]\n'


class Craze:
    """The command line in a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.home, self.work = folder / "home", folder / "work"
        (self.home / "agents").mkdir(parents=True)
        self.work.mkdir()
        (self.home / "agents" / "ctl.toml").write_text(AGENT)

    def __call__(self, *arguments: str, code: int = 0) -> str:
        env = {**os.environ, "PYTHONPATH": str(ROOT), "CRAZE_HOME": str(self.home)}
        command = [sys.executable, "-m", "craze", *arguments]
        done = subprocess.run(command, cwd=self.work, env=env, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout

    def newest(self, ending: str) -> Path:
        files = sorted(self.home.rglob(f"*{ending}"), key=lambda path: path.stat().st_mtime_ns)
        return next(path for path in reversed(files) if ending == ".wire.jsonl" or ".wire." not in path.name)


@pytest.fixture
def craze(tmp_path: Path) -> Craze:
    return Craze(tmp_path)


@pytest.mark.rule("CTL-105", "CTL-107")
def test_a_run_can_be_replayed_strictly_also_with_another_declaration(craze: Craze) -> None:
    events = [
        json.loads(line)
        for line in craze("run", "--agent", "ctl", "--answers", "all", "--format", "json", "[[bash]]").splitlines()
    ]
    assert events[-1]["turn"]["stopReason"] == "end_turn"
    capture = str(craze.newest(".wire.jsonl"))

    assert craze("replay", "--strict", capture).strip() == "ok"
    assert craze("replay", "--strict", capture, "--agent", "ctl").strip() == "ok"


@pytest.mark.rule("CTL-106")
@pytest.mark.skipif(not CAPTURES.is_dir(), reason="the captures are not beside this checkout")
def test_a_strict_replay_tells_of_answers_that_are_not_seen_to_have_taken_effect(craze: Craze) -> None:
    told = craze("replay", "--strict", str(CAPTURES / "interrupt_ask.b.jsonl"))

    assert told == "ok\nof 1 answers 1 unobserved\n"


def test_a_changed_answer_in_a_capture_is_found(craze: Craze, tmp_path: Path) -> None:
    craze("run", "--agent", "ctl", "--answers", "all", "[[bash]]")
    changed = tmp_path / "changed.wire.jsonl"
    rows = craze.newest(".wire.jsonl").read_text().splitlines(keepends=True)
    allow, deny = '\\"behavior\\":\\"allow\\"', '\\"behavior\\":\\"deny\\"'
    changed.write_text("".join(row.replace(allow, deny) if '"dir":"out"' in row else row for row in rows))

    assert "STORE-16" in craze("replay", "--strict", str(changed), code=1)


@pytest.mark.rule("CTL-108", "CLI-53")
def test_a_capture_with_a_line_that_was_cut_is_only_for_showing(craze: Craze, tmp_path: Path) -> None:
    craze("run", "--agent", "ctl", "hello")
    rows = craze.newest(".wire.jsonl").read_text().splitlines(keepends=True)
    cut = json.dumps({"dir": "in", "t": 1, "line": "x" * 100, "bytes": 300_000}) + "\n"
    shared = tmp_path / "shared.wire.jsonl"
    shared.write_text("".join([*rows[:2], cut, *rows[2:]]))

    assert "row 3 was cut for its size" in craze("replay", "--strict", str(shared), code=1)
    assert craze("dump", str(shared))


@pytest.mark.rule("CTL-98")
def test_a_session_goes_on_and_counts_on(craze: Craze) -> None:
    craze("run", "--agent", "ctl", "one")
    craze("run", "--agent", "ctl", "--continue", "two")

    lines = [json.loads(line) for line in craze.newest(".jsonl").read_text().splitlines()]
    usage = [line["data"] for line in lines if line.get("fact") == "usage"]
    assert usage[-1]["session"]["output"] == 40
    assert usage[-1]["cost"] == {"amount": "0.002", "currency": "USD"}


def test_lines_of_the_channel_are_validated(craze: Craze, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text('{"type":"control_request","request_id":"r","request":{"subtype":"initialize"}}\n')
    bad.write_text('{"type":"control_response","response":{"subtype":"success","request_id":"r"}}\n')

    craze("validate", "--as", "control", str(good))
    assert ":1: $" in craze("validate", "--as", "control", str(bad), code=1)


@pytest.mark.rule("CTL-79")
def test_a_run_waits_for_a_sub_agent_in_the_background_and_for_what_the_agent_makes_of_it(craze: Craze) -> None:
    said = craze("run", "--agent", "ctl", "--answers", "all", "[[background]]")

    assert "The child is done." in said


def test_a_failed_turn_is_the_exit_code(craze: Craze) -> None:
    craze("run", "--agent", "ctl", "[[fail]]", code=1)
