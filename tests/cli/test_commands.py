from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from craze.cli.schemas import SCHEMAS, text_of
from tests.cli.conftest import Craze

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.rule("CLI-54")
@pytest.mark.parametrize("name", list(SCHEMAS))
def test_a_schema_file_is_what_the_structs_say(name: str) -> None:
    assert (ROOT / "schema" / f"{name}.json").read_bytes() == text_of(name)


@pytest.mark.rule("CLI-54")
def test_schemas_are_listed_printed_and_written(craze: Craze) -> None:
    assert craze("schema", "--list").stdout.decode().split() == list(SCHEMAS)
    assert craze("schema").stdout == text_of("event")
    assert craze("schema", "--write").returncode == 0
    assert {path.stem for path in (craze.work / "schema").glob("*.json")} == set(SCHEMAS)


@pytest.mark.rule("CLI-5")
def test_the_version_is_one_line(craze: Craze) -> None:
    assert craze("--version").stdout.decode().startswith("craze 0.")
    assert craze("--version").stdout.count(b"\n") == 1


@pytest.mark.rule("CLI-5")
def test_output_is_buffered_where_python_is_told_to_buffer_none() -> None:
    look = "import io, sys; from craze.cli import stdio; stdio.complete(); print(type(sys.stdout.buffer).__name__)"

    assert subprocess.check_output([sys.executable, "-u", "-c", look], cwd=ROOT) == b"BufferedWriter\n"


@pytest.mark.rule("CLI-45")
def test_config_show_names_the_place_of_each_value(craze: Craze) -> None:
    craze.configure('[tui]\n\ntheme = "nord"\n[keys]\n"app.quit" = "x"\n')
    craze.variables["CRAZE_WIRE"] = "off"

    rows = [json.loads(line) for line in craze("config", "show", "--format", "json").stdout.splitlines()]

    held = {row["key"]: (row["value"], row["from"]) for row in rows}
    assert held["tui.theme"] == ("nord", "~/config.toml:3")
    assert held["keys.app.quit"] == ("x", "~/config.toml:5")
    assert held["wire.enabled"] == (False, "CRAZE_WIRE")
    assert held["journal.enabled"] == (True, "default")


@pytest.mark.rule("CLI-40", "CLI-42")
def test_an_agent_is_added_listed_and_removed(craze: Craze) -> None:
    added = craze("agents", "add", "mine", "--env", "A=${MISSING}", "--", sys.executable, "-m", "craze", "demo-agent")
    again = craze("agents", "add", "mine", "--", "x")
    listed = {
        row["name"]: row for row in map(json.loads, craze("agents", "list", "--format", "json").stdout.splitlines())
    }
    removed = craze("agents", "remove", "mine")

    assert (added.returncode, again.returncode, removed.returncode) == (0, 2, 0)
    assert (listed["mine"]["state"], listed["mine"]["reason"]) == ("needs setup", "MISSING is not set")
    assert listed["demo"]["state"] == "ready"
    assert not (craze.home / "agents" / "mine.toml").exists()
    assert not (craze.home / "config.toml").exists()


@pytest.mark.rule("CLI-41")
def test_an_agent_is_checked_in_an_empty_folder(craze: Craze) -> None:
    good, bad = craze("agents", "check", "demo"), craze("agents", "check", "gemini")

    assert good.returncode == 0, good.stderr
    assert b"craze-demo" in good.stdout
    assert b"[code], ask, plan" in good.stdout
    assert bad.returncode == 1
    assert not craze.sessions


@pytest.mark.rule("CLI-41")
def test_an_agent_is_checked_without_a_session(craze: Craze) -> None:
    done = craze("agents", "check", "demo", "--no-session")

    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == [b"agent", b"state", b"can"]
    assert craze("agents", "check", "demo", "--no-session", "--prompt", "hi").returncode == 2


@pytest.mark.rule("CLI-41")
def test_an_agent_that_fails_at_once_fails_its_check(craze: Craze) -> None:
    craze("agents", "add", "mine", "--", sys.executable, "-c", "raise SystemExit(3)")
    done = craze("agents", "check", "mine")

    assert done.returncode == 1
    assert b"status 3" in done.stderr
    assert done.stdout.split()[:2] == [b"agent", b"mine"]
    assert b"stopped" in done.stdout


@pytest.mark.rule("CLI-50")
def test_doctor_changes_nothing_and_passes(craze: Craze) -> None:
    done = craze("doctor", "--format", "json")

    assert done.returncode == 0
    assert {json.loads(line)["level"] for line in done.stdout.splitlines()} <= {"ok", "warn"}
    assert not craze.home.exists()


@pytest.mark.rule("CLI-51")
@pytest.mark.parametrize("words", ["craze run --agent de", "craze --agent de"])
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_is_printed_and_answers(craze: Craze, shell: str, words: str) -> None:
    script = craze("completion", shell).stdout.decode()
    craze.variables |= {
        "_CRAZE_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
        "_TYPER_COMPLETE_ARGS": words,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }

    assert "_CRAZE_COMPLETE" in script
    assert "demo" in craze().stdout.decode()


@pytest.mark.rule("CLI-5", "CODEC-121", "CODEC-122")
def test_validate_names_file_line_and_path_and_counts_the_rest(craze: Craze) -> None:
    (craze.work / "good").write_text('{"type":"text","text":"a"}\n')
    (craze.work / "bad").write_text('{"type":"text","text":"a"}\n' + '{"type":"text","text":1}\n' * 25)
    (craze.work / "form").write_text('{"text":"a","type":"text"}\n')

    good, bad = craze("validate", "good"), craze("validate", "bad")

    assert (good.returncode, good.stdout) == (0, b"")
    assert bad.returncode == 1
    assert bad.stdout.decode().splitlines()[0].startswith("bad:2: $.text: ")
    assert bad.stdout.decode().splitlines()[-1] == "… and 5 more"
    assert craze("validate", "form").returncode == 0
    assert craze("validate", "--canonical", "form").returncode == 1
    assert craze("validate", "-", input="").returncode == 0


@pytest.mark.rule("CLI-59")
def test_a_hostile_title_is_shown_without_its_controls(craze: Craze) -> None:
    craze("run", "--agent", "demo", "--title", "a\x1b]0;owned\x07b\u202ec", "hi")

    shown = craze("sessions", "list").stdout.decode()

    assert "ab‹U+202E›c" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize(("kind", "tag"), [("journal", "kind"), ("wire", "dir")])
def test_an_event_is_no_line_of_a_journal_or_a_capture(craze: Craze, kind: str, tag: str) -> None:
    done = craze("validate", "--as", kind, input='{"type":"text","text":"a"}\n')

    assert (done.returncode, done.stdout.decode()) == (1, f"-:1: $: schema: `{tag}` is missing\n")


@pytest.mark.rule("ACP-170")
def test_the_demo_agent_signs_in_and_begins_like_a_script(craze: Craze) -> None:
    signed = craze("demo-agent", "--login")

    assert (signed.returncode, signed.stdout) == (0, b"Signed in.\n")
    assert craze("demo-agent", "--script", "crashstart").returncode != 2
