"""Earlier prompts: browsed from the draft, which is the newest of them, and searched backwards. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

MOST: Final = 5000


class History:
    """Entries oldest first. `at` is the place while browsing; behind the last entry stands the draft."""

    def __init__(self, entries: Iterable[str] = ()) -> None:
        self._entries: list[str] = []
        self.at = 0
        self._draft = ""
        self.load(entries)

    @property
    def browsing(self) -> bool:
        return self.at < len(self._entries)

    @property
    def entries(self) -> tuple[str, ...]:
        return tuple(self._entries)

    def load(self, entries: Iterable[str]) -> None:
        """What was typed in earlier runs goes in front of what was typed since."""
        typed, self._entries = self._entries, []
        for entry in (*entries, *typed):
            self._append(entry)
        self.at = len(self._entries)

    def add(self, text: str) -> bool:
        """A new entry, unless it is blank, begins with a space or repeats the newest. Browsing is over."""
        kept = bool(text.strip()) and not text.startswith(" ") and self._append(text)
        self.at = len(self._entries)
        return kept

    def older(self, text: str) -> str | None:
        """The entry before; None at the oldest. `text`: what stands in the editor, kept as the draft."""
        if self.at == 0:
            return None
        if not self.browsing:
            self._draft = text
        self.at -= 1
        return self._entries[self.at]

    def newer(self) -> str | None:
        """The entry behind, at the end the draft; None when that is where we are."""
        if not self.browsing:
            return None
        self.at += 1
        return self._entries[self.at] if self.browsing else self._draft

    def stop(self) -> None:
        """What was taken from history is the draft now."""
        self.at = len(self._entries)

    def find(self, query: str, before: int | None = None) -> int | None:
        """The newest entry that contains `query`, older than `before`."""
        low = query.lower()
        start = len(self._entries) if before is None else before
        return next((at for at in range(start - 1, -1, -1) if low in self._entries[at].lower()), None)

    def __getitem__(self, at: int) -> str:
        return self._entries[at]

    def _append(self, text: str) -> bool:
        if self._entries and self._entries[-1] == text:
            return False
        self._entries.append(text)
        del self._entries[:-MOST]
        return True
