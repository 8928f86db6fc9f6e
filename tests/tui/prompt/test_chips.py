"""Chips stand for something longer."""

from __future__ import annotations

import pytest

from craze.tui.prompt.chips import Chips, is_long


@pytest.mark.rule("TUI-101")
@pytest.mark.parametrize(
    ("text", "long"), [("x" * 4096, False), ("x" * 4097, True), ("\n" * 19, False), ("\n" * 20, True)]
)
def test_twenty_lines_or_four_kibibytes_are_the_limit_of_a_plain_paste(text: str, long: bool) -> None:
    assert is_long(text) is long


@pytest.mark.rule("TUI-101")
def test_a_paste_is_sent_in_full() -> None:
    chips = Chips()
    chip = chips.paste("one\ntwo")

    assert chip.label == "[pasted 2 lines]"
    assert chips.filled(f"see {chip.label}!").text == "see one\ntwo!"


def test_a_newline_at_the_end_of_a_paste_is_no_line() -> None:
    assert Chips().paste("one\ntwo\n").label == "[pasted 2 lines]"


def test_equal_chips_have_labels_of_their_own() -> None:
    chips = Chips()

    assert [chips.paste("a\nb").label, chips.paste("c\nd").label] == ["[pasted 2 lines]", "[pasted 2 lines #2]"]
    assert chips.filled("[pasted 2 lines #2]").text == "c\nd"


@pytest.mark.rule("TUI-108")
def test_images_go_beside_the_text_and_path_only_ones_in_it() -> None:
    chips = Chips()
    one, two = chips.image("/copy.png"), chips.image("/other.png", path_only=True)

    draft = chips.filled(f"{one.label} and {two.label}")

    assert (draft.text, draft.images) == ("[image 1] and /other.png", ("/copy.png",))


def test_a_chip_whose_label_is_gone_counts_no_more() -> None:
    chips = Chips()
    chips.image("/copy.png")

    assert chips.filled("no image").images == ()


@pytest.mark.rule("TUI-107")
def test_a_command_is_named_with_its_lines() -> None:
    chips = Chips()

    assert chips.output("pytest -q", "a\nb").label == "[!pytest -q, 2 lines]"


def test_a_chip_is_found_behind_its_start() -> None:
    chips = Chips()
    chip = chips.image("/a.png")
    text = f"x {chip.label} y"

    assert [chips.at(text, column) is not None for column in (2, 3, 2 + len(chip.label), 3 + len(chip.label))] == [
        False,
        True,
        True,
        False,
    ]
