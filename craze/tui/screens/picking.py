"""The half of the chat screen that opens lists and forms: help, themes, models, modes, search, sign-in, palette."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from textual import on

from craze.engine.facts import Login, LoginMethod
from craze.engine.intents import Set
from craze.tui.dialogs.offers import meant, modes, offers
from craze.tui.dialogs.search import SearchLine
from craze.tui.keys import KEYS
from craze.tui.prompt.mentions import spelled
from craze.tui.screens.doing import DoingScreen
from craze.tui.screens.stage import push
from craze.tui.screens.talking import Given
from craze.tui.scrub import line
from craze.tui.theme import Palette
from craze.tui.told import told
from craze.tui.transcript.view import TranscriptView

if TYPE_CHECKING:
    from craze.tui.palette import Deed, PaletteDialog

_PLAIN: Final = frozenset(
    key.id
    for key in KEYS
    if key.id in ("app.escape", "app.cancel", "app.eof", "app.palette")
    or (key.group == "prompt" and key.id not in ("prompt.editor", "prompt.search", "prompt.paste", "prompt.send_now"))
)
"""Keys that are no actions to look for: moving, editing, and what closes the palette."""


class PickingScreen(DoingScreen, inherit_bindings=False):
    """Opens dialogs and does what they return."""

    finder: SearchLine
    finding: bool = False
    """The search line is open."""

    def __init__(self, given: Given) -> None:
        super().__init__(given)
        self._used: list[str] = []
        self._prompts: list[str] = []

    def restyle(self, palette: Palette) -> None:
        """Other colours."""
        self.transcript.restyle(replace(self.transcript.brush, palette=palette, true_colour=not palette.ansi))

    def open_help(self, arg: str = "") -> None:
        from craze.tui.dialogs.help import HelpDialog

        facts = {"craze": self.desk.version, "agent": self.opening.agent, **self.desk.places}
        push(self, HelpDialog(self.stage.remapped.keys, self.composer.slash_rows, facts))

    # ---- colours

    def open_theme(self, arg: str = "") -> None:
        self.sender.later(self._open_theme(arg))

    async def _open_theme(self, arg: str) -> None:
        listed = await asyncio.to_thread(self.stage.themes.listed)
        if arg:
            self._use_theme(arg)
            return
        from craze.tui.dialogs.themes import ThemePicker

        before = self.stage.palette.name

        def closed(name: str | None) -> None:
            if name is None:
                self.stage.use_theme(before)
            else:
                self._use_theme(name)

        push(self, ThemePicker(listed, before, self._preview), closed)

    def _preview(self, name: str) -> None:
        self.stage.use_theme(name)

    def _use_theme(self, name: str) -> None:
        if trouble := self.stage.use_theme(name):
            self.say(trouble, "error")
        else:
            self.keep("tui.theme", name)

    # ---- model and mode

    def open_models(self, arg: str = "") -> None:
        from craze.tui.dialogs.models import NO_CHOICE, ModelPicker

        offered = offers(self.shown, self.desk.library.recent_models(self.shown.info.agent))
        if not offered.models:
            self.say(NO_CHOICE)
        elif arg:
            wanted = meant(offered, arg)
            if isinstance(wanted, str):
                push(self, ModelPicker(offered), self._set)
                self.say(wanted, "warning")
            else:
                self._set(wanted)
        else:
            push(self, ModelPicker(offered), self._set)

    def _set(self, settings: tuple[Set, ...] | None) -> None:
        if settings:
            self.sender.set(*settings)

    def open_modes(self, arg: str = "") -> None:
        from craze.tui.dialogs.models import ModePicker

        current, offered = modes(self.shown)
        if not offered:
            self.say("this agent offers no choice of a mode")
            return
        low = arg.casefold()
        named = [mode.id for mode in offered if low in (mode.id.casefold(), mode.name.casefold())]
        if arg and len(named) == 1:
            self.sender.to_mode(named[0])
        else:
            push(self, ModePicker(current, offered), self._to_mode)

    def _to_mode(self, mode: str | None) -> None:
        if mode is not None:
            self.sender.to_mode(mode)

    # ---- the rest

    def open_search(self, arg: str = "") -> None:
        self.finding = True
        self.fit_soon()
        self.finder.display = True
        self.finder.begin(arg)
        if arg:
            self.transcript.search(arg)

    @on(SearchLine.Changed)
    def _search_changed(self, message: SearchLine.Changed) -> None:
        self.transcript.search(message.query, message.regex)

    @on(SearchLine.Moved)
    def _search_moved(self, message: SearchLine.Moved) -> None:
        self.transcript.move_hit(message.step)

    @on(SearchLine.Closed)
    def _search_closed(self, message: SearchLine.Closed) -> None:
        self.finding = False
        self.transcript.end_search(stay=message.stays)
        self.fit_soon()
        if message.stays:
            self.transcript.focus()
        else:
            self.focus_composer()

    @on(TranscriptView.Found)
    def _search_found(self, message: TranscriptView.Found) -> None:
        where = f"{message.at}/{message.total}" if message.total else "nothing found"
        said = "loading…" if self.reading_back or (message.searching and not message.total) else where
        self.finder.told = message.error or said + (" ↺" if message.wrapped else "")
        if self.transcript.has_focus:
            self.say(self.finder.told)

    @property
    def reading_back(self) -> bool:
        """Whether older events are still on their way."""
        raise NotImplementedError

    def open_sign_in(self, arg: str = "") -> None:
        from craze.tui.dialogs.sign_in import SignIn

        login = told(self.shown, "login", Login)
        can_leave = "logout" in self.shown.info.can
        push(self, SignIn(self.opening.agent, login, self.sender.authenticate, self._run_method, can_leave=can_leave))

    async def _run_method(self, method: LoginMethod) -> int:
        return await self.desk.workspace.interactive(method.command, method.env)

    # ---- everything in one list

    def open_palette(self) -> None:
        from craze.tui import palette

        self.read_paths()
        _, offered_modes = modes(self.shown)
        offered = offers(self.shown, self.desk.library.recent_models(self.shown.info.agent))
        can = {active.binding.id for active in self.active_bindings.values() if active.enabled}
        keys = {key.id: self.stage.remapped.keys(key.id) for key in KEYS if key.id in can and key.id not in _PLAIN}
        self._prompts = [text for _, text in self.transcript.own_prompts()]
        items = [
            *palette.actions(keys, keys),
            *palette.commands(self.composer.slash_rows),
            *palette.choices("model", offered.models),
            *palette.choices("mode", offered_modes),
            *palette.files(self.composer.paths),
            *palette.prompts(self._prompts),
        ]
        dialog = palette.PaletteDialog(palette.ordered(items, self._used))
        push(self, dialog, lambda deed: self.sender.later(self._run_deed(deed)))
        self.sender.later(self._add_files(dialog))

    async def _add_files(self, dialog: PaletteDialog) -> None:
        """What has to be read first: themes and sessions."""
        from craze.tui import palette

        listed = await asyncio.to_thread(self.stage.themes.listed)
        dialog.add(palette.themes(each.name for each in listed if not each.broken))
        rows, _ = await self.desk.library.page(everywhere=False, offset=0, limit=palette.SESSIONS)
        dialog.add(palette.sessions(rows))

    async def _run_deed(self, deed: Deed | None) -> None:
        if deed is None:
            return
        self._used = [f"{deed.kind}:{deed.value}", *self._used][:50]
        named = {
            "model": lambda: self.sender.set(Set(kind="model", value=deed.value)),
            "mode": lambda: self.sender.to_mode(deed.value),
            "theme": lambda: self.open_theme(deed.value),
            "session": lambda: self.leaving("open another session", lambda: self._open(deed.value)),
            "file": lambda: self.composer.insert(spelled(deed.value)),
            "prompt": lambda: self.composer.fill(self._prompts[int(deed.value)]),
        }
        if deed.kind == "action":
            await self.run_binding(deed.value)
        elif deed.kind == "command":
            await self._run_command(deed.value)
        else:
            named[deed.kind]()

    def _open(self, session: str) -> None:
        self.replace(self.stage.open_session, session)

    async def _run_command(self, name: str) -> None:
        """Run a row, or put it into the draft where its argument is to be typed; a draft goes into the history."""
        row = next((row for row in self.composer.slash_rows if row.name == name), None)
        if row is not None and row.run and (row.run.arg == "required" or (row.run.arg and row.run.kind == "prompt")):
            self.composer.clear(keep=True)
            self.composer.fill(f"/{row.name} ")
        elif row is not None:
            await self.commands.run(row, "")

    async def run_binding(self, id_: str) -> None:
        """Do what a key would do here."""
        for active in self.active_bindings.values():
            if active.binding.id == id_ and active.enabled:
                await self.app.run_action(active.binding.action, active.node)  # pyright: ignore[reportUnknownMemberType]
                return

    def open_prompts(self) -> None:
        """The person's own prompts: Enter goes there, `c` takes one into the composer."""
        prompts = self.transcript.own_prompts()
        if not prompts:
            return
        from craze.tui.dialogs.items import Item
        from craze.tui.dialogs.own_prompts import OwnPrompts

        items = [Item(str(at), line(text)) for at, (_, text) in enumerate(prompts)]
        push(self, OwnPrompts(items[::-1]), lambda wish: self._to_prompt(prompts, wish))

    def _to_prompt(self, prompts: list[tuple[float, str]], wish: tuple[str, bool] | None) -> None:
        if wish is None:
            return
        id_, text = prompts[int(wish[0])]
        if wish[1]:
            self.composer.fill(text)
        else:
            self.transcript.go_to(id_)
            self.transcript.focus()
