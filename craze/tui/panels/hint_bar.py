"""The keys that help most where the keyboard is now."""

from __future__ import annotations

from typing import Final, TypeAlias

from textual import events
from textual.content import Content
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from craze.tui.keys import pressed, shown
from craze.tui.lines import DIM
from craze.tui.panels.panel import drawn

Hint: TypeAlias = tuple[str, str]
"""A key as it is written, and the word for what it does."""

MOST: Final = 6
HINT: Final = "hint"
"""The name of a hint's key among what a piece of text knows of itself."""


class HintBar(Widget):
    """Hints behind each other, as many as fit. A click on one presses its key."""

    DEFAULT_CSS = "HintBar { height: 1; color: $thought; }"

    hints: reactive[tuple[Hint, ...]] = reactive(())

    @drawn
    def render(self) -> Content:
        return line(self.hints, self.size.width)

    def on_click(self, event: events.Click) -> None:
        press_hint(self, event)


def line(hints: tuple[Hint, ...], width: int) -> Content:
    """Whole hints only: what does not fit is left out."""
    said = Content(" ")
    for key, word in hints[:MOST]:
        more = Content.styled(" · " if len(said) > 1 else "", DIM) + button(key, word)
        if said.cell_length + more.cell_length > width:
            break
        said += more
    return said


def button(key: str, word: str) -> Content:
    """A hint that knows its key."""
    return Content.assemble((key, "bold"), (f" {word}", DIM)).stylize(Style.from_meta({HINT: key}))


def press_hint(widget: Widget, event: events.Click) -> None:
    """Press the key of the hint that was clicked."""
    if written := event.style.meta.get(HINT):
        event.stop()
        widget.app.post_message(events.Key(*pressed(written)))  # pyright: ignore[reportUnknownMemberType]


def first(keys: str) -> str:
    """The first key of several, as it is written."""
    return shown(keys.split(",")[0])
