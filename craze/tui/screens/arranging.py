"""The half of the chat screen that arranges it: which widgets there are, how many rows each gets, whose transcript shows."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.widget import Widget

from craze.codec import Subagent, Todo
from craze.tui.dialogs.ask_slot import AskSlot
from craze.tui.dialogs.search import SearchLine
from craze.tui.fit import Rows, Wishes, fit
from craze.tui.panels import queue_view, roster_view, todo_view
from craze.tui.panels.activity import ActivityLine
from craze.tui.panels.bar import Bar
from craze.tui.panels.child_banner import ChildBanner, ChildKeys
from craze.tui.panels.hint_bar import HintBar
from craze.tui.panels.roster_view import RosterView
from craze.tui.panels.status_bar import StatusBar
from craze.tui.screens.picking import PickingScreen
from craze.tui.screens.talking import Given
from craze.tui.transcript.view import TranscriptView

SHRUNK = 1
"""Rows of the composer while an ask is open."""


class ArrangingScreen(PickingScreen, inherit_bindings=False):
    """Composes the panels and lays them out, once a frame at most."""

    def __init__(self, given: Given) -> None:
        super().__init__(given)
        tui = given.config.tui
        ascii_only = tui.glyphs == "ascii" or tui.screen_reader
        self.animated = tui.animations and not tui.screen_reader
        self.activity = ActivityLine(animated=self.animated, ascii_only=ascii_only)
        self.composer.glyphs(ascii_only=ascii_only)
        self.asks = AskSlot(self.composer_idle, lambda: self.transcript.brush, now=given.now, agent=given.opening.agent)
        self.bar = Bar()
        self.finder = SearchLine()
        self.finder.display = False
        self.banner = ChildBanner(given.now)
        self.child_keys = ChildKeys()
        self.status = StatusBar()
        self.hints = HintBar()
        self.rows: Rows | None = None
        self.child = ""
        """The sub-agent whose transcript is shown."""
        self.done_todos: tuple[Todo, ...] = ()
        """A list that was done before the last prompt: it is not shown any more."""
        self.fits = 0
        self._unfitted = False

    def compose(self) -> ComposeResult:
        yield self.banner
        yield self.transcript
        yield self.todos
        yield self.roster
        yield self.queue
        yield self.activity
        yield self.bar
        yield self.finder
        yield self.asks
        yield self.composer
        yield self.status
        yield self.child_keys
        yield self.hints
        yield self.card
        yield self.menu
        yield self.notices

    # ---- what the other halves bring

    def composer_idle(self) -> float | None:
        """Seconds since the composer's last key; None while the keyboard is elsewhere."""
        return self.now() - self.touched if self.focused is self.composer.editor else None

    def show_agents(self, now: float) -> None:
        raise NotImplementedError

    def show_activity(self, now: float) -> None:
        raise NotImplementedError

    # ---- layout

    def on_resize(self) -> None:
        self.fit_soon()

    def fit_soon(self) -> None:
        """Once in this frame; the first picture cannot wait for the next one."""
        if self.rows is None and self.is_attached:
            self._lay_out()
        elif not self._unfitted and self.is_mounted:
            self._unfitted = True
            self.call_next(self._lay_out)

    def _lay_out(self) -> None:
        self._unfitted = False
        self.fits += 1
        width, height = self.app.size  # pyright: ignore[reportUnknownMemberType] - the app's own result type
        if not width or not height:
            return
        rows = fit(height, self._wishes(width, height))
        if rows != self.rows:
            self.rows = rows
            self._apply(rows)
            self.show_activity(self.now())
        below = rows.composer + rows.status + rows.hints
        size = rows.inline or min(self.menu.wished(height), height - below)
        if size:
            self.menu.styles.offset = (0, height - below - size + (rows.composer + size if rows.inline else 0))
            self.menu.styles.height = size
        if self.card.display:
            self.card.place(width, rows.transcript)
        keys = rows.hints or (rows.composer if self.child else 0)
        self.notices.styles.offset = (max(0, width - self.notices.cells), height - rows.status - keys - 1)
        self.show_hints()

    def _wishes(self, width: int, height: int) -> Wishes:
        view = self.shown
        ask, least = self.asks.wished(width)
        bare = bool(view.asks or self.child)
        return Wishes(
            todos=0 if view.todos == self.done_todos else todo_view.wished(view.todos, self.form),
            agents=self.roster.wished(width),
            queue=queue_view.wished(view.queue, view.paused),
            activity=1 if self.activity.doing else 0,
            ask=ask,
            ask_least=least,
            composer=SHRUNK if bare else min(self.composer.wished, 6),
            bare=bare,
            bar=bool(self.bar.text) + bool(self.child) + self.finding,
            inline=self.menu.wished(height) if self.reader else 0,
            hints=0 if self.child else 1,
        )

    def _apply(self, rows: Rows) -> None:
        child = bool(self.child)
        heights = (
            (self.banner, 1 if child and rows.bar else 0),
            (self.transcript, rows.transcript),
            (self.todos, rows.todos),
            (self.roster, rows.agents),
            (self.queue, rows.queue),
            (self.activity, rows.activity),
            (self.bar, 1 if self.bar.text and rows.bar > child + self.finding else 0),
            (self.finder, 1 if self.finding else 0),
            (self.asks, rows.ask),
            (self.composer, 0 if child else rows.composer),
            (self.child_keys, rows.composer if child else 0),
            (self.hints, rows.hints),
        )
        held = self.focused
        for widget, height in heights:
            _give(widget, height)
        if held in (self.todos, self.roster, self.queue) and not held.display:
            self.focus_composer()

    # ---- a sub-agent's transcript

    @on(TranscriptView.OpenChild)
    def _open_child_of_tool(self, message: TranscriptView.OpenChild) -> None:
        self.show_child(message.agent)

    @on(RosterView.Opened)
    def _open_child(self, message: RosterView.Opened) -> None:
        self.show_child(message.agent.id)

    @on(RosterView.Stopped)
    def _stop_child(self, message: RosterView.Stopped) -> None:
        self._ask_stop_child(message.agent)

    def _ask_stop_child(self, agent: Subagent) -> None:
        said = f"stop {roster_view.name(agent)}?"
        self.confirm(said, {"y": "stop it"}, lambda _: self.sender.stop_child(agent.id))

    def show_child(self, agent: str) -> None:
        """Show the transcript of a sub-agent, or with "" the conversation."""
        self.child = agent
        self.transcript.show(agent or None)
        self.show_agents(self.now())
        self.fit_soon()
        self.call_after_refresh(self.child_keys.focus if agent else self.focus_composer)

    @on(ChildKeys.Wanted)
    def _child_wanted(self, message: ChildKeys.Wanted) -> None:
        ids = [row.id for row in self.shown.roster if row.transcript or row.id == self.child]
        if message.what == "leave":
            self.show_child("")
        elif message.what == "stop":
            if row := next((row for row in self.shown.roster if row.id == self.child), None):
                self._ask_stop_child(row)
        elif ids:
            at = ids.index(self.child) if self.child in ids else 0
            self.show_child(ids[(at + (1 if message.what == "next" else -1)) % len(ids)])


def _give(widget: Widget, height: int) -> None:
    """A widget without rows is not there."""
    widget.display = height > 0
    widget.styles.height = height
