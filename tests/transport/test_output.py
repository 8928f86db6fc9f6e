"""The output ring: the newest bytes, whole characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craze.transport import Ring
from craze.transport.output import OutputRing


@pytest.mark.rule("ACP-100")
@given(st.text(), st.integers(0, 40), st.integers(1, 7))
def test_what_is_kept_is_an_end_of_the_text_that_fits(text: str, limit: int, step: int) -> None:
    data, ring = text.encode(), OutputRing(limit)
    for at in range(0, len(data), step):
        ring.add(data[at : at + step])

    kept = ring.text(final=True)

    assert text.endswith(kept)
    assert len(kept.encode()) <= limit
    assert ring.truncated == (len(data) > limit)
    assert kept == text or len(kept.encode()) > limit - 4


@pytest.mark.rule("ACP-100")
def test_a_character_that_is_not_complete_waits_for_its_rest() -> None:
    ring = OutputRing(100)
    ring.add("é".encode()[:1])
    half = ring.text(final=False)
    ring.add("é".encode()[1:])

    assert (half, ring.text(final=False)) == ("", "é")


@pytest.mark.rule("ACP-100")
def test_invalid_bytes_are_replaced() -> None:
    ring = OutputRing(100)
    ring.add(b"a\xffb\xc3")

    assert ring.text(final=True) == "a\ufffdb\ufffd"


@pytest.mark.rule("ACP-21")
def test_a_ring_keeps_the_newest_lines_and_its_tail_is_of_whole_lines() -> None:
    ring = Ring(lines=3, size=20, each=8)
    for line in (b"one", b"two", b"three", b"a long line"):
        ring.add(line)

    assert ring.lines() == ["two", "three", "a long l"]
    assert ring.tail(14) == "three\na long l"
    assert ring.tail(12) == "a long l"
    assert ring.tail(4) == "ng l"
