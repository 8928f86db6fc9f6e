"""The transcript as the person meets it: block cursor, keys, mouse, selection, search.

What it cannot do itself it says by a message. Drawing and scrolling are `shown`'s.
"""

from __future__ import annotations

import time
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from craze.codec import Tool
from craze.tui.keys import bindings
from craze.tui.transcript.blocks import Block
from craze.tui.transcript.paint import parts
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.paint.lines import Line
from craze.tui.transcript.paint.state import CUT, SIDE, SOURCE, is_open
from craze.tui.transcript.places import Place, cell_of, first_offset, line_of, link_at, offset_at, word_around
from craze.tui.transcript.searching import Hit, Search
from craze.tui.transcript.selecting import Ends, Selection, spans, whole_line
from craze.tui.transcript.shown import ShownTranscript
from craze.tui.transcript.window import Row

WHEEL: Final = 3
SLICE: Final = 0.008
_REVERSE, _UNDERLINE = Style(reverse=True), Style(underline=True)


class TranscriptView(ShownTranscript, can_focus=True, inherit_bindings=False):
    """A transcript with a cursor; `copy_on_select` copies when the mouse is released."""

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

    class OpenChild(Message):
        """Show the transcript of this sub-agent."""

        def __init__(self, agent: str) -> None:
            super().__init__()
            self.agent = agent

    class OpenViewer(Message):
        """Read this on the full screen. `seq` > 0: only head and tail of the text of that event's block are here."""

        def __init__(self, title: str, text: str, seq: int = 0) -> None:
            super().__init__()
            self.title, self.text, self.seq = title, text, seq

    class OpenLink(Message):
        """The person wants to go to this target; `text` is what the link showed."""

        def __init__(self, target: str, text: str) -> None:
            super().__init__()
            self.target, self.text = target, text

    class Copy(Message):
        """Put this on the clipboard."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Find(Message):
        """Open the line that asks what to search for."""

    class Found(Message):
        """How the search stands: hit `at` (from 1) of `total` so far; `error` when the query cannot be used."""

        def __init__(self, at: int, total: int, *, searching: bool, wrapped: bool, error: str) -> None:
            super().__init__()
            self.at, self.total, self.searching, self.wrapped, self.error = at, total, searching, wrapped, error

    class Leave(Message):
        """Back to the composer."""

    def __init__(self, *, id: str | None = None, brush: Brush | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, brush=brush)
        self.copy_on_select = False
        self._selection: Selection | None = None
        self._ends: Ends | None = None
        self._drag: Place | None = None
        self._search: Search | None = None
        self._began: tuple[float, int] | None = None

    # ---- what it tells

    @property
    def searching(self) -> Search | None:
        return self._search

    def selected_text(self) -> str:
        return self._selection.text(self._window) if self._selection else ""

    def clear_selection(self) -> bool:
        """Select nothing; whether something was selected."""
        had, self._selection = self._selection is not None, None
        self.refresh()
        return had

    def forget_marks(self) -> None:
        self._selection = self._search = self._drag = None

    # ---- search

    def search(self, query: str, regex: bool = False) -> None:
        """Look for a text, newest first; `Found` tells how it goes. An empty query clears the hits."""
        if self._began is None:
            self._began = None if self.following else self._window.place_at(0)
        self._search = Search(query, regex, self._window.transcript.blocks) if query else None
        self._searched()
        if self._search is not None and not self._search.done:
            self.call_later(self._look_on, self._search)
        self.refresh()

    def move_hit(self, step: int) -> None:
        """The next hit towards the end (1), or the one before."""
        if self._search is not None and (hit := self._search.move(step)):
            self._reveal_hit(hit)
            self._searched()

    def end_search(self, *, stay: bool) -> None:
        """The search is over; unless `stay` the view goes back to where it was."""
        began, self._began = self._began, None
        if not stay:
            self._search = None
            if began is None:
                self._window.follow()
            else:
                self._window.reveal(*began, at_top=True)
        self._settle()
        self.refresh()

    def _look_on(self, search: Search) -> None:
        if search is not self._search:
            return
        until = time.perf_counter() + SLICE
        if search.scan(lambda: time.perf_counter() > until) and search.current:
            self._reveal_hit(search.current)
        self._searched()
        self.refresh()
        if not search.done:
            self.call_later(self._look_on, search)

    def _reveal_hit(self, hit: Hit) -> None:
        transcript = self._window.transcript
        index = transcript.index(hit.block)
        block = transcript.blocks[index]
        if not self._drawn(block, hit.offset):
            block.expansion = "open"
            self._window.redraw(block)
        block = transcript.blocks[self._window.leader(index)]
        line = line_of(self._window.painted(block).lines, hit.offset)
        self._leave_end()
        self._cursor = block.id
        self._window.settle()
        self._window.reveal(block.id, line)
        self._settle()
        self.refresh()

    def _drawn(self, block: Block, offset: int) -> bool:
        runs = (run for line in self._window.painted(block).lines for run in line.runs)
        return any(0 <= run.offset <= offset < run.offset + len(run.text) for run in runs)

    def _searched(self) -> None:
        search = self._search
        if search is None:
            return
        self.post_message(
            self.Found(
                search.at + 1, len(search.hits), searching=not search.done, wrapped=search.wrapped, error=search.error
            )
        )

    # ---- drawing

    def render_lines(self, crop: Region) -> list[Strip]:
        self._ends = self._selection.ends(self._window) if self._selection else None
        return super().render_lines(crop)

    def decorated(self, row: Row, strip: Strip) -> Strip:
        if self._search is not None and row.block is not None and row.at >= 0:
            hits = [hit for hit in self._search.hits if hit.block == row.block.id]
            for hit in hits:
                style = self._brush["search-hit"] + (_REVERSE if hit == self._search.current else _UNDERLINE)
                for left, right in _hit_spans(row.line, hit):
                    strip = _styled(strip, left, right, style)
        if self._ends is not None:
            for left, right in spans(self._ends, row):
                strip = _styled(strip, left, right, self._brush["selection"])
        return strip

    # ---- keys

    def action_up(self) -> None:
        self._step(-1)

    def action_down(self) -> None:
        self._step(1)

    def action_toggle(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - toggles no attribute
        if block := self.cursor:
            self._toggle(block)

    def action_open(self) -> None:
        if (block := self.cursor) and block.expansion != "open":
            self._toggle(block, opened=True)

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
        """The fence under the cursor: the first one of the block that is seen."""
        if block := self.cursor:
            fences = fenced(parts.copied(block))
            if fences:
                self.post_message(self.Copy(fences[0]))

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

    # ---- mouse

    def _on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_by_rows(WHEEL)

    def _on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_by_rows(-WHEEL)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        place = self._place(event.x, event.y)
        self._selection = None
        self._drag = place
        if event.button == 1 and place is not None:
            self.capture_mouse()
        self.refresh()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._drag is None or event.button != 1:
            return
        if not 0 <= event.y < self.size.height:
            self.scroll_by_rows(-1 if event.y < 0 else 1)
        head = self._place(event.x, min(max(event.y, 0), self.size.height - 1))
        if head is not None and head != self._drag:
            self._selection = Selection(self._drag, head)
            self.refresh()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self.release_mouse()
        self._drag = None
        if self.copy_on_select and (text := self.selected_text()):
            self.post_message(self.Copy(text))

    def on_click(self, event: events.Click) -> None:
        if not 0 <= event.y < len(self._window.rows):
            return
        row = self._window.rows[event.y]
        if self.new_blocks and event.y == self.size.height - 1 and event.x >= self.size.width - 12:
            self.follow()
        elif row.block is not None and event.chain > 1:
            self._select_around(event, row)
        elif row.block is not None and self._selection is None:
            self._cursor = row.block.id
            self._click(event, row, row.block)
        self.refresh()

    def _click(self, event: events.Click, row: Row, block: Block) -> None:
        target, text = link_at(row.line, event.x)
        if target and event.ctrl:
            self.post_message(self.OpenLink(target, text))
        elif row.at == 0 and block.kind not in ("prompt", "text", "line", "error"):
            self._toggle(block)

    def _select_around(self, event: events.Click, row: Row) -> None:
        place = self._place(event.x, event.y)
        if place is None or row.block is None:
            return
        if event.chain == 2:
            start, end = word_around(row.block, place.offset)
            self._selection = Selection(Place(place.block, start), Place(place.block, max(start, end - 1)))
        else:
            self._selection = Selection(*whole_line(self._window, place))
        if self.copy_on_select and (text := self.selected_text()):
            self.post_message(self.Copy(text))

    # ---- little helpers

    def _place(self, x: int, y: int) -> Place | None:
        if not 0 <= y < len(self._window.rows):
            return None
        row = self._window.rows[y]
        if row.block is None:
            return None
        offset = offset_at(row.line, x)
        return Place(row.block.id, offset) if offset >= 0 else None

    def _step(self, by: int) -> None:
        if self._selection is not None and self._selection.lines:
            return self._extend(by)
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

    def _extend(self, by: int) -> None:
        """The selected lines reach one line further."""
        selection = self._selection
        assert selection is not None
        transcript = self._window.transcript
        index = transcript.index(selection.head.block)
        if index >= len(transcript.blocks):
            return
        lines = self._window.painted(transcript.blocks[index]).lines
        at = (cell_of(lines, selection.head.offset) or (0, 0))[0] + by
        while 0 <= index < len(transcript.blocks):
            if 0 <= at < len(lines):
                if (offset := first_offset(lines[at])) >= 0:
                    head = Place(transcript.blocks[index].id, offset)
                    self._selection = Selection(selection.anchor, head, lines=True)
                    self._window.reveal(head.block, at)
                    self._settle()
                    self.refresh()
                    return
                at += by
                continue
            index += by
            if 0 <= index < len(transcript.blocks):
                shown = self._window.shown(index)
                lines = self._window.painted(transcript.blocks[index]).lines if shown else []
                at = 0 if by > 0 else len(lines) - 1

    def _toggle(self, block: Block, *, opened: bool = False) -> None:
        tool = block.data
        if isinstance(tool, Tool) and tool.task is not None and self.has_transcript(tool.task.agent_id):
            self.post_message(self.OpenChild(tool.task.agent_id))
            return
        index = self._window.transcript.index(block.id)
        group = self._window.group(index)
        if group:
            for each in group:
                each.expansion = "closed"
        elif opened or not _shows_all(block, self._brush):
            block.expansion = "open"
        else:
            block.expansion = "closed" if self._brush.full or block.kind in ("prompt", "text", "plan") else "auto"
        self._redraw(block)

    def _flip(self, flag: int) -> None:
        if block := self.cursor:
            block.flags ^= flag
            self._redraw(block)

    def _redraw(self, block: Block) -> None:
        self._leave_end()
        self._window.redraw(block)
        self._settle()
        self.refresh()


def fenced(text: str) -> list[str]:
    """The codes of the fences of a Markdown text."""
    found: list[str] = []
    code: list[str] = []
    marker = ""
    for line in text.split("\n"):
        start = line.strip()
        if marker and start.startswith(marker) and not start.strip(marker[0]):
            found.append("\n".join(code))
            marker, code = "", []
        elif marker:
            code.append(line)
        elif start.startswith(("```", "~~~")):
            marker = start[: len(start) - len(start.lstrip(start[0]))]
    return [*found, "\n".join(code)] if marker and code else found


def _shows_all(block: Block, brush: Brush) -> bool:
    if block.kind in ("prompt", "text", "plan"):
        return block.expansion != "closed"
    return is_open(block, brush)


def _hit_spans(line: Line, hit: Hit) -> list[tuple[int, int]]:
    """The columns of a line that show a part of the hit."""
    found: list[tuple[int, int]] = []
    column = 0
    for run in line.runs:
        cells = cell_len(run.text)
        if run.offset >= 0:
            start, end = max(hit.offset, run.offset), min(hit.offset + hit.size, run.offset + len(run.text))
            if start < end:
                left = column + cell_len(run.text[: start - run.offset])
                found.append((left, left + cell_len(run.text[start - run.offset : end - run.offset])))
        column += cells
    return found


def _styled(strip: Strip, left: int, right: int, style: Style) -> Strip:
    right = min(right, strip.cell_length)
    if left >= right:
        return strip
    middle = strip.crop(left, right)
    over = Strip([Segment(segment.text, (segment.style or Style()) + style) for segment in middle])
    return Strip.join([strip.crop(0, left), over, strip.crop(right)])
