"""Session folders: who may write, how they are found, listed, renamed and removed."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from craze.codec import Event, Queued, State, Turn
from craze.errors import SessionBusy, SessionNotFound, UsageError
from craze.store.folder import Folder, Lock, all_folders, by_prefix, remove, sweep
from craze.store.session_file import SessionFile, load, read, rename, row, save
from craze.store.source import find, find_session, form_of
from craze.store.stored import Stored
from tests.store.making import at, ended, header, record, text, written


class Kept(msgspec.Struct, frozen=True):
    """What the engine keeps."""

    title: str = ""
    pinned: bool = False
    turns: int = 0
    queue: tuple[Queued, ...] = ()
    attachments: dict[str, tuple[str, ...]] = {}
    paused: str = ""
    draft: str = ""
    provider_session: str = ""


def folder(sessions: Path, id_: str = "session-1") -> Folder:
    made = Folder(sessions, id_)
    made.make()
    return made


def keep(where: Folder, stored: Stored | None = None, **more: object) -> SessionFile:
    known: dict[str, object] = {"now": lambda: at(9), "on_error": lambda text: None}
    return SessionFile(where, stored or Stored(craze_id=where.id, agent="demo", cwd="/p"), **{**known, **more})  # pyright: ignore[reportArgumentType]


HOLDS = """
import sys
from pathlib import Path
from craze.store.folder import Folder, Lock
with Lock(Folder(Path(sys.argv[1]), "session-1")):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.rule("STORE-4", "STORE-3")
def test_a_session_that_another_process_runs_is_refused_and_free_again_when_that_dies(tmp_path: Path) -> None:
    here = folder(tmp_path)
    save(here, Stored(craze_id=here.id))
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()

        for refused in (lambda: Lock(here), lambda: remove(here), lambda: rename(here, "x", at(1))):
            with pytest.raises(SessionBusy, match=str(process.pid)) as caught:
                refused()
            assert caught.value.exit == "no_session"
        assert here.running() == process.pid
        assert read(here) is not None
        process.kill()

    assert (here.path / "lock").exists()
    assert here.running() == 0
    with Lock(here):
        assert (here.path / "lock").read_text().strip() == str(os.getpid())


@pytest.mark.rule("STORE-1", "STORE-2")
def test_folders_are_made_for_their_owner_and_existing_modes_stay(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)

    here = folder(tmp_path / "a" / "sessions")
    Lock(here).release()
    save(here, Stored(craze_id=here.id))

    assert stat.S_IMODE(here.path.stat().st_mode) == stat.S_IMODE(here.sessions.stat().st_mode) == 0o700
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
    assert {stat.S_IMODE(file.stat().st_mode) for file in here.path.iterdir()} == {0o600}


@pytest.mark.rule("STORE-1")
def test_looking_at_sessions_makes_nothing(tmp_path: Path) -> None:
    nowhere = tmp_path / "none"

    assert list(all_folders(nowhere)) == []
    assert row(Folder(nowhere, "abcd")) is None
    with pytest.raises(SessionNotFound):
        find("abcd", nowhere)
    assert not nowhere.exists()


@pytest.mark.parametrize("bad", ["", "..", ".hidden", "a/b", "x" * 129, "ä"])
def test_no_name_leads_out_of_the_sessions_folder(tmp_path: Path, bad: str) -> None:
    with pytest.raises(UsageError):
        Folder(tmp_path, bad)
    assert by_prefix(tmp_path, bad) == []


@pytest.mark.rule("STORE-27")
def test_a_removed_session_is_gone_and_a_half_removed_one_is_swept(tmp_path: Path) -> None:
    here = folder(tmp_path)
    (here.path / "x.jsonl").write_text("x")
    half = tmp_path / ".going-other"
    half.mkdir()

    remove(here)
    assert list(all_folders(tmp_path)) == []
    sweep(tmp_path)

    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SessionNotFound):
        Lock(here)


