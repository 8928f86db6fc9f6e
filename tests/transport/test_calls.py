"""Our requests: which one an answer is for."""

from __future__ import annotations

import pytest

from craze.transport import Calls


@pytest.mark.rule("ACP-12")
def test_numbers_begin_at_one_and_are_never_used_again() -> None:
    calls: Calls[str] = Calls()
    first = calls.open("a")
    calls.take(b"1")

    assert (first, calls.open("b")) == (1, 2)


@pytest.mark.rule("ACP-13")
@pytest.mark.parametrize(("answered", "lint"), [(b"1", ""), (b'"1"', "id-as-string"), (b"1.0", "")])
def test_an_answer_matches_by_value(answered: bytes, lint: str) -> None:
    calls: Calls[str] = Calls()
    calls.open("a")

    assert calls.take(answered) == ("a", lint, 1)


@pytest.mark.rule("ACP-13")
def test_an_answer_that_nobody_waits_for_is_told_apart() -> None:
    calls: Calls[str] = Calls()
    calls.open("a")
    calls.open("b")
    calls.take(b"1")
    calls.give_up(2)

    assert [calls.take(answered).lint for answered in (b"1", b"2", b"2", b"9", b"null", b"true", b'"x"', b"-1")] == [
        "duplicate-response",
        "late-response",
        "duplicate-response",
        "unknown-response",
        "unknown-response",
        "unknown-response",
        "unknown-response",
        "unknown-response",
    ]


def test_all_that_waits_is_closed_in_the_order_it_was_opened() -> None:
    calls: Calls[str] = Calls()
    for value in "abc":
        calls.open(value)
    calls.take(b"2")

    assert calls.drain() == ["a", "c"]
    assert calls.drain() == []
