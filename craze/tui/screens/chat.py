"""The chat screen: composes the panels, draws each frame, and turns what widgets say into intents.

What goes where is `fit`'s; what a key may mean is `escape`'s; sending is `wishes`', commands are `commands`'.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widget import Widget

from craze.codec import Record
from craze.config.shape import Config
from craze.engine.facts import Severity
from craze.engine.view import View
from craze.tui.bridge import Bridge, Frame
from craze.tui.desk import Desk, Session
from craze.tui.fit import Rows, Wishes, fit
from craze.tui.keys import bindings
from craze.tui.moment import Moment, after
from craze.tui.panels import activity, queue_view, roster_view, status_bar, todo_view
from craze.tui.panels.activity import ActivityLine
from craze.tui.panels.bar import Bar
from craze.tui.panels.hint_bar import HintBar
from craze.tui.panels.notices import Notices
from craze.tui.panels.queue_view import QueueView
from craze.tui.panels.roster_view import RosterView
from craze.tui.panels.status_bar import Shown, StatusBar
from craze.tui.panels.todo_view import Form, TodoView
from craze.tui.prompt.composer import Composer
from craze.tui.prompt.images import all_images
from craze.tui.prompt.menu import Menu
from craze.tui.screens import escape
from craze.tui.screens.feed import Feed
from craze.tui.screens.wishes import Wishes as Sender
from craze.tui.told import details

try:
    from craze.tui.transcript.view import TranscriptView
except ImportError:
    from craze.tui.standin import TranscriptView

TICK: Final = 0.25
CALM_TICK: Final = 1.0


class Opening(msgspec.Struct, frozen=True):
    """What a screen begins with: the agent's name, and the first prompt."""

    agent: str = ""
    prompt: str = ""
    images: tuple[str, ...] = ()
    title: str | None = None
    resumed: bool = False
    pick: bool = False


