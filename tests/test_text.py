from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craze.text import Cleaner, clean, clean_line

PIECES = [
    "a",
    "é",
    "中",
    "\n",
    "\t",
    "\x1b",
    "[",
    "]",
    "0;",
    "31m",
    "\x07",
    "\\",
    "P",
    "\x9b",
    "\x9d",
    "\x9c",
    "\u202e",
    "\u200e",
    "(",
    "B",
]
HOSTILE = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


@pytest.mark.rule("CLI-59")
@pytest.mark.parametrize(
    ("given_text", "drawn"),
    [
        ("plain text\twith tab\n", "plain text\twith tab\n"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0;2\x1b\\after", "after"),
        ("\x1b(Bafter\x1bc", "after"),
        ("a\x00b\x7fc\x85d", "abcd"),
        ("one\r\ntwo\rthree", "one\ntwothree"),
        ("safe\u202eevil", "safe‹U+202E›evil"),
        ("mark\u200eless", "markless"),
        ("open \x1b]0;never closed", "open "),
        ("half \ud800", "half \ufffd"),
    ],
)
def test_what_could_steer_a_terminal_is_gone_and_the_words_stay(given_text: str, drawn: str) -> None:
    assert clean(given_text) == drawn


@pytest.mark.rule("CLI-59")
def test_a_title_is_one_line_and_shows_every_direction_control() -> None:
    assert clean_line("a\nb\u200e\u202e\x1b[2J") == "a⏎b‹U+200E›‹U+202E›"


@pytest.mark.rule("CLI-59")
def test_a_sequence_without_an_end_loses_only_its_introducer_after_4096_characters() -> None:
    cleaner = Cleaner()

    drawn = cleaner.feed("\x1b]0;") + cleaner.feed("x" * 5000)

    assert drawn == "0;" + "x" * 5000


@pytest.mark.rule("CLI-59")
@given(HOSTILE, st.lists(st.integers(0, 60)))
def test_pieces_draw_the_same_as_the_whole(text: str, cuts: list[int]) -> None:
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    cleaner = Cleaner()

    drawn = "".join(cleaner.feed(text[a:b]) for a, b in pairwise(places))

    assert drawn == clean(text)


@pytest.mark.rule("CLI-59")
@given(st.text())
def test_nothing_drawn_holds_a_control_character(text: str) -> None:
    assert not [char for char in clean(text) if (ord(char) < 32 and char not in "\n\t") or 0x7F <= ord(char) < 0xA0]
