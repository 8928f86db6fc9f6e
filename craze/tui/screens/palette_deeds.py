"""Everything that can be done here in one list: fills the command palette and does what is chosen of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from craze.engine.intents import Set
from craze.tui.dialogs.offers import modes
from craze.tui.keys import KEYS
from craze.tui.prompt.mentions import spelled
from craze.tui.screens.commands import Commands
from craze.tui.screens.draft import Draft
from craze.tui.screens.leaving import Leaving
from craze.tui.screens.parts import Parts
from craze.tui.screens.pickers import Pickers
from craze.tui.screens.stage import push

if TYPE_CHECKING:
    from craze.tui.dialogs.items import Item
    from craze.tui.palette import Deed, PaletteDialog

_PLAIN: Final = frozenset(
    key.id
    for key in KEYS
    if key.id in ("app.escape", "app.cancel", "app.eof", "app.palette")
    or (key.group == "prompt" and key.id not in ("prompt.editor", "prompt.search", "prompt.paste", "prompt.send_now"))
)
"""Keys that are no actions to look for: moving, editing, and what closes the palette."""


class PaletteDeeds:
    """The palette of one screen; what was used last comes first."""

    def __init__(self, parts: Parts, commands: Commands, pickers: Pickers, leaving: Leaving, draft: Draft) -> None:
        self._parts, self._composer = parts, parts.widgets.composer
        self._commands, self._pickers, self._leaving, self._draft = commands, pickers, leaving, draft
        self._used: list[str] = []
        self._prompts: list[str] = []

    def open(self) -> None:
        from craze.tui import palette

        self._draft.read_paths()
        self._prompts = [text for _, text in self._parts.widgets.transcript.own_prompts()]
        dialog = palette.PaletteDialog(palette.ordered(self._entries(), self._used))
        later = self._parts.sender.later
        push(self._parts.screen, dialog, lambda deed: later(self._do(deed)))
        later(self._add_files(dialog))

    def _entries(self) -> list[Item]:
        from craze.tui import palette

        can, remapped = set(self._parts.usable), self._parts.stage.remapped
        keys = {key.id: remapped.keys(key.id) for key in KEYS if key.id in can and key.id not in _PLAIN}
        return [
            *palette.actions(keys, keys),
            *palette.commands(self._composer.completer.rows),
            *palette.choices("model", self._pickers.offers().models),
            *palette.choices("mode", modes(self._parts.view)[1]),
            *palette.files(self._composer.completer.paths),
            *palette.prompts(self._prompts),
        ]

    async def _add_files(self, dialog: PaletteDialog) -> None:
        """What has to be read first: themes and sessions."""
        from craze.tui import palette

        listed = await asyncio.to_thread(self._parts.stage.themes.listed)
        dialog.add(palette.themes(each.name for each in listed if not each.broken))
        rows, _ = await self._parts.desk.library.page(everywhere=False, offset=0, limit=palette.SESSIONS)
        dialog.add(palette.sessions(rows))

    async def _do(self, deed: Deed | None) -> None:
        if deed is None:
            return
        self._used = [f"{deed.kind}:{deed.value}", *self._used][:50]
        sender = self._parts.sender
        named: dict[str, Callable[[str], object]] = {
            "model": lambda value: sender.set(Set(kind="model", value=value)),
            "mode": sender.to_mode,
            "theme": self._pickers.theme,
            "session": self._leaving.open_session,
            "file": lambda value: self._composer.editor.put(spelled(value)),
            "prompt": lambda value: self._composer.drafts.fill(self._prompts[int(value)]),
        }
        if deed.kind == "action":
            await self._press(deed.value)
        elif deed.kind == "command":
            await self._run_command(deed.value)
        else:
            named[deed.kind](deed.value)

    async def _run_command(self, name: str) -> None:
        """Run a row, or put it into the draft where its argument is to be typed; a draft goes into the history."""
        row = next((row for row in self._composer.completer.rows if row.name == name), None)
        if row is not None and row.run and (row.run.arg == "required" or (row.run.arg and row.run.kind == "prompt")):
            self._composer.drafts.clear(keep=True)
            self._composer.drafts.fill(f"/{row.name} ")
        elif row is not None:
            await self._commands.run(row, "")

    async def _press(self, id_: str) -> None:
        """Do what a key would do here."""
        screen = self._parts.screen
        for active in screen.active_bindings.values():
            if active.binding.id == id_ and active.enabled:
                await screen.app.run_action(active.binding.action, active.node)  # pyright: ignore[reportUnknownMemberType]
                return
