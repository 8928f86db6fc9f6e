"""Whatever happens, the rows on the screen are a piece of a layout of everything."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from craze.codec import Event
from craze.tui.theme import Themes
from craze.tui.transcript.fold import Fold
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.window import KEPT, Window
from tests.tui.transcript.stories import STORIES, prompt, records, tool

BRUSH = Brush(palette=Themes().get("craze-dark"))


def naive(window: Window) -> list[str]:
    """Every line of every block, freshly painted."""
    whole = Window(window.transcript, window.brush, window.width, 100_000)
    whole.roomy, whole.hidden_before = window.roomy, window.hidden_before
    whole.settle()
    return [row.line.text for row in whole.rows]


def texts(window: Window) -> list[str]:
    return [row.line.text for row in window.rows]


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("fold"), STORIES),
        st.tuples(st.just("page"), st.just(0)),
        st.tuples(st.just("scroll"), st.integers(-30, 30)),
        st.tuples(st.just("jump"), st.integers(0, 200)),
        st.tuples(st.just("follow"), st.just(0)),
        st.tuples(st.just("size"), st.tuples(st.integers(20, 60), st.integers(1, 12))),
        st.tuples(st.just("toggle"), st.integers(0, 60)),
        st.tuples(st.just("roomy"), st.booleans()),
    ),
    max_size=12,
)


@pytest.mark.rule("TUI-45", "TUI-47", "TUI-25")
@settings(max_examples=150, deadline=None)
@given(STORIES, STEPS)
def test_a_random_walk_always_shows_a_piece_of_the_naive_layout(
    older: list[Event], steps: list[tuple[str, object]]
) -> None:
    fold = Fold()
    seq = len(older) + 1
    fold.fold(records([prompt("begin")], seq))
    window = Window(fold.transcript(), BRUSH, 40, 8)
    window.settle()
    paged = False

    for step, value in steps:
        match step, value:
            case "fold", list():
                fold.fold(records(value, seq + 1))
                seq += len(value)
                window.changed()
            case "page", _ if not paged and older:
                paged = True
                before, follows = texts(window)[:1], window.following
                window.changed()
                joined = fold.prepend(records(older))
                window.joined(joined[""])
                window.settle()
                # The first row stays, unless the page turned out to be the beginning of what it shows.
                if not follows and not joined[""].renamed and not joined[""].removed and before != [""]:
                    assert texts(window)[:1] == before or window.following
            case "scroll", int():
                window.scroll(value)
            case "jump", int():
                window.scroll_to(value)
            case "follow", _:
                window.follow()
            case "size", (int() as width, int() as height):
                window.resize(width, height)
            case "toggle", int() if value < len(window.transcript.blocks):
                block = window.transcript.blocks[value]
                block.expansion = "closed" if block.expansion == "open" else "open"
                window.redraw(block)
            case "roomy", bool():
                window.breathe(value)
            case _:
                pass
        window.settle()
        everything = naive(window)
        shown = texts(window)
        assert len(shown) == min(window.height, len(everything))
        assert any(everything[at : at + len(shown)] == shown for at in range(len(everything) - len(shown) + 1))
        if window.following:
            assert everything[len(everything) - len(shown) :] == shown


def long_window(count: int = 400) -> Window:
    fold = Fold()
    fold.fold(
        records(
            event
            for at in range(count)
            for event in (Event("text", text=f"text {at}\nsecond"), tool(str(at), kind="edit"))
        )
    )
    window = Window(fold.transcript(), BRUSH, 40, 10)
    window.settle()
    return window


@pytest.mark.rule("TUI-50", "TUI-218")
def test_a_frame_paints_what_is_seen_and_two_more() -> None:
    window = long_window()

    for act in (
        lambda: window.scroll(-3),
        lambda: window.scroll(-9),
        lambda: window.scroll_to(0),
        lambda: window.resize(30, 10),
        lambda: window.restyle(Brush(palette=BRUSH.palette, full=True)),
        window.follow,
    ):
        window.paints = 0
        act()
        window.settle()
        visible = len({row.block.id for row in window.rows if row.block})
        assert window.paints <= visible + 2
    assert len(window._painted) <= KEPT


@pytest.mark.rule("TUI-45")
def test_scrolling_up_and_down_again_comes_back_to_the_same_rows() -> None:
    window = long_window()
    window.scroll(-57)
    window.settle()
    before = texts(window)

    for by in (-40, -13, 30, 23):
        window.scroll(by)
        window.settle()

    assert texts(window) == before


@pytest.mark.rule("TUI-25")
def test_a_resize_keeps_the_first_row_in_sight() -> None:
    window = long_window()
    window.scroll(-100)
    window.settle()
    first = window.place_at(0)

    window.resize(23, 12)
    window.settle()

    assert window.place_at(0) == first


@pytest.mark.rule("TUI-81")
def test_finished_neighbours_that_read_or_search_are_one_line() -> None:
    fold = Fold()
    fold.fold(records([tool("a"), tool("b"), tool("c", kind="search"), tool("d", kind="edit")]))
    window = Window(fold.transcript(), BRUSH, 60, 10)
    window.settle()

    assert [text.strip() for text in texts(window)] == ["✓ read 2 files, searched 1", "✓ edit"]


@pytest.mark.rule("TUI-47")
def test_opening_a_block_keeps_its_first_line_in_view() -> None:
    fold = Fold()
    long = "\n".join(map(str, range(50)))
    fold.fold(records([prompt("x"), tool("a", kind="edit", content_text=long)]))
    window = Window(fold.transcript(), BRUSH, 60, 5)
    window.settle()
    block = window.transcript.blocks[1]

    block.expansion = "open"
    window.redraw(block)
    window.settle()

    assert any("edit" in text for text in texts(window))
    assert not window.following


@pytest.mark.rule("TUI-33")
def test_a_text_that_was_begun_on_an_older_page_stays_where_it_is() -> None:
    chunks = records(Event("text", text=f"line {at}\n") for at in range(100))
    fold = Fold()
    fold.fold(chunks[50:])
    window = Window(fold.transcript(), BRUSH, 40, 10)
    window.settle()
    window.scroll(-15)
    window.settle()
    before = texts(window)

    window.joined(fold.prepend(chunks[:50])[""])
    window.settle()

    assert texts(window) == before
