"""The person's own prompts of this session, newest first: go to one, or take it into the composer."""

from __future__ import annotations

from collections.abc import Iterable

from craze.tui.dialogs.frame import Dialog
from craze.tui.dialogs.items import Item
from craze.tui.dialogs.pick_list import PickList
from craze.tui.dialogs.rows import Hint
from craze.tui.keys import bindings


class _Prompts(PickList):
    BINDINGS = bindings("pick.copy")

    async def action_copy(self) -> None:
        await self.run_action("screen.copy")


class OwnPrompts(Dialog[tuple[str, bool] | None]):
    """Returns the id of the prompt, and whether it should be copied into the composer."""

    def __init__(self, items: Iterable[Item]) -> None:
        hints = (
            Hint("enter", "go there", "choose"),
            Hint("ctrl+y", "into the composer", "copy"),
            Hint("esc", "close", "close"),
        )
        self.list = _Prompts("your prompts", items, hints=hints, empty="no such prompt")
        super().__init__(self.list)

    def on_pick_list_chosen(self, message: PickList.Chosen) -> None:
        self.dismiss((message.id, False))

    def action_copy(self) -> None:
        if self.list.current:
            self.dismiss((self.list.current, True))