@pytest.mark.rule("STORE-19")
async def test_the_session_file_holds_what_the_engine_keeps_and_keys_it_does_not_know(tmp_path: Path) -> None:
    here = folder(tmp_path)
    here.session_file.write_text('{"crazeId":"session-1","glow":{"a":1},"title":"old"}')
    queue = (Queued(id="q-1", text="next", queued_at=at(3), version=2),)
    kept = Kept("New", True, 3, queue, {"q-1": ("/a.png",)}, "turn_failed", "half a tho", "agent-7")

    file = keep(here)
    file(kept)
    assert await file.close(20)

    assert json.loads(here.session_file.read_bytes()) == {
        "glow": {"a": 1},
        "version": 1,
        "crazeId": "session-1",
        "sessionId": "agent-7",
        "provider": "",
        "agent": "demo",
        "cwd": "/p",
        "origin": "",
        "createdAt": at(9),
        "updatedAt": at(9),
        "title": "New",
        "pinned": True,
        "turns": 3,
        "queue": [{"id": "q-1", "text": "next", "queuedAt": at(3), "version": 2, "attachments": ["/a.png"]}],
        "paused": "turn_failed",
        "draft": "half a tho",
    }


@pytest.mark.rule("STORE-19")
async def test_the_session_file_appears_with_the_first_thing_worth_keeping(tmp_path: Path) -> None:
    here = folder(tmp_path)
    file = keep(here)

    file(Kept(provider_session="agent-7"))
    assert not here.session_file.exists()
    file(Kept(draft="a"))
    file(Kept(draft=""))
    await file.close(20)

    assert read(here) == Stored(
        craze_id="session-1", session_id="agent-7", agent="demo", cwd="/p", created_at=at(9), updated_at=at(9)
    )


@pytest.mark.rule("STORE-13")
async def test_with_the_journal_off_the_session_file_holds_no_text(tmp_path: Path) -> None:
    here = folder(tmp_path)
    file = keep(here, private=True)
    file(Kept("secret title", True, 1, (Queued(id="q-1", text="secret row"),), {}, "", "secret draft"))
    await file.close(20)

    assert b"secret" not in here.session_file.read_bytes()
    assert json.loads(here.session_file.read_bytes())["agent"] == "demo"


@pytest.mark.rule("ENG-106")
async def test_a_session_file_that_cannot_be_written_is_told_and_so_is_its_recovery(tmp_path: Path) -> None:
    told = asyncio.Queue[str]()
    here = folder(tmp_path)
    here.session_file.mkdir()
    file = keep(here, on_error=told.put_nowait)

    async with asyncio.timeout(20):
        file(Kept(turns=1))
        assert "session.json" in await told.get()
        here.session_file.rmdir()
        file(Kept(turns=2))
        assert await told.get() == ""
    await file.close(20)

    assert (stored := read(here)) is not None
    assert stored.turns == 2
    assert [entry.name for entry in here.path.iterdir()] == ["session.json"]


SAVES = """
import sys
from pathlib import Path
from craze.store.folder import Folder
from craze.store.session_file import save
from craze.store.stored import Stored
folder = Folder(Path(sys.argv[1]), "session-1")
turns = 0
while True:
    turns += 1
    save(folder, Stored(craze_id="session-1", turns=turns, draft="x" * 50_000))
    print(turns, flush=True)
"""


