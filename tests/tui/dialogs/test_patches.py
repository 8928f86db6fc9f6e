"""Diffs inside a text are seen as diffs, and nothing else is."""

from __future__ import annotations

from craze.codec import Diff
from craze.tui.dialogs.patches import styles
from craze.tui.transcript.paint.parts import patch


def test_lines_of_a_diff_have_the_colours_of_their_sides_and_other_text_has_none() -> None:
    change = patch(Diff(path="/home/me/a.py", old_text="one\ntwo\n", new_text="one\n2\n"))
    text = ["- a list", "+ of signs", "", *change.split("\n"), "", "-after"]

    assert change.split("\n")[:2] == ["--- a/home/me/a.py", "+++ b/home/me/a.py"]
    drawn = list(zip(text, styles(text), strict=True))
    assert [line for line, style in drawn if style == "$error"] == ["-two"]
    assert [line for line, style in drawn if style == "$success"] == ["+2"]
    assert [line for line, style in drawn if style == "bold"] == change.split("\n")[:2]
    assert drawn[0][1] == drawn[1][1] == drawn[-1][1] == ""
