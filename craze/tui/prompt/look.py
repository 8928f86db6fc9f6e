"""How the composer is drawn around its text: the rules, the sign of its mode, the words in an empty draft."""

from __future__ import annotations

from typing import Final

from textual.content import Content
from textual.widgets import Static

from craze.tui.lines import cells, in_ascii, rule
from craze.tui.prompt.drafts import Mode

SIGNS: Final[dict[Mode, str]] = {"prompt": "›", "shell": "!", "edit": "✎", "search": "?"}
IMPLEMENT: Final = "enter: implement this plan"
SIGN: Final = 3
"""Cells of the sign in front, and of the cursor behind."""
FIRST: Final = "ask for something · / commands · @ files · ! shell"


class Look:
    """The parts of the composer beside its editor. `ascii_only`: its signs are plain."""

    def __init__(self, *, ascii_only: bool) -> None:
        self.upper, self.lower = Static(classes="rule", id="upper"), Static(classes="rule", id="lower")
        self.sign = Static(SIGNS["prompt"], classes="sign")
        self._ascii = ascii_only

    def draw_sign(self, mode: Mode) -> None:
        sign = Content(SIGNS[mode])
        self.sign.update(in_ascii(sign) if self._ascii else sign)

    def draw_rules(self, mode: Mode, width: int, *, title: str, editing: str) -> None:
        """`title`: the session's; `editing`: the number of the row that is edited."""
        titles = {"prompt": title or "craze", "shell": "shell", "search": "earlier prompts"}
        line = "-" if self._ascii else "─"
        self.upper.update(rule(width, titles.get(mode) or f"editing {editing}", line))
        self.lower.update(rule(width, "", line))


def placeholder(mode: Mode, width: int, *, first: bool, offers_plan: bool) -> Content:
    """Whole hints only. `first`: nothing was asked for yet; `offers_plan`: Enter carries a plan out."""
    hints = FIRST.split(" · ")
    while len(hints) > 1 and cells(" · ".join(hints)) > width - SIGN:
        hints.pop()
    words: dict[Mode, str] = {
        "prompt": IMPLEMENT if offers_plan else " · ".join(hints) if first else "",
        "shell": "a command for your shell",
        "search": "type to search earlier prompts",
    }
    return Content(words.get(mode, ""))
