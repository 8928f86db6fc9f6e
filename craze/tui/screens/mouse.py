"""Whose the mouse is: craze's, or the terminal's."""

from __future__ import annotations

from craze.tui.screens.parts import Parts


class Mouse:
    """Takes the mouse, or leaves it to the terminal's own selecting."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._ours = parts.config.tui.mouse

    def toggle(self, arg: str = "") -> None:
        self._ours = not self._ours
        self._parts.stage.use_mouse(self._ours)
        self._parts.say("the mouse is craze's" if self._ours else "the mouse is the terminal's")
