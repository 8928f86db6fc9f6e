from __future__ import annotations

import json
import os
import threading

import pytest

from tests.cli.conftest import Craze

EVENTS = [
    '{"type":"turn","turn":{"id":"turn-1","phase":"started","text":"hi","origin":"submit"},"at":"2026-11-30T12:00:00Z"}',
    '{"type":"text","text":"Hello \\u001b[31mred\\u001b[0m.","at":"2026-11-30T12:00:01Z","unknown":1}',
    '{"type":"a-kind-of-tomorrow","at":"2026-11-30T12:00:02Z"}',
    '{"type":"done","stopReason":"end_turn","at":"2026-11-30T12:00:03Z"}',
    '{"type":"turn","turn":{"id":"turn-1","phase":"ended","stopReason":"end_turn"},"at":"2026-11-30T12:00:03Z"}',
]
FACT = (
    '{"kind":"fact","ts":"2026-11-30T12:00:01Z","after":2,"fact":"usage","data":{"source":"agent","contextTokens":5}}'
)
HEADER = '{"kind":"header","ts":"2026-11-30T12:00:00Z","format":1,"eventCodec":1,"incarnation":"i","crazeId":"c"}'


def journal(*, gap: bool = False, torn: bool = False) -> str:
    lines = [
        f'{{"kind":"event","ts":"2026-11-30T12:00:00Z","seq":{n},"event":{event}}}' for n, event in enumerate(EVENTS, 1)
    ]
    lines.insert(2, FACT)
    lines.insert(3, '{"kind":"of-tomorrow","ts":"2026-11-30T12:00:00Z"}')
    if gap:
        lines.append('{"kind":"gap","ts":"2026-11-30T12:00:00Z","fromSeq":6,"toSeq":9,"events":4,"error":"queue full"}')
    return "\n".join([HEADER, *lines]) + "\n" + ('{"kind":"event","ts":"2026' if torn else "")


@pytest.fixture
def stored(craze: Craze) -> Craze:
    (craze.work / "j.jsonl").write_text(journal())
    (craze.work / "bare.jsonl").write_text("\n".join(EVENTS) + "\n")
    return craze


@pytest.mark.rule("STORE-29", "STORE-31")
@pytest.mark.parametrize(
    "more", [[], ["--pace", "instant"], ["--from", "1"], ["--until", "99"], ["--pace", "fixed:0ms"]]
)
def test_a_dump_gives_back_the_bytes_whatever_they_are(stored: Craze, more: list[str]) -> None:
    expected = "".join(f"{event}\n" for event in EVENTS)

    assert stored("dump", "j.jsonl", *more).stdout.decode() == expected
    assert stored("dump", "bare.jsonl", *more).stdout.decode() == expected
    assert stored("dump", "-", *more, input=journal()).stdout.decode() == expected


@pytest.mark.rule("STORE-32")
def test_a_dump_begins_and_ends_where_it_is_asked_to(stored: Craze) -> None:
    part = stored("dump", "j.jsonl", "--from", "2", "--until", "3").stdout.decode()

    assert part.splitlines() == EVENTS[1:3]


@pytest.mark.rule("CLI-12", "STORE-7")
def test_the_envelope_of_a_dump_has_numbers_and_facts_and_reads_back_as_a_source(stored: Craze) -> None:
    done = stored("dump", "j.jsonl", "--envelope")

    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["seq"] for line in lines if "seq" in line] == [1, 2, 3, 4, 5]
    assert [line for line in lines if "fact" in line] == [
        {"after": 2, "fact": {"kind": "usage", "data": {"source": "agent", "contextTokens": 5}}}
    ]
    (stored.work / "envelope.jsonl").write_bytes(done.stdout)
    assert stored("dump", "envelope.jsonl", "--envelope").stdout == done.stdout


@pytest.mark.rule("CLI-59", "CLI-10")
def test_text_goes_into_a_pipe_as_the_agent_wrote_it(stored: Craze) -> None:
    assert stored("dump", "j.jsonl", "--format", "text").stdout == b"Hello \x1b[31mred\x1b[0m.\n"


@pytest.mark.rule("STORE-11", "STORE-31")
def test_what_is_missing_or_damaged_is_said_and_costs_nothing_else(craze: Craze) -> None:
    (craze.work / "j.jsonl").write_text(journal(gap=True, torn=True))

    for more in ([], ["--envelope"]):
        done = craze("dump", "j.jsonl", *more)
        assert done.returncode == 0
        assert done.stdout.count(b"\n") == len(EVENTS) + len(more)
        assert b"events 6 to 9 are missing: queue full" in done.stderr
        assert b"torn" in done.stderr