@pytest.mark.rule("STORE-19", "ENG-43")
def test_a_kill_in_the_middle_of_a_save_leaves_a_whole_session_file(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", SAVES, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        saved = [int(process.stdout.readline()) for _ in range(5)][-1]
        process.kill()

    assert (stored := read(Folder(tmp_path, "session-1"))) is not None
    assert stored.turns >= saved
    assert len(stored.draft) == 50_000


@pytest.mark.rule("STORE-19", "STORE-20")
async def test_an_unreadable_session_file_is_put_aside_and_made_again_from_the_journals(tmp_path: Path) -> None:
    here, said = folder(tmp_path), list[str]()
    await written(
        here.journal("20261130T120000Z", "run-1"),
        record(1, Event("turn", turn=Turn(id="turn-1", phase="started", text="hi"))),
        record(2, Event("meta", state=State(title="A fine title"), text="A fine title")),
        ended(3),
        head=header(),
    )
    here.session_file.write_text('{"crazeId": 7')

    assert (listed := row(here)) is not None
    assert (listed.agent, listed.cwd) == ("demo", "/srv/p")
    stored = load(here, said.append)

    assert stored == read(here)
    assert stored is not None
    assert (stored.title, stored.turns, stored.queue, stored.cwd) == ("A fine title", 1, (), "/srv/p")
    assert (here.path / "session.json.bad").read_text() == '{"crazeId": 7'
    assert len(said) == 1


@pytest.mark.rule("CLI-31", "CLI-64", "STORE-29")
def test_a_session_is_found_by_id_by_prefix_and_by_its_pinned_title(tmp_path: Path) -> None:
    for id_, title in (("0194-aaaa", "Fix the bug"), ("0194-bbbb", "0194"), ("0195-cccc", "")):
        made = folder(tmp_path, id_)
        save(made, Stored(craze_id=id_, cwd="/p"))
        rename(made, title, at(1))

    assert find_session("0194-aaaa", tmp_path).id == "0194-aaaa"
    assert find_session("0195", tmp_path).id == "0195-cccc"
    assert find_session("fix THE bug", tmp_path, cwd="/p").id == "0194-aaaa"
    for nothing in ("019", "fix", "Fix the bug"):
        with pytest.raises(SessionNotFound):
            find_session(nothing, tmp_path, cwd="/elsewhere")
    with pytest.raises(SessionNotFound, match="2 sessions") as caught:
        find_session("0194", tmp_path, cwd="/p")
    assert "0194-aaaa, 0194-bbbb" in caught.value.hint
    assert (last := read(Folder(tmp_path, "0195-cccc"))) is not None
    assert not last.pinned


@pytest.mark.rule("STORE-29")
@pytest.mark.parametrize(
    ("first", "form"),
    [
        (b'{"kind":"header","format":1}', "journal"),
        (b'{"t": 0.1, "dir": "out", "line": "x"}', "wire"),
        (b'{"type":"text","text":"x"}', "codec"),
        (b'{"seq":7,"event":{"type":"text"}}', "codec"),
        (b'{"after":0,"fact":{"kind":"info","data":{}}}', "codec"),
    ],
)
def test_a_file_is_what_its_first_line_says(tmp_path: Path, first: bytes, form: str) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"\n" + first + b"\n" + b"{}\n")

    assert find(str(file), tmp_path).form == form
    with file.open("rb") as stream:
        source = find("-", tmp_path, stdin=stream)
        assert source.form == form
        assert source.stream is not None
        assert source.stream.read(1 << 20) == file.read_bytes()


@pytest.mark.rule("STORE-29")
@pytest.mark.parametrize("first", [b"", b"hello \x1b[31m", b"[]", b"{}", b'{"a":1}'])
def test_a_file_of_another_kind_is_refused_with_what_was_found(first: bytes) -> None:
    with pytest.raises(UsageError) as caught:
        form_of(first, "x")
    assert str(caught.value).startswith("x is ")
    assert "\x1b" not in str(caught.value)


@pytest.mark.rule("STORE-20")
async def test_a_folder_without_a_session_file_is_listed_from_its_newest_header(tmp_path: Path) -> None:
    here = folder(tmp_path)
    await written(here.journal("20261130T120000Z", "a"), text(1), head=header("a"))
    await written(here.journal("20261201T120000Z", "b"), text(2), head=header("b", agent="other", ts=at(60)))

    assert (listed := row(here)) is not None
    assert (listed.agent, listed.updated_at) == ("other", at(60))


@pytest.mark.rule("STORE-4")
def test_a_full_disk_costs_the_lock_its_number_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    folder = Folder(tmp_path, "one")
    folder.make()
    monkeypatch.setattr("craze.store.folder.os.pwrite", full)

    with Lock(folder):
        assert folder.running() == -1
        with pytest.raises(SessionBusy):
            Lock(folder)


def test_a_pipe_with_the_name_of_a_journal_is_none(tmp_path: Path) -> None:
    folder = Folder(tmp_path, "one")
    folder.make()
    folder.journal("20261130T120000Z", "a").touch()
    os.mkfifo(folder.journal("20261130T120001Z", "b"))
    os.mkfifo(folder.wire("20261130T120001Z", "b"))

    assert [path.name for path in folder.journals()] == ["20261130T120000Z_a.jsonl"]
    assert folder.wires() == []
