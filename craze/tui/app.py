"""The app: starts, stops and switches screens; it holds no behaviour of its own."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import msgspec
from textual.app import App

from craze.config.shape import Config
from craze.errors import ExitName
from craze.tui.desk import Desk, Session
from craze.tui.fit import too_small
from craze.tui.keys import bindings, remap
from craze.tui.screens.chat import ChatScreen, Opening
from craze.tui.screens.too_small import TooSmallScreen
from craze.tui.terminal import Driver
from craze.tui.theme import Themes


class Left(msgspec.Struct, frozen=True):
    """How the app was left: the session that was open, whether anything was prompted in it, the name of an error."""

    session: str = ""
    prompted: bool = False
    exit: ExitName = "done"


class CrazeApp(App[Left], inherit_bindings=False):
    """One session at a time."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS = bindings("app.cancel", "app.eof", "app.quit", "app.suspend", "app.redraw", "app.palette", "app.help")
    CSS = "* { scrollbar-size: 1 1; }"

    def __init__(
        self,
        session: Session | None,
        desk: Desk,
        config: Config,
        opening: Opening,
        *,
        themes: Themes,
        notices: tuple[str, ...] = (),
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(driver_class=Driver if _is_terminal() else None)
        self.session, self.desk, self.config, self.opening = session, desk, config, opening
        self.themes, self.now = themes, now
        self.remapped = remap(config.keys)
        self._said = (*notices, *self.remapped.notices)
        self.chat: ChatScreen | None = None
        self.set_keymap(dict(self.remapped.keymap))
        palette = themes.get("craze-dark")
        self.register_theme(palette.textual)
        self.theme = palette.name

    async def on_mount(self) -> None:
        if self.session:
            self.chat = ChatScreen(self.session, self.desk, self.config, self.opening, now=self.now)
            await self.push_screen(self.chat)
            for notice in self._said:
                self.chat.say(notice, "warning")

    def on_resize(self) -> None:
        small = too_small(*self.size)
        shown = isinstance(self.screen, TooSmallScreen)
        if small and not shown:
            self.push_screen(TooSmallScreen())
        elif shown and not small:
            self.pop_screen()

    async def leave(self, exit_name: ExitName = "done") -> None:
        """Close the session and end."""
        left = Left(exit=exit_name)
        if self.chat and self.session:
            self.chat.stop()
            left = Left(self.session.view.info.session, self.chat.moment.turns > 0, exit_name)
            await self.session.close()
        self.exit(left)

    def end(self) -> None:
        """End without a question, as a signal asks for."""
        self.call_later(self.leave)

    async def action_leave(self) -> None:
        await self.leave()

    async def action_cancel(self) -> None:
        await self.leave()

    def action_suspend(self) -> None:
        self.action_suspend_process()

    def action_redraw(self) -> None:
        self.refresh(repaint=True, layout=True)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()
