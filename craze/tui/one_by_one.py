"""Keys one by one: the next is handed on when what the last one did has happened.

A key goes to the widget that has the keyboard and from there up to the app, which runs what is bound to it. Meanwhile
the widget would get the next one: of `tno`, typed at once over a slow line, the `n` would answer an ask before `t` has
opened the line that it is meant for. So further keys wait until a message that was sent behind the key has come the
same way, and once more for what the key has set going.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final, Protocol, TypeAlias

from textual import events
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

Typed: TypeAlias = events.Key | events.Paste
LAPS: Final = 3
"""Ways up to the app: that of the key, of what its action posts, and of what follows from that."""

PATIENCE: Final = 0.5
"""Seconds after which a message is taken as lost, as when its widget has gone."""


class Arrived(Message):
    """All that was sent to a widget before has been handled, up to the app."""

    def __init__(self, key: int, lap: int) -> None:
        super().__init__()
        self.key, self.lap = key, lap


class Keyboard(Protocol):
    """The part of an app that hands keys out."""

    @property
    def focused(self) -> Widget | None: ...
    @property
    def screen(self) -> Screen[object]: ...
    def post_message(self, message: Message) -> bool: ...


class OneByOne:
    """Which keys wait, and for what."""

    def __init__(self, app: Keyboard) -> None:
        self._app = app
        self._waiting: deque[Typed] = deque()
        self._given: deque[Typed] = deque()
        """Those that have waited and are posted again."""
        self._key = 0
        self._late: asyncio.TimerHandle | None = None
        """While a key is on its way."""
        self._text = False
        """The last key was taken as text: more of it need not wait for what follows from that."""

    def waits(self, event: Typed) -> bool:
        """Whether a key comes too early; it is kept and posted again later."""
        if self._given and event is self._given[0]:
            self._given.popleft()
            return False
        queued = bool(self._given or self._waiting)
        if self._late is None or (not queued and self._text and _is_text(event)):
            return False
        self._waiting.append(event)
        return True

    def sent(self, event: Typed, to: Widget) -> None:
        """A key has been handed to a widget."""
        self._key += 1
        if self._late is not None:
            self._late.cancel()
        self._late = asyncio.get_running_loop().call_later(PATIENCE, self._next)
        to.call_later(self._taken, self._key, event, to)

    def _taken(self, key: int, event: Typed, by: Widget) -> None:
        """The widget has had its turn."""
        if key != self._key or self._given:
            return
        self._text = _is_text(event) and event._stop_propagation  # pyright: ignore[reportPrivateUsage] - told nowhere else
        if self._text and self._waiting and _is_text(self._waiting[0]):
            self._next()
        else:
            by.post_message(Arrived(key, 1))

    def arrived(self, message: Arrived) -> None:
        if message.key != self._key or self._late is None:
            return
        if message.lap < LAPS:
            (self._app.focused or self._app.screen).post_message(Arrived(message.key, message.lap + 1))
        else:
            self._next()

    def _next(self) -> None:
        """The next key, and with text all the text that follows."""
        if self._late is not None:
            self._late.cancel()
        if not self._waiting:
            self._late = None
            return
        text = self._text and _is_text(self._waiting[0])
        self._give()
        while text and self._waiting and _is_text(self._waiting[0]):
            self._give()

    def _give(self) -> None:
        self._given.append(self._waiting.popleft())
        self._app.post_message(self._given[-1])


def _is_text(event: Typed) -> bool:
    return isinstance(event, events.Key) and event.is_printable
