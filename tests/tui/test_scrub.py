"""What agents send never reaches the terminal as it is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from craze.tui import scrub

HOSTILE = st.text(
    st.one_of(
        st.sampled_from("\x1b\x9b\x9d\x90\x07\x9c[]\\;m0123?\r\n\t\b\x00\x7fPX^_"),
        st.sampled_from("\u202e\u200b\u200d\ufe0f\u2066\u061c\U000e0041\ufeff\ud800👩❤漢éa"),
        st.characters(),
    ),
    max_size=40,
)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@pytest.mark.rule("TUI-70", "TUI-72", "TUI-73", "TUI-75")
@given(HOSTILE)
def test_no_control_is_left_in_any_place(text: str) -> None:
    lines = "\n".join("".join(span.text for span in row) for row in scrub.output(text))

    for safe in (scrub.prose(text), scrub.exact(text), scrub.line(text), lines):
        assert not CONTROL.search(safe)
    assert "\n" not in scrub.line(text)


@pytest.mark.rule("TUI-70", "TUI-74")
@given(st.lists(HOSTILE, max_size=8))
def test_pieces_give_what_the_whole_gives(pieces: list[str]) -> None:
    scrubber = scrub.Scrubber()

    fed = "".join(map(scrubber.feed, pieces))

    assert fed == scrub.prose("".join(pieces))


@pytest.mark.rule("TUI-71", "TUI-72")
def test_output_keeps_colours_and_overwrites_as_a_terminal_does() -> None:
    rows = scrub.output("\x1b[1;31mred\x1b[0m\n10%\r100%\nab\bc\x1b]0;title\x07\x1b[2J\x1b[38;5;99mx\x1b[48;2;1;2;3my")

    assert [[astuple(span) for span in row] for row in rows] == [
        [("red", "bold color(1)")],
        [("100%", "")],
        [("ac", ""), ("x", "color(99)"), ("y", "color(99) on #010203")],
    ]


@pytest.mark.rule("TUI-73", "TUI-74", "TUI-77")
def test_what_is_hidden_in_a_command_is_shown() -> None:
    assert scrub.line("rm\u200b -rf\u202e x\U000e0041\U000e0042\ny") == "rm‹U+200B› -rf‹U+202E› x‹2 hidden›⏎y"
    assert scrub.exact("a\u200fb\n\tc") == "a‹U+200F›b\n\tc"


@pytest.mark.rule("TUI-74")
def test_prose_drops_what_is_hidden_and_keeps_whole_emoji() -> None:
    assert scrub.prose("👩\u200d👧 ❤\ufe0f a\u200bb\xadc\ufeff") == "👩\u200d👧 ❤\ufe0f abc"


@pytest.mark.rule("TUI-70")
def test_an_endless_sequence_hides_no_more_than_its_limit() -> None:
    assert scrub.prose("\x1b]0;" + "x" * 5000 + " seen").endswith(" seen")
    assert scrub.prose("\x1b]0;" + "x" * 100) == ""


@pytest.mark.rule("TUI-24", "TUI-77")
def test_cutting_never_divides_a_cluster() -> None:
    assert scrub.cut("漢字漢字", 6) == "漢字…"
    assert scrub.cut("short", 5) == "short"
    assert scrub.path_in("src/deep/down/client.py", 18) == "…/down/client.py"
    assert scrub.path_in("a/very_long_name.py", 10) == "…g_name.py"


@pytest.mark.rule("TUI-76")
def test_tabs_go_to_the_next_multiple_of_four() -> None:
    assert scrub.untabbed("\ta\tb") == "    a   b"
    assert scrub.untabbed("漢\tb", 1) == "漢 b"
