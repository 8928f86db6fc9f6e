"""Every bad use: one clear line on stderr that says what to do, the right code, no traceback."""

from __future__ import annotations

import os
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from craze.cli.commands import COMMANDS
from tests.cli.conftest import Craze

USES: list[tuple[str, list[str], int, str]] = [
    ("unknown agent", ["run", "--agent", "codx", "hi"], 2, "did you mean codex?"),
    ("missing binary", ["run", "--agent", "gemini", "hi"], 1, "gemini"),
    ("missing command", ["run", "--agent-command", "/no/such/agent --acp", "hi"], 1, "/no/such/agent"),
    ("a command that is a folder", ["run", "--agent-command", "/tmp --acp", "hi"], 1, "cannot be run"),
    ("not logged in", ["run", "--agent", "demo", "/noauth"], 7, "sign in"),
    ("no session", ["run", "-c", "hi"], 4, "there is no session"),
    ("no such session", ["run", "-r", "abcdef", "hi"], 4, "abcdef"),
    ("no such session to show", ["sessions", "show", "abcdef"], 4, "abcdef"),
    ("an empty session", ["run", "-r", "", "hi"], 2, "-r"),
    ("an empty command", ["run", "--agent-command", " ", "hi"], 2, "--agent-command"),
    ("no time at all", ["run", "--timeout", "0s", "hi"], 2, "--timeout 0s"),
    ("a folder as source", ["dump", "/tmp"], 2, "is a folder"),
    ("no such file as source", ["dump", "./nothing.jsonl"], 4, "no file"),
    ("no such process", ["dump", "abcdef", "--part", "0"], 2, "--part"),
    ("nothing to search for", ["sessions", "search", ""], 2, "nothing to search for"),
    ("no such source", ["dump", "abcdef"], 4, "abcdef"),
    ("not a terminal", [], 2, "needs a terminal"),
    ("a prompt without a terminal", ["fix the bug"], 2, "needs a terminal"),
    ("a typing mistake", ["sesions"], 2, "did you mean craze sessions?"),
    ("a prompt of one word where there is no terminal", ["tour"], 2, "the screen needs a terminal"),
    ("a prompt in quotes where there is no terminal", ["check it"], 2, "the screen needs a terminal"),
    ("unknown option", ["run", "--fromat", "json", "hi"], 2, "--format"),
    ("bad value", ["run", "--format", "xml", "hi"], 2, "xml"),
    ("missing argument", ["dump"], 2, "SOURCE"),
    ("no prompt", ["run"], 2, "no prompt"),
    ("two agents", ["run", "--agent", "demo", "--agent-command", "x", "hi"], 2, "exclude"),
    ("two sessions", ["run", "-c", "-r", "abcd", "hi"], 2, "exclude"),
    ("a provider alone", ["run", "--provider", "acp", "hi"], 2, "--agent-command"),
    ("a preset that waits", ["run", "--answers", "ask", "hi"], 2, "waits for a person"),
    ("no answers file", ["run", "--answers", "nothing.toml", "hi"], 2, "nothing.toml"),
    ("a bad decision", ["run", "--decide", "plan=maybe", "hi"], 2, "maybe"),
    ("a bad length of time", ["run", "--timeout", "soon", "hi"], 2, "90s"),
    ("no such folder", ["run", "-C", "nowhere", "hi"], 2, "nowhere"),
    ("no such further folder", ["run", "--add-dir", "nowhere", "hi"], 2, "nowhere"),
    ("no such image", ["run", "--agent", "demo", "--image", "no.png", "hi"], 2, "no.png"),
    ("a mode that is not offered", ["run", "--agent", "demo", "--mode", "fly", "hi"], 2, "plan"),
    ("an image that never ends", ["run", "--agent", "demo", "--image", "/dev/zero", "hi"], 2, "larger than"),
    ("answers that never end", ["run", "--agent", "demo", "--answers", "/dev/zero", "hi"], 2, "larger than"),
    ("a prompt that never ends", ["run", "--agent", "demo", "-f", "/dev/zero"], 2, "larger than"),
    ("a prompt file with nothing in it", ["run", "--agent", "demo", "-f", "/dev/null"], 2, "no prompt"),
    ("no file of expectations", ["check", "-", "--expect-file", "no.txt"], 2, "no.txt: cannot be read: No such"),
    ("too many follow-ups", ["run", *(["--follow-up", "x"] * 33), "hi"], 2, "at most 32"),
    ("an empty follow-up", ["run", "--follow-up", " ", "hi"], 2, "empty"),
    ("prune without a word", ["sessions", "prune", "--older-than", "1d"], 0, ""),
    ("nothing to expect", ["check", "-"], 2, "--expect"),
    ("no such schema", ["schema", "evnt"], 2, "did you mean event?"),
    ("no such file", ["validate", "nothing.jsonl"], 2, "nothing.jsonl"),
    ("no such capture", ["capture", "show", "nothing"], 2, "nothing"),
    ("replay without a screen", ["replay", "abcd"], 2, "craze dump"),
    ("no such shell", ["completion", "tcsh"], 2, "tcsh"),
    ("agent without a command", ["agents", "add", "x"], 2, "craze agents add"),
    ("a built-in cannot go", ["agents", "remove", "demo"], 2, "built in"),
]


