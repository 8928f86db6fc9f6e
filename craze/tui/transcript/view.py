"""The transcript as the person meets it: the block cursor and its keys.

What it cannot do itself it says by a message. Drawing and scrolling are `shown`'s, search `searched`'s, selection and mouse
`selected`'s.
"""

from __future__ import annotations

from typing import Final

from rich.style import Style
from textual.message import Message

from craze.codec import Tool
from craze.tui.keys import bindings
from craze.tui.transcript.blocks import Block
from craze.tui.transcript.paint import parts
from craze.tui.transcript.paint.measure import PROMPT_ROWS
from craze.tui.transcript.paint.state import CUT, SIDE, SOURCE, is_open
from craze.tui.transcript.places import Place, first_offset, link_at
from craze.tui.transcript.selected import SelectedTranscript
from craze.tui.transcript.selecting import Selection

WHEEL: Final = 3
SLICE: Final = 0.008
_REVERSE, _UNDERLINE = Style(reverse=True), Style(underline=True)


class TranscriptView(SelectedTranscript, can_focus=True, inherit_bindings=False):
    """A transcript with a block cursor and keys."""

    BINDINGS = bindings(
        "transcript.up",
        "transcript.down",
        "transcript.toggle",
        "transcript.open",
        "transcript.close",
        "transcript.previous_prompt",
        "transcript.next_prompt",
        "transcript.previous_tool",
        "transcript.next_tool",
        "transcript.next_diff",
        "transcript.previous_diff",
        "transcript.next_error",
        "transcript.previous_error",
        "transcript.first",
        "transcript.last",
        "transcript.select",
        "transcript.copy",
        "transcript.copy_code",
        "transcript.source",
        "transcript.wrap",
        "transcript.side",
        "transcript.link",
        "transcript.find",
        "transcript.next_hit",
        "transcript.previous_hit",
        "transcript.leave",
    )

    class OpenChild(Message, namespace="transcript_view"):
        """Show the transcript of this sub-agent."""

        def __init__(self, agent: str) -> None:
            super().__init__()
            self.agent = agent

    class OpenViewer(Message, namespace="transcript_view"):
        """Read this on the full screen. `seq` > 0: only head and tail of the text of that event's block are here."""

        def __init__(self, title: str, text: str, seq: int = 0) -> None:
            super().__init__()
            self.title, self.text, self.seq = title, text, seq

    class Find(Message, namespace="transcript_view"):
        """Open the line that asks what to search for."""

    class Leave(Message, namespace="transcript_view"):
        """Back to the composer."""

    # ---- keys

    def action_up(self) -> None:
        self._step(-1)

    def action_down(self) -> None:
        self._step(1)

    def action_toggle(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - toggles no attribute
        if block := self.cursor:
            self.toggle_block(block)

    def action_open(self) -> None:
        if (block := self.cursor) and block.expansion != "open":
            self.toggle_block(block, opened=True)

    def action_close(self) -> None:
        if (block := self.cursor) and (block.expansion != "closed"):
            block.expansion = "auto" if block.expansion == "open" and not self._brush.full else "closed"
            self._redraw(block)

    def action_previous_prompt(self) -> None:
        self.jump("prompt", -1)

    def action_next_prompt(self) -> None:
        self.jump("prompt", 1)

    def action_previous_tool(self) -> None:
        self.jump("tool", -1)

    def action_next_tool(self) -> None:
        self.jump("tool", 1)

    def action_next_diff(self) -> None:
        self.jump("diff", 1)

    def action_previous_diff(self) -> None:
        self.jump("diff", -1)

    def action_next_error(self) -> None:
        self.jump("error", 1)

    def action_previous_error(self) -> None:
        self.jump("error", -1)

    def action_first(self) -> None:
        self.to_top()

    def action_last(self) -> None:
        if blocks := self._window.transcript.blocks:
            self._cursor = blocks[self._window.leader(len(blocks) - 1)].id
        self.follow()
        self.refresh()

    def action_select(self) -> None:
        """Lines from the cursor's block on; of a text whose middle is left out all of it on the full screen."""
        block = self.cursor
        if block is None:
            return
        if block.kind in ("text", "thought", "prompt") and block.source.hidden:
            self.post_message(self.OpenViewer(block.kind, parts.copied(block), int(block.id)))
            return
        row = next((row for row in self._window.rows if row.block is block and first_offset(row.line) >= 0), None)
        if row is not None:
            place = Place(block.id, first_offset(row.line))
            self._selection = Selection(place, place, lines=True)
            self.refresh()

    def action_copy(self) -> None:
        text = self.selected_text() or (self.block_source(self._cursor) if self.cursor else "")
        if text:
            self.post_message(self.Copy(text))
        self.clear_selection()

    def action_copy_code(self) -> None:
        """The fence under the cursor: of several the first one that is seen."""
        block = self.cursor
        fences = [fence for base, text in parts.parts(block) for fence in fenced(text, base)] if block else []
        seen = [
            run.offset for row in self._window.rows if row.block is block for run in row.line.runs if run.offset >= 0
        ]
        if fences:
            chosen = next((code for start, end, code in fences if any(start <= at < end for at in seen)), fences[0][2])
            self.post_message(self.Copy(chosen))

    def action_source(self) -> None:
        self._flip(SOURCE)

    def action_wrap(self) -> None:
        self._flip(CUT)

    def action_side(self) -> None:
        self._flip(SIDE)

    def action_link(self) -> None:
        """The first link of the block that is seen."""
        for row in self._window.rows:
            if row.block is not None and row.block.id == self._cursor:
                target, text = link_at(row.line, -1)
                if target:
                    self.post_message(self.OpenLink(target, text))
                    return

    def action_find(self) -> None:
        self.post_message(self.Find())

    def action_next_hit(self) -> None:
        self.move_hit(1)

    def action_previous_hit(self) -> None:
        self.move_hit(-1)

    def action_leave(self) -> None:
        if not self.clear_selection():
            self.post_message(self.Leave())

    # ---- little helpers

    def _step(self, by: int) -> None:
        if self._selection is not None and self._selection.lines:
            return self.extend_lines(by)
        rows = self._window.rows
        beyond = rows[-1] if by > 0 else rows[0]
        if rows and (block := self.cursor) and beyond.block is block and self._cut(block, by):
            return self.scroll_by_rows(by * WHEEL)
        blocks = self._window.transcript.blocks
        at = self._cursor_index() + by
        while 0 <= at < len(blocks) and not self._window.shown(at):
            at += by
        if 0 <= at < len(blocks):
            height = len(self._window.painted(blocks[at]).lines)
            self.go_to(blocks[at].id, max(0, height - self._window.height) if by < 0 else 0)
            self.refresh()
        elif by > 0:
            self.follow()
        return None

    def _cut(self, block: Block, by: int) -> bool:
        """Whether rows of the block are beyond the edge of the screen."""
        seen = [row.at for row in self._window.rows if row.block is block and row.at >= 0]
        last = len(self._window.painted(block).lines) - 1
        return bool(seen) and (seen[-1] < last if by > 0 else seen[0] > 0)

    def toggle_block(self, block: Block, *, opened: bool = False) -> None:
        tool = block.data
        if isinstance(tool, Tool) and (child := self.child_of(tool)):
            self.post_message(self.OpenChild(child))
            return
        index = self._window.transcript.index(block.id)
        group = self._window.group(index)
        if group:
            for each in group:
                each.expansion = "closed"
        elif opened or not self._shows_all(block):
            block.expansion = "open"
        else:
            block.expansion = "closed" if self._brush.full or not self._has_short_form(block) else "auto"
        self._redraw(block)

    def _shows_all(self, block: Block) -> bool:
        if block.kind in ("prompt", "text", "plan"):
            return block.expansion != "closed" and not self._window.painted(block).shortened
        return is_open(block, self._brush)

    def _has_short_form(self, block: Block) -> bool:
        """Whether the block, drawn in full, has a form between that and its first line alone."""
        if block.kind == "prompt":
            return len(self._window.painted(block).lines) > PROMPT_ROWS + 1
        return block.kind not in ("text", "plan")

    def _flip(self, flag: int) -> None:
        if block := self.cursor:
            block.flags ^= flag
            self._redraw(block)

    def _redraw(self, block: Block) -> None:
        self._leave_end()
        self._window.redraw(block)
        self._settle()
        self._bring_up(block)
        self.refresh()

    def _bring_up(self, block: Block) -> None:
        """What is below the edge of the block comes up as far as its head stays in sight."""
        rows = self._window.rows
        seen = [y for y, row in enumerate(rows) if row.block is block and row.at >= 0]
        if seen and self._cut(block, 1):
            below = len(self._window.painted(block).lines) - 1 - rows[seen[-1]].at
            self._window.scroll(min(below, seen[0] if rows[seen[0]].at == 0 else 0))
            self._settle()


def fenced(text: str, base: int = 0) -> list[tuple[int, int, str]]:
    """The fences of a Markdown text: where each begins and ends, and its code."""
    found: list[tuple[int, int, str]] = []
    code: list[str] = []
    marker, start, at = "", 0, base
    for line in text.split("\n"):
        bare = line.strip()
        if marker and bare.startswith(marker) and not bare.strip(marker[0]):
            found.append((start, at, "\n".join(code)))
            marker, code = "", []
        elif marker:
            code.append(line)
        elif bare.startswith(("```", "~~~")):
            marker, start = bare[: len(bare) - len(bare.lstrip(bare[0]))], at
        at += len(line) + 1
    return [*found, (start, at, "\n".join(code))] if marker and code else found
