"""Recordings on the command line: `dump`, `replay --strict` and `check` derive them, and say what is wrong with one."""

from __future__ import annotations

import json
import shlex
import signal
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Craze, craze
from tests.providers.replay.derive import CAPTURES, WIRES, derive

__all__ = ["craze"]
DEMO = shlex.join([sys.executable, "-m", "craze.demo", "--speed", "1000"])
LOADED = str(WIRES / "session_loaded_with_its_replay.jsonl")


@pytest.fixture
def capture(craze: Craze) -> Path:
    """The capture of a run with an ask, beside its journal."""
    assert craze("run", "--agent-command", DEMO, "--answers", "all", "/edit").returncode == 0
    (found,) = craze.home.glob("sessions/*/*.wire.jsonl")
    return found


def changed(capture: Path, direction: str, old: str, new: str) -> tuple[Path, int]:
    """A copy with the first row of this direction that holds `old` changed, or without it (`new` is ""); its number."""
    lines = capture.read_text().splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if f'"dir":"{direction}"' in line and old in line)
    lines[at : at + 1] = [lines[at].replace(old, new)] if new else []
    capture.write_text("".join(lines))
    return capture, at + 1


@pytest.mark.rule("STORE-33", "STORE-16", "CLI-34")
def test_a_capture_is_checked_against_its_rows_and_its_journal(craze: Craze, capture: Path) -> None:
    strict = craze("replay", "--strict", str(capture))
    checked = craze("check", str(capture), "--expect", "rederives", "--expect", "balanced", "--expect", "valid")

    assert (strict.returncode, strict.stdout) == (0, b"ok\n")
    assert (checked.returncode, checked.stdout.count(b"ok ")) == (0, 3)


@pytest.mark.rule("STORE-33", "STORE-16")
@pytest.mark.parametrize(
    ("direction", "old", "new", "said"),
    [
        ("in", "greeting.py", "greeting.pi", b"event "),
        ("out", "session/prompt", "", b"row "),
        ("out", "selected", "", b"row "),
        ("out", '"optionId', '"optionIb', b"row {row}"),
        ("do", "/edit", "/ebit", b"row "),
    ],
)
def test_a_damaged_capture_names_what_differs(
    craze: Craze, capture: Path, direction: str, old: str, new: str, said: bytes
) -> None:
    damaged, row = changed(capture, direction, old, new)

    strict = craze("replay", "--strict", str(damaged))
    checked = craze("check", str(damaged), "--expect", "rederives")

    assert strict.returncode == checked.returncode == 1
    assert strict.stdout.startswith(said.replace(b"{row}", str(row).encode()))
    assert b"FAILED" in checked.stdout


@pytest.mark.rule("STORE-16", "STORE-11", "STORE-33")
def test_a_run_that_was_killed_comes_out_as_far_as_it_was_recorded_and_is_no_whole_cassette(craze: Craze) -> None:
    slow = shlex.join([sys.executable, "-m", "craze.demo"])
    running = craze.start("run", "--agent-command", slow, "--format", "wire", "/slow")
    assert running.stdout
    rows = b"".join(running.stdout.readline() for _ in range(12))
    while not (wires := [*craze.home.glob("sessions/*/*.wire.jsonl")]):  # which is written a moment later
        rows += running.stdout.readline()
    running.send_signal(signal.SIGKILL)
    running.communicate()
    (craze.work / "cut.wire.jsonl").write_bytes(rows + b'{"dir":"in","ts":"2026')

    (wire,) = wires
    for capture in ("cut.wire.jsonl", str(wire)):
        strict = craze("replay", "--strict", capture)
        assert craze("check", capture, "--expect", "rederives").returncode == 0
        assert (strict.returncode, strict.stdout.startswith(b"the capture breaks off behind row ")) == (1, True)


@pytest.mark.rule("STORE-33", "STORE-17")
def test_a_capture_may_end_early_only_when_it_says_so(craze: Craze, capture: Path) -> None:
    lines = capture.read_bytes().splitlines(keepends=True)
    close = next(at for at, line in enumerate(lines) if b'"type":"Close"' in line)
    for wire in (cut := craze.work / "cut.wire.jsonl", capped := craze.work / "capped.wire.jsonl"):
        wire.write_bytes(b"".join(lines[:close]))
    with capped.open("ab") as file:
        file.write(b'{"dir":"end","ts":"2026-11-30T12:00:00Z","t":9000000000000,"reason":"capped"}\n')

    assert craze("replay", "--strict", str(cut)).stdout == (
        f"the capture breaks off behind row {close}, the end of its session is not in it (STORE-33)\n".encode()
    )
    assert craze("replay", "--strict", str(capped)).stdout == b"ok\n"


@pytest.mark.rule("STORE-37", "STORE-32", "CLI-12", "ACP-T46")
def test_one_process_a_range_and_numbers_of_a_recording_are_dumped(craze: Craze) -> None:
    second = derive(Path(LOADED), 2).bodies

    whole = craze("dump", LOADED, "--part", "2", "--as", "acp")
    some = craze("dump", LOADED, "--part", "2", "--from", "2", "--until", "4")
    told = craze("dump", LOADED, "--part", "2", "--envelope").stdout.splitlines()
    none = craze("dump", LOADED, "--part", "3")

    assert whole.stdout.splitlines() == second
    assert some.stdout.splitlines() == second[1:4]
    assert [json.loads(line)["seq"] for line in told if b'"seq"' in line] == list(range(1, len(second) + 1))
    assert any(b'"fact"' in line and b"foreign-request" in line for line in told)
    assert (none.returncode, b"no such process" in none.stderr) == (2, True)


@pytest.mark.rule("CLI-33", "STORE-35")
def test_a_recording_made_elsewhere_is_held_to_expectations(craze: Craze) -> None:
    file = str(WIRES / "cancel_while_a_permission_is_open.jsonl")
    expects = ["valid", "balanced", "turns=2", "tools:rm*=1", "text~Nothing", "stop=end_turn", "denied=0"]

    done = craze("check", file, *(word for each in expects for word in ("--expect", each)))

    assert (done.returncode, done.stdout.count(b"ok ")) == (0, len(expects)), done.stdout


@pytest.mark.rule("STORE-35")
def test_a_row_that_is_none_is_named_with_its_number(craze: Craze) -> None:
    rows = Path(LOADED).read_bytes().splitlines(keepends=True)
    (craze.work / "broken.jsonl").write_bytes(b"".join([*rows[:2], b"[1,2]\n", *rows[2:]]))

    dumped = craze("dump", "broken.jsonl")
    checked = craze("check", "broken.jsonl", "--expect", "valid")

    assert dumped.stdout == craze("dump", LOADED).stdout
    assert b"line 3 is broken" in dumped.stderr
    assert b"line 3 is broken" in checked.stdout
    assert checked.returncode == 1


@pytest.mark.rule("ACP-T88", "ACP-199")
@pytest.mark.skipif(not CAPTURES.exists(), reason="the captures stand beside the checkout")
def test_replaying_runs_nothing_and_touches_no_file(craze: Craze) -> None:
    file = CAPTURES / "kimicode-shell.jsonl"
    craze.variables = {"PATH": "", "SHELL": "/none"}

    done = craze("dump", str(file))

    assert done.stdout.splitlines() == derive(file).bodies
    assert list(craze.work.iterdir()) == []
