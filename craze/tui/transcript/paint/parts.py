"""The texts of a block with their places: what search looks into and what a selection copies from. Pure.

A place is an offset; every text of a block begins at a multiple of `SECTION` (the tail of a long text stands at its own).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final, cast

import msgspec

from craze.codec import Diff, Tool
from craze.codec.turns import Command, Failure
from craze.text import clean
from craze.tui import scrub
from craze.tui.transcript import said
from craze.tui.transcript.blocks import Asked, Block, Noted, Planned, Shell
from craze.tui.transcript.paint.difference import DiffRow, counts, difference
from craze.tui.transcript.source import Source

SECTION: Final = 1 << 24
HEAD, INPUT, CONTENT, PLACES, OUT_HEAD, OUT, ERR_HEAD, ERR, RESULT = (SECTION * at for at in range(9))
DIFFS: Final = SECTION * 16


def parts(block: Block) -> list[tuple[int, str]]:
    """Every text of the block as it may be drawn, also what is not shown at the moment."""
    return [(base, text) for base, text in _parts(block) if text]


def slice_of(texts: list[tuple[int, str]], start: int, size: int) -> str:
    """`size` characters at a place."""
    for base, text in reversed(texts):
        if start >= base:
            return text[start - base : start - base + size]
    return ""


def copied(block: Block) -> str:
    """What copying the whole block gives."""
    data = block.data
    if isinstance(data, Tool):
        return _copied_tool(data)
    if isinstance(data, Source) and data.hidden:
        (_, head), (_, tail) = data.parts()
        return f"{scrub.prose(head)}\n… {said.size(data.hidden)} hidden\n{scrub.prose(tail)}"
    return "\n".join(text for _, text in parts(block)).strip("\n")


def _parts(block: Block) -> Iterator[tuple[int, str]]:
    data = block.data
    if isinstance(data, Source):
        for start, text in data.parts():
            yield start, scrub.prose(text)
    elif isinstance(data, Tool):
        yield from _tool_parts(data)
    elif isinstance(data, Planned):
        yield HEAD, scrub.line(data.plan.name)
        yield INPUT, scrub.prose(data.plan.overview)
        yield CONTENT, scrub.prose(data.plan.plan)
        yield PLACES, "\n".join(scrub.line(todo.content) for todo in data.plan.todos)
    elif isinstance(data, Asked):
        _, words, about = said.decision(data.ending, data.opening)
        yield HEAD, scrub.line(words)
        yield INPUT, scrub.line(about)
    elif isinstance(data, Noted):
        yield HEAD, scrub.line(data.text)
    elif isinstance(data, Shell):
        yield HEAD, scrub.exact(data.command)
        yield OUT, scrub.plain_output(data.output)
    elif isinstance(data, Command):
        yield HEAD, scrub.line(command_name(data))
        yield CONTENT, scrub.prose(data.text)
    else:
        yield HEAD, scrub.exact(data.message)


def _tool_parts(tool: Tool) -> Iterator[tuple[int, str]]:
    yield HEAD, subject(tool)
    yield INPUT, pretty_input(tool)
    yield CONTENT, scrub.prose(tool.content_text)
    yield PLACES, "\n".join(map(scrub.line, tool.locations))
    if output := tool.output:
        yield OUT_HEAD, scrub.plain_output(output.stdout_head)
        yield OUT, scrub.plain_output(output.stdout)
        yield ERR_HEAD, scrub.plain_output(output.stderr_head)
        yield ERR, scrub.plain_output(output.stderr)
        if result := result_of(tool):
            yield RESULT, scrub.plain_output(result)
    for at, diff in enumerate(tool.diffs):
        yield DIFFS + 2 * at * SECTION, scrub.exact(diff.old_text)
        yield DIFFS + (2 * at + 1) * SECTION, scrub.exact(diff.new_text)
    if tool.task is not None:
        yield DIFFS - SECTION, scrub.prose(tool.task.prompt)


def result_of(tool: Tool) -> str:
    """`output.content`, unless that says the same as what is shown beside it."""
    output = tool.output
    if output is None or output.content.strip() in (output.stdout.strip(), tool.content_text.strip()):
        return ""
    return output.content


def _copied_tool(tool: Tool) -> str:
    texts = dict(_tool_parts(tool))
    order = (HEAD, CONTENT, OUT_HEAD, OUT, ERR_HEAD, ERR, RESULT)
    shown = [texts[each].strip("\n") for each in order if texts.get(each)]
    return "\n".join([*shown, *(patch(diff) for diff in tool.diffs)])


def patch(diff: Diff) -> str:
    """The change as a unified diff."""
    path = scrub.line(diff.path).removeprefix("/")
    rows = difference(scrub.exact(diff.old_text), scrub.exact(diff.new_text))
    if counts(rows) == (0, 0):
        return ""
    lines = [f"--- a/{path}", f"+++ b/{path}"]
    for gap, hunk in groupby(rows, key=lambda row: row.gap > 0):
        lines += [] if gap else _hunk(list(hunk))
    return "\n".join(lines)


def _hunk(rows: Sequence[DiffRow]) -> list[str]:
    olds, news = [row.old for row in rows if row.old], [row.new for row in rows if row.new]
    head = f"@@ -{_range(olds)} +{_range(news)} @@"
    return [head, *(row.sign + (row.old_text if row.old else row.new_text) for row in rows)]


def _range(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return str(numbers[0])
    return f"{numbers[0]},{len(numbers)}" if numbers else "0,0"


def subject(tool: Tool) -> str:
    """What a call is about: its command, else its first place, title or name."""
    if tool.task is not None:
        kind = tool.task.subagent_type or "agent"
        return scrub.line(f"{kind}: {tool.task.description or tool.title or tool.name}")
    command = command_of(tool) if tool.kind == "execute" else ""
    place = tool.locations[0] if tool.locations else ""
    chosen = command or place or tool.title or tool.tool_name or tool.name
    return scrub.line(chosen.strip())


def command_of(tool: Tool) -> str:
    """The command line of an `execute` call."""
    found = raw_input(tool)
    command = next((found[key] for key in ("command", "cmd", "script") if found.get(key)), "")
    if isinstance(command, list):
        command = " ".join(map(str, cast("list[object]", command)))
    return command if isinstance(command, str) and command else tool.title.strip("`")


def raw_input(tool: Tool) -> dict[str, Any]:
    """The arguments of a call, as far as they are a JSON object."""
    try:
        return msgspec.json.decode(tool.raw_input, type=dict[str, Any]) if tool.raw_input else {}
    except (msgspec.DecodeError, msgspec.ValidationError):
        return {}


def pretty_input(tool: Tool) -> str:
    """The command, or the arguments as indented JSON."""
    if tool.kind == "execute" and (command := command_of(tool)):
        return scrub.exact(command)
    return scrub.exact(indented(tool))


def indented(tool: Tool) -> str:
    """The arguments over as many lines as they are easy to read in, each character as it came."""
    try:
        return msgspec.json.format(tool.raw_input, indent=2) if tool.raw_input else ""
    except msgspec.DecodeError:
        return tool.raw_input


def command_name(command: Command) -> str:
    found = command.plugin_command
    if found is None:
        return command.path.rpartition("/")[2]
    return f"{found.qualified or found.display or found.bare}" + (f" ({found.kind})" if found.kind else "")


def plain(block: Block) -> str:
    """The block as scrubbed text, whatever is wrong with it."""
    data = block.data
    if isinstance(data, Source):
        return scrub.prose(data.text)
    return clean(data.message if isinstance(data, Failure) else repr(data))
