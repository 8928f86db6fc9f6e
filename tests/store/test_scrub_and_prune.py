"""Captures that can be shared, and sessions that go."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from pathlib import Path

import pytest

from craze.codec import ns
from craze.errors import CrazeError, SessionBusy, UsageError
from craze.store.capture import BadRow, Row, rows
from craze.store.capture_show import row_line
from craze.store.folder import Folder, Lock, all_folders
from craze.store.prompts import add_prompt, read_prompts
from craze.store.prune import Going, Retention, carry_out, plan, prune
from craze.store.redact import Redactor
from craze.store.scrub import scrub
from craze.store.session_file import save
from craze.store.stored import Row as QueueRow
from craze.store.stored import Stored
from tests.store.making import at, text, written

CAPTURES = Path(__file__).parents[3] / "shared" / "captures"
UUID = "e945bed9-36a6-476f-a006-8acf50d9bdd8"
NOW = ns("2026-12-31T00:00:00Z")


def captured(path: Path, *lines: str | bytes) -> Path:
    found = [
        {"dir": "in", "b64": b64encode(line).decode()} if isinstance(line, bytes) else {"dir": "in", "line": line}
        for line in lines
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in found))
    return path


@pytest.mark.rule("CLI-53", "STORE-18")
def test_a_scrubbed_capture_has_the_same_replaced_by_the_same_and_keeps_all_else(tmp_path: Path) -> None:
    inner = json.dumps({"sessionId": UUID, "b": 1.50, "a": "/home/me/p/x.py", "mail": "\nann@example.org"})
    source = captured(
        tmp_path / "in",
        inner,
        json.dumps({"arguments": json.dumps({"key": "hush-hush", "session": UUID, "call": "toolu_01AbCdEf9"})}),
        b"\xff /home/me ann@example.org",
        "toolu_01AbCdEf9 toolu_99999999 session_configuration",
        "[create] sessionId=" + UUID,
    )
    redactor = Redactor({"API_KEY": "hush-hush"}, {"/home/me": "/home/user", "/home/me/p": "/workspace"})

    assert scrub(source, tmp_path / "out", redactor) == 5

    found = [row.payload for row in rows(tmp_path / "out") if isinstance(row, Row)]
    session = json.loads(found[0])["sessionId"]
    assert list(json.loads(found[0])) == ["sessionId", "b", "a", "mail"]
    assert b'"b": 1.5,' in found[0]
    assert json.loads(found[0])["a"] == "/workspace/x.py"
    assert json.loads(found[0])["mail"] == "\nperson-1@example.com"
    assert json.loads(json.loads(found[1])["arguments"]) == {
        "key": "«API_KEY»",
        "session": session,
        "call": "toolu_00000001",
    }
    assert found[2] == b"\xff /home/user person-1@example.com"
    assert found[3] == b"toolu_00000001 toolu_00000002 session_configuration"
    assert found[4].decode() == f"[create] sessionId={session}"


@pytest.mark.rule("CLI-53")
def test_scrubbing_refuses_and_writes_nothing_when_a_secret_is_still_there(tmp_path: Path) -> None:
    source = captured(tmp_path / "in", "hush-hush-hush", "fine", b64encode(b"hush-hush-hush").decode())

    with pytest.raises(CrazeError, match="row 3"):
        scrub(source, tmp_path / "out", Redactor({"API_KEY": "hush-hush-hush"}, {}))
    with pytest.raises(UsageError, match="exists"):
        scrub(source, source, Redactor({}, {}))

    assert [entry.name for entry in tmp_path.iterdir()] == ["in"]


@pytest.mark.rule("CLI-53")
def test_a_folder_that_only_begins_like_ones_own_is_no_leak(tmp_path: Path) -> None:
    source = captured(tmp_path / "in", "/home/me2/x and /home/me/y")

    scrub(source, tmp_path / "out", Redactor({}, {"/home/me": "/home/user", "/workspace": "/workspace"}))

    assert [row.payload for row in rows(tmp_path / "out") if isinstance(row, Row)] == [b"/home/me2/x and /home/user/y"]


@pytest.mark.rule("CLI-53")
@pytest.mark.skipif(not CAPTURES.is_dir(), reason="the recordings of real agents are not beside this checkout")
@pytest.mark.parametrize("name", ["acp/claude-load", "control/tool_allow.a"])
def test_a_scrubbed_recording_of_a_real_agent_has_the_same_rows_and_shows_on_one_line_each(
    tmp_path: Path, name: str
) -> None:
    source = CAPTURES / f"{name}.jsonl"
    scrub(source, tmp_path / "out", Redactor({}, {"/workspace": "/elsewhere"}))

    before, after = list(rows(source)), list(rows(tmp_path / "out"))

    assert [(row.number, row.dir) for row in before if isinstance(row, Row)] == [
        (row.number, row.dir) for row in after if isinstance(row, Row)
    ]
    assert b"/workspace" not in (tmp_path / "out").read_bytes()
    for row in after:
        assert len(row_line(row, 100)) <= 100
        assert row_line(row).isprintable()


@pytest.mark.rule("CLI-53")
def test_a_row_is_shown_with_number_time_direction_kind_ids_and_text() -> None:
    update = b'{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"tool_call","toolCallId":"t1"}}}'

    assert row_line(Row(7, "in", 1_500_000_000, "", update)).startswith(
        '     7     1.500    in session/update/tool_call t1 {"sessionUpdate"'
    )
    assert row_line(Row(8, "out", None, "", b'{"id":3,"result":{}}')) == "     8             out answer #3 {}"
    assert row_line(Row(9, "in", 0, "", b"\x1b[31mhi", "eof")) == r"     9     0.000    in noise eof \x1b[31mhi"
    assert row_line(BadRow(10, b"[1]", "broken")) == "    10           broken [1]"


# ---- prune


def session(sessions: Path, id_: str, updated: str, **more: object) -> Folder:
    folder = Folder(sessions, id_)
    save(folder, Stored(craze_id=id_, updated_at=updated, **more))  # pyright: ignore[reportArgumentType]
    return folder


def going(found: list[Going]) -> list[tuple[str, str]]:
    return [(one.folder.id, one.why) for one in found]


@pytest.mark.rule("STORE-25", "STORE-26")
def test_old_sessions_go_oldest_first_but_for_those_somebody_may_still_want(tmp_path: Path) -> None:
    session(tmp_path, "new", "2026-12-30T00:00:00Z")
    session(tmp_path, "older", "2026-01-02T00:00:00Z")
    session(tmp_path, "oldest", "2026-01-01T00:00:00Z")
    session(tmp_path, "pinned", "2026-01-01T00:00:00Z", title="Mine", pinned=True)
    session(tmp_path, "queued", "2026-01-01T00:00:00Z", queue=(QueueRow(id="q-1", text="next"),))
    session(tmp_path, "draft", "2026-01-01T00:00:00Z", draft="half")
    with Lock(session(tmp_path, "open", "2026-01-01T00:00:00Z")):
        keep = Retention(keep_days=90, wire_keep_days=0)
        assert going(list(plan(tmp_path, keep, NOW))) == [("oldest", "old"), ("older", "old")]
        assert len(list(all_folders(tmp_path))) == 7

        assert going(prune(tmp_path, keep, NOW)) == [("oldest", "old"), ("older", "old")]

    assert {folder.id for folder in all_folders(tmp_path)} == {"new", "pinned", "queued", "draft", "open"}


@pytest.mark.rule("STORE-25")
def test_over_the_size_limit_the_oldest_go_until_it_fits(tmp_path: Path) -> None:
    for day in (1, 2, 3):
        folder = session(tmp_path, f"day-{day}", f"2026-12-0{day}T00:00:00Z")
        (folder.path / "attachments").write_bytes(b"x" * 10_000)

    assert going(list(plan(tmp_path, Retention(max_bytes=15_000), NOW))) == [("day-1", "over"), ("day-2", "over")]
    assert list(plan(tmp_path, Retention(), NOW)) == []


@pytest.mark.rule("STORE-25")
def test_old_captures_go_alone(tmp_path: Path) -> None:
    folder = session(tmp_path, "one", "2026-12-30T00:00:00Z")
    old, new = folder.wire("20261001T000000Z", "a"), folder.wire("20261230T000000Z", "b")
    for path, when in ((old, "2026-10-01T00:00:00Z"), (new, "2026-12-30T00:00:00Z")):
        path.write_text("x" * 10)
        os.utime(path, ns=(ns(when), ns(when)))

    [found] = prune(tmp_path, Retention(), NOW)

    assert (found.why, found.size, found.files) == ("capture", 10, (old,))
    assert folder.wires() == [new]
    assert folder.session_file.exists()


@pytest.mark.rule("STORE-26")
async def test_orphans_are_folders_without_any_event(tmp_path: Path) -> None:
    session(tmp_path, "empty", "2026-12-30T00:00:00Z")
    full = session(tmp_path, "full", "2026-12-30T00:00:00Z")
    await written(full.journal("20261230T000000Z", "a"), text(1))

    assert going(list(plan(tmp_path, Retention(orphans=True), NOW))) == [("empty", "orphan")]


@pytest.mark.rule("STORE-25", "STORE-26")
def test_pruning_stops_when_its_time_is_over_and_passes_over_what_was_opened_meanwhile(tmp_path: Path) -> None:
    session(tmp_path, "one", "2026-01-01T00:00:00Z")
    two = session(tmp_path, "two", "2026-01-02T00:00:00Z")
    keep = Retention(keep_days=1)
    [first, second] = plan(tmp_path, keep, NOW)

    assert prune(tmp_path, keep, NOW, clock=iter([0.0, 0.0, 0.0, 1.0]).__next__) == []
    with Lock(two), pytest.raises(SessionBusy):
        carry_out(second)
    carry_out(first)

    assert [folder.id for folder in all_folders(tmp_path)] == ["two"]


# ---- prompt history


@pytest.mark.rule("STORE-24")
def test_prompts_are_kept_newest_last_but_not_those_that_begin_with_a_space(tmp_path: Path) -> None:
    path = tmp_path / "state" / "history.jsonl"
    for typed in ("one", " secret", "two", "two", "", "three\nlines"):
        add_prompt(path, at(1), "/p", typed)

    assert [row.text for row in read_prompts(path)] == ["one", "two", "three\nlines"]
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_bytes(b"junk\n" + path.read_bytes())
    assert len(read_prompts(path)) == 3


@pytest.mark.rule("STORE-24")
def test_the_prompt_history_is_cut_to_five_thousand_rows(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text("".join(json.dumps({"ts": "", "cwd": "/p", "text": f"{n}"}) + "\n" for n in range(5500)))

    add_prompt(path, at(1), "/p", "newest")

    found = read_prompts(path)
    assert (len(found), found[0].text, found[-1].text) == (5000, "501", "newest")
    assert path.read_bytes().count(b"\n") == 5000
