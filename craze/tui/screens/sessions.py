"""The session list: stored sessions, newest first, in pages; open, replay, rename, delete, and search what was said."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Final, Literal, TypeAlias

from msgspec import Struct
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive

from craze.errors import CrazeError
from craze.tui.desk import Hit, Library, StoredRow
from craze.tui.dialogs.confirm import Choice, Confirm
from craze.tui.dialogs.frame import Dialog
from craze.tui.dialogs.items import Item
from craze.tui.dialogs.pick_list import PickList
from craze.tui.dialogs.rows import Hint, Row, Rows
from craze.tui.dialogs.typed import Typed, end_of, one_line
from craze.tui.keys import bindings
from craze.tui.lines import DIM
from craze.tui.scrub import line
from craze.tui.words import count

PAGE: Final = 50
AHEAD: Final = 20
"""Rows behind the cursor at which the next page is read."""

Field: TypeAlias = Literal["title", "search"]


class Picked(Struct, frozen=True):
    """A stored session, to be opened or replayed."""

    session: str
    replay: bool = False


class SessionList(PickList):
    """Sessions, or what a search has found; a further field takes a new title or the words to search."""

    BINDINGS = bindings("list.next_tab", "sessions.rename", "sessions.delete", "sessions.replay", "sessions.search")

    typed: reactive[Typed | None] = reactive(None, init=False)
    field: Field = "search"

    class Entered(Message):
        """The field was filled: a title, or words to search."""

        def __init__(self, field: Field, text: str) -> None:
            super().__init__()
            self.field, self.text = field, text

    def ask(self, field: Field, text: str = "") -> None:
        """Open the field."""
        self.field, self.typed = field, end_of(text)

    def top(self, width: int) -> Rows:
        if self.typed is None:
            return super().top(width)
        label = "title: " if self.field == "title" else "search: "
        shown = one_line(self.typed, width - len(label) - 1, active=self.has_focus)
        return [Row(Content.styled(label, DIM) + shown), Row()]

    def types(self, event: events.Key) -> bool:
        if self.typed is None:
            return super().types(event)
        changed = self.typed.take(event)
        self.typed = changed or self.typed
        return changed is not None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("rename", "delete", "replay"):
            return self.typed is None and self.item is not None
        return True

    def action_choose(self) -> None:
        if self.typed is None:
            super().action_choose()
            return
        typed, self.typed = self.typed, None
        self.post_message(self.Entered(self.field, typed.text.strip()))

    async def action_close(self) -> None:
        if self.typed is None:
            await super().action_close()
        self.typed = None

    async def action_next_tab(self) -> None:
        await self.run_action("screen.everywhere")

    async def action_rename(self) -> None:
        await self.run_action("screen.rename")

    async def action_delete(self) -> None:
        await self.run_action("screen.delete")

    async def action_replay(self) -> None:
        await self.run_action("screen.replay")

    async def action_search(self) -> None:
        await self.run_action("screen.search")


class SessionPicker(Dialog[Picked | None]):
    """Returns the session that was picked.

    Args:
        agent: The one whose own sessions are shown, too: that which runs.
        now: Seconds since 1970.
    """

    def __init__(
        self, library: Library, filter_: str = "", *, agent: str = "", now: Callable[[], float] = time.time
    ) -> None:
        self.list = SessionList("sessions", hints=_hints(everywhere=False), empty="reading…", typed=filter_)
        super().__init__(self.list)
        self._library, self._agent, self._now = library, agent, now
        self._everywhere = False
        self._rows: dict[str, StoredRow] = {}
        self._own: dict[str, StoredRow] = {}
        """Those that only the agent has."""
        self._all = 0
        self._found: tuple[Hit, ...] | None = None
        """What a search has found; None: the list itself is shown."""

    def on_mount(self) -> None:
        self._reload()
        self._ask_agent()

    # ---- reading

    def _reload(self) -> None:
        self._rows, self._all, self._found = {}, 0, None
        self.run_worker(self._read(), exclusive=True, group="pages")

    def _ask_agent(self) -> None:
        self._own = {}
        if self._agent:
            self.run_worker(self._read_own(), exclusive=True, group="own")

    async def _read_own(self) -> None:
        try:
            rows = await self._library.of_agent(self._agent, everywhere=self._everywhere)
        except CrazeError as error:
            self.list.note = f"sessions of {line(self._agent)}: {line(str(error))}"
        else:
            self._own = {row.id: row for row in rows}
            self._show()

    async def _read(self) -> None:
        """The next page, and of a list that is narrowed all further ones."""
        try:
            while True:
                page, self._all = await self._library.page(
                    everywhere=self._everywhere, offset=len(self._rows), limit=PAGE
                )
                before = len(self._rows)
                self._rows |= {row.id: row for row in page}
                self._show()
                if len(self._rows) in (before, self._all) or not self.list.filter.text:
                    return
        except CrazeError as error:
            self.list.note = line(str(error))

    def _show(self) -> None:
        where = "all workspaces" if self._everywhere else "this workspace"
        if self._found is not None:
            self.list.empty, self.list.right = "nothing found", f"{where} · {count(len(self._found), 'hit')}"
            self.list.items = tuple(self._hit(at, hit) for at, hit in enumerate(self._found))
            return
        rows = self._merged()
        more = "" if self._everywhere else " · tab looks in all of them"
        self.list.empty = "nothing fits" if rows else f"no sessions in {where}{more}"
        self.list.items = tuple(self._item(row) for row in rows)
        self._recount()

    def _merged(self) -> list[StoredRow]:
        """The rows by their time; of the agent's own those whose turn it is, as long as there are further pages."""
        rows = list(self._rows.values())
        oldest = rows[-1].updated if rows and len(rows) < self._all else 0
        own = [row for row in self._own.values() if row.updated >= oldest]
        return sorted([*rows, *own], key=lambda row: row.updated, reverse=True) if own else rows

    def _recount(self) -> None:
        where = "all workspaces" if self._everywhere else "this workspace"
        shown = len(self.list.shown) if self.list.filter.text else self._all + len(self._own)
        self.list.right = f"{where} · {min(self.list.at + 1, shown)}/{shown}"
        self.list.refresh()

    def _item(self, row: StoredRow) -> Item:
        title = line(row.title) or "untitled"
        notes = ["open"] * row.running + ["the agent's own"] * row.agents_own + [line(row.folder)] * self._everywhere
        columns = (
            line(row.agent),
            age(self._now() - row.updated / 1e9) if row.updated else "",
            "" if row.agents_own else f"{row.turns:>3} {'turn' if row.turns == 1 else 'turns'}",
            "" if row.agents_own else size(row.bytes).rjust(7),
            " · ".join(notes),
        )
        label = title if row.known else f"(agent unknown) {title}"
        label = f"{label} · {line(row.problem)}" if row.problem else label
        return Item(row.id, label, columns, search=f"{row.id} {row.agent}", enabled=not row.problem)

    def _hit(self, at: int, hit: Hit) -> Item:
        row = self._rows.get(hit.session)
        title = line(row.title) if row and row.title else hit.session
        return Item(f"{at}:{hit.session}", title, (line(hit.type), line(hit.snippet)), search=hit.snippet)

    def _held(self) -> StoredRow | None:
        """The row under the cursor."""
        return self._rows.get(self._session()) or self._own.get(self._session())

    def _session(self) -> str:
        """The session under the cursor."""
        held = self.list.current
        return held if self._found is None else held.partition(":")[2]

    # ---- what the list says

    def on_pick_list_moved(self) -> None:
        self.list.note = ""
        if self._found is None:
            self._recount()
            if self.list.at + AHEAD > len(self._rows) and len(self._rows) < self._all:
                self.run_worker(self._read(), exclusive=True, group="pages")

    def on_pick_list_filtered(self, message: PickList.Filtered) -> None:
        if self._found is None:
            self._recount()
            if message.text and len(self._rows) < self._all:
                self.run_worker(self._read(), exclusive=True, group="pages")

    def on_pick_list_chosen(self) -> None:
        row = self._held()
        self.dismiss(Picked(self._session(), replay=row is not None and not row.known))

    async def on_session_list_entered(self, message: SessionList.Entered) -> None:
        if message.field == "title":
            await self._do(self._library.rename(self._session(), message.text))
        elif message.text:
            try:
                self._found = await self._library.search(message.text, everywhere=self._everywhere)
            except CrazeError as error:
                self.list.note = line(str(error))
            self.list.filter = Typed()
            self._show()

    # ---- actions

    def action_close(self) -> None:
        if self._found is not None:
            self._found = None
            self._show()
        else:
            self.dismiss(None)

    def action_everywhere(self) -> None:
        self._everywhere = not self._everywhere
        self.list.hints = _hints(everywhere=self._everywhere)
        self._reload()
        self._ask_agent()

    def action_rename(self) -> None:
        row = self._held()
        if row is not None and not self._is_agents_own(row):
            self.list.ask("title", row.title)

    def action_search(self) -> None:
        self.list.ask("search")

    def action_replay(self) -> None:
        row = self._held()
        if row is None or not self._is_agents_own(row):
            self.dismiss(Picked(self._session(), replay=True))

    def _is_agents_own(self, row: StoredRow) -> bool:
        """Says so: of what craze has not seen there is nothing here yet."""
        if row.agents_own:
            self.list.note = "only the agent has this session so far · enter opens it"
        return row.agents_own

    def action_delete(self) -> None:
        row = self._held()
        if row is None:
            return
        what = "the agent's own" if row.agents_own else f"{count(row.turns, 'turn')}, {size(row.bytes)}"
        said = f"{line(row.title) or 'untitled'}: {what}. It cannot be undone."

        def answered(answer: str | None) -> None:
            if answer:
                self.run_worker(self._do(self._delete(row.id)))

        dialog = Confirm("delete the session?", said, Choice("d", "delete", "delete"), way_out="keep")
        self.app.push_screen(dialog, answered)  # pyright: ignore[reportUnknownMemberType]

    async def _delete(self, session: str) -> None:
        await self._library.delete(session)
        self._own.pop(session, None)

    async def _do(self, work: Awaitable[None]) -> None:
        """A change of the stored sessions; then they are read again."""
        try:
            await work
        except CrazeError as error:
            self.list.note = line(str(error))
        else:
            self._reload()


def _hints(*, everywhere: bool) -> tuple[Hint, ...]:
    return (
        Hint("enter", "resume", "choose"),
        Hint("p", "replay", "replay"),
        Hint("f2", "name", "rename"),
        Hint("del", "delete", "delete"),
        Hint("ctrl+f", "search", "search"),
        Hint("tab", "here" if everywhere else "all", "next_tab"),
    )


def age(seconds: float) -> str:
    """`3 min`, `2 h`, `9 d`."""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{int(seconds // length)} {unit}"
    return "now"


def size(number: int) -> str:
    """`812 B`, `41 KB`, `3.2 MB`."""
    if number < 1000:
        return f"{number} B"
    return f"{number / 1000:.0f} KB" if number < 1_000_000 else f"{number / 1e6:.1f} MB"
