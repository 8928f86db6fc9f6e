"""Selection in a transcript by mouse and by lines, and where the mouse points."""

from __future__ import annotations

from typing import Final

from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from craze.tui.transcript.blocks import Block
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.paint.lines import restyled
from craze.tui.transcript.places import Place, cell_of, first_offset, link_at, offset_at, word_around
from craze.tui.transcript.searched import SearchedTranscript
from craze.tui.transcript.selecting import Ends, Selection, spans, whole_line
from craze.tui.transcript.window import Row

WHEEL: Final = 3


class SelectedTranscript(SearchedTranscript, inherit_bindings=False):
    """A transcript whose text can be selected; `copy_on_select` copies when the mouse is released."""

    class Copy(Message, namespace="transcript_view"):
        """Put this on the clipboard."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class OpenLink(Message, namespace="transcript_view"):
        """The person wants to go to this target; `text` is what the link showed."""

        def __init__(self, target: str, text: str) -> None:
            super().__init__()
            self.target, self.text = target, text

    class Marked(Message, namespace="transcript_view"):
        """Something is selected, or nothing any more."""

    _selection: reactive[Selection | None] = reactive(None, init=False)

    def __init__(self, brush: Brush) -> None:
        super().__init__(brush)
        self.copy_on_select = False
        self._ends: Ends | None = None
        self._drag: Place | None = None

    def selected_text(self) -> str:
        return self._selection.text(self._window) if self._selection else ""

    @property
    def selecting(self) -> bool:
        """Whether lines are being selected by keys."""
        return self._selection is not None and self._selection.lines

    def watch__selection(self, old: Selection | None, new: Selection | None) -> None:
        if (old is None) != (new is None):
            self.post_message(self.Marked())

    def clear_selection(self) -> bool:
        """Select nothing; whether something was selected."""
        had, self._selection = self._selection is not None, None
        self.refresh()
        return had

    def forget_marks(self) -> None:
        super().forget_marks()
        self._selection = self._drag = None

    def toggle_block(self, block: Block) -> None:
        """A click on the head of a block."""

    # ---- drawing

    def render_lines(self, crop: Region) -> list[Strip]:
        self._ends = self._selection.ends(self._window) if self._selection else None
        return super().render_lines(crop)

    def decorated(self, row: Row, strip: Strip) -> Strip:
        strip = super().decorated(row, strip)
        for left, right in spans(self._ends, row) if self._ends is not None else ():
            strip = restyled(strip, left, right, self._brush["selection"])
        return strip

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
            self.toggle_block(block)

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

    # ---- lines by keyboard

    def extend_lines(self, by: int) -> None:
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

    # ---- little helpers

    def _place(self, x: int, y: int) -> Place | None:
        if not 0 <= y < len(self._window.rows):
            return None
        row = self._window.rows[y]
        if row.block is None:
            return None
        offset = offset_at(row.line, x)
        return Place(row.block.id, offset) if offset >= 0 else None
