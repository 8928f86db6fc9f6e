"""A tool call: one head line, and as much of its change, output and input as its state asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from craze.codec import Diff, Tool
from craze.tui import scrub
from craze.tui.transcript import said
from craze.tui.transcript.blocks import TERMINAL, Block, Shell
from craze.tui.transcript.paint import parts
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.paint.diff import SIDE_FROM, DiffPainter
from craze.tui.transcript.paint.lines import PLAIN, Line, Run, crop, spread, width_of, wrap
from craze.tui.transcript.paint.measure import GROUPED
from craze.tui.transcript.paint.output import output_lines
from craze.tui.transcript.paint.prose import prose_lines, source_lines
from craze.tui.transcript.paint.state import is_open, side_flipped

INDENT: Final = 2
DIFF_ROWS: Final = 10
RUNNING_ROWS: Final = 5
FAILED_RUN_ROWS: Final = 10
FAILED_ROWS: Final = 5
NARROW: Final = 80

_VERBS: Final = {"execute": "run", "switch_mode": "switch"}
_GLYPHS: Final = {
    "pending": ("pending", "thought"),
    "in_progress": ("running", "tool-running"),
    "completed": ("done", "tool-done"),
    "failed": ("failed", "tool-failed"),
    "cancelled": ("cancelled", "thought"),
}
_SHELL: Final = {
    "running": ("running", "tool-running"),
    "cancelled": ("cancelled", "thought"),
    "failed": ("failed", "tool-failed"),
    "done": ("done", "tool-done"),
}


def tool_lines(block: Block, width: int, brush: Brush) -> list[Line]:
    """The call as its state and expansion ask for."""
    tool = block.data
    assert isinstance(tool, Tool)
    lines = [head_line(block, tool, width, brush)]
    inner = width - INDENT
    if is_open(block, brush):
        body = opened(tool, block, inner, brush)
    elif block.expansion == "closed":
        body = []
    else:
        body = _compact(tool, block, inner, brush)
    return [*lines, *(line.indented(Run(" " * INDENT)) for line in body)]


# ---- the head


def head_line(block: Block, tool: Tool, width: int, brush: Brush) -> Line:
    sign = _sign(block, tool, brush)
    verb = verb_of(tool)
    wide = width + INDENT >= NARROW
    task = tool.task is not None
    name = [] if task else [Run(f"{verb:<{7 if wide else 5}} ", brush["thought"])]
    subject = parts.subject(tool)
    room = max(8, width - width_of([*sign, *name]))
    for right in _rights(block, tool, wide, brush):
        if cell_len(subject) + width_of(right) + 1 <= room or not right:
            break
    else:
        right = []
    free = room - width_of(right) - bool(right)
    short = relative(subject, tool, brush)
    offset = parts.HEAD + len(subject) - len(short)
    shown = scrub.path_in(short, free) if subject in map(scrub.line, tool.locations) else scrub.cut(short, free)
    if shown != short:
        offset = -1
    return spread([*sign, *name, Run(shown, PLAIN, offset)], right, width)


def relative(subject: str, tool: Tool, brush: Brush) -> str:
    """A subject that is a path in the session's folder, without that folder."""
    is_path = subject in map(scrub.line, tool.locations)
    return brush.inside(subject) if is_path else subject


def _sign(block: Block, tool: Tool, brush: Brush) -> list[Run]:
    if tool.task is not None:
        signs = [Run(brush.glyphs["task"] + " ", brush["tool-running"])]
    else:
        signs = []
    if tool.status not in TERMINAL and not block.open:
        glyph, name = "cancelled", "thought"
    elif tool.status in _GLYPHS:
        glyph, name = _GLYPHS[tool.status]
    else:
        return [*signs, Run(scrub.cut(scrub.line(tool.status), 16) + " ", brush["thought"])]
    return [*signs, Run(brush.glyphs[glyph] + " ", brush[name])]


def verb_of(tool: Tool) -> str:
    """What the call does, in a word."""
    return scrub.line(_VERBS.get(tool.kind, tool.kind or "other"))


def _rights(block: Block, tool: Tool, wide: bool, brush: Brush) -> list[list[Run]]:
    """What may stand at the right, the fullest first: result note and duration, the note alone, nothing."""
    note = _note(block, tool, brush)
    end = block.until if tool.status in TERMINAL else brush.now() if block.open else 0
    took = end - block.at if block.at and end else 0
    lasted = tool.task.duration_ms if tool.task and tool.task.duration_ms else took
    # A sub-agent's time is written as in the band of agents.
    spelled = (said.clock if tool.task else said.duration)(lasted)
    both = [*note, brush.dim(f"  {spelled}")] if lasted > 0 and (wide or not note) else note
    return [both, note, []]


