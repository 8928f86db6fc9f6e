"""A question with a few answers of one key each."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace
from textual import events
from textual.content import Content

from craze.tui.dialogs.frame import ENDS, SIDES, Box, Dialog, framed
from craze.tui.dialogs.rows import Hint, Row, Rows, hint_row, wrapped
from craze.tui.keys import bindings


class Choice(Struct, frozen=True):
    """A key, what it does in words, and what the dialog returns for it."""

    key: str
    word: str
    value: str


class _Question(Box):
    BINDINGS = bindings("confirm.no")

    def __init__(self, title: str, text: str, choices: Sequence[Choice], way_out: str) -> None:
        super().__init__(self.rows, self.wished)
        self.title, self.text, self.way_out = title, text, way_out
        self.choices: tuple[Choice, ...] = tuple(choices)

    def restate(self, title: str, text: str, word: str) -> None:
        self.title, self.text = title, text
        self.choices = tuple(replace(choice, word=word) for choice in self.choices)
        self.refresh()

    def wished(self, width: int, height: int) -> tuple[int, int]:
        longest = max(
            len(self.text), len(self.title) + SIDES, sum(len(c.key) + len(c.word) + 4 for c in self.choices) + 12
        )
        wide = min(width, max(60, min(longest + SIDES, 76)))
        text = self._text(wide)
        return wide, ENDS + len(text) + bool(text) + 1

    def rows(self, width: int, height: int) -> Rows:
        hints = [Hint(choice.key, choice.word, f"choose({choice.value!r})") for choice in self.choices]
        hints.append(Hint("esc", self.way_out, "no"))
        text = self._text(width)
        rows = [*text[: max(0, height - ENDS - 2)], *[Row()] * bool(text), hint_row(width - SIDES, hints, "")]
        return framed(width, self.title, "", rows, [])

    def _text(self, width: int) -> Rows:
        return [row for line in self.text.split("\n") if self.text for row in wrapped(Content(line), width - SIDES)]

    def on_key(self, event: events.Key) -> None:
        for choice in self.choices:
            if event.key == choice.key or event.character == choice.key:
                event.stop()
                self.action_choose(choice.value)

    def action_choose(self, value: str) -> None:
        self.screen.dismiss(value)

    async def action_no(self) -> None:
        await self.run_action("screen.close")


class Confirm(Dialog[str | None]):
    """Returns the value of the choice, None for staying as it is.

    `text` is drawn as it is: what comes from elsewhere is scrubbed by the caller.
    """

    def __init__(self, title: str, text: str, *choices: Choice, way_out: str = "stay") -> None:
        self._question = _Question(title, text, choices, way_out)
        super().__init__(self._question)

    def restate(self, title: str, text: str, word: str) -> None:
        """Ask something else with the same one key."""
        self._question.restate(title, text, word)
