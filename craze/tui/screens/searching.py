"""Searches the transcript, as the search line says."""

from __future__ import annotations

from craze.tui.dialogs.search import SearchLine
from craze.tui.screens.feed import Feed
from craze.tui.screens.parts import Parts
from craze.tui.transcript.view import TranscriptView


class Searching:
    """Opens the line, moves between hits, and goes back."""

    def __init__(self, parts: Parts, feed: Feed) -> None:
        self._parts, self._feed = parts, feed
        self._finder, self._transcript = parts.widgets.finder, parts.widgets.transcript
        self.open = False

    def begin(self, text: str = "") -> None:
        self.open = True
        self._parts.fit_soon()
        self._finder.display = True
        self._finder.begin(text)
        if text:
            self._transcript.search(text)

    def close(self, message: SearchLine.Closed) -> None:
        self.open = False
        self._transcript.end_search(stay=message.stays)
        self._parts.fit_soon()
        if message.stays:
            self._transcript.focus()
        else:
            self._parts.focus_composer()

    def found(self, message: TranscriptView.Found) -> None:
        where = f"{message.at}/{message.total}" if message.total else "nothing found"
        said = "loading…" if self._feed.loading or (message.searching and not message.total) else where
        self._finder.told = message.error or said + (" ↺" if message.wrapped else "")
        if self._transcript.has_focus:
            self._parts.say(self._finder.told)

    def leave(self) -> None:
        """Back to the composer; what was found is marked no more."""
        self._transcript.forget_search()
        self._parts.focus_composer()
