"""Reading journals back, whatever happened to the file."""

from __future__ import annotations

import asyncio
import functools
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from craze.codec import Event, Permission, Queued, Record, Turn
from craze.errors import StoreError
from craze.store.bulk import event_bytes
from craze.store.chunks import Peeked, Tail, chunks
from craze.store.history import History, Missing, in_order
from craze.store.lines import Closing, FactLine, Gap, Header, Other, encode_line
from craze.store.numbering import last_numbers
from craze.store.reader import Damage, Index, Item, header, items
from tests.store.making import Fact, ended, record, text, written
from tests.store.making import header as a_header


@functools.cache
def sample() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "j.jsonl")
        asyncio.run(written(path, text(1), Fact("lint", key="k"), text(2, "ünïcödé \U0001f680"), ended(3)))
        return path.read_bytes()


@pytest.mark.rule("STORE-11")
def test_a_file_torn_at_any_byte_gives_every_whole_line_and_names_the_torn_one(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    kinds = [Header, Record, FactLine, Record, Record, Closing]
    for cut in range(len(sample()) + 1):
        path.write_bytes(left := sample()[:cut])

        found = list(items(path))

        whole, rest = left.count(b"\n"), left.split(b"\n")[-1]
        assert [type(item) for item in found[:whole]] == kinds[:whole]
        assert found[whole:] == ([Damage("torn", whole + 1, rest)] if rest else [])


@pytest.mark.rule("STORE-11")
@given(st.data())
@settings(max_examples=100, deadline=None)
def test_one_broken_line_costs_that_line_alone(data: st.DataObject) -> None:
    lines = sample().splitlines(keepends=True)
    at = data.draw(st.integers(1, len(lines) - 2))
    junk = data.draw(st.binary(max_size=60).map(lambda raw: raw.replace(b"\n", b"") + b"\xff"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "j.jsonl")
        path.write_bytes(b"".join([*lines[:at], junk + b"\n", *lines[at:]]))

        found = list(items(path))

        assert found.pop(at) == Damage("broken", at + 1, junk)
        path.write_bytes(sample())
        assert _comparable(found) == _comparable(items(path))


def _comparable(found: Iterable[Item]) -> list[object]:
    return [item.line if isinstance(item, Record) else item for item in found]


@pytest.mark.rule("STORE-11")
def test_a_last_line_that_does_not_parse_is_torn_though_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes(sample() + b'{"kind":"event","ts":"2026\n')

    assert list(items(path))[-1] == Damage("torn", 7, b'{"kind":"event","ts":"2026')


@pytest.mark.rule("STORE-11")
def test_unknown_kinds_and_keys_are_kept_and_ignored(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    hologram = b'{"kind":"hologram","ts":"2026-11-30T12:00:00Z","depth":3}'
    more = b'{"kind":"event","ts":"t","seq":4,"colour":"red","event":{"type":"text","text":"x","glow":true}}'
    path.write_bytes(sample() + hologram + b"\n" + more + b"\n")

    found = list(items(path))

    assert found[-2] == Other("hologram", hologram)
    assert isinstance(found[-1], Record)
    assert found[-1].body == b'{"type":"text","text":"x","glow":true}'


@pytest.mark.rule("STORE-11")
def test_a_newer_format_is_refused_with_both_numbers(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes(b'{"kind":"header","format":7,"shape":"unknown"}\n')

    for read in (lambda: list(items(path)), lambda: header(path), lambda: list(event_bytes(path))):
        with pytest.raises(StoreError, match=r"format 7.*up to 1"):
            read()


@pytest.mark.rule("STORE-31", "CODEC-86")
def test_bodies_are_the_bytes_of_the_events_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    odd = b'{ "seq":4 ,"kind":"event","ts":"t","event": {"type":"text", "text":"spaced"} }'
    path.write_bytes(sample() + odd + b"\n\n" + b"junk\n" + b'{"kind":"ev')
    aside: list[tuple[int, str]] = []

    data = b"".join(event_bytes(path, lambda number, line: aside.append((number, type(line).__name__))))

    events = [item.body for item in items(path) if isinstance(item, Record)]
    assert data.splitlines() == events
    assert data.splitlines()[-1] == b'{"type":"text", "text":"spaced"}'
    assert aside == [(9, "Broken"), (10, "Broken")]


@pytest.mark.rule("STORE-12")
async def test_the_index_finds_any_event_and_grows_with_the_file(tmp_path: Path) -> None:
    path = await written(tmp_path / "j.jsonl", *(text(seq) for seq in range(1, 2001)))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    index = Index(path)
    index.grow()
    half = index.last
    path.write_bytes(whole)
    index.grow()

    assert 0 < half < 2000 == index.last == len(index)
    for seq in (1, half, half + 1, 1999, 2000):
        [first, *_] = items(path, index.offset(seq))
        assert isinstance(first, Record)
        assert first.seq == seq
    assert index.offset(2001) == index.end


@pytest.mark.rule("STORE-12")
@given(st.lists(st.binary(min_size=1, max_size=40)), st.integers(1, 30))
@settings(deadline=None)
def test_a_live_file_never_hands_out_an_incomplete_line(lines: list[bytes], step: int) -> None:
    data = b"".join(line.replace(b"\n", b" ") + b"\n" for line in lines)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "live.jsonl")
        tail, got = Tail(path), list[bytes]()
        assert tail.more() == b""
        for end in range(0, len(data) + step, step):
            path.write_bytes(data[:end])
            got.append(tail.more())

    assert all(part.endswith(b"\n") for part in got if part)
    assert b"".join(got) == data


def test_lines_longer_than_a_block_come_whole(tmp_path: Path) -> None:
    path = tmp_path / "long"
    long = b"x" * 3_000_000
    path.write_bytes(b"a\n" + long + b"\nb\nrest")

    found = list(chunks(path))

    assert b"".join(chunk.data for chunk in found) == path.read_bytes()
    assert [chunk.whole for chunk in found] == [True] * (len(found) - 1) + [False]
    assert all(chunk.data.endswith(b"\n") for chunk in found[:-1])
    with path.open("rb") as file:
        peeked = Peeked(file)
        assert peeked.first_line() == b"a"
        assert b"".join(chunk.data for chunk in chunks(peeked)) == path.read_bytes()


@pytest.mark.rule("STORE-22")
async def test_journals_are_read_in_the_order_they_continue_one_another(tmp_path: Path) -> None:
    third = await written(tmp_path / "1_c.jsonl", text(3), head=a_header("c", continues="b", numbers={"seq": 2}))
    first = await written(tmp_path / "2_a.jsonl", text(1), head=a_header("a"))
    second = await written(tmp_path / "3_b.jsonl", text(2), head=a_header("b", continues="a", numbers={"seq": 1}))
    loop = await written(tmp_path / "4_d.jsonl", text(4), head=a_header("d", continues="d"))
    unreadable = tmp_path / "5_e.jsonl"
    unreadable.write_bytes(b'{"kind":"hea')

    order = in_order([third, first, second, loop, unreadable])

    assert order == [first, second, third, loop, unreadable]
    assert [item.seq for item in History(order).read(1, 9) if isinstance(item, Record)] == [1, 2, 3, 4]


async def test_a_gap_in_the_file_is_missing_in_the_history(tmp_path: Path) -> None:
    path = await written(tmp_path / "j.jsonl", text(1), text(5))
    with path.open("ab") as file:
        file.write(encode_line(Gap(ts="t", from_seq=6, error="full")))

    assert [item for item in History([path]).read(1, 9) if isinstance(item, Missing)] == [Missing(2, 4)]


@pytest.mark.rule("ENG-2")
async def test_numbers_go_on_from_the_last_complete_line_of_the_last_journal(tmp_path: Path) -> None:
    first = await written(
        tmp_path / "1_a.jsonl",
        record(1, Event("queue", queue=Queued(id="q-4", text="x"), queue_change="queued")),
        record(2, Event("turn", turn=Turn(id="turn-2", phase="started"))),
        record(3, Event("permission", permission=Permission(id="perm-x3"))),
        record(4, Event("permission", permission=Permission(id="perm-7"))),
    )
    head = a_header("run-2", continues="run-1", numbers=last_numbers([first]))
    second = await written(
        tmp_path / "2_b.jsonl", record(5, Event("turn", turn=Turn(id="turn-3", phase="started"))), text(6), head=head
    )
    with second.open("ab") as file:
        file.write(json.dumps({"kind": "event", "ts": "t", "seq": 7, "event": {"type": "text"}}).encode())

    assert last_numbers([first]) == {"seq": 4, "q": 4, "turn": 2, "perm-x": 3, "perm": 7}
    assert last_numbers([first, second]) == {"seq": 6, "q": 4, "turn": 3, "perm-x": 3, "perm": 7}
    assert last_numbers([]) == {}
