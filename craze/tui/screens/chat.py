"""The chat screen: composes the panels, draws each frame, lays out, and decides what keys of the whole screen mean.

Its other halves are `talking` (widgets to intents), `doing` (commands and dialogs) and `asking` (asks).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from textual import events, on
from textual.app import ComposeResult
from textual.widget import Widget

from craze.codec import Record, Subagent
from craze.config.shape import Config
from craze.engine.facts import Login
from craze.engine.slash import mode_kind
from craze.engine.view import View
from craze.tui.bridge import Bridge, Frame
from craze.tui.desk import Desk, Session
from craze.tui.dialogs.ask_slot import AskSlot
from craze.tui.dialogs.search import SearchLine
from craze.tui.fit import Rows, Wishes, fit
from craze.tui.keys import bindings
from craze.tui.moment import after
from craze.tui.panels import activity, queue_view, roster_view, status_bar, todo_view
from craze.tui.panels.activity import ActivityLine
from craze.tui.panels.bar import Bar
from craze.tui.panels.child_banner import ChildBanner, ChildKeys
from craze.tui.panels.hint_bar import HintBar
from craze.tui.panels.roster_view import RosterView
from craze.tui.panels.status_bar import Shown, StatusBar, mode_of, option
from craze.tui.screens import bars, escape, hints
from craze.tui.screens.attention import Attention
from craze.tui.screens.feed import Feed
from craze.tui.screens.picking import PickingScreen
from craze.tui.screens.stage import Stage
from craze.tui.screens.talking import Opening
from craze.tui.terminal import Surroundings
from craze.tui.told import details, told
from craze.tui.transcript.view import TranscriptView

TICK: Final = 0.25
CALM_TICK: Final = 1.0
SHRUNK: Final = 1
"""Rows of the composer while an ask is open."""


class ChatScreen(PickingScreen, inherit_bindings=False):
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
        self,
        session: Session,
        desk: Desk,
        config: Config,
        opening: Opening,
        *,
        stage: Stage,
        around: Surroundings,
        now: Callable[[], float],
    ) -> None:
        super().__init__(session, desk, config, opening, stage=stage, around=around, now=now)
        ascii_only = config.tui.glyphs == "ascii" or config.tui.screen_reader
        self.animated = config.tui.animations and not config.tui.screen_reader
        self.activity = ActivityLine(animated=self.animated, ascii_only=ascii_only)
        self.composer.glyphs(ascii_only=ascii_only)
        self.asks = AskSlot(self._composer_idle, lambda: self.transcript.brush, now=now)
        self.bar = Bar()
        self.finder = SearchLine()
        self.finder.display = False
        self.banner = ChildBanner(now)
        self.child_keys = ChildKeys()
        self.status = StatusBar()
        self.hints = HintBar()
        self.attention = Attention(around)
        self.feed = Feed(session, self.transcript, seen=self._seen, settled=self._settled)
        self.rows: Rows | None = None
        self.child = ""
        """The sub-agent whose transcript is shown."""
        self.branch = ""
        self._unfitted = False
        self._dismissed = ""
        self._pressed: tuple[str, float] = ("", 0.0)
        self._was_ready = False
        self._bridge: asyncio.Task[None] | None = None

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
        yield self.child_keys
        yield self.status
        yield self.hints
        yield self.menu
        yield self.notices

    # ---- life

    async def on_mount(self) -> None:
        self._ticker = self.set_interval(TICK if self.animated else CALM_TICK, self._tick, pause=True)
        self.focus_composer()
        if self.shown.draft:
            self.composer.fill(self.shown.draft)
        self.show_state()
        stream = self.session.subscribe()
        bridge = Bridge(stream, lambda: self.session.view, self.post_message, fps=self.config.tui.fps)
        self._bridge = asyncio.get_running_loop().create_task(bridge.run())
        self.sender.later(self._begin())
        self.sender.later(self._read_branch())
        self.sender.later(self._read_history())

    async def _begin(self) -> None:
        """What the command line asked for: a title, and the first prompt, which waits until the agent is ready."""
        if self.opening.title is not None:
            await self.sender.send_title(self.opening.title)
        if self.opening.prompt or self.opening.images:
            await self.sender.prompt(self.opening.prompt, self.opening.images)

    async def _read_branch(self) -> None:
        self.branch = await self.desk.workspace.branch()
        self.show_state()

    async def _read_history(self) -> None:
        self.composer.history.load(await self.desk.library.prompts())

    def stop(self) -> None:
        """Read no more of the session."""
        if self._bridge:
            self._bridge.cancel()
        self.feed.stop()
        self.sender.stop()
        self.shell.kill()

    @property
    def reading_back(self) -> bool:
        return self.feed.loading

    # ---- frames

    def on_frame(self, frame: Frame) -> None:
        before, self.shown = self.shown, frame.view
        self.feed.take(frame)
        self.moment = after(self.moment, (), frame.facts)
        for notice in self.moment.notices:
            self.say(notice.text, notice.severity)
        self._changed(before, frame.view)
        self.show_state()
        self.attention.show(frame.view, self.moment)
        self.call_after_refresh(frame.handled.set)

    def _seen(self, records: Sequence[Record]) -> None:
        self.moment = after(self.moment, records, ())

    def _settled(self) -> None:
        self.show_state()

    def _changed(self, before: View, view: View) -> None:
        """What begins or ends with a change of the view."""
        if view.status in ("idle", "working", "error") and not self._was_ready:
            self._was_ready = True
            self.desk.agents.started(self.opening.agent, sign_in=False)
        if view.status == "starting" and told(view, "login", Login).required:
            self.desk.agents.started(self.opening.agent, sign_in=True)
        if before.turn and not view.turn:
            self.sender.later(self._read_branch())
            self.sender.later(self._read_paths())
            self.composer.offer_plan(self._offers_plan(view))
        elif view.turn or mode_of(before.state) != mode_of(view.state):
            self.composer.offer_plan(False)
        if view.status not in ("stopped", "error"):
            self._dismissed = ""

    def _offers_plan(self, view: View) -> bool:
        """Whether a turn of a plan mode has just ended with a text that could be carried out."""
        found = option(view.state, "mode")
        kinds = {each.value: mode_kind(each.value, each.name) for each in (found.select_values if found else ())}
        planning = kinds.get(mode_of(view.state)[0]) == "plan" and "implement" in kinds.values()
        return planning and self.moment.ended_well and self.moment.said and not view.queue and not view.asks

    def show_state(self) -> None:
        """Give every panel what it shows."""
        view, moment, now = self.shown, self.moment, self.now()
        self.todos.todos = view.todos
        self.todos.urgent = todo_view.urgent(details(view, "todos"))
        self.roster.under = roster_view.below(view.roster)
        self.roster.stoppable = "cancel_subagent" in view.info.can
        self._show_agents(now)
        self.queue.rows, self.queue.paused = view.queue, view.paused if view.queue else ""
        self.queue.waiting = "waiting for the agent…" if view.status in ("starting", "replaying", "stopped") else ""
        self.queue.armed = (view.send_now.from_row or view.queue[0].id) if view.send_now and view.queue else ""
        self.composer.show(view, busy=self.busy)
        self.composer.set_class(bool(view.asks), "-bare")
        self.asks.show(view)
        self._show_bar(now)
        self._show_activity(now)
        self._show_hints()
        self.fit_soon()
        if moment.turn_began or self.roster.agents or self.activity.doing or self.notices.display:
            self._ticker.resume()
        else:
            self._ticker.pause()

    def _show_agents(self, now: float) -> None:
        self.roster.agents = roster_view.shown(self.shown.roster, now, self.moment.turn_began)
        if self.child:
            child = next((row for row in self.shown.roster if row.id == self.child), None)
            self.banner.agent = child
            self.child_keys.stoppable = bool(child and child.status == "running" and self.roster.stoppable)

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

    def _show_bar(self, now: float) -> None:
        found = bars.bar(self.shown, self.moment, now=now, dismissed=self._dismissed, ready=self._was_ready)
        text, ids = found if found else ("", ())
        keys = self.stage.remapped
        was = self.bar.text
        self.bar.text, self.bar.ids = text, ids
        self.bar.hints = hints.of_ids(ids, keys)
        if text and not was and self.composer.blank:
            self.call_after_refresh(self.bar.focus)
        elif was and not text and self.bar.has_focus:
            self.focus_composer()

    def dismiss_bar(self) -> None:
        self._dismissed = self.bar.text
        self.show_state()
        self.focus_composer()

    def _show_hints(self) -> None:
        focused, keys = self.focused, self.stage.remapped
        view, composer = self.shown, self.composer
        if focused is None or focused is composer.editor:
            found = option(view.state, "mode")
            at = hints.At(
                mode=composer.mode,
                menu=self.menu.display,
                busy=self.busy,
                armed=view.send_now is not None,
                empty=composer.blank,
                held=bool(view.queue and view.paused),
                modes=found is not None and len(found.select_values) > 1,
                plan=composer.offers_plan,
                asked=bool(view.asks),
            )
            self.hints.hints = hints.of_composer(at, keys)
        else:
            can = [active.binding.id or "" for active in self.active_bindings.values() if active.enabled]
            self.hints.hints = hints.of_widget(type(focused).BINDINGS, keys, can)
        if self.child:
            self.child_keys.hints = self.hints.hints

    def on_descendant_focus(self) -> None:
        self._show_hints()

    def _tick(self) -> None:
        now = self.now()
        self.activity.tick += 1
        self.notices.tick()
        self._show_agents(now)
        self.roster.refresh()
        if self.child:
            self.banner.refresh()
        self._show_bar(now)
        self._show_activity(now)
        self.activity.refresh()
        if not (self.roster.agents or self.activity.doing or self.notices.display):
            self._ticker.pause()
            self.fit_soon()

    # ---- layout

    def on_resize(self) -> None:
        self.fit_soon()

    def fit_soon(self) -> None:
        if not self._unfitted and self.is_mounted:
            self._unfitted = True
            self.call_next(self._lay_out)

    def _lay_out(self) -> None:
        self._unfitted = False
        width, height = self.size
        if not width or not height:
            return
        rows = fit(height, self._wishes(width, height))
        if rows != self.rows:
            self.rows = rows
            self._apply(rows)
            self._show_activity(self.now())
        below = rows.composer + rows.status + rows.hints
        if size := min(self.menu.wished(height), height - below):
            self.menu.styles.offset = (0, height - below - size)
            self.menu.styles.height = size
        self.notices.styles.offset = (max(0, width - self.notices.cells), height - rows.status - rows.hints - 1)
        self._show_hints()

    def _wishes(self, width: int, height: int) -> Wishes:
        view = self.shown
        ask, least = self.asks.wished(width)
        bare = bool(view.asks or self.child)
        return Wishes(
            todos=todo_view.wished(view.todos, self.form),
            agents=self.roster.wished(width),
            queue=queue_view.wished(view.queue, view.paused),
            activity=1 if self.activity.doing else 0,
            ask=ask,
            ask_least=least,
            composer=SHRUNK if bare else min(self.composer.wished, 6),
            bare=bare,
            bar=bool(self.bar.text) + bool(self.child) + self.finding,
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
        for widget, height in heights:
            _give(widget, height)

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
        self._show_agents(self.now())
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

    # ---- keys of the whole screen

    def _composer_idle(self) -> float | None:
        """Seconds since the composer's last key; None while the keyboard is elsewhere."""
        return self.now() - self.touched if self.focused is self.composer.editor else None

    def _situation(self, key: str) -> escape.Now:
        view = self.shown
        name, at = self._pressed
        running = bool(view.turn) or bool(view.foreign and "cancel_foreign" in view.info.can)
        return escape.Now(
            selection=bool(self.transcript.selected_text()),
            ask=bool(self.asks.panel and self.asks.panel.has_focus),
            child=bool(self.child),
            elsewhere=self.focused is not self.composer.editor,
            command=self.shell.running,
            shell=self.composer.mode == "shell",
            armed=view.send_now is not None,
            running=running and not view.cancelling,
            stopping=view.cancelling,
            starting=view.status == "starting",
            rows=bool(view.queue),
            text=not self.composer.blank,
            soon=name == key and self.now() - at < self.config.tui.double_press_s,
        )

    async def action_escape(self) -> None:
        if self.commands.stop_waiting() or (self.composer.mode != "shell" and self.composer.escape()):
            return
        if self.shown.queue and self.shown.status in ("starting", "stopped") and self.composer.blank:
            await self.sender.take_back(self.shown.queue[-1])
            return
        await self._do("escape", escape.escape(self._situation("escape")))

    async def action_cancel(self) -> None:
        await self._do("cancel", escape.cancel(self._situation("cancel")))

    async def _do(self, key: str, deed: escape.Deed) -> None:
        self._pressed = (key, self.now() if deed != "copy" else 0.0)
        match deed:
            case "copy":
                self.copy(self.transcript.selected_text())
            case "unselect":
                self.transcript.clear_selection()
            case "ask":
                await self._leave_ask()
            case "leave_child":
                self.show_child("")
            case "focus":
                self.focus_composer()
            case "kill":
                self.shell.kill()
            case "leave_shell":
                self.composer.escape()
            case "disarm":
                await self.sender.disarm()
            case "cancel" | "hold_and_cancel":
                await self._cancel(hold=deed == "hold_and_cancel")
            case "give_up":
                self.give_up()
            case "clear":
                self.composer.clear(keep=True)
            case "clear_soon":
                self.say("esc again clears the draft")
            case "prompts":
                self.open_prompts()
            case "quit":
                self.quit()
            case "quit_soon":
                self.say("ctrl+c again to quit")
            case _:
                pass

    async def _cancel(self, *, hold: bool) -> None:
        """Cancel what runs; the text of a turn that has brought nothing yet comes back."""
        turn, text = self.sender.last_sent
        fresh = bool(turn) and turn == self.shown.turn and not self.moment.answered and self.composer.blank
        await self.sender.cancel(hold=hold)
        if fresh:
            self.composer.fill(text)

    async def _leave_ask(self) -> None:
        """A question is skipped, anything else stops the turn."""
        if (panel := self.asks.panel) is not None:
            await panel.run_action("stop")

    def action_eof(self) -> None:
        if self.composer.blank or self.focused is not self.composer.editor:
            self.leave()
        else:
            self.composer.editor.action_delete_right()

    def give_up(self) -> None:
        choices = {"r": "retry", "p": "pick another", "q": "quit"}
        deeds: dict[str, Callable[[], None]] = {"r": self.restart, "p": self.stage.pick_agent, "q": self.quit}
        self.confirm("starting: Stop waiting?", choices, lambda key: deeds[key]())

    def action_next_mode(self) -> None:
        self.sender.next_mode()

    def action_cycle_todos(self) -> None:
        self.cycle_todos()

    def action_pick_model(self) -> None:
        self.open_models("")

    def action_find(self) -> None:
        self.open_search("")

    def action_detail(self) -> None:
        self.keep("tui.detail", "full" if self.transcript.toggle_all() else "compact")

    def action_copy_reply(self) -> None:
        self.copy_reply()

    def action_page_up(self) -> None:
        self.transcript.page(-1)

    def action_page_down(self) -> None:
        self.transcript.page(1)

    def action_top(self) -> None:
        self.transcript.to_top()

    def action_bottom(self) -> None:
        self.transcript.follow()

    def action_to_transcript(self) -> None:
        self.transcript.focus()

    def action_next_part(self) -> None:
        self._to_part(1)

    def action_previous_part(self) -> None:
        self._to_part(-1)

    def _to_part(self, by: int) -> None:
        home = self.child_keys if self.child else self.composer.editor
        ring: list[Widget] = [self.transcript, self.todos, self.roster, self.queue, self.bar, home]
        shown = [widget for widget in ring if widget.display and widget.size.height]
        panel = self.asks.panel
        if panel is not None:
            shown.insert(-1, panel)
        at = next((at for at, widget in enumerate(shown) if widget is self.focused), len(shown) - 1)
        shown[(at + by) % len(shown)].focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "next_mode":
            found = option(self.shown.state, "mode")
            return found is not None and len(found.select_values) > 1
        if action == "hold_queue":
            return bool(self.shown.queue)
        return True

    def on_app_focus(self, event: events.AppFocus) -> None:
        self.around.focused = True

    def on_app_blur(self, event: events.AppBlur) -> None:
        self.around.focused = False


def _give(widget: Widget, height: int) -> None:
    """A widget without rows is not there."""
    widget.display = height > 0
    widget.styles.height = height
