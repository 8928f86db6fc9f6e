"""Searches a transcript, as the search line says."""

from __future__ import annotations

from collections.abc import Callable

from craze.tui.dialogs.search import SearchLine
from craze.tui.screens.feed import Feed
from craze.tui.transcript.view import TranscriptView


class Searching:
    """Opens the line, moves between hits, and goes back.

    Args:
        home: Gives the keyboard to what had it before.
        fit: The line comes or goes.
        say: Tells what was found while the line does not have the keyboard.
    """

    def __init__(
        self,
        finder: SearchLine,
        transcript: TranscriptView,
        feed: Feed,
        *,
        home: Callable[[], object],
        fit: Callable[[], object],
        say: Callable[[str], object],
    ) -> None:
        self._finder, self._transcript, self._feed = finder, transcript, feed
        self._home, self._fit, self._say = home, fit, say
        self.open = False

    def begin(self, text: str = "") -> None:
        self._show(True)
        self._finder.begin(text)
        if text:
            self._transcript.search(text)

    def close(self, message: SearchLine.Closed) -> None:
        self._show(False)
        self._transcript.end_search(stay=message.stays)
        if message.stays:
            self._transcript.focus()
        else:
            self._home()

    def _show(self, open_: bool) -> None:
        self.open = self._finder.display = open_
        self._fit()

    def found(self, message: TranscriptView.Found) -> None:
        where = f"{message.at}/{message.total}" if message.total else "nothing found"
        said = "loading…" if self._feed.loading or (message.searching and not message.total) else where
        self._finder.told = message.error or said + (" ↺" if message.wrapped else "")
        if self._transcript.has_focus:
            self._say(self._finder.told)

    def leave(self) -> None:
        """Back from the transcript; what was found is marked no more."""
        self._transcript.forget_search()
        self._home()
