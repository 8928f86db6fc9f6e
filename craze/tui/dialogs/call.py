"""The tool call that an ask is about, as rows to read before answering and as text for the full screen. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import cast

import msgspec
from textual.content import Content

from craze.codec import Diff, Tool
from craze.tui.dialogs.rows import Row, Rows, text_row
from craze.tui.lines import DIM, spread
from craze.tui.scrub import exact, line, path_in, untabbed


def call_rows(tool: Tool, folder: str, width: int) -> Rows:
    """The command with its folder, the diffs, or the input."""
    if command := command_of(tool):
        where = directory_of(tool) or folder
        return [*_exact(command, width), *([text_row((f" in {line(where)}", DIM))] if where else [])]
    if tool.diffs:
        return [row for diff in tool.diffs for row in _diff_rows(diff, width)]
    rows = _exact(line(tool.title) or line(tool.name), width) if tool.title or tool.name else []
    rows += [text_row((f" {line(place)}", DIM)) for place in tool.locations]
    if tool.raw_input:
        rows += _exact(input_text(tool), width)
    elif tool.content_text:
        rows += _exact(tool.content_text, width)
    return rows


def call_text(tool: Tool, folder: str) -> str:
    """Everything that is known of the call."""
    parts = [line(tool.title)]
    if command := command_of(tool):
        parts += [exact(command), f"in {line(directory_of(tool) or folder)}"]
    parts += [line(place) for place in tool.locations]
    for diff in tool.diffs:
        parts += [line(diff.path), "\n".join(sign + text for sign, text in _changes(diff))]
    if tool.content_text:
        parts.append(exact(tool.content_text))
    if tool.raw_input and not command:
        parts.append(exact(input_text(tool)))
    return "\n\n".join(part for part in parts if part)


def input_of(tool: Tool) -> dict[str, object]:
    """The call's arguments; empty where they are no object."""
    try:
        found: object = msgspec.json.decode(tool.raw_input) if tool.raw_input else {}
    except (msgspec.DecodeError, RecursionError):
        return {}
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}


def command_of(tool: Tool) -> str:
    """The command line that a call would run, "" for none."""
    command = input_of(tool).get("command")
    if isinstance(command, list):
        return " ".join(str(word) for word in cast("list[object]", command))
    return command if isinstance(command, str) else ""


def directory_of(tool: Tool) -> str:
    given = input_of(tool)
    return next((said for name in ("cwd", "workdir", "directory") if isinstance(said := given.get(name), str)), "")


def input_text(tool: Tool) -> str:
    """The arguments as JSON that can be read; as they came where they are none."""
    try:
        return msgspec.json.format(tool.raw_input, indent=2)
    except (msgspec.DecodeError, RecursionError):
        return tool.raw_input


def _exact(text: str, width: int) -> Rows:
    return [
        Row(Content(" ") + row)
        for each in exact(text).rstrip("\n").split("\n")
        for row in (Content(untabbed(each)).fold(max(2, width - 2)) or [Content("")])
    ]


def _diff_rows(diff: Diff, width: int) -> Rows:
    changes = list(_changes(diff))
    added = diff.added or sum(sign == "+" for sign, _ in changes)
    removed = diff.removed or sum(sign == "−" for sign, _ in changes)
    count = Content.assemble((f"+{added}", "$diff-add"), " ", (f"−{removed}", "$diff-del"))
    head = spread(width - 1, Content(f" {path_in(line(diff.path), width - 14)}"), count)
    return [Row(head), *(row for sign, text in changes for row in _change_rows(sign, text, width))]


def _change_rows(sign: str, text: str, width: int) -> Rows:
    style = {"+": "$diff-add on $diff-add-bg", "−": "$diff-del on $diff-del-bg"}.get(sign, "")
    return [Row(Content("   ") + row.stylize(style)) for row in Content(f"{sign} {text}").fold(max(4, width - 4))]


def _changes(diff: Diff) -> Iterable[tuple[str, str]]:
    """The lines of a diff with their sign, three lines around each change."""
    before, after = (exact(text).splitlines() for text in (diff.old_text, diff.new_text))
    for each in list(difflib.unified_diff(before, after, lineterm="", n=3))[2:]:
        if each.startswith("@@"):
            continue
        yield {"+": "+", "-": "−"}.get(each[0], " "), untabbed(each[1:])
    if diff.truncated:
        yield "", "… cut by the agent"
