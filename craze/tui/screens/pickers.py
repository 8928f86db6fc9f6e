"""Opens lists and forms and does what they return: help, colours, model, mode, sign-in, the person's own prompts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from craze.engine.facts import Login, LoginMethod
from craze.engine.intents import Set
from craze.tui.dialogs.offers import Offers, meant, modes, offers
from craze.tui.screens.parts import Parts
from craze.tui.screens.stage import push
from craze.tui.scrub import line
from craze.tui.theme import Listed, Palette
from craze.tui.told import told


class Pickers:
    """The choices of one screen; each takes what was typed behind its command."""

    def __init__(self, parts: Parts) -> None:
        self._parts, self._screen = parts, parts.screen
        self._transcript, self._composer = parts.widgets.transcript, parts.widgets.composer
        self._theming = asyncio.Lock()

    def help(self, arg: str = "") -> None:
        from craze.tui.dialogs.help import HelpDialog

        desk, opening = self._parts.desk, self._parts.opening
        facts = {"craze": desk.version, "agent": opening.agent, **desk.places}
        push(self._screen, HelpDialog(self._parts.stage.remapped.keys, self._composer.completer.rows, facts))

    # ---- colours

    def theme(self, arg: str = "") -> None:
        self._parts.sender.later(self._theme(arg))

    async def _theme(self, arg: str) -> None:
        # Whoever asked first is served first: the list that comes second shows what the first has chosen.
        async with self._theming:
            listed = await asyncio.to_thread(self._parts.stage.themes.listed)
            if arg:
                self._use_theme(arg)
            else:
                self._pick_theme(listed)

    def _pick_theme(self, listed: Sequence[Listed]) -> None:
        from craze.tui.dialogs.themes import ThemePicker

        stage = self._parts.stage
        before = stage.palette.name

        def closed(name: str | None) -> None:
            if name is None:
                stage.use_theme(before)
            else:
                self._use_theme(name)

        push(self._screen, ThemePicker(listed, before, self._preview), closed)

    def _preview(self, name: str) -> None:
        self._parts.stage.use_theme(name)

    def _use_theme(self, name: str) -> None:
        if trouble := self._parts.stage.use_theme(name):
            self._parts.say(trouble, "error")
        else:
            self._parts.keep("tui.theme", name)

    def restyle(self, palette: Palette) -> None:
        """Other colours came."""
        self._transcript.restyle(replace(self._transcript.brush, palette=palette, true_colour=not palette.ansi))

    # ---- model and mode

    def offers(self) -> Offers:
        """What the agent can be set to."""
        view = self._parts.view
        return offers(view, self._parts.desk.library.recent_models(view.info.agent))

    def model(self, arg: str = "") -> None:
        from craze.tui.dialogs.models import NO_CHOICE, ModelPicker

        offered = self.offers()
        if not offered.models:
            self._parts.say(NO_CHOICE)
        elif arg:
            wanted = meant(offered, arg)
            if isinstance(wanted, str):
                push(self._screen, ModelPicker(offered), self._set)
                self._parts.say(wanted, "warning")
            else:
                self._set(wanted)
        else:
            push(self._screen, ModelPicker(offered), self._set)

    def _set(self, settings: tuple[Set, ...] | None) -> None:
        if settings:
            self._parts.sender.set(*settings)

    def mode(self, arg: str = "") -> None:
        from craze.tui.dialogs.models import ModePicker

        current, offered = modes(self._parts.view)
        if not offered:
            self._parts.say("this agent offers no choice of a mode")
            return
        low = arg.casefold()
        named = [mode.id for mode in offered if low in (mode.id.casefold(), mode.name.casefold())]
        if arg and len(named) == 1:
            self._parts.sender.to_mode(named[0])
        else:
            push(self._screen, ModePicker(current, offered), self._to_mode)

    def _to_mode(self, mode: str | None) -> None:
        if mode is not None:
            self._parts.sender.to_mode(mode)

    # ---- signing in

    def sign_in(self, arg: str = "", *, closed: Callable[[], None] | None = None) -> None:
        from craze.tui.dialogs.sign_in import SignIn

        view, sender = self._parts.view, self._parts.sender
        login = told(view, "login", Login)
        can_leave = "logout" in view.info.can
        agent = self._parts.opening.agent
        form = SignIn(agent, login, sender.authenticate, self._run_method, can_leave=can_leave)
        push(self._screen, form, lambda _: closed() if closed else None)

    async def _run_method(self, method: LoginMethod) -> int:
        return await self._parts.desk.workspace.interactive(method.command, method.env)

    # ---- the person's own prompts

    def prompts(self) -> None:
        """Enter goes to one in the transcript, `c` takes one into the composer."""
        prompts = self._transcript.own_prompts()
        if not prompts:
            return
        from craze.tui.dialogs.items import Item
        from craze.tui.dialogs.own_prompts import OwnPrompts

        items = [Item(str(at), line(text)) for at, (_, text) in enumerate(prompts)]
        push(self._screen, OwnPrompts(items[::-1]), lambda wish: self._to_prompt(prompts, wish))

    def _to_prompt(self, prompts: list[tuple[float, str]], wish: tuple[str, bool] | None) -> None:
        if wish is None:
            return
        id_, text = prompts[int(wish[0])]
        if wish[1]:
            self._composer.drafts.fill(text)
        else:
            self._transcript.go_to(id_)
            self._transcript.focus()
