"""The assistant's words as they stream: of the main session alone, without tools, thoughts and what an agent replays."""

from __future__ import annotations

from craze.codec import Event, Record
from craze.engine.facts import Fact
from craze.headless.printer import Result
from craze.text import Cleaner


class Words:
    """A newline ends each turn's text, a blank line stands between turns. For a terminal the text is cleaned; into a
    pipe or file it goes as it is."""

    def __init__(self, *, terminal: bool) -> None:
        self._cleaner = Cleaner() if terminal else None
        self._replaying = False
        self._open_line = False
        self._said = False
        self._gap = False

    def record(self, record: Record) -> bytes:
        return self.event(record.event) if record.body else b""

    def event(self, event: Event) -> bytes:
        if event.type == "text" and not event.agent and not self._replaying:
            return self._say(event.text)
        if event.type == "replay" and event.replay:
            self._replaying = event.replay.phase == "start"
        if event.type == "turn" and event.turn and event.turn.phase == "ended":
            return self._end_turn()
        return b""

    def fact(self, fact: Fact) -> bytes:
        return b""

    def aside(self) -> bytes:
        return self._end_line() if self._cleaner else b""

    def result(self, result: Result) -> bytes:
        return self._end_line()

    def _say(self, text: str) -> bytes:
        if self._cleaner:
            text = self._cleaner.feed(text)
        if not text:
            return b""
        before = "\n" if self._gap else ""
        self._said, self._gap, self._open_line = True, False, not text.endswith("\n")
        return (before + text).encode("utf-8", "replace")

    def _end_turn(self) -> bytes:
        if self._cleaner:
            self._cleaner.end()
        self._gap = self._said
        return self._end_line()

    def _end_line(self) -> bytes:
        ended, self._open_line = b"\n" if self._open_line else b"", False
        return ended
