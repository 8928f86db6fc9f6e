"""The chat screen: composes the panels, draws each frame, lays out, and decides what keys of the whole screen mean.

Its other halves are `talking` (widgets to intents), `doing` (commands and dialogs) and `asking` (asks).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import Final

from textual import events

from craze.codec import Record
from craze.engine.facts import Login
from craze.engine.slash import mode_kind
from craze.engine.view import View
from craze.tui.bridge import Bridge, Frame
from craze.tui.dialogs.ask_panel import AskPanel
from craze.tui.keys import bindings
from craze.tui.moment import after
from craze.tui.panels import activity, roster_view, status_bar, todo_view
from craze.tui.panels.status_bar import Shown, mode_of, option
from craze.tui.screens import bars, hints, narration, restoring
from craze.tui.screens.attention import Attention
from craze.tui.screens.feed import Feed
from craze.tui.screens.pressing import PressingScreen
from craze.tui.screens.restoring import Restoring
from craze.tui.screens.stage import push
from craze.tui.screens.talking import Given
from craze.tui.told import details, last_words, told

SILENT: Final = "the agent ended the turn without output"
READY: Final = ("idle", "working", "error")
TICK: Final = 0.25
CALM_TICK: Final = 1.0
LAST_WORDS: Final = 10
"""Lines of error output that are shown of an agent that died."""
SHRUNK: Final = 1
"""Rows of the composer while an ask is open."""
_STEP: Final = re.compile(r"^\s*\d+[.)]\s+\S", re.MULTILINE)
_PLAN_HEAD: Final = re.compile(r"^(?:#|\*\*).*\bplan\b", re.MULTILINE | re.IGNORECASE)


class ChatScreen(PressingScreen, inherit_bindings=False):
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
    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    ChatScreen { layers: base float; layout: vertical; overflow: hidden; background: $background; }
    """

    def __init__(self, given: Given) -> None:
        super().__init__(given)
        self.attention = Attention(given.around)
        self.feed = Feed(given.session, self.transcript, seen=self._seen, settled=self._settled)
        self.branch = ""
        self._dismissed = ""
        self._was_ready = self._wants_sign_in = False
        stored = given.opening.resumed and given.session.view.seq > 0
        self._restoring = Restoring(self.transcript.note, stored=stored)
        self._ended = 0
        self._second = 0
        self._bridge: asyncio.Task[None] | None = None

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
        self.call_after_refresh(self._read_around)

    async def _begin(self) -> None:
        """What the command line asked for: a title, and the first prompt, which waits until the agent is ready."""
        if self.opening.title is not None:
            await self.sender.send_title(self.opening.title)
        if self.opening.prompt or self.opening.images:
            await self.sender.prompt(self.opening.prompt, self.opening.images)

    def _read_around(self) -> None:
        """What the first picture can do without."""
        self.sender.later(self._read_branch())
        self.sender.later(self._read_history())

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
        if frame.view.status in READY:
            self._restoring.end(restoring.DONE)
        self.feed.take(frame)
        if self.reader:
            for text in narration.changes(before, frame.view, self.opening.agent):
                self.transcript.note(text)
        self.moment = after(self.moment, (), frame.facts)
        for notice in self.moment.notices:
            self.say(notice.text, notice.severity)
        self._changed(before, frame.view)
        self.show_state()
        self.attention.show(frame.view, self.moment)
        self.call_after_refresh(frame.handled.set)

    def _seen(self, records: Sequence[Record]) -> None:
        self.moment = after(self.moment, records, ())
        self._restoring.drawn(ready=self._was_ready)

    def _settled(self) -> None:
        self.show_state()

    def _changed(self, before: View, view: View) -> None:
        """What begins or ends with a change of the view."""
        if view.status in READY and not self._was_ready:
            self._was_ready = True
            self.desk.agents.started(self.opening.agent, sign_in=False)
        if view.status == "starting" and told(view, "login", Login).required and not self._wants_sign_in:
            self._wants_sign_in = True
            self.desk.agents.started(self.opening.agent, sign_in=True)
            self.call_after_refresh(self.open_sign_in)
        ended, self._ended = self._ended, self.moment.ended
        if self.moment.ended > ended and not view.turn:
            self.sender.later(self._read_branch())
            self.sender.later(self._read_paths())
            self.composer.offer_plan(self._offers_plan(view))
            if self.moment.silent:
                self.transcript.note(SILENT)
            if fix := bars.fix(view, self.composer.slash_rows):
                self.say(fix, "warning")
        elif view.turn or mode_of(before.state) != mode_of(view.state):
            self.composer.offer_plan(False)
        if view.turn and view.turn != before.turn and all(todo.status == "completed" for todo in view.todos):
            self.done_todos = view.todos
        if view.status not in ("stopped", "error"):
            self._dismissed = ""
        if view.status == "stopped" and before.status == "starting" and not self._was_ready:
            self._not_started()
        elif view.status == "stopped" != before.status:
            for row in last_words(view, self.moment.error)[-LAST_WORDS:]:
                self.transcript.note(row)

    def _not_started(self) -> None:
        if self._restoring.refuses(self.moment.error):
            self._was_ready = True
            self._restoring.end(restoring.ONLY_READ)
        else:
            self._start_failed()

    def _start_failed(self) -> None:
        """A start that failed stays on the screen until something is done about it."""
        from craze.tui.screens.start_failed import StartFailedScreen

        login = told(self.shown, "login", Login)
        failure = self.moment.error
        keys, said = self.stage.remapped, last_words(self.shown, failure)
        deeds: dict[str, Callable[[], None]] = {
            "retry": self.restart,
            "other": self.stage.pick_agent,
            "sign_in": self.open_sign_in,
            "quit": lambda: self.quit("sign_in" if failure and failure.error_class == "auth" else "failed"),
        }
        screen = StartFailedScreen(self.opening.agent, failure, said, keys, signs_in=bool(login.methods))
        push(self, screen, lambda wish: deeds[wish]() if wish else None)

    def _offers_plan(self, view: View) -> bool:
        """Whether a turn of a plan mode has just ended with a plan; a mere answer is nothing to carry out."""
        found = option(view.state, "mode")
        kinds = {each.value: mode_kind(each.value, each.name) for each in (found.select_values if found else ())}
        planning = kinds.get(mode_of(view.state)[0]) == "plan" and "implement" in kinds.values()
        ended = self.moment.ended_well and self.moment.said and not view.queue and not view.asks
        return planning and ended and is_plan(self.transcript.last_reply())

    def show_state(self) -> None:
        """Give every panel what it shows."""
        view, moment, now = self.shown, self.moment, self.now()
        self.todos.todos = view.todos
        self.todos.urgent = todo_view.urgent(details(view, "todos"))
        self.roster.under = roster_view.below(view.roster)
        self.roster.stoppable = "cancel_subagent" in view.info.can
        self.show_agents(now)
        self.queue.rows, self.queue.paused = view.queue, view.paused if view.queue else ""
        self.queue.waiting = "waiting for the agent…" if view.status in ("starting", "replaying", "stopped") else ""
        self.queue.armed = (view.send_now.from_row or view.queue[0].id) if view.send_now and view.queue else ""
        self.composer.show(view, busy=self.busy)
        self.composer.first = not moment.turns and not view.queue and not view.asks and self.transcript.unprompted
        self.composer.set_class(bool(view.asks), "-bare")
        self.asks.show(view)
        self._show_bar(now)
        self.show_activity(now)
        self.show_hints()
        self.fit_soon()
        if moment.turn_began or self.roster.agents or self.activity.doing or self.notices.display:
            self._ticker.resume()
        else:
            self._ticker.pause()

    def show_agents(self, now: float) -> None:
        self.roster.agents = roster_view.shown(self.shown.roster, now, self.moment.turn_began)
        if self.child:
            child = next((row for row in self.shown.roster if row.id == self.child), None)
            self.banner.agent = child
            self.child_keys.stoppable = bool(child and child.status == "running" and self.roster.stoppable)

    def show_activity(self, now: float) -> None:
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

    def show_hints(self) -> None:
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
                command=self.shell.running,
            )
            self.hints.hints = hints.of_composer(at, keys)
        else:
            can = [active.binding.id or "" for active in self.active_bindings.values() if active.enabled]
            own = hints.of_widget(type(focused).BINDINGS, keys, can)
            if focused is self.transcript:
                selecting, searching = self.transcript.selecting, self.transcript.searching is not None
                own = hints.of_transcript(keys, selecting=selecting, searching=searching) or own
            self.hints.hints = hints.of_ids(hints.AROUND, keys) if isinstance(focused, AskPanel) else own
        if self.child:
            self.child_keys.hints = self.hints.hints

    def on_descendant_focus(self) -> None:
        self.show_hints()

    def on_transcript_view_marked(self) -> None:
        self.show_hints()

    def _tick(self) -> None:
        now = self.now()
        self.activity.tick += 1
        self.notices.tick()
        self.show_agents(now)
        self.roster.refresh()
        if self.child:
            self.banner.refresh()
        self._show_bar(now)
        self.show_activity(now)
        self.activity.refresh()
        if int(now) != self._second:
            self._second = int(now)
            self.transcript.tick()
        if not (self.roster.agents or self.activity.doing or self.notices.display):
            self._ticker.pause()
            self.fit_soon()

    def on_app_focus(self, event: events.AppFocus) -> None:
        self.around.focused = True

    def on_app_blur(self, event: events.AppBlur) -> None:
        self.around.focused = False


def is_plan(text: str) -> bool:
    """Whether a message reads as a plan: numbered steps, or a heading that says so."""
    return len(_STEP.findall(text)) > 1 or _PLAN_HEAD.search(text) is not None
