"""The theme picker: moving previews on the real screen, Enter keeps, Esc brings back what was."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from craze.tui.dialogs.frame import Dialog
from craze.tui.dialogs.items import Item
from craze.tui.dialogs.pick_list import PickList
from craze.tui.dialogs.rows import Hint
from craze.tui.theme import Listed


class ThemePicker(Dialog[str | None]):
    """Returns the name to keep, None when nothing changed; `preview` shows a theme at once."""

    DEFAULT_CSS = "ThemePicker { align: right top; background: transparent; }"

    def __init__(self, themes: Sequence[Listed], current: str, preview: Callable[[str], None]) -> None:
        hints = (Hint("↑↓", "preview"), Hint("enter", "keep", "choose"), Hint("esc", "restore", "close"))
        super().__init__(PickList("theme", items(themes, current), current=current, hints=hints, empty="no such theme"))
        self._current, self._preview = current, preview
        self._usable = {theme.name for theme in themes if not theme.broken}
        self._shown = current

    def on_pick_list_moved(self, message: PickList.Moved) -> None:
        self._show(message.id)

    def on_pick_list_chosen(self, message: PickList.Chosen) -> None:
        self.dismiss(message.id)

    def action_close(self) -> None:
        self._show(self._current)
        self.dismiss(None)

    def _show(self, name: str) -> None:
        if name in self._usable and name != self._shown:
            self._shown = name
            self._preview(name)


def items(themes: Sequence[Listed], current: str) -> list[Item]:
    return [
        Item(
            theme.name,
            theme.name,
            (
                f"broken: {theme.broken}"
                if theme.broken
                else ("dark" if theme.dark else "light") + ", in use" * (theme.name == current),
            ),
            search=theme.title,
            enabled=not theme.broken,
            sign="●" if theme.name == current else " ",
        )
        for theme in themes
    ]