def _note(block: Block, tool: Tool, brush: Brush) -> list[Run]:
    if tool.diffs:
        added, removed = _counted(tool, brush)
        minus = brush.glyphs["minus"]
        return [Run(f"+{added}", brush["diff-add"]), Run(" "), Run(f"{minus}{removed}", brush["diff-del"])]
    output = tool.output
    if output is not None and output.exit_code:
        return [Run(f"exit {output.exit_code}", brush["tool-failed"])]
    if tool.status != "completed" or tool.kind not in GROUPED:
        return []
    text = (output.content or output.stdout if output else "") or tool.content_text
    count = len(text.rstrip("\n").split("\n")) if text.strip() else 0
    word = "line" if tool.kind == "read" else "hit"
    return [brush.dim(f"{count} {word}{'' if count == 1 else 's'}")] if count else []


def _counted(tool: Tool, brush: Brush) -> tuple[int, int]:
    added = sum(diff.added for diff in tool.diffs)
    removed = sum(diff.removed for diff in tool.diffs)
    if added or removed:
        return added, removed
    texts = [(diff.old_text.splitlines(), diff.new_text.splitlines()) for diff in tool.diffs]
    return sum(len(new) for old, new in texts if not old), sum(len(old) for old, new in texts if not new)


# ---- the body


def _compact(tool: Tool, block: Block, width: int, brush: Brush) -> list[Line]:
    if tool.task is not None:
        return []
    if tool.diffs:
        return _diffs(tool.diffs, block, width, brush, DIFF_ROWS)
    if tool.kind == "execute":
        last = RUNNING_ROWS if block.open else FAILED_RUN_ROWS if tool.status == "failed" or _exit(tool) else 0
        return _tail(tool, width, brush, last) if last else []
    if tool.status == "failed" and tool.kind != "switch_mode":
        return _tail(tool, width, brush, FAILED_ROWS)
    return []


def _exit(tool: Tool) -> int:
    return (tool.output.exit_code or 0) if tool.output else 0


def _tail(tool: Tool, width: int, brush: Brush, last: int) -> list[Line]:
    """The last lines of what was printed, else of what was returned."""
    output = tool.output
    texts: list[tuple[int, str]] = []
    if output is not None:
        texts = [(parts.OUT, output.stdout), (parts.ERR, output.stderr)]
        if not (output.stdout.strip() or output.stderr.strip()):
            texts = [(parts.RESULT, output.content)]
    if not any(text.strip() for _, text in texts):
        texts = [(parts.CONTENT, tool.content_text)]
    lines: list[Line] = []
    for base, text in texts:
        if text.strip():
            lines += output_lines(text, base, width, brush, last=last, ink=brush["thought"])
    return lines[-last:]


def opened(tool: Tool, block: Block, width: int, brush: Brush) -> list[Line]:
    """Everything that the call tells."""
    subject = parts.subject(tool)
    lines = [Line([Run(scrub.path_in(scrub.line(place), width), brush["link"])]) for place in tool.locations]
    lines = lines if [scrub.line(place) for place in tool.locations] != [subject] else []
    given = parts.pretty_input(tool)
    if given and given.strip() != subject and not tool.diffs and not _told_beside(tool):
        lines += source_lines(given, width, brush["thought"], parts.INPUT)
    if tool.task is not None and tool.task.prompt:
        lines += source_lines(scrub.prose(tool.task.prompt), width, brush["thought"], parts.DIFFS - parts.SECTION)
    output = tool.output
    shown_as_output = output is not None and tool.content_text.strip() in (output.stdout.strip(), "")
    if tool.content_text.strip() and not shown_as_output:
        lines += prose_lines(scrub.prose(tool.content_text), width, brush, parts.CONTENT)
    lines += _diffs(tool.diffs, block, width, brush, 0)
    lines += _outputs(tool, width, brush)
    if not lines and not block.open:
        lines = [Line([brush.dim("no output")])]
    return lines


def _told_beside(tool: Tool) -> bool:
    """Whether all of a call's input is told anyway: by its text, like a plan, or by what it gives a sub-agent to do."""
    told = {tool.content_text, tool.title}
    if tool.task is not None:
        told |= {tool.task.prompt, tool.task.description, tool.task.subagent_type}
    said = {text.strip() for text in told}
    given = parts.raw_input(tool)
    return bool(given) and all(isinstance(value, str) and value.strip() in said for value in given.values())


