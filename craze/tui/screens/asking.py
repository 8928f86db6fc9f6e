"""What a screen does with the asks of its session: shows their panels, sends their answers, opens what they offer."""

from __future__ import annotations

from typing import TypeVar

from textual import on
from textual.screen import Screen

from craze.engine.answers import AnswerValue
from craze.engine.facts import Severity
from craze.engine.intents import Refused, Result
from craze.errors import CrazeError
from craze.tui.desk import Desk
from craze.tui.dialogs.ask_panel import AskPanel
from craze.tui.dialogs.ask_slot import AskSlot

T = TypeVar("T")


class AskingScreen(Screen[T], inherit_bindings=False):
    """The half of a screen that answers asks; the other half gives it a desk and a way to send."""

    desk: Desk
    asks: AskSlot

    async def answer(self, ask: str, answer: AnswerValue) -> Result:
        raise NotImplementedError

    async def stop_turn(self) -> None:
        raise NotImplementedError

    def say(self, text: str, severity: Severity = "info") -> None:
        raise NotImplementedError

    def focus_composer(self) -> None:
        raise NotImplementedError

    def copy(self, text: str) -> None:
        raise NotImplementedError

    def fit_soon(self) -> None:
        raise NotImplementedError

    @on(AskPanel.Resized)
    def _ask_resized(self) -> None:
        self.fit_soon()

    @on(AskPanel.Answered)
    async def _ask_answered(self, message: AskPanel.Answered) -> None:
        result = await self.answer(message.ask, message.answer)
        if not isinstance(result, Refused):
            return
        if result.code in ("unknown_ask", "already_resolved"):
            self.say("that was answered already", "warning")
        else:
            message.panel.refused(result.detail)

    @on(AskPanel.StopTurn)
    async def _ask_stop(self) -> None:
        await self.stop_turn()

    @on(AskPanel.NextAsk)
    def _ask_next(self) -> None:
        self.asks.next()

    @on(AskPanel.ViewFull)
    def _ask_full(self, message: AskPanel.ViewFull) -> None:
        from craze.tui.dialogs.viewer import Viewer

        self.app.push_screen(Viewer(message.title, message.text, self.copy))  # pyright: ignore[reportUnknownMemberType]

    @on(AskPanel.Edit)
    async def _ask_edit(self, message: AskPanel.Edit) -> None:
        try:
            message.panel.edited(await self.desk.workspace.edit(message.text, message.suffix))
        except CrazeError as error:
            self.say(str(error), "warning")

    @on(AskPanel.OpenLink)
    async def _ask_link(self, message: AskPanel.OpenLink) -> None:
        if not await self.desk.workspace.open_link(message.target):
            self.say(f"no program opens links here: {message.target}", "warning")

    @on(AskSlot.Emptied)
    def _asks_emptied(self) -> None:
        self.focus_composer()
