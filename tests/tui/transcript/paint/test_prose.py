"""Markdown, painted in pieces or whole."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from craze.tui.theme import Themes
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.paint.fence import LINES
from craze.tui.transcript.paint.highlight import lex
from craze.tui.transcript.paint.lines import Line, Run, width_of, wrap
from craze.tui.transcript.paint.prose import Prose, prose_lines

BRUSH = Brush(palette=Themes().get("craze-dark"))
PIECES = st.sampled_from(
    [
        *("word ", "longer words here ", "\n", "\n\n", "# Title\n", "- item ", "  - nested\n", "1. one\n", "> quote\n"),
        *(
            "```py\n",
            "```\n",
            "code\tx = 1\n",
            "| a | b |\n",
            "|---|:-:|\n",
            "| 1 | **2** |\n",
            "---\n",
            "- [x] done\n",
        ),
        *("**bold** ", "_it_ ", "`co|de` ", "[t](http://a.b) ", "*un", "漢字かな", "👩\u200d👧", "é", "\t", "x" * 50),
    ]
)
TEXTS = st.lists(PIECES, max_size=40)


def drawn(text: str, width: int = 40) -> list[str]:
    return [line.text.rstrip() for line in prose_lines(text, width, BRUSH)]


@pytest.mark.rule("TUI-52", "TUI-20")
@settings(max_examples=300, deadline=None)
@given(TEXTS, st.integers(8, 60), st.data())
def test_pieces_of_any_size_are_painted_as_the_whole_and_never_too_wide(
    pieces: list[str], width: int, data: st.DataObject
) -> None:
    text = "".join(pieces)
    prose = Prose(width, BRUSH)
    frozen: list[Line] = []
    at = 0

    while at < len(text):
        size = data.draw(st.integers(1, 30))
        prose.feed(text[at : at + size])
        at += size
        if data.draw(st.booleans()):
            assert prose.lines[: len(frozen)] == frozen
        frozen = list(prose._done)
    prose.close()

    whole = prose_lines(text, width, BRUSH)
    assert [line.text for line in prose.lines] == [line.text for line in whole]
    assert all(width_of(line.runs) <= width for line in whole)


@pytest.mark.rule("TUI-52")
def test_a_fence_in_a_list_is_no_wider_than_a_narrow_screen() -> None:
    assert drawn("- [x] done\n\t```py\n", 8) == ["☑ done", "│"]


@pytest.mark.rule("TUI-64")
@settings(max_examples=200, deadline=None)
@given(TEXTS, st.integers(8, 60))
def test_every_run_stands_for_its_place_in_the_text(pieces: list[str], width: int) -> None:
    text = "".join(pieces)

    for line in prose_lines(text, width, BRUSH):
        for run in line.runs:
            if run.offset >= 0 and not run.copied:
                assert text[run.offset : run.offset + len(run.text)] == run.text


@pytest.mark.rule("TUI-51")
def test_unmatched_marks_and_names_with_underscores_stay() -> None:
    assert drawn("snake_case_names and __init__.py and 2 * 3 * 4 and **open <b>html</b>", 80) == [
        "snake_case_names and __init__.py and 2 * 3 * 4 and **open <b>html</b>"
    ]


@pytest.mark.rule("TUI-51")
def test_lists_quotes_and_headings() -> None:
    text = "# Head\ntext\n\n\n\n- a\n  more\n  1. b\n- [ ] c\n- [x] d\n\n> q\n> > r\n***\n"

    assert drawn(text, 12) == [
        *("Head", "text", "", "• a", "  more", "  1. b", "☐ c", "☑ d", "", "│ q", "│ │ r", "─" * 12),
    ]


@pytest.mark.rule("TUI-51")
def test_a_deep_list_grows_no_further_than_half_the_width() -> None:
    text = "\n".join("  " * depth + "- deep" for depth in range(20))

    assert max(len(line) - len(line.lstrip()) for line in drawn(text, 40)) <= 20


@pytest.mark.rule("TUI-53")
def test_a_fence_has_rail_language_and_soft_wrap() -> None:
    lines = drawn("```python\nx = 1\nlong_name = another_name + 1\n```\n", 24)

    assert lines == ["│ x = 1           python", "│ long_name = another_na", "↪ me + 1"]


@pytest.mark.rule("TUI-53")
def test_long_lines_of_code_can_be_cut() -> None:
    prose = Prose(20, BRUSH, cut=True)

    prose.feed("```\n" + "x" * 40 + "\n```\n")

    assert [line.text.rstrip() for line in prose.lines] == ["│ " + "x" * 17 + "›"]


@pytest.mark.rule("TUI-53")
def test_a_fence_that_never_ends_is_one_and_shows_400_lines() -> None:
    lines = drawn("```\n" + "\n".join(map(str, range(1000))))

    assert len(lines) == LINES + 1
    assert lines[-1] == "│ … 600 more"


@pytest.mark.rule("TUI-53")
def test_a_very_long_line_of_code_has_the_mark_of_one_line() -> None:
    prose = Prose(40, BRUSH)
    prose.feed(f"```\n{'x' * 5000}\nnext\n```\n")
    prose.close()
    rails = [line.text[0] for line in prose.lines]

    assert rails.count("│") == 2
    assert rails[0] == rails[-1] == "│"


def look_up(prose: Prose) -> bool:
    """Find the colours that are wanted; whether there were any."""
    highlighter = prose._brush.highlighter
    wanted = highlighter.next()
    if wanted:
        highlighter.put(wanted, lex(*wanted))
    return wanted is not None


@pytest.mark.rule("TUI-53")
def test_colours_come_later_and_change_no_text() -> None:
    prose = Prose(40, Brush(palette=BRUSH.palette))
    prose.feed("before\n```python\ndef f(): return 'x'\n```\nafter")
    prose.close()
    plain = [line.text for line in prose.lines]
    styles = {run.style for line in prose.lines for run in line.runs}

    prose.colour()
    assert prose.plain_fences
    assert look_up(prose)
    prose.colour()

    assert not prose.plain_fences
    assert [line.text for line in prose.lines] == plain
    assert len({run.style for line in prose.lines for run in line.runs}) > len(styles)


@pytest.mark.rule("TUI-53")
def test_an_unknown_language_stays_plain_and_asks_for_nothing() -> None:
    prose = Prose(40, Brush(palette=BRUSH.palette))
    prose.feed("```klingon\nqapla'\n```\n")
    prose.close()

    while prose.plain_fences:
        prose.colour()
        look_up(prose)

    assert prose._brush.highlighter.idle


@pytest.mark.rule("TUI-54")
def test_a_table_that_is_too_wide_wraps_its_widest_column() -> None:
    text = "| id | note |\n|--:|---|\n| 1 | a rather long note that wraps |\n| 22 | **x** |\n"

    assert drawn(text, 24) == [
        "id │ note",
        "───┼────────────────────",
        " 1 │ a rather long note",
        "   │ that wraps",
        "22 │ x",
    ]


@pytest.mark.rule("TUI-54")
def test_a_table_without_room_becomes_lines() -> None:
    text = "| name | first column | second |\n|---|---|---|\n| n | some longer text | more |\n"

    assert drawn(text, 16) == ["name: n", "first column:", "some longer text", "second: more"]


@pytest.mark.rule("TUI-55")
def test_only_expected_schemes_are_links_and_hidden_hosts_are_shown() -> None:
    lines = prose_lines("[docs](https://evil.example/x) [a.example](https://a.example/y) [js](javascript:x)", 90, BRUSH)

    assert lines[0].text == "docs (https://evil.example/x) a.example js (javascript:x)"
    assert [run.style.link for run in lines[0].runs if run.style.link] == [
        "https://evil.example/x",
        "https://a.example/y",
    ]


@pytest.mark.rule("TUI-218")
def test_a_streamed_message_is_parsed_less_than_four_times() -> None:
    paragraph = "Some words of a sentence that goes on for a while. " * 9 + "\n\n```python\nx = 1\n```\n\n"
    text = (paragraph * 220)[: 100 << 10]
    prose = Prose(80, BRUSH)

    for at in range(0, len(text), 100):
        prose.feed(text[at : at + 100])
        assert prose.lines

    assert prose.parsed <= 4 * len(text)


@pytest.mark.rule("TUI-193", "TUI-20")
@settings(max_examples=300, deadline=None)
@given(
    st.text(st.one_of(st.sampled_from("ab 漢字👩\u200d👧é\u0301🇩🇪☀\ufe0f"), st.characters()), max_size=60),
    st.integers(2, 20),
)
def test_wrapping_loses_only_spaces_and_keeps_clusters(text: str, width: int) -> None:
    text = "".join(character for character in text if character.isprintable())
    rows = wrap([Run(text, offset=0)], width)

    assert "".join(run.text for row in rows for run in row).replace(" ", "") == text.replace(" ", "")
    assert all(width_of(row) <= width for row in rows)
    assert not any(row and row[0].text.startswith(("\u200d", "\u0301", "\ufe0f")) for row in rows[1:])


@pytest.mark.rule("TUI-193")
def test_flags_are_whole_and_wide_characters_move_to_the_next_line() -> None:
    assert ["".join(run.text for run in row) for row in wrap([Run("a🇩🇪🇫🇷漢b")], 4)] == ["a🇩🇪", "🇫🇷漢", "b"]