def _outputs(tool: Tool, width: int, brush: Brush) -> list[Line]:
    output = tool.output
    if output is None:
        return []
    lines: list[Line] = []
    streams = (
        ("stdout", parts.OUT_HEAD, output.stdout_head, parts.OUT, output.stdout),
        ("stderr", parts.ERR_HEAD, output.stderr_head, parts.ERR, output.stderr),
        ("", 0, "", parts.RESULT, parts.result_of(tool)),
    )
    for label, head_at, head, at, text in streams:
        if not (head.strip() or text.strip()):
            continue
        if label and (label == "stderr" or output.stderr.strip()):
            lines.append(Line([brush.dim(label)]))
        if head.strip():
            lines += output_lines(head, head_at, width, brush)
            lines.append(Line([brush.dim("… cut …")]))
        lines += output_lines(text, at, width, brush)
    if output.exit_code:
        lines.append(Line([Run(f"exit {output.exit_code}", brush["tool-failed"])]))
    if output.truncated and not (output.stdout_head or output.stderr_head):
        lines.append(Line([brush.dim("… cut by the agent")]))
    return lines


def _diffs(diffs: Sequence[Diff], block: Block, width: int, brush: Brush, most: int) -> list[Line]:
    lines: list[Line] = []
    for at, diff in enumerate(diffs):
        lines += diff_lines(diff, at, block, width, brush, most, titled=len(diffs) > 1)
    return lines


def diff_lines(
    diff: Diff, at: int, block: Block, width: int, brush: Brush, most: int = 0, *, titled: bool = False
) -> list[Line]:
    """One changed file of a call."""
    lines: list[Line] = []
    if titled:
        path = Run(scrub.path_in(brush.inside(scrub.line(diff.path)), width), brush["link"])
        lines.append(Line([path]))
    if not diff.old_text and diff.new_text and not most:
        lines.append(Line([brush.dim("new file")]))
    elif diff.old_text and not diff.new_text and not most:
        lines.append(Line([brush.dim("deleted")]))
    side = (brush.diff == "side" or (brush.diff == "auto" and width + 4 >= SIDE_FROM)) != side_flipped(block)
    if diff.old_text or diff.new_text:
        painter = DiffPainter(
            diff, parts.DIFFS + 2 * at * parts.SECTION, brush, width, side=side and width + 4 >= NARROW
        )
        lines += painter.lines(most)
    if diff.truncated:
        lines.append(Line([brush.dim("… cut by the agent")]))
    return lines


def group_lines(blocks: Sequence[Block], width: int, brush: Brush) -> list[Line]:
    """Two or more finished reads and searches: `read 6 files, searched 2`."""
    kinds = [block.data.kind for block in blocks if isinstance(block.data, Tool)]
    reads, searches = kinds.count("read"), kinds.count("search")
    words = ", ".join(
        filter(
            None,
            (
                f"read {reads} file{'' if reads == 1 else 's'}" if reads else "",
                f"searched {searches}" if searches else "",
            ),
        )
    )
    return [Line(crop([Run(brush.glyphs["done"] + " ", brush["tool-done"]), brush.dim(words)], width))]


def shell_lines(block: Block, width: int, brush: Brush) -> list[Line]:
    """A command of the person's own."""
    shell = block.data
    assert isinstance(shell, Shell)
    state = (
        "running" if shell.running else "cancelled" if shell.status is None else "failed" if shell.status else "done"
    )
    glyph, name = _SHELL[state]
    head = [Run(brush.glyphs[glyph] + " ", brush[name]), Run("! ", brush["thought"])]
    command = [Run(scrub.exact(shell.command), PLAIN, parts.HEAD)]
    note = [Run(f"exit {shell.status}", brush["tool-failed"])] if shell.status else []
    rows = wrap(command, width - width_of(head) - width_of(note) - 1)
    lines = [spread([*head, *rows[0]], note, width)]
    lines += [Line([Run(" " * width_of(head)), *row], joined=True) for row in rows[1:]]
    last = 0 if is_open(block, brush) else FAILED_RUN_ROWS
    if shell.output.strip() and block.expansion != "closed":
        body = output_lines(shell.output, parts.OUT, width - INDENT, brush, last=last)
        hidden = shell.output.rstrip("\n").count("\n") + 1 - len(body)
        if last and hidden > 0:
            body.insert(0, Line([brush.dim(f"{brush.glyphs['ellipsis']} {hidden} more lines")]))
        lines += [line.indented(Run(" " * INDENT)) for line in body]
    return lines
