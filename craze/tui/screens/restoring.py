"""The lines between what is stored of a session that goes on and what comes live from its agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from craze.codec import Failure

BEGUN: Final = "restoring…"
DONE: Final = "restored"
ONLY_READ: Final = "this agent cannot resume: opened to read; /new starts a session here"

_REFUSALS: Final = ("other", "rpc")
"""Classes of failures of an agent that runs and does not open the session."""


class Restoring:
    """`note` draws a line at the end of the transcript. `stored`: the session has a transcript of ours."""

    def __init__(self, note: Callable[[str], None], *, stored: bool) -> None:
        self._note, self._stored = note, stored
        self._begun = self._ended = False

    def drawn(self, *, ready: bool) -> None:
        """The newest part of what is stored is drawn: what follows is live."""
        if self._stored and not self._begun:
            self._begun = True
            self._note(BEGUN)
            if ready:
                self.end(DONE)

    def end(self, text: str) -> None:
        if self._begun and not self._ended:
            self._ended = True
            self._note(text)

    def refuses(self, failure: Failure | None) -> bool:
        """Whether the agent cannot load it, so that it is there to be read all the same."""
        return self._stored and failure is not None and failure.error_class in _REFUSALS
