"""What the chat screen does when something of its session begins or ends: an agent's start, a turn, a mode, its life."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from msgspec.structs import replace

from craze.engine.facts import Login
from craze.engine.view import View
from craze.errors import ExitName
from craze.tui.panels.status_bar import mode_of
from craze.tui.screens import bars, restoring
from craze.tui.screens.draft import Draft
from craze.tui.screens.leaving import Leaving
from craze.tui.screens.parts import Parts
from craze.tui.screens.picture import Picture
from craze.tui.screens.planning import is_plan, planned
from craze.tui.screens.restoring import Restoring
from craze.tui.screens.stage import push
from craze.tui.screens.todo_list import TodoList
from craze.tui.told import last_words, told

SILENT: Final = "the agent ended the turn without output"
READY: Final = ("idle", "working", "error")
LAST_WORDS: Final = 10
"""Lines of error output that are shown of an agent that died."""


class SignsIn(Protocol):
    """Opens the form to sign in; `closed` comes when it is closed."""

    def __call__(self, *, closed: Callable[[], None] | None = None) -> None: ...


class Milestones:
    """Compares each view with the one before it."""

    def __init__(
        self,
        parts: Parts,
        picture: Picture,
        draft: Draft,
        todos: TodoList,
        restored: Restoring,
        leaving: Leaving,
        sign_in: SignsIn,
    ) -> None:
        self._parts, self._picture, self._draft, self._todos = parts, picture, draft, todos
        self._restoring, self._leaving, self._sign_in = restored, leaving, sign_in
        self._wants_sign_in = False
        self._ended = 0

    def passed(self, before: View) -> None:
        """A frame came; its view is shown in place of `before`."""
        view, transcript = self._parts.view, self._parts.widgets.transcript
        self._start(before, view)
        self._turn(before, view)
        if view.status == "stopped" and before.status == "starting" and not self._parts.ready:
            self._not_started()
        elif view.status == "stopped" != before.status:
            for row in last_words(view, self._parts.moment.error)[-LAST_WORDS:]:
                transcript.note(row)

    # ---- the start

    def _start(self, before: View, view: View) -> None:
        parts = self._parts
        if view.status == "starting" != before.status:
            parts.moment = replace(parts.moment, opened=parts.now())
        if view.status in READY and not parts.ready:
            parts.ready = True
            parts.desk.agents.started(parts.opening.agent, sign_in=False)
        if view.status == "starting" and told(view, "login", Login).required and not self._wants_sign_in:
            self._wants_sign_in = True
            parts.desk.agents.started(parts.opening.agent, sign_in=True)
            parts.screen.call_after_refresh(self._sign_in)

    def _not_started(self) -> None:
        if self._restoring.refuses(self._parts.moment.error):
            self._parts.ready = True
            self._restoring.end(restoring.ONLY_READ)
        else:
            self._start_failed()

    def _start_failed(self) -> None:
        """A start that failed stays on the screen until something is done about it."""
        from craze.tui.screens.start_failed import StartFailedScreen

        parts = self._parts
        failure, signs_in = parts.moment.error, bool(told(parts.view, "login", Login).methods)
        said = last_words(parts.view, failure)
        screen = StartFailedScreen(parts.opening.agent, failure, said, parts.stage.remapped, signs_in=signs_in)
        leave_as: ExitName = "sign_in" if failure and failure.error_class == "auth" else "failed"
        deeds: dict[str, Callable[[], None]] = {
            "retry": self._leaving.restart,
            "other": lambda: parts.stage.pick_agent(otherwise=self._start_failed),
            "sign_in": lambda: self._sign_in(closed=self._still_failed),
            "quit": lambda: self._leaving.quit(leave_as),
        }
        push(parts.screen, screen, lambda wish: deeds[wish]() if wish else None)

    def _still_failed(self) -> None:
        """The form to sign in was closed: nothing else starts the agent."""
        if self._parts.view.status == "stopped":
            self._start_failed()

    # ---- turns

    def _turn(self, before: View, view: View) -> None:
        ended, self._ended = self._ended, self._parts.moment.ended
        if self._ended > ended and not view.turn:
            self._turn_ended(view)
        elif view.turn or mode_of(before.state) != mode_of(view.state):
            self._parts.widgets.composer.offer_plan(False)
        if view.turn and view.turn != before.turn:
            self._todos.prompted()

    def _turn_ended(self, view: View) -> None:
        moment, widgets = self._parts.moment, self._parts.widgets
        self._leaving.turn_ended()
        self._picture.read_branch()
        self._draft.read_paths()
        widgets.composer.offer_plan(planned(view, moment) and is_plan(widgets.transcript.last_reply()))
        if moment.silent:
            widgets.transcript.note(SILENT)
        if fix := bars.fix(view, widgets.composer.completer.rows):
            self._parts.say(fix, "warning")
