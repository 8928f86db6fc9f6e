"""The full-screen reader of one text: an output, a plan, a call, the log."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import ClassVar, Final

from msgspec.structs import replace
from rich.cells import cell_len, split_graphemes
from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from craze.tui.dialogs.patches import styles
from craze.tui.dialogs.rows import Hint, Rows, RowsWidget, hint_row, text_row, title_row
from craze.tui.dialogs.typed import Typed, one_line
from craze.tui.keys import bindings
from craze.tui.lines import DIM
from craze.tui.scrub import exact, line, untabbed

VIEWER_KEYS: Final = (
    "viewer.up",
    "viewer.down",
    "viewer.page_up",
    "viewer.page_down",
    "viewer.first",
    "viewer.last",
    "viewer.find",
    "viewer.next_hit",
    "viewer.previous_hit",
    "viewer.copy",
    "viewer.wrap",
    "viewer.close",
)


class Pages(ScrollView, can_focus=True, inherit_bindings=False):
    """The text itself, drawn line by line; only lines in sight are laid out."""

    DEFAULT_CSS = "Pages { height: 1fr; background: $background; overflow-x: hidden; scrollbar-size: 1 1; }"

    wraps: reactive[bool] = reactive(True, init=False)
    sought: reactive[str] = reactive("", init=False)
    hit: reactive[int] = reactive(-1, init=False)
    """The line of the hit that the person is at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = exact(text)
        self.lines = [untabbed(each) for each in self.text.split("\n")]
        self._styles = list(styles(self.lines))
        self._widths = [cell_len(each) for each in self.lines]
        self._starts: list[int] = [0]
        """The row on which each line begins, and the number of rows."""

    # ---- layout and drawing

    def on_mount(self) -> None:
        self._lay_out()

    def on_resize(self) -> None:
        self._lay_out()

    def watch_show_vertical_scrollbar(self) -> None:
        self._lay_out()

    @property
    def _wide(self) -> int:
        """The cells of a row, beside the scrollbar."""
        return max(1, self.scrollable_content_region.width)

    def watch_wraps(self) -> None:
        at = self.at
        self._lay_out()
        self.scroll_to(y=self._starts[at], animate=False)

    def _lay_out(self) -> None:
        width = self._wide
        rows = (max(1, -(-cells // width)) if self.wraps else 1 for cells in self._widths)
        self._starts = [0, *accumulate(rows)]
        self.virtual_size = Size(width, self._starts[-1])
        self.refresh()

    def render_line(self, y: int) -> Strip:
        row = self.scroll_offset.y + y
        width, style = self._wide, self.visual_style
        if row >= self._starts[-1]:
            return Strip.blank(width, style.rich_style)
        at = self._line_of(row)
        text = _piece(self.lines[at], (row - self._starts[at]) * width, width)
        said = self._marked(text, at)
        return Visual.to_strips(self, said, width, 1, style, pad=True)[0]

    def _marked(self, text: str, at: int) -> Content:
        said = Content.styled(text, self._styles[at])
        low, query = text.casefold(), self.sought.casefold()
        start = low.find(query) if query else -1
        while start >= 0:
            said = said.stylize("reverse" if at == self.hit else "underline", start, start + len(query))
            start = low.find(query, start + len(query))
        return said

    def _line_of(self, row: int) -> int:
        return min(bisect_right(self._starts, row) - 1, len(self.lines) - 1)

    # ---- moving and searching

    @property
    def page(self) -> int:
        return max(1, self.size.height - 2)

    def move(self, rows: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + rows, animate=False)

    def hits(self) -> list[int]:
        """The lines that have what is searched."""
        query = self.sought.casefold()
        return [at for at, each in enumerate(self.lines) if query in each.casefold()] if query else []

    @property
    def at(self) -> int:
        """The first line that is seen."""
        return self._line_of(self.scroll_offset.y)

    def jump(self, step: int, start: int = -1) -> bool:
        """To the next hit, or the one before; around the ends. False: there is none.

        Args:
            start: The line from which the first hit is looked for, -1 for that of the last hit.
        """
        hits = self.hits()
        if not hits:
            self.hit = -1
            return False
        held = self.hit if start < 0 <= self.hit else (start if start >= 0 else self.at) - step
        later = [at for at in hits if (at > held if step > 0 else at < held)]
        self.hit = (later or hits)[0 if step > 0 else -1]
        self.scroll_to(y=self._starts[self.hit] - self.size.height // 3, animate=False)
        return True


class Foot(RowsWidget, can_focus=True):
    """The keys, or the line in which a search is typed."""

    DEFAULT_CSS = "Foot { height: 1; color: $thought; }"
    BINDINGS = bindings("find.next", "find.previous", "find.stay", "find.close")

    typed: reactive[Typed | None] = reactive(None, init=False)
    told: reactive[str] = reactive("", init=False)

    HINTS: ClassVar = (
        Hint("↑↓ pgup pgdn", "scroll"),
        Hint("/", "search", "screen.find"),
        Hint("w", "wrap", "screen.wrap"),
        Hint("y", "copy", "screen.copy"),
        Hint("esc", "close", "screen.close"),
    )

    class Wanted(Message):
        """The search moves: 0 = the query has changed."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    class Ended(Message):
        """The search line is closed."""

    def __init__(self) -> None:
        super().__init__(self.rows)

    def rows(self, width: int, height: int) -> Rows:
        if self.typed is None:
            return [text_row((f" {self.told}", DIM)) if self.told else hint_row(width, self.HINTS)]
        shown = one_line(self.typed, width - 24, active=self.has_focus)
        row = hint_row(24, ())
        return [replace(row, text=Content.assemble((" search: ", DIM), shown, (f"   {self.told}", DIM)))]

    def on_key(self, event: events.Key) -> None:
        if self.typed is not None and (changed := self.typed.take(event)) is not None:
            event.stop()
            event.prevent_default()
            self.typed = changed
            self.post_message(self.Wanted(0))

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if self.typed is not None:
            self.typed = self.typed.put(event.text)
            self.post_message(self.Wanted(0))

    def action_next(self) -> None:
        self.post_message(self.Wanted(1))

    def action_previous(self) -> None:
        self.post_message(self.Wanted(-1))

    def action_stay(self) -> None:
        self.post_message(self.Ended())

    def action_close(self) -> None:
        self.post_message(self.Ended())


class Viewer(ModalScreen[None], inherit_bindings=False):
    """One text on the whole screen; `copy` is what its key for that does with the text."""

    BINDINGS = bindings(*VIEWER_KEYS)
    DEFAULT_CSS = "Viewer { background: $background; layout: vertical; } Viewer > RowsWidget { height: 1; }"

    def __init__(self, title: str, text: str, copy: Callable[[str], object]) -> None:
        super().__init__()
        self._copy = copy
        self.pages, self.foot = Pages(text), Foot()
        self._began = 0
        """The line at which a search is begun: what is typed is looked for from there on."""
        self._title = line(title)

    def compose(self) -> ComposeResult:
        yield RowsWidget(lambda width, _: [title_row(width, self._title)])
        yield self.pages
        yield self.foot

    def on_mount(self) -> None:
        self.pages.focus()

    def on_foot_wanted(self, message: Foot.Wanted) -> None:
        query = self.foot.typed.text if self.foot.typed else self.pages.sought
        self.pages.sought = query
        found = self.pages.jump(message.step or 1, -1 if message.step else self._began) if query else False
        hits = self.pages.hits()
        self.foot.told = f"{hits.index(self.pages.hit) + 1}/{len(hits)}" if found else "nothing found" if query else ""

    def hear(self, text: str) -> None:
        """Say it in place of the keys, until one is pressed."""
        self.foot.told = text

    def on_key(self) -> None:
        if self.foot.typed is None:
            self.foot.told = ""

    def on_foot_ended(self) -> None:
        self.foot.typed, self.foot.told = None, ""
        self.pages.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action not in ("next_hit", "previous_hit") or bool(self.pages.sought)

    def action_up(self) -> None:
        self.pages.move(-1)

    def action_down(self) -> None:
        self.pages.move(1)

    def action_page_up(self) -> None:
        self.pages.move(-self.pages.page)

    def action_page_down(self) -> None:
        self.pages.move(self.pages.page)

    def action_first(self) -> None:
        self.pages.scroll_to(y=0, animate=False)

    def action_last(self) -> None:
        self.pages.scroll_end(animate=False)

    def action_find(self) -> None:
        self._began = self.pages.at
        self.foot.typed = Typed(self.pages.sought, len(self.pages.sought))
        self.foot.focus()

    def action_next_hit(self) -> None:
        self.pages.jump(1)

    def action_previous_hit(self) -> None:
        self.pages.jump(-1)

    def action_copy(self) -> None:
        self._copy(self.pages.text)

    def action_wrap(self) -> None:
        self.pages.wraps = not self.pages.wraps

    def action_close(self) -> None:
        self.dismiss(None)


def _piece(text: str, start: int, width: int) -> str:
    """`width` cells of a line from the cell `start` on; a character that the edge would divide is left out."""
    if text.isascii():
        return text[start : start + width]
    at = 0
    out: list[str] = []
    for begin, end, cells in split_graphemes(text)[0]:
        if start <= at and at + cells <= start + width:
            out.append(text[begin:end])
        at += cells
    return "".join(out)