@pytest.mark.rule("CLI-3", "CLI-4", "CLI-39")
@pytest.mark.parametrize(("arguments", "code", "says"), [use[1:] for use in USES], ids=[use[0] for use in USES])
def test_a_bad_use_is_one_line_with_the_right_code(craze: Craze, arguments: list[str], code: int, says: str) -> None:
    done = craze(*arguments)

    said = done.stderr.decode()
    assert done.returncode == code, said
    assert says.lower() in said.lower()
    assert "Traceback" not in said
    assert "internal error" not in said
    assert all(line.startswith(("craze: ", "hint: ")) for line in said.splitlines())
    assert not done.stdout


@pytest.mark.rule("CLI-46")
@pytest.mark.parametrize("command", [["run", "hi"], ["sessions", "list"], ["agents", "list"], ["dump", "abcd"]])
def test_a_broken_configuration_stops_a_command_with_line_and_column(craze: Craze, command: list[str]) -> None:
    file = craze.configure("[tui]\ntheme == 3\n")

    done = craze(*command)

    assert done.returncode == 2
    assert "config.toml:2:8: " in done.stderr.decode()
    assert file.read_text() == "[tui]\ntheme == 3\n"


@pytest.mark.rule("CLI-46")
@pytest.mark.parametrize("command", [["config", "path"], ["schema"], ["completion", "bash"], ["--version"]])
def test_some_commands_work_with_a_broken_configuration(craze: Craze, command: list[str]) -> None:
    craze.configure("=")

    assert craze(*command).returncode == 0


@pytest.mark.rule("CLI-46", "CLI-50")
def test_doctor_and_config_show_say_what_is_broken(craze: Craze) -> None:
    craze.configure("=")

    doctor, shown = craze("doctor"), craze("config", "show")

    assert doctor.returncode == 1
    assert b"FAIL configuration: " in doctor.stdout
    assert shown.returncode == 2
    assert b"config.toml:1:1" in shown.stderr


@pytest.mark.rule("CLI-17")
def test_a_mistake_in_the_answers_is_said_before_an_agent_starts(craze: Craze) -> None:
    (craze.work / "answers.toml").write_text('version = 1\n[[rule]]\nkind = "plan"\ndo = "jump"\n')

    done = craze("run", "--agent", "demo", "--answers", "answers.toml", "hi")

    assert done.returncode == 2
    assert "answers.toml:4: rule[1].do: " in done.stderr.decode()
    assert not craze.sessions


@pytest.mark.rule("CLI-1", "CLI-4")
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
@pytest.mark.parametrize(
    "command", [["schema"], ["--help"], ["--version"], ["config", "show"], ["run", "--agent", "demo", "hello"]]
)
def test_a_full_disk_behind_stdout_is_said_once(craze: Craze, command: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = craze(*command, stdout=full.fileno())

    assert done.returncode == 1
    assert done.stderr.decode().count("No space left on device") == 1


@pytest.mark.rule("CLI-2")
@pytest.mark.parametrize("command", [["schema"], ["agents", "list"], ["config", "show"], ["--help"]])
def test_a_closed_pipe_ends_a_reading_command_quietly(craze: Craze, command: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)

    done = craze(*command, stdout=writer)

    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unwritable for root")
def test_a_home_that_cannot_be_written_is_said(craze: Craze) -> None:
    craze.home.mkdir()
    craze.home.chmod(stat.S_IRUSR | stat.S_IXUSR)

    done = craze("run", "--agent", "demo", "hi")

    assert done.returncode == 1
    assert str(craze.home) in done.stderr.decode()


@pytest.mark.rule("CLI-4")
def test_a_traceback_comes_only_when_it_is_asked_for(craze: Craze) -> None:
    craze.variables["CRAZE_DEBUG"] = "1"

    assert b"Traceback" in craze("run", "--agent", "codx", "hi").stderr


@pytest.mark.rule("CLI-5")
@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_each_command_has_help(craze: Craze, command: list[str]) -> None:
    done = craze(*command, "--help")

    assert done.returncode == 0
    assert b"Usage: craze" in done.stdout


@pytest.mark.rule("CLI-5", "CLI-58")
def test_the_help_without_a_command_has_the_options_of_the_screen(craze: Craze) -> None:
    shown = craze("--help").stdout

    assert all(option in shown for option in (b"--model ID", b"-c, --continue", b"--version", b"demo-agent"))
    assert craze("--model", "x", "-h").stdout == craze("-h").stdout == shown
    assert craze("--", "-h").stderr.startswith(b"craze: the screen needs a terminal")


@pytest.mark.rule("CLI-4")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["sessions", "list", "--limit"], "Option '--limit' requires an argument"),
        (["completion"], "Missing argument 'shell'. Choose from: bash, zsh, fish"),
        (["replay", "--strict", "journal.jsonl"], "journal.jsonl is no wire capture"),
        (["capture", "show", "text"], "text is no journal, no wire capture"),
        (["agents", "check", "--capture", "none"], "none: there is no such capture"),
        (["dump", "journal.jsonl", "--as", "control"], "--as and --part are for recordings"),
        (["check", "journal.jsonl", "--expect", "text~("], "'(' is no regular expression"),
        (["agents", "check", "demo", "--prompt", "x", "--no-session"], "--prompt needs a session"),
    ],
)
def test_a_word_that_cannot_be_meant_is_named_in_one_line(craze: Craze, words: list[str], said: str) -> None:
    (craze.work / "text").write_text("no JSON\n")
    (craze.work / "journal.jsonl").write_text('{"kind":"event","ts":"","seq":1,"event":{"type":"text","text":"a"}}\n')

    done = craze(*words)

    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"craze: {said}")
    assert done.stderr.count(b"\n") <= 2


