"""The prompts that wait, and the pointer that says which goes first.

Pure: each method returns the events it caused, without time or cause; whoever asked stamps them. Rows that come back
(refused, steered, restored) are exempt from the caps.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from craze.codec import Event, Queued, State
from craze.codec import SendNow as Armed
from craze.engine.intents import Code
from craze.engine.limits import QUEUE_ROWS, QUEUE_TEXT


class Queue:
    """First in, first out; rows are edited by id and guarded by version."""

    def __init__(self) -> None:
        self.rows: list[Queued] = []
        self.attachments: dict[str, tuple[str, ...]] = {}
        self.paused = ""
        self.armed: Armed | None = None
        self._arming_made_row = False
        self._said = ""  # the pause that readers know of

    def full_for(self, text: str) -> Code | None:
        """Why one more row with `text` is refused."""
        if len(text.encode("utf-8", "replace")) > QUEUE_TEXT:
            return "text_too_long"
        return "queue_full" if len(self.rows) >= QUEUE_ROWS else None

    def find(self, row_id: str) -> int | None:
        return next((at for at, row in enumerate(self.rows) if row.id == row_id), None)

    def put(self, row: Queued, position: int, attachments: tuple[str, ...] = ()) -> list[Event]:
        self.rows.insert(position, row)
        if attachments:
            self.attachments[row.id] = attachments
        return [_changed("queued", row, position), *self._say_pause()]

    def edit(self, at: int, text: str | None, position: int | None) -> list[Event]:
        """New text, new place, or both; a move is `removed` and `queued` of the same row, so every reader of the
        schema shows the right order."""
        events: list[Event] = []
        if text is not None and text != self.rows[at].text:
            self.rows[at] = row = replace(self.rows[at], text=text, version=self.rows[at].version + 1)
            events.append(_changed("edited", row, at))
            if self.armed and self.armed.from_row == row.id:
                self.armed = replace(self.armed, text=text)
                events.append(_pointer(self.armed))
        if position is not None:
            to = max(0, min(position, len(self.rows) - 1))
            if to != at:
                row = self.rows.pop(at)
                self.rows.insert(to, row)
                events += [_changed("removed", row, at), _changed("queued", row, to)]
        return events

    def remove(self, row_ids: Iterable[str]) -> list[Event]:
        """The rows that are still here leave, from the front; an armed one takes its pointer with it."""
        wanted, events = set(row_ids), list[Event]()
        for row in [row for row in self.rows if row.id in wanted]:
            events += self._leave(row, "removed")
            if self.armed and self.armed.from_row == row.id:
                events += self.disarm("row_gone")
        return events

    def take(self, row_id: str) -> tuple[Queued, tuple[str, ...], list[Event]]:
        """The row leaves to be sent, with its attachments."""
        row = self.rows[self.find(row_id) or 0]
        attachments = self.attachments.get(row.id, ())
        return row, attachments, self._leave(row, "sent")

    def pause(self, detail: str) -> list[Event]:
        """Nothing drains until it is resumed; said only while rows wait."""
        self.paused = detail
        return self._say_pause()

    def resume(self) -> list[Event]:
        said, self._said, self.paused = self._said, "", ""
        return [Event("meta", state=State(reason="queue_resumed"))] if said else []

    def arm(self, row: Queued, turn: str, *, made_row: bool) -> list[Event]:
        self._arming_made_row = made_row
        self.armed = Armed(armed=True, text=row.text, from_row=row.id, turn=turn)
        return [_pointer(self.armed)]

    def disarm(self, reason: str = "") -> list[Event]:
        """The pointer goes, the row stays. No reason: it was sent."""
        if self.armed is None:
            return []
        self.armed = None
        return [Event("meta", state=State(send_now=Armed(), reason=reason))]

    def withdraw(self) -> tuple[str, list[Event]]:
        """The person takes a send-now back: its text, and the row goes if arming made it."""
        assert self.armed is not None
        text, row_id, made = self.armed.text, self.armed.from_row, self._arming_made_row
        events = self.disarm("withdrawn")
        return text, [*(self.remove([row_id]) if made else ()), *events]

    def _leave(self, row: Queued, change: str) -> list[Event]:
        at = self.rows.index(row)
        del self.rows[at]
        self.attachments.pop(row.id, None)
        return [_changed(change, row, at)]

    def _say_pause(self) -> list[Event]:
        if self.paused == self._said or not self.rows:
            return []
        self._said = self.paused
        return [Event("meta", state=State(reason="queue_paused", detail=self.paused))]


def _changed(change: str, row: Queued, position: int) -> Event:
    return Event("queue", queue=row, queue_change=change, queue_pos=position)


def _pointer(armed: Armed) -> Event:
    return Event("meta", state=State(send_now=armed))
