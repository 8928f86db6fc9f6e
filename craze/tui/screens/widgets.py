"""The widgets of the chat screen; what they show and where they stand is decided elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from msgspec.structs import replace
from textual.widget import Widget

from craze.config.shape import Tui
from craze.tui.dialogs.ask_slot import AskSlot
from craze.tui.dialogs.search import SearchLine
from craze.tui.panels.activity import ActivityLine
from craze.tui.panels.aside_card import AsideCard
from craze.tui.panels.bar import Bar
from craze.tui.panels.child_banner import ChildBanner, ChildKeys
from craze.tui.panels.hint_bar import HintBar
from craze.tui.panels.notices import Notices
from craze.tui.panels.queue_view import QueueView
from craze.tui.panels.roster_view import RosterView
from craze.tui.panels.status_bar import StatusBar
from craze.tui.panels.todo_view import TodoView
from craze.tui.prompt.composer import Composer
from craze.tui.prompt.images import all_images
from craze.tui.prompt.menu import Menu
from craze.tui.screens.opening import Given
from craze.tui.theme import Palette, glyphs_of
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.view import TranscriptView


class Widgets:
    """One of each. `idle`: seconds since the composer's last key; None while the keyboard is elsewhere."""

    def __init__(self, given: Given, idle: Callable[[], float | None]) -> None:
        tui, now = given.config.tui, given.now
        ascii_only = tui.glyphs == "ascii" or tui.screen_reader
        self.banner = ChildBanner(now)
        self.transcript = TranscriptView(_brush(given))
        self.transcript.copy_on_select = tui.copy_on_select
        self.todos = TodoView()
        self.roster = RosterView(now)
        self.queue = QueueView()
        self.activity = ActivityLine(animated=animated(tui), ascii_only=ascii_only)
        self.bar = Bar()
        self.finder = SearchLine()
        self.finder.display = False
        self.asks = AskSlot(idle, lambda: self.transcript.brush, now=now, agent=given.opening.agent)
        self.menu = Menu()
        self.composer = Composer(self.menu, is_image=all_images, ascii_only=ascii_only)
        self.status = StatusBar()
        self.child_keys = ChildKeys()
        self.hints = HintBar()
        self.card = AsideCard()
        self.notices = Notices(now)

    @property
    def first(self) -> tuple[Widget, ...]:
        """What the first picture is made of; the others show nothing yet."""
        return self.transcript, self.activity, self.asks, self.composer, self.status, self.hints

    @property
    def all(self) -> tuple[Widget, ...]:
        """Those that share the rows of the screen, from the top down, and then those that float."""
        above = (
            self.banner,
            self.transcript,
            self.todos,
            self.roster,
            self.queue,
            self.activity,
            self.bar,
            self.finder,
        )
        below = self.asks, self.composer, self.status, self.child_keys, self.hints
        return *above, *below, self.card, self.menu, self.notices


def animated(tui: Tui) -> bool:
    return tui.animations and not tui.screen_reader


def brush_of(tui: Tui, palette: Palette, now: float, folder: str) -> Brush:
    """How the transcript of a session in `folder` is drawn, by the settings. `now`: seconds since 1970."""
    return Brush(
        palette=palette,
        glyphs=glyphs_of("ascii" if tui.screen_reader else tui.glyphs),
        diff=tui.diff,
        thoughts=tui.thoughts,
        times=tui.times,
        full=tui.detail == "full",
        today=datetime.fromtimestamp(now).strftime("%Y-%m-%d"),
        true_colour=not palette.ansi,
        folder=folder,
    )


def _brush(given: Given) -> Brush:
    """Paths are drawn from the session's folder on, and calls that run say how long."""
    folder = given.session.view.info.workspace or given.desk.workspace.folder
    brush = brush_of(given.config.tui, given.stage.palette, given.now(), folder)
    return replace(brush, now=lambda: int(given.now() * 1000))
