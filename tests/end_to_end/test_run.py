"""The whole road: `craze run`, a real agent process, the disk, and what is read back from it."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from craze.codec import TYPES, decode, encode
from tests.cli.conftest import Craze

SCRIPTED = str(Path(__file__).parents[1] / "fakes" / "acp_agent.py")
DEMO = shlex.join([sys.executable, "-m", "craze.demo", "--speed", "1000"])
SLOW = shlex.join([sys.executable, "-m", "craze.demo"])


def run(craze: Craze, *arguments: str, **options: int):
    return craze("run", "--agent-command", DEMO, *arguments, **options)


def events(lines: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines.splitlines()]


def session_id(craze: Craze) -> str:
    (folder,) = craze.sessions
    return folder.name


@pytest.mark.rule("CLI-11", "CLI-67", "STORE-31")
def test_a_run_prints_valid_canonical_events_of_most_types_and_the_disk_has_the_same_bytes(craze: Craze) -> None:
    run(craze, "--format", "json", "/replay")
    for journal in craze.journals:
        journal.unlink()  # so that what the agent replays is the history, and is published

    done = run(
        craze,
        "-c",
        "--answers",
        "all",
        "--format",
        "json",
        "/tour",
        "--follow-up",
        "/planexit",
        "--follow-up",
        "/crash",
    )

    lines = done.stdout.splitlines()
    assert all(encode(decode(line)) == line for line in lines)
    kinds = {event["type"] for event in events(done.stdout)}
    assert kinds <= set(TYPES)
    assert len(kinds) >= 14, kinds
    (craze.work / "events").write_bytes(done.stdout)
    assert craze("validate", "--canonical", "events").returncode == 0
    assert craze("dump", session_id(craze)).stdout == done.stdout
    assert done.returncode == 1


@pytest.mark.rule("CLI-10", "CLI-39")
def test_without_any_setting_the_demo_answers(craze: Craze) -> None:
    done = craze("run", "hello there")

    assert done.returncode == 0
    assert b"hello there" in done.stdout
    assert done.stdout.endswith(b"\n")
    assert b"demo" in done.stderr


@pytest.mark.rule("CLI-7")
def test_a_prompt_comes_from_words_stdin_both_or_a_file(craze: Craze) -> None:
    (craze.work / "prompt").write_text("from a file\n")
    turns = [
        run(craze, "--format", "json", "two", "words"),
        run(craze, "--format", "json", input="piped\n"),
        run(craze, "--format", "json", "look at", "-", input="piped\n"),
        run(craze, "--format", "json", "-f", "prompt"),
    ]

    texts = [next(event["turn"]["text"] for event in events(done.stdout) if event["type"] == "turn") for done in turns]
    assert texts == ["two words", "piped", "look at\n\npiped", "from a file"]
    assert run(craze, input=b"\xff\n").returncode == 2
    assert run(craze, input="\n").returncode == 2


@pytest.mark.rule("CLI-12", "CLI-26")
def test_the_envelope_ends_with_a_result_also_after_a_failure(craze: Craze) -> None:
    done = run(craze, "--format", "json", "--envelope", "--usage", "/crash")

    last = events(done.stdout)[-1]["result"]
    assert last["exit"] == done.returncode == 1
    assert last["session"] == session_id(craze)
    assert done.stderr.decode().splitlines()[-1].startswith("craze: the agent") or "tokens" in done.stderr.decode()


@pytest.mark.rule("CLI-13", "CLI-35", "CLI-36", "STORE-16", "STORE-33")
def test_the_wire_on_stdout_is_a_cassette_that_comes_out_again(craze: Craze) -> None:
    done = run(craze, "--format", "wire", "--answers", "all", "/tour")
    (craze.work / "x.wire.jsonl").write_bytes(done.stdout)
    (wire,) = craze.home.glob("sessions/*/*.wire.jsonl")

    assert json.loads(done.stdout.splitlines()[0])["dir"] == "head"
    assert craze("replay", "--strict", "x.wire.jsonl").stdout == b"ok\n"
    assert craze("dump", "x.wire.jsonl").stdout == craze("dump", session_id(craze)).stdout
    assert wire.read_bytes() == done.stdout
    assert craze("validate", "x.wire.jsonl").returncode == 0


@pytest.mark.rule("STORE-33")
def test_a_changed_cassette_is_told_by_row_and_rule(craze: Craze) -> None:
    done = run(craze, "--format", "wire", "hello")
    lines = done.stdout.splitlines(keepends=True)
    (craze.work / "x.wire.jsonl").write_bytes(b"".join(lines).replace(b"session/prompt", b"session/promise"))

    said = craze("replay", "--strict", "x.wire.jsonl")

    assert said.returncode == 1
    assert b"STORE-" in said.stdout


@pytest.mark.rule("CLI-33", "CLI-34")
def test_a_run_is_held_to_expectations(craze: Craze) -> None:
    run(craze, "--answers", "all", "/shell")
    expects = ["valid", "balanced", "rederives", "stop=end_turn", "turns=1", "errors=0", "denied=0"]

    good = craze("check", session_id(craze), *(word for each in expects for word in ("--expect", each)))
    bad = craze("check", session_id(craze), "--expect", "turns>5", "--expect", "cost<1")

    assert (good.returncode, good.stdout.count(b"ok ")) == (0, len(expects))
    assert bad.returncode == 1
    assert b"FAILED  turns>5 (found: 1)" in bad.stdout


@pytest.mark.rule("CLI-25", "STORE-22", "STORE-23")
def test_a_session_goes_on_with_its_numbers_and_its_history(craze: Craze) -> None:
    first = run(craze, "--format", "json", "--envelope", "one")
    second = run(craze, "-c", "--format", "json", "--envelope", "two")
    third = run(craze, "-r", session_id(craze)[:10], "--format", "json", "--envelope", "three")

    runs = [[event["seq"] for event in events(done.stdout) if "seq" in event] for done in (first, second, third)]
    assert [number for each in runs for number in each] == list(range(1, runs[-1][-1] + 1))
    assert len(craze.journals) == 3
    turns = [
        event["turn"]["id"] for event in events(craze("dump", session_id(craze)).stdout) if event["type"] == "turn"
    ]
    assert turns == ["turn-1", "turn-1", "turn-2", "turn-2", "turn-3", "turn-3"]


@pytest.mark.rule("CLI-25", "CLI-39")
def test_a_session_of_a_command_goes_on_with_that_command(craze: Craze) -> None:
    run(craze, "one")

    again = craze("run", "-r", session_id(craze), "two")
    for journal in craze.journals:
        journal.unlink()
    unknown = craze("run", "-r", session_id(craze), "three")

    assert (again.returncode, again.stdout[:13]) == (0, b"You said: two")
    assert (unknown.returncode, b"no agent is called" in unknown.stderr) == (2, True)


@pytest.mark.rule("CLI-25", "STORE-4")
def test_a_session_that_is_open_elsewhere_is_refused_with_the_process(craze: Craze) -> None:
    run(craze, "one")
    command = craze.command("run", "-c", "--agent-command", SLOW, "/stall")
    with craze.start(*command[3:], "--format", "json") as busy:
        assert busy.stdout
        busy.stdout.readline()
        done = run(craze, "-c", "two")
        renamed = craze("sessions", "rename", session_id(craze), "x")
        listed = craze("sessions", "list", "--format", "json")
        busy.send_signal(signal.SIGINT)
        busy.stdout.read()

    assert done.returncode == renamed.returncode == 4
    assert str(busy.pid) in done.stderr.decode()
    assert json.loads(listed.stdout)["running"] is True
    assert busy.returncode == 130


@pytest.mark.rule("CLI-8", "CLI-3")
def test_the_chain_stops_and_the_unsent_prompt_stays(craze: Craze) -> None:
    done = run(craze, "/crash", "--follow-up", "never sent")

    assert done.returncode == 1
    assert "never sent" in done.stderr.decode()
    assert json.loads(craze("sessions", "list", "--format", "json").stdout)["pending"] == 1


@pytest.mark.rule("CLI-21", "CLI-19", "CLI-18", "CLI-3")
def test_who_answers_decides_the_code(craze: Craze) -> None:
    denied = run(craze, "/permission")
    allowed = run(craze, "--answers", "all", "/permission")
    decided = run(craze, "--decide", "permission=allow_once", "--decide", "plan=accept", "/permission")
    failed = run(craze, "--answers", "fail", "/permission")

    assert [done.returncode for done in (denied, allowed, decided, failed)] == [5, 0, 0, 5]
    assert "--answers all would have allowed it" in denied.stderr.decode()
    assert "--decide plan=accept was never used" in decided.stderr.decode()


@pytest.mark.rule("CLI-15", "CLI-16")
def test_a_file_of_rules_answers(craze: Craze) -> None:
    (craze.work / "rules.toml").write_text(
        'version = 1\n[[rule]]\nkind = "permission"\ndo = "allow"\n[[rule]]\nkind = "plan"\ndo = "accept"\n'
    )

    assert run(craze, "--answers", "rules.toml", "/permission").returncode == 0
    assert run(craze, "--answers", "rules.toml", "/planexit").returncode == 0


@pytest.mark.rule("CLI-22")
def test_a_time_limit_ends_the_run_with_its_own_code(craze: Craze) -> None:
    done = run(craze, "--timeout", "4s", "/deaf")

    assert done.returncode == 3
    assert "time limit of 4s reached (turn turn-1)" in done.stderr.decode()
    assert json.loads(craze.journals[0].read_bytes().splitlines()[-1])["kind"] == "closing"


@pytest.mark.rule("CLI-23")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_closes_the_session_in_order(craze: Craze, number: signal.Signals) -> None:
    with craze.start("run", "--agent-command", SLOW, "--format", "json", "/stall", "--follow-up", "no") as going:
        assert going.stdout
        while b'"started"' not in going.stdout.readline():
            pass
        going.send_signal(number)
        rest = going.stdout.read()

    assert going.returncode == 130
    assert [event["turn"]["phase"] for event in events(rest) if event["type"] == "turn"] == ["ended"]
    assert json.loads(craze.journals[0].read_bytes().splitlines()[-1])["kind"] == "closing"


@pytest.mark.rule("CLI-23")
def test_a_second_signal_kills_the_agent_at_once(craze: Craze) -> None:
    with craze.start("run", "--agent-command", DEMO, "--format", "json", "/deaf") as going:
        assert going.stdout
        assert going.stderr
        while b'"started"' not in going.stdout.readline():
            pass
        going.send_signal(signal.SIGINT)
        wire = next(craze.home.glob("sessions/*/*.wire.jsonl"), None)
        while wire is None or b'"type":"Cancel"' not in wire.read_bytes():
            wire = next(craze.home.glob("sessions/*/*.wire.jsonl"), None)
        going.send_signal(signal.SIGINT)
        going.stdout.read()

    assert going.returncode == 130
    exits = [json.loads(line) for line in wire.read_bytes().splitlines() if b'"dir":"exit"' in line]
    assert exits[-1].get("signal")


@pytest.mark.rule("CLI-2")
def test_a_reader_that_leaves_ends_the_run(craze: Craze) -> None:
    asked = ("--format", "json", "/burst", "--follow-up", "text")
    with craze.start("run", "--agent-command", DEMO, *asked) as going:
        assert going.stdout
        assert going.stderr
        going.stdout.readline()
        going.stdout.close()
        assert going.stderr.read() == b""

    assert going.returncode == 130


@pytest.mark.rule("CLI-2", "STORE-31")
def test_the_first_line_of_a_dump_is_enough_for_head(craze: Craze) -> None:
    run(craze, "--format", "json", "/burst")
    for more in ([], ["--envelope"]):
        with craze.start("dump", session_id(craze), *more) as going:
            assert going.stdout
            assert going.stderr
            going.stdout.readline()
            going.stdout.close()
            assert going.stderr.read() == b""
        assert going.returncode == 0


@pytest.mark.rule("STORE-13")
def test_without_a_journal_no_text_is_written_anywhere(craze: Craze) -> None:
    done = run(craze, "--no-journal", "--title", "a secret title", "a secret prompt")
    craze.variables["CRAZE_JOURNAL"] = "0"
    again = run(craze, "another secret")

    assert (done.returncode, again.returncode) == (0, 0)
    for path in craze.home.rglob("*"):
        if path.is_file():
            assert b"secret" not in path.read_bytes(), path
    assert not list(craze.home.glob("sessions/*/*_*.jsonl"))


@pytest.mark.rule("STORE-2", "STORE-3")
def test_files_are_for_their_owner_alone(craze: Craze) -> None:
    run(craze, "hello")

    modes = {path.name: path.stat().st_mode & 0o777 for path in craze.home.rglob("*")}
    assert {mode for name, mode in modes.items() if "." not in name and name != "lock"} == {0o700}
    assert {mode for name, mode in modes.items() if "." in name or name == "lock"} == {0o600}


@pytest.mark.rule("CLI-9")
def test_settings_are_matched_and_applied(craze: Craze) -> None:
    done = run(craze, "--format", "json", "--model", "medium", "--mode", "Plan", "--effort", "low", "hello")

    assert done.returncode == 0, done.stderr
    states = [event["state"] for event in events(done.stdout) if event["type"] == "meta"]
    assert {state.get("model") for state in states} >= {"medium-1"}
    assert {state.get("mode") for state in states} >= {"plan"}


@pytest.mark.rule("CLI-28", "CLI-29", "CLI-30", "CLI-31", "CLI-32", "STORE-26", "STORE-27")
def test_stored_sessions_are_listed_searched_shown_renamed_exported_and_deleted(craze: Craze, tmp_path: Path) -> None:
    run(craze, "a needle in the hay")
    id_ = session_id(craze)

    assert id_[:8] in craze("sessions", "list").stdout.decode()
    assert b"needle" in craze("sessions", "search", "NEEDLE").stdout
    assert craze("sessions", "search", "nothing like it").stdout == b""
    assert b"> a needle in the hay" in craze("sessions", "show", id_).stdout
    assert craze("sessions", "rename", id_, "Hay").returncode == 0
    assert craze("sessions", "path", "hay").stdout.decode().strip() == str(craze.sessions[0])
    assert craze("sessions", "export", id_, "--format", "jsonl").stdout == craze("dump", id_).stdout
    assert craze("sessions", "export", id_, "-o", "x.md").returncode == 0
    assert "## a needle in the hay" in (craze.work / "x.md").read_text()
    assert craze("sessions", "export", id_, "-o", "x.md").returncode == 2
    assert craze("sessions", "prune", "--older-than", "0s", "--yes").returncode == 0
    assert len(craze.sessions) == 1, "a titled session is never pruned"
    assert craze("sessions", "delete", id_).returncode == 2
    assert craze("sessions", "delete", id_, "--yes").returncode == 0
    assert craze.sessions == []


@pytest.mark.rule("STORE-25", "STORE-26")
def test_pruning_shows_asks_and_removes(craze: Craze) -> None:
    run(craze, "hello")

    shown = craze("sessions", "prune", "--older-than", "0s", "--dry-run")
    unasked = craze("sessions", "prune", "--older-than", "0s")
    captures = craze("sessions", "prune", "--wire", "--older-than", "0s", "--yes")
    left = [path.name.endswith(".wire.jsonl") for path in craze.home.glob("sessions/*/*_*.jsonl")]
    everything = craze("sessions", "prune", "--older-than", "0s", "--yes")

    assert session_id_in(shown.stdout)
    assert (shown.returncode, unasked.returncode, captures.returncode, everything.returncode) == (0, 2, 0, 0)
    assert left == [False]
    assert craze.sessions == []


def session_id_in(text: bytes) -> bool:
    return len(text.split()[0]) == 36


@pytest.mark.rule("CLI-53")
def test_a_capture_is_scrubbed_for_sharing(craze: Craze) -> None:
    craze.variables["MY_API_KEY"] = "very-secret-value"
    run(craze, "my key is very-secret-value and my mail me@example.org")
    (wire,) = craze.home.glob("sessions/*/*.wire.jsonl")

    done = craze("capture", "scrub", str(wire), "out.jsonl")

    assert done.returncode == 0, done.stderr
    out = (craze.work / "out.jsonl").read_bytes()
    assert b"very-secret-value" not in out
    assert b"me@example.org" not in out
    assert str(craze.home).encode() not in out
    assert craze("capture", "show", "out.jsonl").stdout.count(b"\n") == out.count(b"\n")


@pytest.mark.rule("CLI-5")
def test_a_live_session_is_followed_until_it_closes(craze: Craze) -> None:
    with craze.start("run", "--agent-command", SLOW, "--format", "json", "/stall") as going:
        assert going.stdout
        going.stdout.readline()
        while not craze.journals:
            os.sched_yield()
        with craze.start("dump", "--follow", str(craze.journals[0])) as following:
            assert following.stdout
            first = following.stdout.readline()
            going.send_signal(signal.SIGINT)
            rest = following.stdout.read()
        going.stdout.read()

    assert following.returncode == 0
    assert first + rest == craze("dump", session_id(craze)).stdout


@pytest.mark.rule("CLI-38", "STORE-18")
def test_a_declared_agent_runs_with_its_own_environment_and_no_value_is_captured(craze: Craze) -> None:
    craze.variables["TOKEN_OF_MINE"] = "hidden-token-value"
    words = json.dumps(shlex.split(DEMO))
    craze.configure(
        f'agent = "mine"\n[agents.mine]\nprovider = "acp"\ncommand = {words}\nenv = {{MINE = "${{TOKEN_OF_MINE}}"}}\n'
    )

    done = craze("run", "hello")

    assert done.returncode == 0, done.stderr
    (wire,) = craze.home.glob("sessions/*/*.wire.jsonl")
    assert b'"environment":["MINE"]' in wire.read_bytes()
    assert b"hidden-token-value" not in wire.read_bytes()
    assert os.environ.get("TOKEN_OF_MINE") is None


def answers(method: str, **result: object) -> list[dict[str, object]]:
    """Steps of a scripted agent: this request comes and gets this result."""
    return [{"expect": {"method": method}}, {"reply": {"result": result}}]


@pytest.mark.rule("CLI-52", "ACP-128")
def test_an_agent_that_exits_after_its_turn_is_started_again_for_the_next(craze: Craze, tmp_path: Path) -> None:
    hello = answers("initialize", protocolVersion=1, agentCapabilities={"loadSession": True})
    turn = answers("session/prompt", stopReason="end_turn")
    steps = {
        "once": str(tmp_path / "started"),
        "first": [*hello, *answers("session/new", sessionId="$sid"), *turn, {"exit": 0}],
        "then": [*hello, *answers("session/load"), *turn, *turn],
    }
    (tmp_path / "script").write_text(json.dumps(steps))
    agent = shlex.join([sys.executable, SCRIPTED, str(tmp_path / "script")])

    done = craze("run", "one", "--follow-up", "two", "--follow-up", "three", "--agent-command", agent)

    assert done.returncode == 0, done.stderr
    assert b"starting it again" in done.stderr
    assert sent(craze, "session/load")["sessionId"] == "s"
    assert sent(craze, "session/prompt")["prompt"] == [{"type": "text", "text": "three"}]


@pytest.mark.rule("ACP-129", "STORE-23")
def test_a_session_that_the_agent_refuses_to_open_stays_readable_and_the_next_is_another(
    craze: Craze, tmp_path: Path
) -> None:
    hello = answers("initialize", protocolVersion=1, agentCapabilities={"loadSession": True})
    refusal = [{"expect": {"method": "session/load"}}, {"reply": {"error": {"code": -32002, "message": "not found"}}}]
    begins = [*answers("session/new", sessionId="$sid"), *answers("session/prompt", stopReason="end_turn")]
    for name, steps in {"new": [*hello, *begins], "gone": [*hello, *refusal]}.items():
        (tmp_path / name).write_text("".join(json.dumps(step) + "\n" for step in steps))
    agents = {name: shlex.join([sys.executable, SCRIPTED, str(tmp_path / name)]) for name in ("new", "gone")}

    first = craze("run", "one", "--agent-command", agents["new"])
    before = session_id(craze)
    again = craze("run", "-c", "two", "--agent-command", agents["gone"])
    anew = craze("run", "three", "--agent-command", agents["new"])

    assert (first.returncode, again.returncode, anew.returncode) == (0, 1, 0)
    assert b"no longer has this session" in again.stderr
    assert b"one" in craze("sessions", "show", before).stdout
    assert len(craze.sessions) == 2


def sent(craze: Craze, method: str) -> dict[str, object]:
    """The parameters of the newest line of that method that went to an agent."""
    rows = [
        json.loads(line)
        for wire in craze.home.glob("sessions/*/*.wire.jsonl")
        for line in wire.read_bytes().splitlines()
    ]
    lines = [json.loads(row["line"]) for row in rows if row["dir"] == "out"]
    return [line["params"] for line in lines if line.get("method") == method][-1]


@pytest.mark.rule("CLI-20")
def test_an_agent_hears_of_forms_only_when_questions_can_be_answered(craze: Craze) -> None:
    (craze.work / "rules.toml").write_text('version = 1\n[[rule]]\nkind = "question"\nchoose = [1]\n')
    offered: list[bool] = []
    for answers in ("deny", "reads", "all", "fail", "rules.toml"):
        run(craze, "--answers", answers, "hello")
        offered.append("elicitation" in sent(craze, "initialize")["clientCapabilities"])  # type: ignore[operator]
        for folder in craze.sessions:
            craze("sessions", "delete", folder.name, "--yes")

    assert offered == [False, False, True, True, True]


WIDE_AGENT = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    result = {
        "initialize": {
            "protocolVersion": 1,
            "agentCapabilities": {"loadSession": True, "sessionCapabilities": {"additionalDirectories": {}}},
        },
        "session/new": {"sessionId": "s"},
        "session/load": {},
        "session/prompt": {"stopReason": "end_turn"},
    }.get(asked.get("method"))
    if result is not None:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


@pytest.mark.rule("CLI-63", "ACP-194")
def test_further_folders_belong_to_the_session_and_come_back_with_it(craze: Craze) -> None:
    (craze.work / "more").mkdir()
    (craze.work / "agent.py").write_text(WIDE_AGENT)
    wide = shlex.join([sys.executable, str(craze.work / "agent.py")])

    narrow = run(craze, "--add-dir", "more", "hello")
    first = craze("run", "--agent-command", wide, "--add-dir", "more", "hello")
    opened = sent(craze, "session/new")["additionalDirectories"]
    again = craze("run", "-c", "--agent-command", wide, "again")

    assert narrow.returncode == 1
    assert "folders" in narrow.stderr.decode()
    assert (first.returncode, again.returncode) == (0, 0), first.stderr + again.stderr
    assert opened == sent(craze, "session/load")["additionalDirectories"] == [str(craze.work / "more")]


@pytest.mark.rule("CLI-44")
def test_a_command_that_may_fetch_runs_unasked_only_when_the_person_declared_it(craze: Craze) -> None:
    npx = craze.home / "bin" / "npx"
    npx.parent.mkdir(parents=True)
    npx.write_text(f"#!/bin/sh\nexec {DEMO}\n")
    npx.chmod(0o755)
    craze.variables["PATH"] = f"{npx.parent}{os.pathsep}{os.environ['PATH']}"
    craze.configure('[agents.mine]\nprovider = "acp"\ncommand = ["npx", "-y", "an-agent"]\n')

    assert craze("run", "--agent", "mine", "hello").returncode == 0


@pytest.mark.rule("CLI-48")
def test_what_a_project_asks_for_is_named_and_left_out_without_trust(craze: Craze) -> None:
    (craze.work / ".craze").mkdir()
    (craze.work / ".craze" / "config.toml").write_text('[run]\nanswers = "all"\n')

    careful, trusting = run(craze, "/permission"), run(craze, "--trust", "/permission")

    assert (careful.returncode, trusting.returncode) == (5, 0)
    assert "run.answers" in careful.stderr.decode()


@pytest.mark.rule("ENG-126")
def test_an_image_is_copied_into_the_session_and_sent(craze: Craze) -> None:
    picture = b"\x89PNG\r\n\x1a\n" + b"0" * 64
    (craze.work / "a.png").write_bytes(picture)

    done = run(craze, "--image", "a.png", "look")

    (copy,) = craze.home.glob("sessions/*/attachments/*.png")
    assert done.returncode == 0
    assert copy.read_bytes() == picture
    assert copy.stat().st_mode & 0o777 == 0o600
    assert [block["type"] for block in sent(craze, "session/prompt")["prompt"]] == ["text", "image"]  # type: ignore[attr-defined]


@pytest.mark.rule("ENG-124")
def test_a_model_that_was_chosen_comes_back_with_the_session(craze: Craze) -> None:
    run(craze, "--model", "large-1", "--mode", "plan", "hello")

    again = run(craze, "-c", "--format", "json", "hello")

    assert again.returncode == 0, again.stderr
    states = [event["state"] for event in events(again.stdout) if event["type"] == "meta"]
    models = [state["model"] for state in states if state.get("model")]
    assert models[-1] == "large-1"


@pytest.mark.rule("STORE-10", "CLI-11")
def test_a_full_disk_costs_the_journal_and_not_the_run(craze: Craze) -> None:
    """No file may grow beyond a few KiB, which a disk that is full looks like to the process."""
    limited = f"ulimit -f 16; exec {shlex.join(craze.command('run', '--agent-command', DEMO, '--answers', 'all'))} "
    done = subprocess.run(
        ["bash", "-c", limited + "--format json /tour"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=craze.work,
        env=craze.environment,
        timeout=60,
        check=False,
    )

    told = [event for event in events(done.stdout) if event["type"] == "meta" and event["state"].get("indexErr")]  # type: ignore[attr-defined]
    dumped = craze("dump", str(craze.journals[0]))
    assert done.returncode == 0, done.stderr
    assert len(told) == 1
    assert events(done.stdout)[-1]["type"] == "turn"
    assert dumped.returncode == 0
    assert done.stdout.startswith(dumped.stdout)


@pytest.mark.rule("CLI-23", "ENG-14")
def test_a_reader_that_never_reads_does_not_hold_a_signal(craze: Craze) -> None:
    with craze.start("run", "--agent-command", DEMO, "--format", "json", "/burst") as going:
        assert going.stderr
        while not craze.journals:
            os.sched_yield()
        going.send_signal(signal.SIGINT)
        assert going.wait(40) == 130
        assert b"Traceback" not in going.stderr.read()


@pytest.mark.rule("CLI-49", "STORE-18")
def test_the_log_goes_into_its_file(craze: Craze) -> None:
    craze.variables["CRAZE_LOG"] = str(craze.work / "log")

    assert run(craze, "hello").returncode == 0
    assert (craze.work / "log").exists()
    craze.variables["CRAZE_LOG"] = str(craze.work)
    assert run(craze, "hello").returncode == 2


@pytest.mark.rule("STORE-16", "STORE-33", "CLI-4")
@pytest.mark.parametrize(
    ("sound", "damaged", "says"),
    [
        ('"intent":{"type":"Submit"', '"intent":{"type":"Sub"', "is broken"),
        ('"dir":"do","ts":"2', '"dir":"do","ts":"x', "is broken"),
        ('"kept":{', '"kept":{"queue":7,', "the head of the capture cannot be read"),
        ('"declaration":{', '"declaration":{"argv":7,', "the head of the capture cannot be read"),
    ],
)
def test_damage_in_a_capture_is_told_and_no_mistake_of_ours(craze: Craze, sound: str, damaged: str, says: str) -> None:
    written = run(craze, "--format", "wire", "hello").stdout.decode()
    assert sound in written
    (craze.work / "x.jsonl").write_text(written.replace(sound, damaged))

    strict = craze("replay", "--strict", "x.jsonl")
    dump = craze("dump", "x.jsonl")

    assert strict.returncode == 1
    assert says in (strict.stdout + strict.stderr).decode()
    assert b"internal" not in strict.stderr + dump.stderr
