"""The prompts that wait: a row each under a cursor; it reports wishes and changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from craze.codec import Queued
from craze.tui.keys import bindings
from craze.tui.lines import DIM, row, spread, stack
from craze.tui.panels.panel import drawn
from craze.tui.scrub import line

MOST: Final = 6
HEAD: Final = -1
"""The cursor on the head line."""

WHY: Final = {
    "start_failed": "the agent did not start",
    "agent_busy": "the agent is busy",
    "restored": "from an earlier run",
    "person": "by you",
    "cancelled": "the turn was cancelled",
    "short": "the turn ended short",
    "failed": "the turn failed",
    "turn_failed": "the turn failed",
    "stopped": "the agent is gone",
}
_BUTTONS: Final = "[now] [edit] [×]"


def why(paused: str) -> str:
    """Why the queue is held, in words."""
    return WHY.get(paused, line(paused).replace("_", " "))


def wished(rows: Sequence[Queued], paused: str) -> int:
    """Rows of the screen that the band would like."""
    return min(len(rows), MOST) + bool(paused) if rows else 0


class QueueView(Widget, can_focus=True):
    """The waiting prompts, one line each."""

    BINDINGS = bindings(
        "queue.up",
        "queue.down",
        "queue.edit",
        "queue.remove",
        "queue.earlier",
        "queue.later",
        "queue.now",
        "queue.toggle_hold",
        "queue.leave",
    )
    DEFAULT_CSS = "QueueView { height: auto; pointer: pointer; }"

    rows: reactive[tuple[Queued, ...]] = reactive(())
    paused: reactive[str] = reactive("")
    waiting: reactive[str] = reactive("")
    """Why nothing is sent yet, while the agent is not there."""
    armed: reactive[str] = reactive("")
    """The row that replaces what runs."""
    cursor: reactive[int] = reactive(0)
    hovered: reactive[int] = reactive(-2)

    class Wish(Message):
        """Something is wanted of one row."""

        def __init__(self, row: Queued) -> None:
            super().__init__()
            self.row = row

    class Edit(Wish): ...

    class Remove(Wish): ...

    class Now(Wish): ...

    class Move(Wish):
        """The row should stand at `position`."""

        def __init__(self, row: Queued, position: int) -> None:
            super().__init__(row)
            self.position = position

    class Hold(Message):
        """Hold or release the queue."""

    class RemoveAll(Message):
        """No prompt should be sent any more."""

    class Left(Message):
        """The person goes back to the composer."""

    def validate_cursor(self, cursor: int) -> int:
        return max(HEAD if self.paused else 0, min(cursor, len(self.rows) - 1))

    def watch_rows(self, before: tuple[Queued, ...], after: tuple[Queued, ...]) -> None:
        """The cursor stays on its prompt; where that is gone, on its neighbour."""
        held = before[self.cursor].id if 0 <= self.cursor < len(before) else ""
        self.cursor = next((at for at, each in enumerate(after) if each.id == held), self.cursor)

    def enter(self) -> None:
        """The keyboard comes in at the last row."""
        self.cursor = len(self.rows) - 1
        self.focus()

    # ---- drawing

    @drawn
    def render(self) -> Content:
        height, width = self.size.height, self.size.width
        if not self.rows or not height:
            return Content("")
        head = [self._head(width)] if self.paused else []
        room = height - len(head)
        if len(self.rows) <= room:
            return stack([*head, *(self._row(at, at == 0 and not head, width) for at in range(len(self.rows)))])
        shown = self._window(max(1, room - 1) if room > 1 else 1)
        rows = [self._row(at, at == shown.start and not head, width) for at in shown]
        more = len(self.rows) - len(shown)
        if room > 1:
            rows.append(row(width, " " * 11, (f"+{more} more", DIM)))
        else:
            rows = [spread(width, rows[0], Content.styled(f"+{more} more", DIM))]
        return stack([*head, *rows])

    def _window(self, rows: int) -> range:
        first = max(0, min(self.cursor - rows + 1, len(self.rows) - rows)) if self.has_focus else 0
        return range(first, first + rows)

    def _head(self, width: int) -> Content:
        mark = "▸" if self._on(HEAD) else " "
        return row(width, f"{mark}queue {len(self.rows)}", (f" · held: {why(self.paused)}", "$warning"))

    def _row(self, at: int, titled: bool, width: int) -> Content:
        title = f" queue {len(self.rows)} " if titled else ""
        mark = "▸ " if self._on(at) or (titled and not self.has_focus) else "  "
        style = "bold" if self._on(at) else ""
        if self.rows[at].id == self.armed:
            text = line(self.rows[at].text)
            return row(width, (title.ljust(9), DIM), ("→ now: ", "$accent"), text, (" · esc to take back", DIM))
        left = Content.assemble((title.ljust(9), DIM), mark, f"{at + 1} ", (line(self.rows[at].text), style))
        if self._on(at) or self.hovered == at:
            return spread(width, left, Content.styled(_BUTTONS, DIM))
        waits = Content.styled(self.waiting, DIM) if at == 0 and self.waiting else Content("")
        return spread(width, left, waits)

    def _on(self, at: int) -> bool:
        return self.has_focus and self.cursor == at

    # ---- mouse

    def _at(self, y: int) -> int:
        """The row that stands in a line of the widget."""
        first = 1 if self.paused else 0
        room = self.size.height - first
        start = self._window(max(1, room - 1)).start if len(self.rows) > room else 0
        at = start + y - first
        return HEAD if y < first else at if at < len(self.rows) else -2

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self.hovered = self._at(event.y)

    def on_leave(self) -> None:
        self.hovered = -2

    def on_click(self, event: events.Click) -> None:
        at = self._at(event.y)
        if at == -2:
            return
        self.cursor = at
        if at < 0:
            return
        into = event.x - (self.size.width - len(_BUTTONS))
        if 0 <= into < 5:
            self.post_message(self.Now(self.rows[at]))
        elif 6 <= into < 12:
            self.post_message(self.Edit(self.rows[at]))
        elif into >= 13:
            self.post_message(self.Remove(self.rows[at]))

    # ---- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return bool(self.rows) or action == "leave"

    def action_up(self) -> None:
        self.cursor -= 1

    def action_down(self) -> None:
        if self.cursor == len(self.rows) - 1:
            self.post_message(self.Left())
        self.cursor += 1

    def action_edit(self) -> None:
        if self.cursor >= 0:
            self.post_message(self.Edit(self.rows[self.cursor]))

    def action_remove(self) -> None:
        self.post_message(self.Remove(self.rows[self.cursor]) if self.cursor >= 0 else self.RemoveAll())

    def action_earlier(self) -> None:
        self._move(-1)

    def action_later(self) -> None:
        self._move(1)

    def action_now(self) -> None:
        if self.cursor >= 0:
            self.post_message(self.Now(self.rows[self.cursor]))

    def action_toggle_hold(self) -> None:
        self.post_message(self.Hold())

    def action_leave(self) -> None:
        self.post_message(self.Left())

    def _move(self, by: int) -> None:
        to = self.cursor + by
        if self.cursor >= 0 and 0 <= to < len(self.rows):
            self.post_message(self.Move(self.rows[self.cursor], to))
