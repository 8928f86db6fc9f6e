"""What is shown when the terminal is too small; the session goes on."""

from __future__ import annotations

from textual.content import Content
from textual.screen import ModalScreen

from craze.tui.fit import SMALLEST


class TooSmallScreen(ModalScreen[None], inherit_bindings=False):
    """`40x12 needed, WxH now`, in the middle."""

    DEFAULT_CSS = "TooSmallScreen { background: $background; }"

    def render(self) -> Content:
        width, height = self.size
        said = f"{SMALLEST[0]}x{SMALLEST[1]} needed, {width}x{height} now"[:width]
        return Content("\n" * max(0, (height - 1) // 2) + " " * ((width - len(said)) // 2) + said)

    def on_resize(self) -> None:
        self.refresh()
