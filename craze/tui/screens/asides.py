"""Side questions: the card that shows one with its answer, beside the conversation."""

from __future__ import annotations

from craze.tui.panels import aside_card
from craze.tui.panels.aside_card import AsideCard
from craze.tui.screens.parts import Parts
from craze.tui.screens.reading import Reading


class Asides:
    """The card of one screen."""

    def __init__(self, parts: Parts, reading: Reading) -> None:
        self._parts, self._reading, self._card = parts, reading, parts.widgets.card

    def show(self, question: str, answer: str) -> None:
        """A side question and, once it is there, its answer."""
        if self._parts.reader and answer:
            self._reading.read(question, answer)
        elif self._parts.reader:
            self._parts.say(aside_card.WAITS)
        elif answer:
            self._card.tell(question, answer, self._parts.widgets.transcript.brush)
        else:
            self._card.ask(question)
        self._parts.fit_soon()

    def do(self, message: AsideCard.Wanted) -> None:
        if message.what == "copy":
            self._reading.copy(self._card.answer)
        elif message.what == "view":
            self._reading.read(self._card.question, self._card.answer)
        else:
            self.close()

    def close(self) -> None:
        held, self._card.display = self._card.has_focus, False
        if held:
            self._parts.focus_composer()
