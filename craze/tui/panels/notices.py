"""Short messages over the status row: the newest, for four seconds, errors until a key is pressed; all are kept."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from craze.engine.facts import Severity
from craze.tui.panels.panel import drawn
from craze.tui.scrub import line

SHOWN: Final = 4.0
AGAIN: Final = 1.0
KEPT: Final = 1000
_STYLES: Final[dict[Severity, str]] = {"info": "", "warning": "$warning", "error": "bold $error"}


class Notices(Widget):
    """One line at the right, over what is below it."""

    DEFAULT_CSS = """
    Notices { layer: float; position: absolute; height: 1; width: auto; max-width: 100%; background: $panel; display: none; }
    """

    text: reactive[Content] = reactive(Content(""), layout=True)

    def __init__(self, now: Callable[[], float], *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._now = now
        self.kept: deque[tuple[float, Severity, str]] = deque(maxlen=KEPT)
        self._until = 0.0
        self._last, self._times, self._at = "", 0, 0.0

    def say(self, text: str, severity: Severity = "info", lasts: float = SHOWN) -> None:
        """Show a line for some seconds, an error until a key; the same text again within a second is counted."""
        said, now = line(text), self._now()
        again = said == self._last and now - self._at < AGAIN
        self._times = self._times + 1 if again else 1
        self._last, self._at = said, now
        if not again:
            self.kept.append((now, severity, said))
        self._until = 0.0 if severity == "error" else now + lasts
        times = f" (x{self._times})" if again else ""
        self.text = Content.assemble(" ", (said + times, _STYLES[severity]), " ")
        self.display = True

    @property
    def cells(self) -> int:
        return self.text.cell_length if self.display else 0

    def pressed(self) -> None:
        """A key was pressed: an error has been seen."""
        if self.display and not self._until:
            self.display = False

    def tick(self) -> None:
        if self.display and self._until and self._now() >= self._until:
            self.display = False

    @drawn
    def render(self) -> Content:
        width = self.screen.size.width
        return self.text.truncate(width, ellipsis=True)

    def get_content_width(self, container: object, viewport: object) -> int:
        return min(self.text.cell_length, self.screen.size.width)
