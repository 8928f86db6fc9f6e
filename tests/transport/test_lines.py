"""Splitting: any cut of the bytes gives the same lines, and no line grows past the ceiling."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craze.transport import MAX_LINE, Line, LineSplitter

_BLOCKS = st.lists(st.binary(max_size=40).map(lambda block: block.replace(b"\x07", b"\n")))


def split(*blocks: bytes, limit: int = MAX_LINE, head: int = 64 << 10) -> list[Line]:
    splitter = LineSplitter(limit, head)
    return [line for block in blocks for line in splitter.feed(block)] + splitter.finish()


@pytest.mark.rule("ACP-1", "ACP-2")
@given(_BLOCKS)
def test_any_cut_of_the_bytes_gives_the_same_lines(blocks: list[bytes]) -> None:
    whole = b"".join(blocks)

    assert split(*blocks, limit=12, head=4) == split(whole, limit=12, head=4)
    assert split(*blocks) == split(*(bytes([byte]) for byte in whole))


@pytest.mark.rule("ACP-1")
def test_only_a_newline_ends_a_line_and_the_carriage_return_before_it_is_dropped() -> None:
    text = "a\u2028b\u2029c\u0085d\x0be\x0cf\rg"

    lines = split(text.encode() + b"\r\nnext\n")

    assert [line.data.decode() for line in lines] == [text, "next"]


def test_a_last_line_without_newline_is_marked() -> None:
    assert split(b"one\ntwo\r") == [Line(b"one"), Line(b"two\r", "eof")]
    assert split(b"one\n") == [Line(b"one")]


@pytest.mark.rule("ACP-2")
def test_a_line_over_the_ceiling_keeps_its_head_and_its_length() -> None:
    lines = split(b"x" * 70, b"y" * 50 + b"\nnext\n", limit=100, head=80)

    assert lines == [Line(b"x" * 70 + b"y" * 10, "long", 120), Line(b"next")]


@pytest.mark.rule("ACP-2")
def test_a_line_of_the_very_ceiling_is_whole() -> None:
    assert split(b"x" * 100 + b"\n", limit=100) == [Line(b"x" * 100)]


@pytest.mark.rule("ACP-2")
def test_an_endless_line_costs_no_more_memory_than_the_ceiling_and_a_mebibyte() -> None:
    splitter = LineSplitter()
    block = b"x" * (256 << 10)
    tracemalloc.start()
    try:
        for _ in range((MAX_LINE + (16 << 20)) // len(block)):
            assert splitter.feed(block) == []
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    (line,) = splitter.feed(b"\n")

    assert peak < MAX_LINE + (1 << 20)
    assert (line.mark, line.size, len(line.data)) == ("long", MAX_LINE + (16 << 20), 64 << 10)
