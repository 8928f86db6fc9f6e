"""Compactions of the context: each begins once and ends once, with its sizes or with why it failed. Pure."""

from __future__ import annotations

from typing import Literal, TypeAlias

from craze.codec import Compaction, Event, Stamp
from craze.providers.control.types import CompactNumbers

Reason: TypeAlias = Literal["manual", "overflow", "auto"]


class Compacting:
    """The compaction that runs, by its reason; "" = none."""

    def __init__(self) -> None:
        self._reason = ""

    def began(self, reason: Reason, at: Stamp) -> list[Event]:
        if self._reason:
            return []
        self._reason = reason
        return [Event("compaction", compaction=Compaction(phase="started", reason=reason), at=at)]

    def done(self, numbers: CompactNumbers, reason: Reason, at: Stamp) -> list[Event]:
        """Its boundary; one without a beginning opens and ends."""
        began = self.began(reason, at)
        before, after = max(0, numbers.pre_tokens), max(0, numbers.post_tokens)
        ended = Compaction(phase="ended", reason=self._reason, tokens_before=before, tokens_after=after)
        self._reason = ""
        return [*began, Event("compaction", compaction=ended, at=at)]

    def failed(self, why: str, at: Stamp) -> list[Event]:
        if not self._reason:
            return []
        ended = Compaction(phase="ended", reason=self._reason, err=why or "it failed")
        self._reason = ""
        return [Event("compaction", compaction=ended, at=at)]
