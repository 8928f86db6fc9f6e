"""Events become the same blocks whichever way they come."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from craze.codec import Event, Plan, State, Tool, ToolOutput, Turn
from craze.engine.ports import Missing
from craze.tui.transcript.blocks import Block, Noted
from craze.tui.transcript.fold import Fold
from craze.tui.transcript.source import MOST, Source
from tests.tui.transcript.stories import STORIES, ended, prompt, records, tool


def seen(fold: Fold, agent: str = "") -> list[tuple[object, ...]]:
    """Everything that a block shows."""
    return [
        (block.id, block.kind, _data(block), block.open, block.at, block.until, block.mark)
        for block in fold.transcript(agent).blocks
    ]


def _data(block: Block) -> object:
    return block.source.parts() if isinstance(block.data, Source) else block.data


def folded(events: list[Event]) -> Fold:
    fold = Fold()
    fold.fold(records(events))
    return fold


@pytest.mark.rule("TUI-40", "TUI-33")
@settings(max_examples=400, deadline=None)
@given(STORIES, st.lists(st.integers(0, 40), max_size=4))
def test_pages_read_backwards_give_the_blocks_of_one_fold(events: list[Event], cuts: list[int]) -> None:
    whole = folded(events)
    all_of_it = records(events)
    marks = sorted({0, len(events), *(cut for cut in cuts if cut < len(events))})
    pages = [all_of_it[start:end] for start, end in itertools.pairwise(marks)]
    paged = Fold()

    for at, page in enumerate(reversed(pages)):
        if at == 0:
            paged.fold(page)
        else:
            paged.prepend(page)

    for agent in ("", "kid"):
        assert seen(paged, agent) == seen(whole, agent)


@pytest.mark.rule("TUI-40")
@given(STORIES, STORIES)
def test_what_comes_after_paging_is_folded_as_ever(events: list[Event], more: list[Event]) -> None:
    whole = folded(events + more)
    both = records(events + more)
    cut = len(events) // 2
    paged = Fold()

    paged.fold(both[cut : len(events)])
    paged.prepend(both[:cut])
    paged.fold(both[len(events) :])

    assert seen(paged) == seen(whole)


@given(STORIES, st.integers(1, 5))
@pytest.mark.rule("TUI-40")
def test_changes_name_every_block_that_differs(events: list[Event], size: int) -> None:
    fold = Fold()
    transcript = fold.transcript()
    all_of_it = records(events)
    known: list[tuple[float, int]] = []

    for start in range(0, len(all_of_it), size):
        fold.fold(all_of_it[start : start + size])
        changes = transcript.take_changes()
        now = [(block.id, block.revision) for block in transcript.blocks]
        same = [row for row in known[: changes.low] if row[0] not in changes.touched]
        assert same == [row for row in now[: changes.low] if row[0] not in changes.touched]
        known = now


def test_chunks_of_one_kind_join_until_something_visible_comes() -> None:
    fold = folded(
        [
            Event("text", text="one "),
            Event("queue"),
            Event("meta", state=State(usage=None)),
            Event("text", text="two"),
            Event("thought", text="hm"),
            tool("a"),
            Event("text", text="three"),
        ]
    )

    texts = [(block.kind, block.source.text) for block in fold.transcript().blocks if block.kind != "tool"]
    assert texts == [("text", "one two"), ("thought", "hm"), ("text", "three")]


@pytest.mark.rule("TUI-41")
def test_late_text_and_late_updates_are_kept() -> None:
    fold = folded([prompt("go"), tool("a", "in_progress"), ended(), Event("text", text="late"), tool("a"), tool("zz")])

    blocks = fold.transcript().blocks
    assert [block.kind for block in blocks] == ["prompt", "tool", "text", "tool"]
    assert not blocks[1].open


@pytest.mark.rule("TUI-219")
def test_an_answer_written_anew_replaces_the_unfinished_one() -> None:
    fold = folded(
        [
            tool("a"),
            Event("thought", text="hm"),
            Event("text", text="half an ans"),
            Event("meta", state=State(reason="regenerated")),
            Event("text", text="an answer"),
        ]
    )

    assert [block.kind for block in fold.transcript().blocks] == ["tool", "text"]
    assert fold.transcript().blocks[1].source.text == "an answer"


@pytest.mark.rule("TUI-34")
def test_a_prompt_is_drawn_once() -> None:
    live = folded([prompt("hello"), Event("user", text="hello")])
    replayed = folded([Event("user", text="hello", replayed=True)])

    assert len(live.transcript().blocks) == len(replayed.transcript().blocks) == 1


def test_a_failed_turn_is_one_error() -> None:
    failed = Event("turn", turn=Turn(id="t", phase="ended", stop_reason="error", err="no", err_class="auth"))

    assert [block.kind for block in folded([prompt("x"), failed]).transcript().blocks] == ["prompt", "error"]


@pytest.mark.rule("TUI-32")
def test_what_cannot_be_read_is_a_line() -> None:
    fold = Fold()

    fold.fold([*records([prompt("a")]), Missing(first=2, last=40), *records([Event("text", text="b")], 41)])

    data = fold.transcript().blocks[1].data
    assert isinstance(data, Noted)
    assert data.text == "events 2–40 missing"


def test_a_plan_keeps_its_text_and_how_it_was_answered() -> None:
    fold = folded([Event("plan", plan=Plan(id="q", plan="1. go"))])

    assert fold.transcript().blocks[0].open


@pytest.mark.rule("TUI-42")
@given(st.lists(st.integers(1, 150_000), max_size=8), st.integers(0, 8))
@settings(max_examples=60, deadline=None)
def test_a_long_text_keeps_head_and_tail_however_it_is_cut(sizes: list[int], cut: int) -> None:
    text = "".join(f"{at:09}\n" for at in range(sum(sizes) // 10))
    pieces: list[str] = []
    for size in sizes:
        pieces.append(text[sum(map(len, pieces)) :][:size])
    older, newer = Source(), Source()

    for piece in pieces[:cut]:
        older.append(piece)
    for piece in pieces[cut:]:
        newer.append(piece)
    older.extend(newer)

    whole = Source("".join(pieces))
    assert older.parts() == whole.parts()
    assert (older.size, older.lines, older.hidden) == (whole.size, whole.lines, whole.hidden)
    assert len(whole.text) <= MOST
    assert len(whole.text) + whole.hidden == whole.size


@pytest.mark.parametrize("size", [3, 100_000])
def test_a_call_that_is_over_is_still_the_call_that_came(size: int) -> None:
    call = Tool(id="c", status="completed", title="read é", output=ToolOutput(stdout="x" * size))

    assert Block(1, "tool", call).data == call
