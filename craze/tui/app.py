"""The app: starts, stops and switches screens; it holds no behaviour of its own.

Screens and dialogs other than the chat are imported when they are opened, so that the first picture comes soon.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace
from textual import events
from textual.app import App, SuspendNotSupported
from textual.filter import LineFilter, NoColor
from textual.screen import Screen

from craze.config.shape import Config
from craze.errors import CrazeError, ExitName
from craze.tui.desk import Desk, Session, Workspace
from craze.tui.dialogs.rows import ASCII
from craze.tui.fit import too_small
from craze.tui.keys import bindings, remap
from craze.tui.one_by_one import Arrived, OneByOne
from craze.tui.screens.chat import ChatScreen
from craze.tui.screens.opening import Given, Opening
from craze.tui.screens.too_small import TooSmallScreen
from craze.tui.screens.widgets import brush_of
from craze.tui.terminal import Driver, Surroundings
from craze.tui.theme import Palette, Themes

if TYPE_CHECKING:
    from craze.tui.screens.sessions import Picked


class Left(msgspec.Struct, frozen=True):
    """How the app was left: the session that was open, whether anything was prompted in it, the name of an error."""

    session: str = ""
    prompted: bool = False
    exit: ExitName = "done"
    error: CrazeError | None = None
    """Why nothing could be opened at all."""


class CrazeApp(App[Left], inherit_bindings=False):
    """One session at a time, each in a mode of its own."""

    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False  # the transcript has its own; Textual's fails on a click into a panel that has just gone
    DEFAULT_MODE = "start"
    BINDINGS = bindings("app.cancel", "app.eof", "app.quit", "app.suspend", "app.redraw", "app.palette", "app.help")

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
        super().__init__(driver_class=Driver if sys.stdin.isatty() and sys.stdout.isatty() else None)
        self.session, self.config, self.opening = session, config, opening
        self.desk = replace(desk, workspace=_Suspending(desk.workspace, self))
        self.themes, self.now = themes, now
        self.remapped = remap(config.keys)
        tui = config.tui
        self.around = Surroundings(self.write, titles=tui.title, notify=tui.notify, cursor=tui.screen_reader, now=now)
        self.chat: ChatScreen | None = None
        self._failed: CrazeError | None = None
        self.set_keymap(dict(self.remapped.keymap))
        self.palette, trouble = themes.get_or_fallback(config.tui.theme)
        self._paint(self.palette)
        self.set_class(config.tui.glyphs == "ascii" or config.tui.screen_reader, ASCII)
        self._said = (*notices, *self.remapped.notices, trouble)
        self._opened = 0
        self._typed = OneByOne(self)

    def _paint(self, palette: Palette) -> None:
        self.palette = palette
        self.register_theme(palette.textual)
        self.theme = palette.name
        if self.chat:
            self.chat.does.pickers.restyle(palette)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What else has colours, like the output of a tool, loses them too where none are wanted."""
        filters = super().get_line_filters()
        return filters if self.themes.colours else [*filters, NoColor()]

    # ---- life

    async def on_mount(self) -> None:
        # Not before: a mode that is known when the app starts has its styles read twice.
        self._add_mode(self.DEFAULT_MODE)
        self.around.begin()
        if not self.chat:
            await self._choose()
        for notice in filter(None, self._said):
            self._say(notice)

    def on_ready(self) -> None:
        """The first picture is there: what was made for it lasts, and garbage is looked for only in what follows."""
        if not gc.isenabled():
            gc.freeze()
            gc.enable()

    async def _choose(self) -> None:
        """What is to be seen, where no session was given."""
        if self.opening.replay:
            await self.replay_session(self.opening.replay)
        elif self.opening.pick:
            self.pick_session()
        else:
            self.pick_agent()

    def _say(self, text: str) -> None:
        if self.chat:
            self.chat.say(text, "warning")

    async def _show(self, session: Session) -> None:
        """The chat screen of a session, in place of all that is shown."""
        if self.chat:
            self.chat.stop()
        if self.session and self.session is not session:
            await self.session.close()
        self.session = session
        self._opened += 1
        before, mode = self.current_mode, f"session {self._opened}"
        self._add_mode(mode)
        # Not awaited: what asks for it may be a wish of the screen that goes.
        self.switch_mode(mode)
        self.remove_mode(before)

    def _add_mode(self, name: str) -> None:
        self.add_mode(name, self.get_default_screen)  # pyright: ignore[reportUnknownMemberType] - Textual's screens of any result

    def get_default_screen(self) -> Screen[Any]:
        """The chat, where there is a session already: nothing else is laid out and drawn before it."""
        if not self.session:
            return Screen[None]()
        given = Given(self.session, self.desk, self.config, self.opening, self, self.around, self.now)
        self.chat = ChatScreen(given)
        return self.chat

    def on_resize(self, event: events.Resize) -> None:
        small = too_small(*event.size)
        shown = isinstance(self.screen, TooSmallScreen)
        if small and not shown:
            self.push_screen(TooSmallScreen())
        elif shown and not small:
            self.pop_screen()

    def end(self) -> None:
        """End without a question, as a signal asks for."""
        self.call_later(self.leave)

    # ---- what screens want

    async def leave(self, exit_name: ExitName = "done") -> None:
        left = Left(exit=exit_name, error=self._failed)
        if self.chat and self.session:
            self.chat.stop()
            left = Left(self.session.view.info.session, self.chat.parts.moment.turns > 0, exit_name)
            await self.session.close()
        self.around.end()
        self.exit(left)

    async def start_agent(self, name: str) -> None:
        try:
            session = await self.desk.agents.start(name)
        except CrazeError as error:
            self._tell(error)
            return
        self.opening = Opening(name, self.opening.prompt, self.opening.images) if not self.chat else Opening(name)
        await self._show(session)

    async def open_session(self, id_: str) -> None:
        try:
            opened = await self.desk.library.open(id_)
        except CrazeError as error:
            self._tell(error)
            return
        self.opening = Opening(agent=opened.agent, resumed=True)
        await self._show(opened.session)

    def _tell(self, error: CrazeError) -> None:
        said = f"{error} · {error.hint}" if error.hint else str(error)
        if self.chat:
            self.chat.say(said, "error")
        else:
            self._failed = error
            self.call_later(self.leave, error.exit)

    def pick_agent(self, otherwise: Callable[[], None] | None = None) -> None:
        from craze.tui.screens.agents import AgentPicker

        async def picked(name: str | None) -> None:
            if name is not None:
                await self.start_agent(name)
            elif otherwise is not None:
                otherwise()
            elif self.chat is None:
                await self.leave()

        self.push_screen(AgentPicker(self.desk.agents), picked)

    def pick_session(self, filter_: str = "") -> None:
        from craze.tui.screens.sessions import SessionPicker

        self.push_screen(
            SessionPicker(self.desk.library, filter_, agent=self.opening.agent, now=self.now), self._picked_session
        )

    async def _picked_session(self, picked: Picked | None) -> None:
        if picked is not None and picked.replay:
            await self.replay_session(picked.session)
        elif picked is not None:
            await self.open_session(picked.session)
        elif self.chat is None:
            await self.leave()

    async def replay_session(self, id_: str) -> None:
        from craze.tui.screens.replay import ReplayScreen

        try:
            replay = await self.desk.library.replay(id_)
        except CrazeError as error:
            self._tell(error)
            return
        tui, opening = self.config.tui, self.opening
        brush = brush_of(tui, self.palette, self.now(), replay.session.view.info.workspace)
        screen = ReplayScreen(
            replay, self.desk, brush, self.around.copy, first=opening.first, factor=opening.factor, fps=tui.fps
        )
        self.push_screen(screen, self._replayed)

    async def _replayed(self, _: None) -> None:
        """Back to the session that is open, to the list, or out."""
        if self.chat is None and self.opening.pick:
            self.pick_session()
        elif self.chat is None:
            await self.leave()

    def use_theme(self, name: str) -> str:
        try:
            palette = self.themes.get(name)
        except CrazeError as error:
            return str(error)
        self._paint(palette)
        return ""

    def use_mouse(self, on: bool) -> None:
        if isinstance(self._driver, Driver):
            self._driver.use_mouse(on)

    @contextmanager
    def handed_over(self) -> Generator[None]:
        """The terminal belongs to another program meanwhile, where there is one."""
        try:
            with self.suspend():
                yield
        except SuspendNotSupported:
            yield

    def write(self, escape: str) -> None:
        if self._driver is not None:
            self._driver.write(escape)

    # ---- keys

    async def on_event(self, event: events.Event) -> None:
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        elif not self._typed.waits(event):
            at = self.focused or self.screen
            await super().on_event(event)
            self._typed.sent(event, at)

    def on_arrived(self, message: Arrived) -> None:
        self._typed.arrived(message)

    async def action_cancel(self) -> None:
        if self.chat:
            await self.chat.action_cancel()
        else:
            await self.leave()

    async def action_eof(self) -> None:
        if self.chat:
            self.chat.action_eof()
        else:
            await self.leave()

    async def action_leave(self) -> None:
        if self.chat:
            self.chat.leave()
        else:
            await self.leave()

    def action_suspend(self) -> None:
        if isinstance(self._driver, Driver):
            self._driver.stop()

    def action_redraw(self) -> None:
        self.refresh(repaint=True, layout=True)

    def action_show_help(self) -> None:
        if self.chat:
            self.chat.open_help()

    def action_open_palette(self) -> None:
        if self.chat:
            self.chat.open_palette()


class _Suspending:
    """The workspace of a screen that leaves the terminal to the person's programs while they need it."""

    def __init__(self, workspace: Workspace, app: CrazeApp) -> None:
        self._workspace, self._app = workspace, app

    def __getattr__(self, name: str) -> object:
        return getattr(self._workspace, name)

    async def edit(self, text: str, suffix: str = ".md") -> str | None:
        with self._app.handed_over():
            return await self._workspace.edit(text, suffix)

    async def interactive(self, command: Sequence[str], env: Mapping[str, str]) -> int:
        with self._app.handed_over():
            return await self._workspace.interactive(command, env)
