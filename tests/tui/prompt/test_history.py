"""Browsing and searching earlier prompts."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craze.tui.prompt.history import MOST, History


@pytest.mark.rule("TUI-103")
def test_the_draft_is_the_newest_entry_while_browsing() -> None:
    history = History(["one", "two"])

    assert [history.older("draft"), history.older("two"), history.older("one")] == ["two", "one", None]
    assert [history.newer(), history.newer(), history.newer()] == ["two", "draft", None]


@pytest.mark.rule("TUI-103")
@given(st.lists(st.sampled_from(["a", "b", "c"])))
def test_equal_neighbours_are_there_once(texts: list[str]) -> None:
    history = History(texts)

    entries = history.entries
    assert all(one != other for one, other in itertools.pairwise(entries))
    assert [text for at, text in enumerate(texts) if at == 0 or texts[at - 1] != text] == list(entries)


@pytest.mark.rule("TUI-103")
def test_blank_prompts_and_those_behind_a_space_are_not_kept() -> None:
    history = History()

    assert [history.add(text) for text in ("  ", " secret", "kept", "kept")] == [False, False, True, False]


@pytest.mark.rule("TUI-103")
def test_what_was_typed_meanwhile_stays_the_newest() -> None:
    history = History()
    history.add("now")
    history.load(["earlier"])

    assert history.entries == ("earlier", "now")


@pytest.mark.rule("TUI-103")
def test_no_more_than_five_thousand_are_held() -> None:
    assert len(History(map(str, range(MOST + 10))).entries) == MOST


@pytest.mark.rule("TUI-103")
def test_the_search_goes_backwards_and_without_case() -> None:
    history = History(["Fix it", "other", "fix that"])

    newest = history.find("FIX")
    assert newest is not None
    assert history[newest] == "fix that"
    older = history.find("fix", newest)
    assert older == 0
    assert history.find("fix", older) is None
