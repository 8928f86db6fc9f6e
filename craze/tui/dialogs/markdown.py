"""Markdown as rows of a dialog. Pure."""

from __future__ import annotations

from textual.content import Content

from craze.tui.dialogs.rows import Row, Rows
from craze.tui.scrub import prose, untabbed


def markdown_rows(text: str, width: int) -> Rows:
    return [
        Row(Content(" ") + row)
        for each in prose(text).strip("\n").split("\n")
        for row in (Content(untabbed(each)).wrap(max(2, width - 2)) or [Content("")])
    ]