@pytest.mark.rule("CLI-53", "CLI-4")
def test_a_scrubbed_copy_that_cannot_be_made_is_named_as_it_was_asked_for(craze: Craze) -> None:
    craze("run", "--agent", "demo", "hi")
    (wire,) = craze.home.glob("sessions/*/*.wire.jsonl")

    done = craze("capture", "scrub", str(wire), "none/copy")

    assert (done.returncode, done.stderr) == (1, b"craze: none/copy: No such file or directory\n")


@pytest.mark.rule("CLI-7")
@pytest.mark.parametrize("words", [["\udce9"], ["hi", "--follow-up", "\udce9"], ["hi", "--title", "\udce9"]])
def test_words_that_are_no_text_are_refused_before_an_agent_starts(craze: Craze, words: list[str]) -> None:
    done = craze("run", "--agent", "demo", *words)

    assert done.returncode == 2
    assert b"it is not UTF-8" in done.stderr
    assert craze.sessions == []


@pytest.mark.rule("CLI-4")
@pytest.mark.parametrize("command", [["run", "--agent", "demo", "hi"], ["dump", "x"], ["sessions", "list"]])
def test_a_folder_that_is_gone_is_named(craze: Craze, command: list[str]) -> None:
    gone = craze.work / "gone"
    gone.mkdir()
    line = f"cd {shlex.quote(str(gone))} && rmdir {shlex.quote(str(gone))} && {shlex.join(craze.command(*command))}"

    done = subprocess.run(["sh", "-c", line], capture_output=True, env=craze.environment, timeout=60, check=False)

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"craze: the folder in which craze was started is gone\n")


@pytest.mark.rule("CLI-59")
def test_what_the_encoding_of_the_terminal_lacks_does_not_stop_a_line(craze: Craze) -> None:
    craze("run", "--agent", "demo", "--title", "caf\u00e9 \u6f22", "hi")
    craze.variables["PYTHONIOENCODING"] = "latin-1"

    done = craze("sessions", "list")

    assert (done.returncode, b"caf\xe9 ?" in done.stdout) == (0, True)


@pytest.mark.rule("CLI-50")
def test_doctor_goes_on_where_a_folder_is_something_else(craze: Craze) -> None:
    craze.home.mkdir()
    (craze.home / "sessions").touch()

    done = craze("doctor")

    assert done.returncode == 1
    assert b"FAIL sessions: " in done.stdout
    assert done.stderr == b""


@pytest.mark.rule("CLI-1", "CLI-2")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["schema --list", "run --agent demo hello"])
def test_a_process_without_a_stream_runs_all_the_same(craze: Craze, command: str, closed: str) -> None:
    line = f"{shlex.join(craze.command(*command.split()))} {closed}"

    done = subprocess.run(
        ["sh", "-c", line], capture_output=True, cwd=craze.work, env=craze.environment, timeout=60, check=False
    )

    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.rule("CLI-4", "CLI-59")
def test_a_long_message_of_several_lines_is_one_short_line(craze: Craze) -> None:
    agent = craze.work / "agent.py"
    agent.write_text("import sys\nsys.stderr.write('\\x1b]0;first\\nsecond\\x07 third\\n' + 'x' * 9000)\nsys.exit(3)\n")

    done = craze("run", "--agent-command", shlex.join([sys.executable, str(agent)]), "hi")

    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("craze: the agent exited with status 3 before it answered · command: ")
    assert "\x1b" not in line
    assert "⏎" not in line
    assert len(line) < 2100
