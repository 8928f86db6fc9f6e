"""Sends the answers of the ask panels, and lets a person write one in their own editor."""

from __future__ import annotations

from craze.engine.intents import Refused
from craze.errors import CrazeError
from craze.tui.dialogs.ask_panel import AskPanel
from craze.tui.screens.parts import Parts


class Answering:
    """The asks of one session."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def answer(self, message: AskPanel.Answered) -> None:
        """A refused answer goes back to its panel."""
        result = await self._parts.sender.answer(message.ask, message.answer)
        if not isinstance(result, Refused):
            return
        if result.code in ("unknown_ask", "already_resolved"):
            self._parts.say("that was answered already", "warning")
        else:
            message.panel.refused(result.detail)

    async def edit(self, message: AskPanel.Edit) -> None:
        try:
            message.panel.edited(await self._parts.desk.workspace.edit(message.text, message.suffix))
        except CrazeError as error:
            self._parts.say(str(error), "warning")
