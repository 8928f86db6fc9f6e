"""The wire capture: what a row looks like, where it ends, and that every row is read back as it was given."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from craze.errors import StoreError
from craze.store.capture import BadRow, Row, head_of, rows
from craze.store.wire import LINE_CUT, Head, Recorder, RowName
from craze.store.writer import Limits
from tests.store.making import FullDisk, Stuck, at

CAPTURES = Path(__file__).parents[3] / "shared" / "captures"
HEAD = Head(provider="acp", agent="demo", command=("craze", "demo-agent"), numbers={"seq": 2})


def recorder(path: Path | None, **more: object) -> Recorder:
    ticks = iter(range(0, 1 << 40, 1000))
    known: dict[str, object] = {"say": lambda text: None, "elapsed": lambda: next(ticks)}
    return Recorder(path, HEAD, at(0), **{**known, **more})  # pyright: ignore[reportArgumentType]


def read(path: Path) -> list[Row]:
    return [row for row in rows(path) if isinstance(row, Row)]


@pytest.mark.rule("STORE-14", "STORE-15", "STORE-2")
async def test_every_row_stands_in_the_file_as_the_specification_shows_it(tmp_path: Path) -> None:
    path = tmp_path / "c.wire.jsonl"
    capture = recorder(path)
    capture("out", b'{"id":1}', at(1))
    capture("in", b"\xff\xfe", at(2), "eof")
    capture("out", b'{"id":1}', at(3), "undelivered")
    capture("in", b"x" * LINE_CUT, at(4), "long", 90_000_000)
    capture("err", b"w" * 70_000, at(5))
    capture("do", b'{"cause":"c-1/3","intent":{"type":"Cancel"}}', at(6))
    capture("do", b'{"intent":{"type":"Close"}}', at(6))
    capture("timer", b"prompt-again:q-3", at(7))
    capture("exit", b'{"signal":"SIGKILL"}', at(8))
    await capture.close(20)

    lines = [json.loads(line) for line in path.read_bytes().splitlines()]

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert lines[0] | {"t": 0} == {
        "dir": "head",
        "ts": at(0),
        "t": 0,
        "format": 1,
        "provider": "acp",
        "agent": "demo",
        "command": ["craze", "demo-agent"],
        "numbers": {"seq": 2},
    }
    assert [line["t"] for line in lines] == sorted(line["t"] for line in lines)
    assert [{k: v for k, v in line.items() if k not in ("ts", "t")} for line in lines[1:4]] == [
        {"dir": "out", "line": '{"id":1}'},
        {"dir": "in", "b64": "//4=", "eof": True},
        {"dir": "out", "line": '{"id":1}', "undelivered": True},
    ]
    assert (len(lines[4]["line"]), lines[4]["bytes"]) == (LINE_CUT, 90_000_000)
    assert (len(lines[5]["line"]), lines[5]["bytes"]) == (LINE_CUT, 70_000)
    assert lines[6]["cause"] == "c-1/3"
    assert "cause" not in lines[7]
    assert lines[8]["timer"] == "prompt-again:q-3"
    assert lines[9]["signal"] == "SIGKILL"


ROWS = st.lists(
    st.tuples(st.sampled_from(["in", "out", "err"]), st.binary(max_size=200).map(lambda b: b.replace(b"\n", b"")))
)


@pytest.mark.rule("STORE-14")
@given(ROWS)
@settings(max_examples=60, deadline=None)
def test_any_line_is_read_back_byte_for_byte(given_rows: list[tuple[RowName, bytes]]) -> None:
    got: list[bytes] = []
    capture = recorder(None, listener=got.append)
    for name, payload in given_rows:
        capture(name, payload, at(1))

    found = [row for row in rows(_Stream(got)) if isinstance(row, Row)]

    assert [(row.dir, row.payload) for row in found[1:]] == given_rows
    assert {row.at for row in found[1:]} <= {at(1)}


class _Stream:
    def __init__(self, parts: list[bytes]) -> None:
        self._parts = iter(parts)

    def read(self, size: int, /) -> bytes:
        return next(self._parts, b"")


@pytest.mark.rule("STORE-17")
async def test_at_the_cap_an_end_row_is_written_and_said_once(tmp_path: Path) -> None:
    said: list[str] = []
    capture = recorder(tmp_path / "c", say=said.append, max_bytes=1000)
    for _ in range(50):
        capture("in", b"x" * 50, at(1))
    await capture.close(20)

    found = read(tmp_path / "c")

    assert [row.dir for row in found[:2]] == ["head", "in"]
    assert (found[-1].dir, found[-1].payload) == ("end", b"capped")
    assert sum(row.dir == "end" for row in found) == 1
    assert len(said) == 1
    assert (tmp_path / "c").stat().st_size < 1100


@pytest.mark.rule("STORE-17")
async def test_a_full_disk_ends_the_capture_and_is_said_once(tmp_path: Path) -> None:
    said = asyncio.Queue[str]()
    capture = recorder(tmp_path / "c", say=said.put_nowait, disk=FullDisk(400), limits=Limits(flush_lines=1))
    for _ in range(50):
        capture("in", b"x" * 50, at(1))

    async with asyncio.timeout(20):
        assert "No space left" in await said.get()
    capture("in", b"more", at(2))
    await capture.close(20)

    assert said.empty()
    assert (tmp_path / "c").stat().st_size <= 400
    assert read(tmp_path / "c")[0].dir == "head"


@pytest.mark.rule("STORE-14")
async def test_the_head_says_what_the_core_was_built_from(tmp_path: Path) -> None:
    await (capture := recorder(tmp_path / "c")).close(20)
    assert capture.path == tmp_path / "c"

    [row] = read(tmp_path / "c")

    assert head_of(row).command == HEAD.command
    assert head_of(row).numbers == {"seq": 2}


@pytest.mark.rule("CLI-35")
def test_a_capture_of_a_newer_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c").write_bytes(b'{"dir":"head","ts":"","t":0,"format":9,"provider":"acp"}\n')

    with pytest.raises(StoreError, match="format 9"):
        list(rows(tmp_path / "c"))


@pytest.mark.rule("STORE-35")
def test_a_recording_made_elsewhere_has_rows_of_the_same_form(tmp_path: Path) -> None:
    path = tmp_path / "c"
    path.write_text(
        '{"t": 0.0124, "dir": "out", "line": "{\\"jsonrpc\\": \\"2.0\\"}"}\n'
        '{"t": 3, "dir": "in", "msg": {"type": "x", "n": 1.50}}\n'
        '{"t": 3.5, "dir": "in", "raw": "not json"}\n'
        "[1]\n"
        '{"dir": "in", "b64": "/w=="}\n'
        '{"t": 4.0, "dir": "exit", "code": 3}\n'
        '{"dir": "in", "ts": "2026-11-30T12:00:00Z", "t": 77, "line": "ours"}\n'
        '{"dir": "in"'
    )

    found = list(rows(path))

    assert [(row.dir, row.t, row.payload) for row in found if isinstance(row, Row)] == [
        ("out", 12_400_000, b'{"jsonrpc": "2.0"}'),
        ("in", 3_000_000_000, b'{"type": "x", "n": 1.50}'),
        ("in", 3_500_000_000, b"not json"),
        ("in", None, b"\xff"),
        ("exit", 4_000_000_000, b'{"code":3}'),
        ("in", 77, b"ours"),
    ]
    assert [(row.number, row.reason) for row in found if isinstance(row, BadRow)] == [(4, "broken"), (8, "torn")]


@pytest.mark.parametrize(
    ("line", "payload"),
    [
        ('{"dir":"in","msg":{"a":"\\ud800"}}', b'{"a": "\\ud800"}'),
        ('["\\ud800"]', None),
        ('"\\ud800"', None),
        ('{"dir":"in","raw":"\\ud800"}', None),
    ],
)
def test_half_a_character_in_a_message_costs_no_row(tmp_path: Path, line: str, payload: bytes | None) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(line + "\n")

    (found,) = rows(file)

    assert (found.payload if isinstance(found, Row) else None) == payload


@pytest.mark.rule("STORE-35")
@pytest.mark.skipif(not CAPTURES.is_dir(), reason="the recordings of real agents are not beside this checkout")
def test_every_recording_of_a_real_agent_is_read_whole() -> None:
    found = [row for path in sorted(CAPTURES.glob("*/*.jsonl")) for row in rows(path)]

    assert found
    assert not [row for row in found if isinstance(row, BadRow)]
    assert {row.dir for row in found if isinstance(row, Row)} <= {*get_args(RowName), "note"}


async def test_a_row_behind_the_close_is_left_out_without_a_word(tmp_path: Path) -> None:
    said: list[str] = []
    capture = recorder(tmp_path / "c.wire.jsonl", say=said.append)
    await capture.close(20)

    capture("exit", b'{"signal":"SIGKILL"}', at(1))

    assert [row.dir for row in read(tmp_path / "c.wire.jsonl")] == ["head"]
    assert said == []


@pytest.mark.rule("STORE-17")
async def test_a_burst_in_which_the_disk_gets_no_time_is_captured_whole(tmp_path: Path) -> None:
    said: list[str] = []
    disk, path = Stuck(), tmp_path / "c.wire.jsonl"
    capture = recorder(path, say=said.append, disk=disk)
    for number in range(50_000):
        capture("in", b'{"jsonrpc":"2.0","method":"session/update","params":{"n":%d}}' % number, at(1))
    disk.go.set()
    await capture.close(20)

    assert [row.dir for row in read(path)] == ["head"] + ["in"] * 50_000
    assert said == []


def test_a_line_of_any_size_is_captured_while_there_is_room(tmp_path: Path) -> None:
    said: list[str] = []
    capture = recorder(tmp_path / "c.wire.jsonl", say=said.append, limits=Limits(max_bytes=4096))

    capture("in", b"x" * 60_000, at(1))
    asyncio.run(capture.close(20))

    assert [row.dir for row in read(tmp_path / "c.wire.jsonl")] == ["head", "in"]
    assert said == []
