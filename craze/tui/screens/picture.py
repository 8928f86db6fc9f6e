"""Gives every panel what it shows: the state of the session, the activity, the bar, the hints."""

from __future__ import annotations

from typing import Final

from textual.timer import Timer
from textual.widget import Widget

from craze.tui.dialogs.ask_panel import AskPanel
from craze.tui.panels import activity, roster_view, status_bar, todo_view
from craze.tui.panels.hint_bar import Hint
from craze.tui.panels.status_bar import Shown, option
from craze.tui.screens import bars, hints
from craze.tui.screens.layout import Layout
from craze.tui.screens.parts import Parts
from craze.tui.screens.shell import Shell
from craze.tui.screens.widgets import animated
from craze.tui.told import details

TICK: Final = 0.25
CALM_TICK: Final = 1.0


class Picture:
    """What the screen shows of its parts; what moves by itself is drawn with a clock that stops when nothing does."""

    def __init__(self, parts: Parts, layout: Layout, shell: Shell) -> None:
        self._parts, self._widgets, self._layout, self._shell = parts, parts.widgets, layout, shell
        self._branch = ""
        self._dismissed = ""
        self._second = 0
        self._ticker: Timer | None = None

    def begin(self) -> None:
        every = TICK if animated(self._parts.config.tui) else CALM_TICK
        self._ticker = self._parts.screen.set_interval(every, self._tick, pause=True)

    @property
    def _moves(self) -> bool:
        widgets = self._widgets
        return bool(widgets.roster.agents or widgets.activity.doing or widgets.notices.display)

    def show(self) -> None:
        """Everything."""
        self._show_panels()
        self._show_composer()
        self._widgets.asks.show(self._parts.view)
        self._show_bar()
        self.show_activity()
        self.show_hints()
        self._parts.fit_soon()
        self._keep_time()

    def laid_out(self) -> None:
        """The parts have their places; a notice may have come, which goes by itself."""
        self.show_hints()
        self._keep_time()

    def _keep_time(self) -> None:
        if self._ticker is None:
            return
        if self._parts.moment.turn_began or self._moves:
            self._ticker.resume()
        else:
            self._ticker.pause()

    def _show_panels(self) -> None:
        view, widgets = self._parts.view, self._widgets
        widgets.todos.todos = view.todos
        widgets.todos.urgent = todo_view.urgent(details(view, "todos"))
        widgets.roster.under = roster_view.below(view.roster)
        widgets.roster.stoppable = "cancel_subagent" in view.info.can
        self.show_agents()
        queue = widgets.queue
        queue.rows, queue.paused = view.queue, view.paused if view.queue else ""
        queue.waiting = "waiting for the agent…" if view.status in ("starting", "replaying", "stopped") else ""
        queue.armed = (view.send_now.from_row or view.queue[0].id) if view.send_now and view.queue else ""

    def _show_composer(self) -> None:
        view, composer = self._parts.view, self._widgets.composer
        composer.show(view, busy=self._parts.busy)
        begins = not self._parts.moment.turns and not view.queue and not view.asks
        composer.first = begins and self._widgets.transcript.unprompted
        composer.set_class(bool(view.asks), "-bare")

    def show_agents(self) -> None:
        parts, roster = self._parts, self._widgets.roster
        roster.agents = roster_view.shown(parts.view.roster, parts.now(), parts.moment.turn_began)
        if parts.child:
            child = next((row for row in parts.view.roster if row.id == parts.child), None)
            self._widgets.banner.agent = child
            self._widgets.child_keys.stoppable = bool(child and child.status == "running" and roster.stoppable)

    def show_activity(self) -> None:
        parts, widgets, rows, now = self._parts, self._widgets, self._layout.rows, self._parts.now()
        doing = activity.doing(parts.view, parts.moment, now=now, agent=parts.opening.agent)
        widgets.activity.now, widgets.activity.doing = now, doing
        merged = rows is not None and rows.merged
        pieces = activity.parts(doing, widgets.activity.spinner, now, brief=True) if doing and merged else ()
        shown = Shown(
            agent=parts.opening.agent or parts.view.info.agent,
            branch=self._branch,
            now=now,
            wished_mode=parts.sender.wished_mode,
            hidden_agents=len(widgets.roster.agents) if rows and rows.counted else 0,
            activity=tuple(pieces),
        )
        widgets.status.pieces = tuple(status_bar.pieces(parts.view, parts.moment, shown))

    def read_branch(self) -> None:
        self._parts.sender.later(self._read_branch())

    async def _read_branch(self) -> None:
        self._branch = await self._parts.desk.workspace.branch()
        self.show()

    # ---- the bar

    def _show_bar(self) -> None:
        parts, bar, now = self._parts, self._widgets.bar, self._parts.now()
        if parts.view.status not in ("stopped", "error"):
            self._dismissed = ""
        found = bars.bar(parts.view, parts.moment, now=now, dismissed=self._dismissed, ready=parts.ready)
        was = bar.text
        bar.text, bar.ids = found if found else ("", ())
        bar.hints = hints.of_ids(bar.ids, parts.stage.remapped)
        if bool(bar.text) != bool(was):
            parts.fit_soon()
        if bar.text and not was and self._widgets.composer.blank:
            parts.screen.call_after_refresh(bar.focus)
        elif was and not bar.text and bar.has_focus:
            parts.focus_composer()

    def dismiss_bar(self) -> None:
        self._dismissed = self._widgets.bar.text
        self.show()
        self._parts.focus_composer()

    # ---- the hints

    def show_hints(self) -> None:
        focused, bar = self._parts.screen.focused, self._widgets.hints
        if focused is None or self._parts.in_composer:
            bar.hints = hints.of_composer(self._at_composer(), self._parts.stage.remapped)
        elif isinstance(focused, AskPanel):
            bar.hints = hints.of_ids(hints.AROUND, self._parts.stage.remapped)
        elif focused is self._widgets.bar:
            bar.hints = self._widgets.bar.hints
        else:
            bar.hints = self._of_panel(focused)
        if self._parts.child:
            self._widgets.child_keys.hints = bar.hints

    def command_turned(self) -> None:
        """A command of the person's own begins or is over; the latter may be because the screen ends."""
        if self._parts.screen.is_attached:
            self.show_hints()

    def _of_panel(self, focused: Widget) -> tuple[Hint, ...]:
        keys, transcript = self._parts.stage.remapped, self._widgets.transcript
        own = hints.of_widget(type(focused).BINDINGS, keys, self._parts.usable)
        if focused is not transcript:
            return own
        searching = transcript.searching is not None
        return hints.of_transcript(keys, selecting=transcript.selecting, searching=searching) or own

    def _at_composer(self) -> hints.At:
        view, composer = self._parts.view, self._widgets.composer
        found = option(view.state, "mode")
        return hints.At(
            mode=composer.mode,
            menu=self._widgets.menu.display,
            busy=self._parts.busy,
            command=self._shell.running,
            armed=view.send_now is not None,
            empty=composer.blank,
            held=bool(view.queue and view.paused),
            modes=found is not None and len(found.select_values) > 1,
            plan=composer.offers_plan,
            asked=bool(view.asks),
        )

    # ---- what moves

    def _tick(self) -> None:
        widgets = self._widgets
        widgets.activity.tick += 1
        widgets.notices.tick()
        self.show_agents()
        widgets.roster.refresh()
        if self._parts.child:
            widgets.banner.refresh()
        self._show_bar()
        self.show_activity()
        widgets.activity.refresh()
        if int(now := self._parts.now()) != self._second:
            self._second = int(now)
            widgets.transcript.tick()
        if not self._moves:
            self._parts.fit_soon()
            self._keep_time()
