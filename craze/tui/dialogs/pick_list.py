"""A list to pick from: typing narrows it, keys and mouse move through it. What a row means is the dialog's business."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Final

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive

from craze.tui.dialogs.frame import ENDS, SIDES, Box, framed
from craze.tui.dialogs.items import Item, grown, narrowed, underlined, widths
from craze.tui.dialogs.rows import Hint, Hit, Row, Rows, text_row, wrapped
from craze.tui.dialogs.typed import Typed, end_of, is_text, one_line
from craze.tui.keys import bindings
from craze.tui.lines import DIM, cells

LIST_KEYS: Final = (
    "list.up",
    "list.down",
    "list.page_up",
    "list.page_down",
    "list.first",
    "list.last",
    "list.choose",
    "list.close",
)


class PickList(Box):
    """Items under a filter. It keeps the cursor on its row when others come and go."""

    BINDINGS = bindings(*LIST_KEYS)
    SCROLLS: ClassVar[int] = 3
    LABEL: ClassVar[str] = "filter: "
    PREFIX: ClassVar[str] = "/"
    """What begins a filter whose first letter is a key of the dialog."""

    items: reactive[tuple[Item, ...]] = reactive((), init=False)
    filter: reactive[Typed] = reactive(Typed(), init=False)
    current: reactive[str] = reactive("", init=False)
    """The id of the row under the cursor."""
    note: reactive[str] = reactive("", init=False)
    """A line below the items: what is going on, or went wrong."""

    class Chosen(Message):
        """A row was chosen."""

        def __init__(self, id_: str) -> None:
            super().__init__()
            self.id = id_

    class Moved(Message):
        """The cursor is on another row."""

        def __init__(self, id_: str) -> None:
            super().__init__()
            self.id = id_

    class Filtered(Message):
        """The filter says something else."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(
        self,
        title: str,
        items: Iterable[Item] = (),
        *,
        current: str = "",
        hints: Sequence[Hint] = (),
        right: str = "",
        empty: str = "nothing fits",
        typed: str = "",
    ) -> None:
        super().__init__(self.rows, self.wished)
        self.title, self.hints, self.right, self.empty = title, tuple(hints), right, empty
        self._typing = bool(typed)
        self._page = 1
        self._narrowed: tuple[object, list[Item]] = (None, [])
        self.set_reactive(PickList.items, tuple(items))
        self.set_reactive(PickList.current, current)
        self.set_reactive(PickList.filter, end_of(typed))
        if self.item is None and self.shown:
            self.set_reactive(PickList.current, self.shown[0].id)

    # ---- what is shown

    @property
    def shown(self) -> list[Item]:
        """The items that the filter leaves, better matches first."""
        query = self.wanted().casefold()
        key = (self.items, self.filter.text)
        if self._narrowed[0] != key:
            self._narrowed = (key, narrowed(self.pool(), query))
        return self._narrowed[1]

    def wanted(self) -> str:
        """What the items are compared with."""
        return self.filter.text

    def pool(self) -> Sequence[Item]:
        """The items that are compared."""
        return self.items

    @property
    def item(self) -> Item | None:
        """The item under the cursor."""
        return next((item for item in self.shown if item.id == self.current), None)

    @property
    def at(self) -> int:
        return next((at for at, item in enumerate(self.shown) if item.id == self.current), 0)

    def top(self, width: int) -> Rows:
        """Rows above the items."""
        shown = one_line(self.filter, width - cells(self.LABEL) - 1, active=self.has_focus)
        return [Row(Content.styled(self.LABEL, DIM) + shown), *self.tabs(width), Row()]

    def tabs(self, width: int) -> Rows:
        return []

    def count(self) -> str:
        if self.right:
            return self.right
        return f"{min(self.at + 1, len(self.shown))}/{len(self.shown)}"

    def wished(self, width: int, height: int) -> tuple[int, int]:
        label, columns = widths(self.items, 999)
        wide = max(60, SIDES + 4 + label + sum(column + 2 for column in columns))
        groups = len({item.group for item in self.items if item.group})
        high = ENDS + len(self.top(width)) + max(3, len(self.items) + 2 * groups) + 2 * bool(self.note)
        return min(wide, width), min(high, max(10, height - 4))

    def rows(self, width: int, height: int) -> Rows:
        inside = width - SIDES
        top = self.top(inside)
        foot = [Row(), *wrapped(Content(self.note), inside)[:3]] if self.note else []
        room = max(1, height - ENDS - len(top) - len(foot))
        listed = self._listed(inside) or [text_row((self.empty, DIM))]
        at = next((n for n, row in enumerate(listed) if row.ground), 0)
        first = max(0, min(at - room // 2, len(listed) - room))
        body = listed[first : first + room]
        self._page = max(1, room - 1)
        return framed(width, self.title, self.count(), [*top, *body, *[Row()] * (room - len(body)), *foot], self.hints)

    def _listed(self, width: int) -> Rows:
        label, columns = widths(self.shown, width - 4)
        rows: Rows = []
        group = ""
        for item in self.shown:
            if item.group != group:
                group = item.group
                rows += [*([Row()] if rows else []), text_row((group, "bold"))]
            rows.append(self._row(item, label, columns))
        return rows

    def _row(self, item: Item, label: int, columns: Sequence[int]) -> Row:
        on = item.id == self.current
        label = grown(item, label, columns)
        text = underlined(item.label, self.wanted()).truncate(label, ellipsis=True, pad=True)
        text = text.stylize("" if item.enabled else DIM)
        tail = [
            Content.styled(f"  {part}", DIM).truncate(room + 2, ellipsis=True, pad=True)
            for part, room in zip(item.columns, columns, strict=False)
            if room >= 0
        ]
        mark = "▸" if on else item.sign
        said = Content(f"{mark} ") + text
        for part in tail:
            said += part
        return Row(said.rstrip(), (Hit(0, 9999, f"take({item.id!r})"),), "bold" if on else "")

    # ---- changes

    def watch_items(self) -> None:
        self._settle()
        self.post_message(self.Resized())

    def watch_note(self) -> None:
        self.post_message(self.Resized())

    def watch_filter(self, before: Typed, after: Typed) -> None:
        if before.text != after.text:
            self.current = self.shown[0].id if self.shown else ""
            self.post_message(self.Filtered(after.text))

    def watch_current(self, current: str) -> None:
        if current:
            self.post_message(self.Moved(current))

    def _settle(self) -> None:
        """A cursor whose row is gone goes to the first row."""
        if self.item is None and self.shown:
            self.current = self.shown[0].id

    # ---- keys and mouse

    def on_key(self, event: events.Key) -> None:
        if self.types(event):
            event.stop()
            event.prevent_default()

    def types(self, event: events.Key) -> bool:
        """Take a key that edits the filter; False for any other."""
        if event.character == self.PREFIX and not self._typing:
            self._typing = True
        elif is_text(event) and event.character and not self._is_own(event):
            self._typing = True
            self.filter = self.filter.put(event.character)
        elif event.key in _EDITS and (changed := self.filter.key(event.key)) not in (None, self.filter):
            self.filter = changed
            self._typing = bool(changed.text)
        else:
            return False
        return True

    def _is_own(self, event: events.Key) -> bool:
        """Whether a letter is a key of the dialog: only while nothing is typed."""
        if self._typing:
            return False
        found = self.screen.active_bindings.get(event.key)
        return found is not None and found.node in (self, self.screen)

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self._typing = True
        self.filter = self.filter.put(event.text)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self._move(-self.SCROLLS)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self._move(self.SCROLLS)

    def action_take(self, id_: str) -> None:
        """A click moves the cursor, and chooses the row that it is on."""
        if id_ == self.current:
            self.action_choose()
        self.current = id_

    def action_choose(self) -> None:
        if self.item is not None and self.item.enabled:
            self.post_message(self.Chosen(self.item.id))

    def action_up(self) -> None:
        self._move(-1)

    def action_down(self) -> None:
        self._move(1)

    def action_page_up(self) -> None:
        self._move(-self._page)

    def action_page_down(self) -> None:
        self._move(self._page)

    def action_first(self) -> None:
        self._move(-len(self.shown))

    def action_last(self) -> None:
        self._move(len(self.shown))

    async def action_close(self) -> None:
        await self.run_action("screen.close")

    def _move(self, by: int) -> None:
        if self.shown:
            self.current = self.shown[max(0, min(self.at + by, len(self.shown) - 1))].id


_EDITS: Final = frozenset(
    ("backspace", "ctrl+h", "delete", "ctrl+w", "ctrl+u", "ctrl+a", "ctrl+e", "ctrl+left", "ctrl+right")
)
