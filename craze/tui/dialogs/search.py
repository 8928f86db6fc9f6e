"""The search line above the composer: what is searched, how many hits there are, and where."""

from __future__ import annotations

from msgspec.structs import replace
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive

from craze.tui.dialogs.rows import Hint, Row, Rows, RowsWidget, hint_row
from craze.tui.dialogs.typed import Typed, one_line
from craze.tui.keys import bindings
from craze.tui.lines import DIM


class SearchLine(RowsWidget, can_focus=True):
    """One line. It searches nothing itself."""

    BINDINGS = bindings("find.next", "find.previous", "find.regex", "find.stay", "find.close")
    DEFAULT_CSS = "SearchLine { height: 1; background: $panel; }"

    typed: reactive[Typed] = reactive(Typed(), init=False)
    regex: reactive[bool] = reactive(False, init=False)
    told: reactive[str] = reactive("", init=False)
    """`3/17`, `loading…`, or nothing."""
    trouble: reactive[str] = reactive("", init=False)

    class Changed(Message):
        """Something else is searched."""

        def __init__(self, query: str, *, regex: bool) -> None:
            super().__init__()
            self.query, self.regex = query, regex

    class Moved(Message):
        """To the next hit (1) or the one before (-1)."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    class Closed(Message):
        """The search is over. `stays`: the view is left where it is, else it returns to where the search began."""

        def __init__(self, *, stays: bool) -> None:
            super().__init__()
            self.stays = stays

    def __init__(self) -> None:
        super().__init__(self.rows)

    def begin(self, query: str = "") -> None:
        """Take the keyboard, with something to search."""
        self.typed = Typed(query, len(query))
        self.focus()

    def rows(self, width: int, height: int) -> Rows:
        kind = "regex: " if self.regex else "search: "
        hints = [
            Hint("↑↓", "", "next"),
            Hint("alt+r", "text" if self.regex else ".*", "regex"),
            Hint("enter", "stay", "stay"),
            Hint("esc", "back", "close"),
        ]
        keys = hint_row(width // 2, hints, "")
        told = (self.trouble, "$error") if self.trouble else (self.told, DIM)
        assert isinstance(keys.text, Content)
        room = max(4, width - keys.text.cell_length - Content(told[0]).cell_length - len(kind) - 5)
        text = one_line(self.typed, room, active=self.has_focus)
        left = Content.assemble((f" {kind}", DIM), text, "  ", told)
        gap = max(1, width - left.cell_length - keys.text.cell_length - 1)
        start = left.cell_length + gap
        hits = tuple(replace(hit, start=hit.start + start, end=hit.end + start) for hit in keys.hits)
        return [Row(left + " " * gap + keys.text, hits)]

    def watch_typed(self, before: Typed, after: Typed) -> None:
        if before.text != after.text:
            self._changed()

    def watch_regex(self) -> None:
        self._changed()

    def on_key(self, event: events.Key) -> None:
        changed = self.typed.take(event)
        if changed is not None:
            event.stop()
            event.prevent_default()
            self.typed = changed

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self.typed = self.typed.put(event.text)

    def action_next(self) -> None:
        self.post_message(self.Moved(1))

    def action_previous(self) -> None:
        self.post_message(self.Moved(-1))

    def action_regex(self) -> None:
        self.regex = not self.regex

    def action_stay(self) -> None:
        self.post_message(self.Closed(stays=True))

    def action_close(self) -> None:
        self.post_message(self.Closed(stays=False))

    def _changed(self) -> None:
        self.post_message(self.Changed(self.typed.text, regex=self.regex))