@pytest.mark.rule("STORE-29")
@pytest.mark.parametrize("content", ["", "hello\n", "[1]\n", '{"a":1}\n'])
def test_a_file_of_another_kind_is_refused_with_what_was_found(craze: Craze, content: str) -> None:
    (craze.work / "x").write_text(content)

    done = craze("dump", "x")

    assert done.returncode == 2
    assert done.stderr.startswith(b"craze: x ")


@pytest.mark.rule("STORE-11")
def test_a_journal_of_a_later_format_is_refused_with_both_numbers(craze: Craze) -> None:
    (craze.work / "x").write_text(HEADER.replace('"format":1', '"format":7') + "\n")

    done = craze("dump", "x")

    assert done.returncode == 1
    assert b"7" in done.stderr
    assert b"1" in done.stderr


@pytest.mark.rule("STORE-32")
@pytest.mark.parametrize("pace", ["quick", "0x", "fixed:", "fixed:soon"])
def test_an_odd_pace_is_refused(stored: Craze, pace: str) -> None:
    assert stored("dump", "j.jsonl", "--pace", pace).returncode == 2


@pytest.mark.rule("STORE-11")
def test_an_event_that_cannot_be_read_costs_its_own_words_alone(craze: Craze) -> None:
    (craze.work / "x").write_text('{"type":"text","text":"a"}\n{"type":"text","text":5}\n{"type":"text","text":"b"}\n')

    done = craze("dump", "x", "--format", "text")

    assert (done.returncode, done.stdout) == (0, b"ab\n")
    assert b"$.text" in done.stderr


@pytest.mark.rule("STORE-29")
def test_a_pipe_is_a_source_like_a_file(stored: Craze) -> None:
    os.mkfifo(stored.work / "pipe")
    for name in ("j.jsonl", "bare.jsonl"):
        writer = threading.Thread(target=(stored.work / "pipe").write_bytes, args=[(stored.work / name).read_bytes()])
        writer.start()

        done = stored("dump", "pipe")

        writer.join(20)
        assert done.stdout == stored("dump", name).stdout


@pytest.mark.rule("CLI-12")
def test_bare_events_are_numbered_by_their_place(stored: Craze) -> None:
    lines = stored("dump", "bare.jsonl", "--envelope").stdout.splitlines()

    assert [json.loads(line)["seq"] for line in lines] == [1, 2, 3, 4, 5]


@pytest.mark.rule("STORE-29", "CLI-33")
def test_a_capture_from_a_pipe_is_checked_like_one_from_a_file(craze: Craze) -> None:
    wire = craze("run", "--agent", "demo", "--format", "wire", "hello").stdout

    done = craze("check", "-", "--expect", "rederives", "--expect", "balanced", input=wire)

    assert done.stdout.decode().split() == ["ok", "rederives", "ok", "balanced"]


def test_following_ends_when_nobody_writes_any_more(craze: Craze) -> None:
    assert craze("run", "--agent", "demo", "hello").returncode == 0
    (journal_,) = craze.journals
    kept = [line for line in journal_.read_bytes().splitlines(keepends=True) if b'"kind":"closing"' not in line]
    journal_.write_bytes(b"".join(kept))

    done = craze("dump", craze.sessions[0].name, "--follow")

    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == sum(b'"kind":"event"' in line for line in kept)


def test_an_export_to_a_dash_goes_to_stdout(craze: Craze) -> None:
    assert craze("run", "--agent", "demo", "hello").returncode == 0
    session = craze.sessions[0].name

    assert craze("sessions", "export", session, "-o", "-").stdout == craze("sessions", "export", session).stdout
    assert not (craze.work / "-").exists()


@pytest.mark.rule("CLI-32", "STORE-18")
@pytest.mark.parametrize("form", ["md", "html"])
def test_a_redacted_export_holds_no_secret_however_its_form_would_write_it(craze: Craze, form: str) -> None:
    secret = 'hush "quoted" <hush>'
    craze.variables["API_KEY"] = secret
    assert craze("run", "--agent", "demo", f"say {secret}").returncode == 0
    session = craze.sessions[0].name

    whole = craze("sessions", "export", session, "--format", form).stdout.decode()
    redacted = craze("sessions", "export", session, "--format", form, "--redact").stdout.decode()

    assert "hush" in whole
    assert "«API_KEY»" in redacted
    assert "hush" not in redacted


@pytest.mark.rule("CLI-45")
def test_a_pipe_in_place_of_the_settings_is_refused_and_not_waited_for(craze: Craze) -> None:
    os.mkfifo(craze.configure("").with_name("other"))
    (craze.home / "other").rename(craze.home / "config.toml")

    done = craze("run", "--agent", "demo", "hello")

    assert (done.returncode, done.stdout) == (2, b"")
    assert "config.toml is no regular file" in done.stderr.decode()
