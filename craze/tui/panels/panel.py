"""What all panels have in common: they draw lines of content, whose signs are plain ASCII where the person wants that."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from textual.content import Content
from textual.widget import Widget

from craze.tui.dialogs.rows import ASCII, place_cursor
from craze.tui.lines import in_ascii

W = TypeVar("W", bound=Widget)


def drawn(render: Callable[[W], Content]) -> Callable[[W], Content]:
    """Let a widget's `render` show where its keys go, and spell its signs as the person wants them."""

    @wraps(render)
    def shown(widget: W) -> Content:
        content = render(widget)
        if widget.has_focus:
            place_cursor(widget, list(content.split("\n", allow_blank=True)))
        return in_ascii(content) if widget.app.has_class(ASCII) else content  # pyright: ignore[reportUnknownMemberType]

    return shown
