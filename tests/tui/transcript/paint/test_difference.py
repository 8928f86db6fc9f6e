"""Rows of a difference say what both texts are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from craze.codec import Diff
from craze.tui.transcript.paint.difference import MOST_LINES, Differ, counts, difference
from craze.tui.transcript.paint.parts import patch

LINES = st.lists(st.sampled_from(["a", "b", "c", "some longer line", "some longer lines", ""]), max_size=30)


@pytest.mark.rule("TUI-83")
@given(LINES, LINES)
def test_rows_and_gaps_give_both_texts_again(old: list[str], new: list[str]) -> None:
    check_rows(old, new)


def check_rows(old: list[str], new: list[str]) -> None:
    before, after = "".join(line + "\n" for line in old), "".join(line + "\n" for line in new)

    rows = difference(before, after)

    for row in rows:
        if row.old:
            assert old[row.old - 1] == row.old_text == before[row.old_offset :][: len(row.old_text)]
        if row.new:
            assert new[row.new - 1] == row.new_text == after[row.new_offset :][: len(row.new_text)]
    changed_old = [line for at, line in enumerate(old, 1) if at not in {row.old for row in rows if row.sign == "-"}]
    changed_new = [line for at, line in enumerate(new, 1) if at not in {row.new for row in rows if row.sign == "+"}]
    assert changed_old == changed_new


@pytest.mark.rule("TUI-84")
@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 600), min_size=350, max_size=500, unique=True), st.data())
def test_rows_of_long_texts_give_both_again(numbers: list[int], data: st.DataObject) -> None:
    old = [f"line {number}" for number in numbers]
    kept = data.draw(st.lists(st.sampled_from(old), min_size=350, max_size=500))
    check_rows(old, kept)


@pytest.mark.rule("TUI-84")
def test_lines_that_stayed_among_many_changes_are_found() -> None:
    old = "".join(f"value {at} = {at}\n" for at in range(2000))
    new = "".join(f"value {at} = {at * 2 if at % 2 else at}\n" for at in range(2000))

    assert counts(difference(old, new)) == (1000, 1000)


@pytest.mark.rule("TUI-83")
def test_three_lines_stand_around_a_change_and_the_rest_is_a_gap() -> None:
    old = "".join(f"{at}\n" for at in range(100))
    new = old.replace("10\n", "ten\n", 1).replace("90\n", "ninety\n", 1)

    rows = difference(old, new)

    assert [row.gap for row in rows if row.gap] == [73]
    assert counts(rows) == (2, 2)
    assert len(rows) == 2 * (3 + 2 + 3) + 1


@pytest.mark.rule("TUI-83")
def test_lines_that_are_added_at_the_end_stand_behind_three_that_were_there() -> None:
    old = "".join(f"{at}\n" for at in range(9))

    rows = difference(old, old + "more\n")

    assert [(row.sign, row.new_text) for row in rows] == [(" ", "6"), (" ", "7"), (" ", "8"), ("+", "more")]


@pytest.mark.rule("TUI-83")
def test_only_what_changed_in_a_line_is_marked() -> None:
    old, new = difference("sleep(2 ** attempt)\n", "sleep(3 ** attempt)\n")

    assert (old.old_marks, new.new_marks) == (((6, 7),), ((6, 7),))


@pytest.mark.rule("TUI-84")
def test_what_is_huge_is_replaced_between_its_equal_ends() -> None:
    old = "".join(f"{at}\n" for at in range(MOST_LINES))

    rows = difference("head\n" + old + "tail\n", "head\n" + old.replace("\n", "!\n") + "tail\n")

    assert counts(rows) == (MOST_LINES, MOST_LINES)
    assert rows[0].sign == rows[-1].sign == " "


@pytest.mark.rule("TUI-84")
def test_a_large_one_is_wanted_until_somebody_computes_it() -> None:
    differ = Differ()
    old = "x\n" * 6000

    assert differ.get(old, old + "y\n") is None
    key = next(iter(differ.wanted))
    differ.put(key, difference(*key))

    assert differ.get(old, old + "y\n")
    assert not differ.wanted


@given(LINES, LINES)
def test_a_patch_leads_from_one_text_to_the_other(old: list[str], new: list[str]) -> None:
    before, after = "".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new)

    made = patch(Diff(path="/a.py", old_text=before, new_text=after))

    assert made.startswith("--- a/a.py\n+++ b/a.py\n@@ -") is (old != new)
    assert applied(old, made.split("\n")[2:]) == new


def applied(old: list[str], lines: list[str]) -> list[str]:
    """The lines of a text with the hunks of a patch applied, whose heads must be right."""
    out: list[str] = []
    at = 0
    for line in lines:
        if line.startswith("@@"):
            start, _, count = line.split()[1].removeprefix("-").partition(",")
            to = max(0, int(start) - 1)
            assert count != "1"
            out += old[at:to]
            at = to
            continue
        assert line[0] == "+" or old[at] == line[1:]
        out += [line[1:]] if line[0] != "-" else []
        at += line[0] != "+"
    return out + old[at:]
