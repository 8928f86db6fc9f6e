"""Search in a transcript: slices while nothing else waits, hits shown and stepped through."""

from __future__ import annotations

import time
from typing import Final

from rich.cells import cell_len
from rich.style import Style
from textual.message import Message
from textual.strip import Strip

from craze.tui.transcript.blocks import Block
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.paint.lines import Line, restyled
from craze.tui.transcript.places import line_of
from craze.tui.transcript.searching import Hit, Search
from craze.tui.transcript.shown import ShownTranscript
from craze.tui.transcript.window import Row

SLICE: Final = 0.008
_REVERSE, _UNDERLINE = Style(reverse=True), Style(underline=True)


class SearchedTranscript(ShownTranscript, inherit_bindings=False):
    """A transcript that can be searched."""

    class Found(Message, namespace="transcript_view"):
        """How the search stands: hit `at` (from 1) of `total` so far; `error` when the query cannot be used."""

        def __init__(self, at: int, total: int, *, searching: bool, wrapped: bool, error: str) -> None:
            super().__init__()
            self.at, self.total, self.searching, self.wrapped, self.error = at, total, searching, wrapped, error

    def __init__(self, brush: Brush) -> None:
        super().__init__(brush)
        self._search: Search | None = None
        self._began: tuple[float, int] | None = None

    @property
    def searching(self) -> Search | None:
        return self._search

    def forget_marks(self) -> None:
        super().forget_marks()
        self._search = None

    def forget_search(self) -> None:
        """Mark no hits any more."""
        self._search = None
        self.refresh()

    def decorated(self, row: Row, strip: Strip) -> Strip:
        strip = super().decorated(row, strip)
        if self._search is None or row.block is None or row.at < 0:
            return strip
        for hit in self._search.hits_in(row.block.id):
            style = self._brush["search-hit"] + (_REVERSE if hit == self._search.current else _UNDERLINE)
            for left, right in _hit_spans(row.line, hit):
                strip = restyled(strip, left, right, style)
        return strip

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
        block = transcript.block(hit.block)
        if block is None:
            return
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
                search.position, search.total, searching=not search.done, wrapped=search.wrapped, error=search.error
            )
        )


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
