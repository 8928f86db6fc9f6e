"""A screen that dialogs open over."""

from __future__ import annotations

from functools import partial
from typing import Any

from textual.screen import Screen


class UnderDialogs(Screen[None], inherit_bindings=False):
    """What is to be called after a refresh is called after this screen's own.

    Textual leaves it to the screen on top, and a dialog that closes takes along what it has not called yet. A frame
    would then never count as handled, and no further one would come.
    """

    def call_after_refresh(self, callback: Any, *args: Any, **kwargs: Any) -> bool:
        """Behind the messages that wait already."""
        return self.call_later(self._invoke_later, partial(callback, *args, **kwargs), self)