class ChatScreen(Screen[None], inherit_bindings=False):
    """One session."""

    BINDINGS = bindings(
        "app.escape",
        "mode.next",
        "model.pick",
        "todos.cycle",
        "focus.next",
        "focus.previous",
        "queue.hold",
        "transcript.detail",
        "transcript.search",
        "transcript.copy_reply",
        "transcript.page_up",
        "transcript.page_down",
        "transcript.top",
        "transcript.bottom",
        "transcript.focus",
    )
    DEFAULT_CSS = """
    ChatScreen { layers: base float; layout: vertical; overflow: hidden; background: $background; }
    """

    def __init__(
        self, session: Session, desk: Desk, config: Config, opening: Opening, *, now: Callable[[], float]
    ) -> None:
        super().__init__()
        self.session, self.desk, self.config, self.opening, self.now = session, desk, config, opening, now
        tui = config.tui
        ascii_only = tui.glyphs == "ascii" or tui.screen_reader
        self.animated = tui.animations and not tui.screen_reader
        self.shown = session.view
        self.moment = Moment(opened=now())
        self.form: Form = tui.todos
        self.branch = ""
        self.transcript = TranscriptView()
        self.todos = TodoView()
        self.roster = RosterView(now)
        self.queue = QueueView()
        self.activity = ActivityLine(animated=self.animated, ascii_only=ascii_only)
        self.bar = Bar()
        self.menu = Menu()
        self.composer = Composer(self.menu, is_image=all_images)
        self.status = StatusBar()
        self.hints = HintBar()
        self.notices = Notices(now)
        self.sender = Sender(session, desk.library, self.composer, self.say, self.show_state)
        self.feed = Feed(
            session,
            self.transcript,
            seen=self._seen,
            missing=self._missing,
            settled=self._settled,
        )
        self.rows: Rows | None = None
        self._unfitted = False
        self._bridge: asyncio.Task[None] | None = None

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield self.todos
        yield self.roster
        yield self.queue
        yield self.activity
        yield self.bar
        yield self.composer
        yield self.status
        yield self.hints
        yield self.menu
        yield self.notices

    # ---- life

    def on_mount(self) -> None:
        self._ticker = self.set_interval(TICK if self.animated else CALM_TICK, self._tick, pause=True)
        self.composer.editor.focus()
        if self.shown.draft:
            self.composer.fill(self.shown.draft)
        self.show_state()
        bridge = Bridge(self.session.subscribe(), lambda: self.session.view, self.post_message, fps=self.config.tui.fps)
        self._bridge = asyncio.get_running_loop().create_task(bridge.run())

    def stop(self) -> None:
        """Read no more of the session."""
        for task in (self._bridge,):
            if task:
                task.cancel()
        self.feed.stop()
        self.sender.stop()

    # ---- frames

    def on_frame(self, frame: Frame) -> None:
        self.shown = frame.view
        self.feed.take(frame)
        self.moment = after(self.moment, (), frame.facts)
        for notice in self.moment.notices:
            self.say(notice.text, notice.severity)
        self.show_state()
        self.call_after_refresh(frame.handled.set)

    def _seen(self, records: Sequence[Record]) -> None:
        self.moment = after(self.moment, records, ())

    def _missing(self, first: int, last: int) -> None:
        self.say(f"events {first}–{last} missing", "warning")

    def _settled(self) -> None: ...

    def show_state(self) -> None:
        """Give every panel what it shows."""
        view, moment, now = self.shown, self.moment, self.now()
        self.todos.todos = view.todos
        self.todos.urgent = todo_view.urgent(details(view, "todos"))
        self.roster.agents = roster_view.shown(view.roster, now, moment.turn_began)
        self.roster.under = roster_view.below(view.roster)
        self.roster.stoppable = "cancel_subagent" in view.info.can
        self.queue.rows, self.queue.paused = view.queue, view.paused if view.queue else ""
        self.queue.waiting = "waiting for the agent…" if view.status in ("starting", "replaying", "stopped") else ""
        self.composer.show(view, busy=self.busy)
        self._show_activity(now)
        self._fit_soon()

    @property
    def busy(self) -> bool:
        return bool(self.shown.turn or self.shown.foreign or self.shown.status in ("starting", "replaying"))

    def _show_activity(self, now: float) -> None:
        doing = activity.doing(self.shown, self.moment, now=now, agent=self.opening.agent)
        self.activity.now, self.activity.doing = now, doing
        merged = self.rows is not None and self.rows.merged
        parts = activity.parts(doing, self.activity.spinner, now, brief=True) if doing and merged else ()
        shown = Shown(
            agent=self.opening.agent or self.shown.info.agent,
            branch=self.branch,
            now=now,
            wished_mode=self.sender.wished_mode,
            hidden_agents=len(self.roster.agents) if self.rows and self.rows.counted else 0,
            activity=tuple(parts),
        )
        self.status.pieces = tuple(status_bar.pieces(self.shown, self.moment, shown))
        if doing or self.roster.agents or self.notices.display:
            self._ticker.resume()
        else:
            self._ticker.pause()

    def _tick(self) -> None:
        self.activity.tick += 1
        self.notices.tick()
        now = self.now()
        self.roster.agents = roster_view.shown(self.shown.roster, now, self.moment.turn_began)
        if self.roster.agents:
            self.roster.refresh()
        self._show_activity(now)
        self.activity.refresh()

    # ---- layout

    def on_resize(self) -> None:
        self._fit_soon()

    @on(Composer.Resized)
    def _composer_resized(self) -> None:
        self._fit_soon()

    def _fit_soon(self) -> None:
        if not self._unfitted:
            self._unfitted = True
            self.call_next(self._lay_out)

    def _lay_out(self) -> None:
        self._unfitted = False
        width, height = self.size
        if not width:
            return
        view = self.shown
        wishes = Wishes(
            todos=todo_view.wished(view.todos, self.form),
            agents=self.roster.wished(width),
            queue=queue_view.wished(view.queue, view.paused),
            activity=1 if self.activity.doing else 0,
            composer=min(self.composer.wished, 6),
            bar=1 if self.bar.text else 0,
        )
        rows = fit(height, wishes)
        if rows != self.rows:
            self.rows = rows
            self._apply(rows)
            self._show_activity(self.now())
        below = rows.composer + rows.status + rows.hints
        size = min(self.menu.wished(height), height - below)
        if size:
            self.menu.styles.offset = (0, height - below - size)
            self.menu.styles.height = size
        self.notices.styles.offset = (0, height - rows.status - rows.hints - 1)

    def _apply(self, rows: Rows) -> None:
        for widget, height in (
            (self.transcript, rows.transcript),
            (self.todos, rows.todos),
            (self.roster, rows.agents),
            (self.queue, rows.queue),
            (self.activity, rows.activity),
            (self.bar, rows.bar),
            (self.composer, rows.composer),
            (self.hints, rows.hints),
        ):
            _give(widget, height)

    # ---- notices

    def say(self, text: str, severity: Severity = "info") -> None:
        self.notices.say(text, severity)
        self._ticker.resume()
        self._fit_soon()

    # ---- the composer

    @on(Composer.Sent)
    async def _sent(self, message: Composer.Sent) -> None:
        await self.sender.prompt(message.text, message.images, now=message.now)

    @on(Composer.Drafted)
    def _drafted(self, message: Composer.Drafted) -> None:
        self.session.keep_draft(message.text)

    @on(Composer.Upward)
    def _upward(self) -> None:
        self.queue.enter()

    # ---- actions

    async def action_escape(self) -> None:
        if self.composer.escape():
            return
        if self.busy:
            await self.sender.cancel()


def _give(widget: Widget, height: int) -> None:
    """A widget without rows is not there."""
    widget.display = height > 0
    widget.styles.height = height
