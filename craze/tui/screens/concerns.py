"""The plain objects behind the chat screen, one for each concern, and who of them needs whom."""

from __future__ import annotations

from collections.abc import Callable

from textual.screen import Screen

from craze.tui.screens.answering import Answering
from craze.tui.screens.asides import Asides
from craze.tui.screens.children import Children
from craze.tui.screens.commands import Commands
from craze.tui.screens.draft import Draft
from craze.tui.screens.escape import Deed
from craze.tui.screens.feed import Feed
from craze.tui.screens.frames import Frames
from craze.tui.screens.layout import Layout
from craze.tui.screens.leaving import Leaving
from craze.tui.screens.milestones import Milestones
from craze.tui.screens.mouse import Mouse
from craze.tui.screens.opening import Given
from craze.tui.screens.palette_deeds import PaletteDeeds
from craze.tui.screens.papers import Papers
from craze.tui.screens.parts import Parts
from craze.tui.screens.pickers import Pickers
from craze.tui.screens.picture import Picture
from craze.tui.screens.presses import Presses
from craze.tui.screens.reading import Reading
from craze.tui.screens.restoring import Restoring
from craze.tui.screens.searching import Searching
from craze.tui.screens.shell import Shell
from craze.tui.screens.todo_list import TodoList


class Concerns:
    """Made once for a screen, in the order in which they need each other; what looks back is called by name."""

    def __init__(self, given: Given, screen: Screen[None]) -> None:
        parts = self.parts = Parts(
            given, screen, changed=lambda: self.picture.show(), fit_soon=lambda: self.layout.fit_soon()
        )
        self._see(parts)
        self._act(parts)
        self._follow(parts)

    def _see(self, parts: Parts) -> None:
        """What is shown, and where."""
        transcript, composer = parts.widgets.transcript, parts.widgets.composer
        self.feed = Feed(parts.session, transcript, seen=lambda seen: self.frames.seen(seen), settled=parts.changed)
        self.todos = TodoList(parts)
        self.searching = Searching(
            parts.widgets.finder,
            transcript,
            self.feed,
            home=parts.focus_composer,
            fit=parts.fit_soon,
            say=parts.say,
        )
        self.layout = Layout(
            parts,
            self.todos,
            self.searching,
            moved=lambda: self.picture.show_activity(),
            laid_out=lambda: self.picture.laid_out(),
        )
        self.shell = Shell(
            parts.desk.workspace,
            transcript,
            composer.drafts.chips,
            composer.drafts.ride,
            parts.say,
            turned=lambda: self.picture.command_turned(),
        )
        self.picture = Picture(parts, self.layout, self.shell)
        self.children = Children(parts, self.picture)

    def _act(self, parts: Parts) -> None:
        """What the person can do."""
        self.draft = Draft(parts, self.shell)
        self.pickers = Pickers(parts)
        self.leaving = Leaving(parts, self.pickers.sign_in)
        self.reading = Reading(
            parts.screen,
            parts.session,
            parts.widgets.transcript,
            parts.desk.workspace,
            by_escape=parts.around.copy,
            say=parts.say,
            later=parts.sender.later,
        )
        self.papers = Papers(parts, self.reading)
        self.asides = Asides(parts, self.reading)
        self.answering = Answering(parts)
        self.mouse = Mouse(parts)
        pickers = {"model": self.pickers.model, "mode": self.pickers.mode}
        self.commands = Commands(parts, self._local(), pickers, self.asides.show)
        self.palette = PaletteDeeds(parts, self.commands, self.pickers, self.leaving, self.draft)
        self.presses = Presses(parts, self.commands, self.shell, self._escapes(), self.leaving.leave)

    def _follow(self, parts: Parts) -> None:
        """What follows the session."""
        stored = parts.opening.resumed and parts.session.view.seq > 0
        restoring = Restoring(parts.widgets.transcript.note, stored=stored)
        milestones = Milestones(
            parts, self.picture, self.draft, self.todos, restoring, self.leaving, self.pickers.sign_in
        )
        self.frames = Frames(parts, self.feed, restoring, milestones)

    def _local(self) -> dict[str, Callable[[str], None]]:
        """What each local command does."""
        return {
            "help": self.pickers.help,
            "keys": self.pickers.help,
            "theme": self.pickers.theme,
            "connect": self.pickers.sign_in,
            "new": self.leaving.new_session,
            "sessions": self.leaving.pick_session,
            "agents": self.leaving.pick_agent,
            "restart": self.leaving.restart,
            "quit": self.leaving.leave,
            "copy": self.reading.copy_reply,
            "export": self.papers.export,
            "log": self.papers.read_log,
            "editor": self.draft.edit,
            "image": self.draft.attach_image,
            "search": self.searching.begin,
            "clear": lambda _: self.parts.widgets.transcript.clear_view(),
            "tasks": self.todos.cycle,
            "mouse": self.mouse.toggle,
        }

    def _escapes(self) -> dict[Deed, Callable[[], None]]:
        """What Esc and Ctrl+C close, stop and open outside of draft and turn."""
        return {
            "copy": lambda: self.reading.copy(self.parts.widgets.transcript.selected_text()),
            "close": self.asides.close,
            "leave_child": lambda: self.children.show(""),
            "focus": self.searching.leave,
            "kill": self.shell.kill,
            "give_up": self.leaving.give_up,
            "prompts": self.pickers.prompts,
            "quit": self.leaving.quit,
        }
