"""What all panels have in common: they draw lines of content, whose signs are plain ASCII where the person wants that."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget

from craze.tui.dialogs.rows import ASCII, place_cursor
from craze.tui.lines import in_ascii


class Panel(Widget):
    """A widget of a few lines of text."""

    def draw(self) -> Content:
        raise NotImplementedError

    def render(self) -> Content:
        drawn = self.draw()
        if self.has_focus:
            place_cursor(self, list(drawn.split("\n", allow_blank=True)))
        return in_ascii(drawn) if self.app.has_class(ASCII) else drawn  # pyright: ignore[reportUnknownMemberType]
