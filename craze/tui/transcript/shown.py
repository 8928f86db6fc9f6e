"""A transcript on the screen: it draws the rows of a window and moves the window over the blocks.

It takes events and tells what is seen. Keys, mouse, selection and search are added by `view`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal

from msgspec.structs import replace
from rich.segment import Segment
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from craze.codec import Tool
from craze.codec.turns import Failure
from craze.tui.transcript.blocks import LOCAL, Block, Noted, Shell
from craze.tui.transcript.fold import Fold, Item
from craze.tui.transcript.paint import parts
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.window import BLANK, Row, Window

Jump = Literal["prompt", "tool", "diff", "error"]

SHORT: Final = 30
"""A screen with fewer rows has no empty lines between blocks, and none between the last and what is below."""

IDLE: Final = 0.03
"""Seconds after which colours are looked for, so that keys and frames come first."""


class ShownTranscript(ScrollView, inherit_bindings=False):
    """A transcript of any length as one widget."""

    DEFAULT_CSS = "ShownTranscript { overflow: hidden; background: $background; color: $foreground; }"
    ALLOW_SELECT = False

    class Moved(Message, namespace="transcript_view"):
        """Another part is seen, or the end is followed or left."""

        def __init__(self, following: bool, new_blocks: int) -> None:
            super().__init__()
            self.following, self.new_blocks = following, new_blocks

    def __init__(self, brush: Brush) -> None:
        super().__init__()
        self._brush = brush
        self._fold = Fold()
        self._agent = ""
        self._window = Window(self._fold.transcript(), self._brush, 80, 0)
        self._windows = {"": self._window}
        self._cursor = self._drawn_cursor = 0.0
        self._seen = self._locals = 0
        self._told = (True, 0)
        self._idling = False
        self._drawn_rows: list[Row] = []

    # ---- what comes in

    def fold(self, records: Iterable[Item]) -> None:
        """Events in their order; those taken before are passed over."""
        self._fold.fold(records)
        self._window.changed()
        self._settle()

    def prepend(self, records: Iterable[Item]) -> None:
        """An older page; what is seen stays where it is."""
        count = len(self._window.transcript.blocks)
        for window in self._windows.values():
            window.changed()
        for agent, joined in self._fold.prepend(records).items():
            if window := self._windows.get(agent):
                window.joined(joined)
            if window is self._window:
                self._cursor = joined.renamed.get(self._cursor, self._cursor)
        self._seen += len(self._window.transcript.blocks) - count
        self._settle()

    def restate(self, records: Iterable[Item]) -> None:
        """These events instead of all before; scroll position, cursor and what was opened are kept by block."""
        before = self._window
        following, place = self.following, before.place_at(0)
        self._fold = Fold()
        self._fold.fold(records)
        self._windows = {}
        self._window = self._window_of(self._agent)
        self._window.hidden_before = before.hidden_before
        self._window.transcript.take_over(before.transcript)
        self._window.changed()
        self.forget_marks()
        if not following and place is not None:
            self._window.settle()
            self._window.reveal(*place, at_top=True)
        self._settle()

    def show(self, agent: str | None) -> None:
        """The transcript of a sub-agent, or with None the main one."""
        self._agent = agent or ""
        self._window = self._window_of(self._agent)
        self._window.changed()
        self.forget_marks()
        self._cursor, self._seen = 0.0, len(self._window.transcript.blocks)
        self._settle()
        self.refresh()

    def shell(self, key: int, command: str, output: str, status: int | None, *, running: bool) -> None:
        """A command of the person's own, by `key`; drawn at its first place."""
        transcript = self._fold.transcript()
        data = Shell(command, output, status, running)
        block = next(
            (each for each in reversed(transcript.blocks) if each.kind == "shell" and each.mark == str(key)), None
        )
        if block is None:
            block = Block(self._local_id(), "shell", data, mark=str(key))
            transcript.add(block)
        block.data, block.open = data, running
        transcript.touch(block)
        self._window.changed()
        self._settle()

    def note(self, text: str) -> None:
        """One dim line of the screen's own, below a text that still grows."""
        self._window.transcript.put(Block(self._local_id(), "line", Noted(text, "note")))
        self._window.changed()
        self._settle()

    def restyle(self, brush: Brush) -> None:
        """Another theme or way to draw."""
        self._brush = brush
        self._window.restyle(brush)
        self._settle()

    def tick(self) -> None:
        """A moment has passed: calls that run show how long."""
        for block in {row.block for row in self._window.rows if row.block and row.at == 0}:
            if block.kind == "tool" and block.open:
                self._window.repaint(block)
        self._settle()

    # ---- what it tells

    @property
    def brush(self) -> Brush:
        return self._brush

    @property
    def following(self) -> bool:
        """Whether the end is seen and stays seen."""
        return self._window.following

    @property
    def new_blocks(self) -> int:
        """Blocks that came since the end was left."""
        return 0 if self.following else max(0, len(self._window.transcript.blocks) - self._seen)

    @property
    def paints(self) -> int:
        """Blocks painted so far, for those who count."""
        return self._window.paints

    @property
    def cursor(self) -> Block | None:
        """The block under the cursor."""
        return self._window.transcript.block(self._cursor)

    def child_of(self, tool: Tool) -> str:
        """The sub-agent behind a tool whose transcript can be shown, or ""."""
        return self._fold.child(tool)

    def last_reply(self) -> str:
        """The last message of the agent, as Markdown."""
        blocks = reversed(self._window.transcript.blocks)
        return next((parts.copied(block) for block in blocks if block.kind == "text"), "")

    def block_source(self, id_: float) -> str:
        """The text of a block, as it is copied."""
        block = self._window.transcript.block(id_)
        return parts.copied(block) if block else ""

    @property
    def unprompted(self) -> bool:
        """Whether the person has asked for nothing yet."""
        return all(block.kind != "prompt" for block in self._window.transcript.blocks)

    def own_prompts(self) -> list[tuple[float, str]]:
        """The person's prompts, oldest first, with the ids of their blocks."""
        blocks = self._window.transcript.blocks
        return [(block.id, parts.copied(block)) for block in blocks if block.kind == "prompt"]

    # ---- moving

    def follow(self) -> None:
        """To the end, and stay there."""
        self._window.follow()
        self._settle()

    def scroll_by_rows(self, rows: int) -> None:
        self._leave_end()
        self._window.scroll(rows)
        self._settle()

    def page(self, pages: int) -> None:
        """One screen less two rows up (-1) or down (1)."""
        self.scroll_by_rows(pages * max(1, self._window.height - 2))

    def to_top(self) -> None:
        if blocks := self._window.transcript.blocks:
            self._leave_end()
            self._window.scroll_to(0)
            self._cursor = blocks[0].id
            self._settle()

    def go_to(self, id_: float, line: int = 0) -> None:
        """Put the cursor on a block and bring it into view."""
        self._leave_end()
        self._cursor = id_
        self._window.reveal(id_, line)
        self._settle()

    def jump(self, kind: Jump, step: int) -> None:
        """To the next block of a kind (1) or the one before (-1)."""
        transcript = self._window.transcript
        at = self._cursor_index() + step
        while 0 <= at < len(transcript.blocks):
            if self._window.shown(at) and _is(transcript.blocks[at], kind):
                return self.go_to(transcript.blocks[at].id)
            at += step
        return None

    def clear_view(self) -> None:
        """Draw none of the blocks so far."""
        self._window.clear()
        self.note("view cleared, the agent still remembers · /new starts afresh")

    def toggle_all(self) -> bool:
        """Everything compact or full; returns whether it is full now. Blocks toggled by hand stay as they are."""
        place = None if self.following else self._window.place_at(0)
        self.restyle(replace(self._brush, full=not self._brush.full))
        if place is not None:
            self._window.reveal(*place, at_top=True)
            self._settle()
        return self._brush.full

    # ---- drawing

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        rows = self._window.rows
        row = rows[y] if y < len(rows) else BLANK
        strip = self.decorated(row, row.line.strip).adjust_cell_length(width)
        if self.has_focus and row.block is not None and row.at >= 0 and self._is_cursor(row.block):
            mark = Segment(self._brush.glyphs["cursor"], self._brush["block-cursor"])
            strip = Strip.join([Strip([mark], 1), strip.crop(1)])
        if y == self.size.height - 1 and (new := self.new_blocks):
            strip = self._with_mark(strip, f" {self._brush.glyphs['down']} {new} new ", width)
        return strip.apply_style(self.rich_style)

    def _is_cursor(self, block: Block) -> bool:
        return block.id == self._cursor

    def _with_mark(self, strip: Strip, text: str, width: int) -> Strip:
        mark = Strip([Segment(text, self._brush["primary"])])
        return Strip.join([strip.crop(0, width - mark.cell_length), mark]) if mark.cell_length < width else strip

    def decorated(self, row: Row, strip: Strip) -> Strip:
        """The strip of a row with what is marked on it."""
        return strip

    def forget_marks(self) -> None:
        """Other blocks are shown: what was marked on the old ones is void."""

    # ---- keeping up

    def _settle(self) -> None:
        """Measure and paint what is seen, and draw the rows that differ."""
        window = self._window
        window.settle()
        if window.following:
            self._seen = len(window.transcript.blocks)
        # Nothing here depends on Textual's own scrolling, whose reactives would lay the whole screen out again.
        size: Any = Widget.virtual_size
        self.set_reactive(size, Size(window.width, window.total + self.size.height - window.height))
        self.set_reactive(Widget.scroll_y, float(window.top))
        self._need_cursor()
        self._refresh_rows()
        told = (window.following, self.new_blocks)
        if told != self._told:
            self._told = told
            self.refresh(Region(0, self.size.height - 1, self.size.width, 1))
            self.post_message(self.Moved(*told))
        if window.waiting() and not self._idling and self.is_mounted:
            self._idling = True
            self.set_timer(IDLE, self._idle)

    def _refresh_rows(self) -> None:
        """From the first to the last row that is not what it was."""
        old, new = self._drawn_rows, self._window.rows
        self._drawn_rows = new
        if self._cursor != self._drawn_cursor:
            self._drawn_cursor = self._cursor
            self.refresh()
            return
        height = max(len(old), len(new))
        differ = [y for y in range(height) if y >= len(old) or y >= len(new) or old[y].line is not new[y].line]
        if differ:
            self.refresh(Region(0, differ[0], max(1, self.size.width), differ[-1] - differ[0] + 1))

    async def _idle(self) -> None:
        """Find colours and differences of what is seen, one at a time and beside the loop."""
        waiting = self._window.waiting()
        await self._brush.find()
        self._idling = False
        for painted in waiting:
            self._window.recolour(painted)
        self._settle()

    def on_resize(self) -> None:
        roomy = self.screen.size.height >= SHORT
        self._window.breathe(roomy)
        self._window.resize(self.size.width, max(0, self.size.height - roomy))
        self._settle()
        self.refresh()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Somebody scrolls by Textual's own means."""
        if round(new_value) != self._window.top:
            self._leave_end()
            self._window.scroll_to(round(new_value))
            self._settle()

    def watch_has_focus(self, has_focus: bool) -> None:
        if has_focus:
            self._cursor_in_sight()
        self.refresh()

    def _need_cursor(self) -> None:
        """With the focus there is a cursor: at first on the last block that is seen."""
        if self.has_focus and self.cursor is None:
            self._cursor_in_sight()

    def _cursor_in_sight(self) -> None:
        if not any(row.block is not None and self._is_cursor(row.block) for row in self._window.rows):
            self._cursor = next((row.block.id for row in reversed(self._window.rows) if row.block), 0.0)

    # ---- little helpers

    def _window_of(self, agent: str) -> Window:
        """The window of an agent's transcript as it was left, at the size and in the look that hold."""
        now = self._window
        if agent not in self._windows:
            self._windows[agent] = Window(self._fold.transcript(agent), self._brush, now.width, now.height)
        window = self._windows[agent]
        window.breathe(now.roomy)
        window.resize(now.width, now.height)
        if window.brush is not self._brush:
            window.restyle(self._brush)
        # Every row is drawn, those too that the other transcript does not reach.
        self._drawn_rows = []
        self.refresh()
        return window

    def _leave_end(self) -> None:
        if self.following:
            self._seen = len(self._window.transcript.blocks)

    def _local_id(self) -> float:
        self._locals += 1
        return self._fold.last + LOCAL + self._locals / 1_000_000

    def _cursor_index(self) -> int:
        blocks = self._window.transcript.blocks
        return min(self._window.transcript.index(self._cursor), len(blocks)) if self._cursor else len(blocks)


def _is(block: Block, kind: Jump) -> bool:
    data = block.data
    if kind == "diff":
        return isinstance(data, Tool) and bool(data.diffs)
    if kind == "error":
        return isinstance(data, Failure) or (isinstance(data, Tool) and data.status == "failed")
    return block.kind == kind
