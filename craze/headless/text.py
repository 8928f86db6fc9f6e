"""The assistant's words as they stream: of the main session alone, without tools, thoughts and what an agent replays."""

from __future__ import annotations

from craze.codec import Event, Record
from craze.engine.facts import Fact
from craze.headless.printer import Result
from craze.text import Cleaner

_APART = 2
"""Newlines that stand between two messages."""


class Words:
    """A blank line stands between two messages - what was said before and behind a tool or a thought, or in two turns -
    and a newline ends a turn. For a terminal the text is cleaned; into a pipe or file it goes as it is."""

    def __init__(self, *, terminal: bool) -> None:
        self._cleaner = Cleaner() if terminal else None
        self._replaying = self._parted = False
        self._tools: set[str] = set()
        self._newlines = _APART  # that stand at the end of what is written

    def record(self, record: Record) -> bytes:
        return self.event(record.event) if record.body else b""

    def event(self, event: Event) -> bytes:
        if event.type == "replay" and event.replay:
            self._replaying = event.replay.phase == "start"
        if event.agent or self._replaying:
            return b""
        if event.type == "text":
            return self._say(event.text)
        if event.type == "thought" or (event.tool and self._begins(event.tool.id)):
            self._part()
        elif event.turn and event.turn.phase == "ended":
            self._part()
            return self._end_line()
        return b""

    def fact(self, fact: Fact) -> bytes:
        return b""

    def aside(self) -> bytes:
        return self._end_line() if self._cleaner else b""

    def result(self, result: Result) -> bytes:
        return self._end_line()

    def _begins(self, tool: str) -> bool:
        """Whether a call is told for the first time; how it goes on may be told in the middle of a sentence."""
        known = tool in self._tools
        self._tools.add(tool)
        return not known

    def _part(self) -> None:
        """What is said next is another message."""
        self._parted = True
        if self._cleaner:
            self._cleaner.end()

    def _say(self, text: str) -> bytes:
        if self._cleaner:
            text = self._cleaner.feed(text)
        if not text:
            return b""
        if self._parted:
            missing = _APART - self._newlines - (len(text) - len(text.lstrip("\n")))
            text = "\n" * missing + text
            self._parted = False
        own = len(text) - len(text.rstrip("\n"))
        self._newlines = own if own < len(text) else self._newlines + own
        return text.encode("utf-8", "replace")

    def _end_line(self) -> bytes:
        if self._newlines:
            return b""
        self._newlines = 1
        return b"\n"
