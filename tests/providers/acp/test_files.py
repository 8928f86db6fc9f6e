"""`fs/*`: below the folders of a session at once, everything else only when a person says so."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from craze.engine.answers import Pick
from craze.engine.facts import Policies
from craze.engine.ports import AskOpened, AskWithdrawn
from craze.providers.acp import files
from craze.providers.acp.link import Answer
from tests.fakes.acp_bench import Bench, Step, bench, opened, prompted, request, text
from tests.fakes.acp_session import stage

DENY = Policies(permission="deny", question="deny", plan="deny")


def asked(method: str, **params: Any) -> list[Step]:
    return [*opened(), request(0, method, **params), {"expect": {"id": 0}}, text("done")]


async def answer(test: Bench) -> dict[str, Any]:
    """What the one request was answered with."""
    test.open()
    await test.until(lambda: test.events("text"))
    (line,) = [line for line in test.sent() if line.get("id") == 0 and "method" not in line]
    return line.get("result", line.get("error"))


@pytest.mark.rule("ACP-93", "ACP-T35")
@pytest.mark.parametrize(
    ("params", "content"),
    [
        ({}, "one\r\ntwo\nthree"),
        ({"line": 2, "limit": 1}, "two\n"),
        ({"line": 0, "limit": 1}, "one\r\n"),
        ({"line": 3}, "three"),
        ({"line": 99}, ""),
        ({"limit": 0}, ""),
    ],
)
async def test_a_file_is_read_by_lines(tmp_path: Path, params: Any, content: str) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "f").write_bytes(b"one\r\ntwo\nthree")
    async with bench(tmp_path, *asked("fs/read_text_file", path=str(work / "f"), **params), fs=True) as test:
        assert await answer(test) == {"content": content}
        assert test.lints() == {}


@pytest.mark.rule("ACP-94", "ACP-188", "ACP-T35")
async def test_a_missing_file_is_never_an_empty_one(tmp_path: Path) -> None:
    path = str(tmp_path / "work" / "none")
    async with bench(tmp_path, *asked("fs/read_text_file", path=path), fs=True) as test:
        assert await answer(test) == {"code": -32002, "message": f"Resource not found: {path}", "data": {"uri": path}}
        assert test.events() == test.events("text")


@pytest.mark.rule("ACP-95")
async def test_a_file_that_is_read_only_is_not_overridden(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "f").write_text("mine")
    (work / "f").chmod(0o444)
    async with bench(tmp_path, *asked("fs/write_text_file", path=str(work / "f"), content="x"), fs=True) as test:
        error = await answer(test)

        assert (error["code"], error["message"]) == (-32603, f"Permission denied: {work / 'f'}")
        assert (work / "f").read_text() == "mine"


@pytest.mark.rule("ACP-93", "ACP-94")
@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("binary", -32602, "not a text file"),
        (".", -32603, "is a directory"),
        ("pipe", -32602, "not a regular file"),
        ("socket", -32602, "not a regular file"),
        ("loop", -32603, "loop"),
    ],
)
async def test_what_is_no_text_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: int, words: str
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "binary").write_bytes(b"\xff\x00")
    os.mkfifo(work / "pipe")
    (work / "loop").symlink_to("loop")
    monkeypatch.chdir(work)  # the whole path may be too long for a socket
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
    async with bench(tmp_path, *asked("fs/read_text_file", path=str(work / name)), fs=True) as test:
        error = await answer(test)

        assert error["code"] == code
        assert words in error["message"].casefold()


@pytest.mark.rule("ACP-95")
async def test_a_write_puts_no_file_in_the_place_of_a_pipe(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    os.mkfifo(work / "pipe")
    async with bench(tmp_path, *asked("fs/write_text_file", path=str(work / "pipe"), content="x"), fs=True) as test:
        error = await answer(test)

        assert (error["code"], error["message"]) == (-32602, f"not a regular file: {work / 'pipe'}")
        assert (work / "pipe").is_fifo()


@pytest.mark.rule("ACP-95", "ACP-T36")
async def test_a_write_makes_folders_and_follows_links_inside(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "real").mkdir(parents=True)
    target = work / "real" / "t"
    target.write_text("old")
    target.chmod(0o640)
    (work / "link").symlink_to(target)
    steps = [
        *opened(),
        request(0, "fs/write_text_file", path=str(work / "a" / "b"), content="x\r\n"),
        {"expect": {"id": 0, "result": {}}},
        request(1, "fs/write_text_file", path=str(work / "link"), content="new"),
        {"expect": {"id": 1, "result": {}}},
        text("done"),
    ]
    async with bench(tmp_path, *steps, fs=True) as test:
        test.open()
        await test.until(lambda: test.events("text"))

        assert (work / "a" / "b").read_bytes() == b"x\r\n"
        assert (work / "link").is_symlink()
        assert (target.read_text(), target.stat().st_mode & 0o777) == ("new", 0o640)
        assert sorted(path.name for path in (work / "real").iterdir()) == ["t"]


@pytest.mark.rule("ACP-92", "ACP-T34")
@pytest.mark.parametrize("name", ["/etc/hosts", "link/hosts", "../outside"])
async def test_outside_of_the_folders_nothing_is_read_without_a_person(tmp_path: Path, name: str) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "link").symlink_to("/etc")
    (tmp_path / "outside").write_text("x")
    steps = asked("fs/read_text_file", path=name)
    async with stage(tmp_path, *steps, policies=DENY, fs=True) as test:
        await test.until(lambda: test.of("text"))

        (line,) = [line for line in test.sent() if line.get("id") == 0]
        assert line["error"]["code"] == -32602
        assert line["error"]["message"] == f"path is outside the session's folders: {name}"


@pytest.mark.rule("ACP-92")
@pytest.mark.parametrize(("option", "asks"), [("allow_once", 2), ("allow_always", 1)])
async def test_a_person_allows_a_file_or_its_folder(tmp_path: Path, option: str, asks: int) -> None:
    (tmp_path / "f").write_text("there")
    read = {"path": str(tmp_path / "f")}
    steps = [
        *opened(),
        request(0, "fs/read_text_file", **read),
        {"expect": {"id": 0, "result": {"content": "there"}}},
        request(1, "fs/read_text_file", **read),
        {"expect": {"id": 1, "result": {"content": "there"}}},
        text("done"),
    ]
    async with bench(tmp_path, *steps, fs=True) as test:
        test.open()
        for number in range(1, asks + 1):
            opening = await test.one(AskOpened, number)
            assert str(tmp_path / "f") in opening.ask.body.tool
            test.provider.answer(opening.key, Pick(option=option))
        await test.until(lambda: test.events("text"))

        assert len(test.of(AskOpened)) == asks


@pytest.mark.rule("ACP-188", "ACP-T66")
async def test_four_reads_of_one_folder_are_one_question(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    for number in range(5):
        (foreign / str(number)).write_text("x")
    reads = [request(number, "fs/read_text_file", path=str(foreign / str(number))) for number in range(4)]
    steps = [
        *opened(),
        *reads,
        *[{"expect": {"error": {"code": -32602}}}] * 4,
        request(4, "fs/read_text_file", path=str(foreign / "4")),
        {"expect": {"error": {"code": -32602}}},
        text("done"),
    ]
    async with bench(tmp_path, *steps, fs=True) as test:
        test.open()
        opening = await test.one(AskOpened)
        test.provider.answer(opening.key, Pick(option="reject_once"))
        await test.until(lambda: test.events("text"))

        assert len(test.of(AskOpened)) == 1


@pytest.mark.rule("ACP-17", "ACP-188")
async def test_a_file_request_that_is_taken_back_makes_room_for_the_next(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("there")
    back = {"send": {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 0}}}
    steps = [
        *opened(),
        request(0, "fs/read_text_file", path=str(tmp_path / "f")),
        {"expect": {"method": "session/prompt"}},
        request(1, "fs/read_text_file", path=str(tmp_path / "f")),
        back,
        {"expect": {"id": 0, "error": {"code": -32800}}},
        {"expect": {"id": 1, "result": {"content": "there"}}},
        text("done"),
    ]
    async with bench(tmp_path, *steps, fs=True) as test:
        test.open()
        await test.one(AskOpened)
        test.prompt("go on")
        withdrawn = await test.one(AskWithdrawn)
        second = await test.one(AskOpened, 2)
        test.provider.answer(second.key, Pick(option="allow_once"))
        await test.until(lambda: test.events("text"))

        assert (withdrawn.key, second.key) == ("outside:0", "outside:1")


@pytest.mark.rule("ACP-91", "ACP-T65")
async def test_files_are_served_though_not_offered(tmp_path: Path) -> None:
    path = tmp_path / "work" / "new"
    async with bench(tmp_path, *asked("fs/write_text_file", path=str(path), content="x")) as test:
        assert await answer(test) == {}
        assert path.read_text() == "x"
        assert test.lints() == {"gated-call": 1}


@pytest.mark.rule("ACP-91")
async def test_files_that_are_refused_are_an_unknown_method(tmp_path: Path) -> None:
    async with bench(tmp_path, *asked("fs/read_text_file", path="/x"), fs="refuse") as test:
        assert (await answer(test))["code"] == -32601


@pytest.mark.rule("ACP-188")
async def test_declared_folders_may_be_read_but_not_written(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "f").write_text("mine")
    own = str(tmp_path / "own")
    steps = [
        *opened(),
        request(0, "fs/read_text_file", path=f"{own}/f"),
        {"expect": {"result": {"content": "mine"}}},
        request(1, "fs/write_text_file", path=f"{own}/f", content="x"),
    ]
    async with bench(tmp_path, *steps, fs=True, fs_roots=(own,)) as test:
        test.open()
        await test.one(AskOpened)

        assert (tmp_path / "own" / "f").read_text() == "mine"


@pytest.mark.rule("ACP-92")
async def test_a_relative_path_starts_in_the_session_folder(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "f").write_text("x")
    async with bench(tmp_path, *asked("fs/read_text_file", path="f"), fs=True) as test:
        assert await answer(test) == {"content": "x"}
        assert test.lints() == {"relative-path": 1}


@pytest.mark.rule("ACP-196", "ACP-105", "ACP-T84")
@pytest.mark.parametrize(("kind", "served"), [(None, False), ("read", False), ("edit", True)])
async def test_a_run_that_allows_nothing_writes_only_what_was_asked_for(
    tmp_path: Path, kind: str | None, served: bool
) -> None:
    path = str(tmp_path / "work" / "f")
    options = [{"optionId": "y", "kind": "allow_once", "name": "y"}]
    ask = [
        request(7, "session/request_permission", toolCall={"toolCallId": "t", "kind": kind}, options=options),
        {"expect": {"id": 7}},
    ]
    steps = [
        *opened(),
        {"expect": {"method": "session/prompt"}},
        *(ask if kind else []),
        request(0, "fs/write_text_file", path=path, content="x"),
        {"expect": {"id": 0}},
        request(1, "terminal/create", command="true"),
        {"expect": {"id": 1}},
        text("done"),
    ]
    from craze.engine.ports import Opened

    async with bench(tmp_path, *steps, writes="asked", preset="deny", fs=True) as test:
        test.open()
        await test.one(Opened)
        test.prompt("go")
        if kind:
            opening = await test.one(AskOpened)
            test.provider.answer(opening.key, Pick(option="y"))
        await test.until(lambda: test.events("text"))

        write, create = [line for line in test.sent() if line.get("id") in (0, 1) and "method" not in line][-2:]
        assert ("result" in write, "result" in create) == (served, served)
        if not served:
            assert (write["error"]["code"], create["error"]["code"]) == (-32602, -32603)
            assert "deny" in create["error"]["message"]


@pytest.mark.rule("ACP-96")
async def test_file_calls_are_no_events(tmp_path: Path) -> None:
    path = str(tmp_path / "work" / "f")
    steps = [
        *opened(),
        *prompted(request(0, "fs/write_text_file", path=path, content="x"), {"expect": {"id": 0}}, text("said"))[:-1],
    ]
    async with stage(tmp_path, *steps, fs=True) as test:
        from craze.engine.intents import Submit

        await test.ready()
        await test.send(Submit(text="go"))
        await test.until(lambda: test.of("text"))

        assert test.of("tool") == []


@pytest.mark.rule("ACP-15")
async def test_a_request_that_craze_stumbles_over_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: object) -> Answer:
        raise AssertionError

    monkeypatch.setattr(files, "_act", broken)
    async with bench(tmp_path, *asked("fs/read_text_file", path="f"), fs=True) as test:
        assert await answer(test) == {"code": -32603, "message": "Internal error"}
