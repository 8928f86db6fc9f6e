"""Earlier prompts in the draft's place: browsed with the arrows, or found in the menu while a query is typed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from craze.tui.prompt.completer import Completer
from craze.tui.prompt.completion import Offer
from craze.tui.prompt.drafts import Drafts
from craze.tui.prompt.menu import Row
from craze.tui.scrub import line

MOST: Final = 100


class Recall:
    """The history as the composer uses it."""

    def __init__(self, drafts: Drafts, completer: Completer) -> None:
        self._drafts, self._completer, self._history = drafts, completer, drafts.history
        self._hits: list[int] = []

    def load(self, entries: Iterable[str]) -> None:
        """Prompts of earlier runs have been read; a search that is open looks through them too."""
        self._history.load(entries)
        if self._drafts.mode == "search":
            self.search()

    def older(self) -> None:
        self._take(self._history.older(self._drafts.whole))

    def newer(self) -> None:
        self._take(self._history.newer())

    def _take(self, text: str | None) -> None:
        if text is not None:
            self._drafts.recall(text)

    # ---- searching

    def begin(self) -> None:
        """The draft is put aside for a query."""
        self._completer.close()
        self._drafts.put_aside()
        self._drafts.mode = "search"
        self.search()

    def search(self) -> None:
        """Offer what contains the query, the newest first, each text once."""
        query, history = self._drafts.text, self._history
        hits: list[int] = []
        at = history.find(query)
        while at is not None and len(hits) < MOST:
            if history[at] not in {history[hit] for hit in hits}:
                hits.append(at)
            at = history.find(query, at)
        self._hits = hits
        rows = tuple(Row(line(history[hit])) for hit in hits) or (Row("", about="nothing found", dim=True),)
        self._completer.open(Offer("history", rows))

    def take_hit(self) -> None:
        """The row under the menu's cursor is the draft; with none the draft comes back as it was."""
        hit = self._history[self._hits[self._completer.menu.cursor]] if self._hits else None
        self.end()
        self._take(hit)

    def end(self) -> None:
        self._completer.close()
        self._drafts.bring_back()
