"""The half of the chat screen that hears composer, queue, todos, agents and bars, and sends what they wish."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

import msgspec
from textual import on

from craze.config.shape import Config, Tui
from craze.engine.answers import AnswerValue
from craze.engine.facts import Severity
from craze.engine.intents import Result
from craze.engine.slash import mode_kind
from craze.engine.view import View
from craze.tui.desk import Desk, Session
from craze.tui.moment import Moment
from craze.tui.panels import todo_view
from craze.tui.panels.notices import Notices
from craze.tui.panels.queue_view import QueueView
from craze.tui.panels.roster_view import RosterView
from craze.tui.panels.status_bar import option
from craze.tui.panels.todo_view import Form, TodoView
from craze.tui.prompt.chips import Chip
from craze.tui.prompt.composer import Composer
from craze.tui.prompt.images import all_images, paths_in
from craze.tui.prompt.menu import Menu
from craze.tui.screens.asking import AskingScreen
from craze.tui.screens.commands import Commands
from craze.tui.screens.pictures import Pictures
from craze.tui.screens.shell import Shell
from craze.tui.screens.stage import Stage
from craze.tui.screens.wishes import Wishes
from craze.tui.scrub import line
from craze.tui.terminal import Surroundings
from craze.tui.theme import Palette, glyphs_of
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.view import TranscriptView
from craze.tui.words import count

IMPLEMENT = "Implement the plan above."


class Opening(msgspec.Struct, frozen=True):
    """What a screen begins with.

    Attributes:
        agent: Its declared name.
        prompt: Sent as soon as the agent is ready, with `images` (paths).
        title: The session is to be called so; None = as it is.
        resumed: A stored session goes on.
        pick: The person chooses an agent first.
        replay: The id of a stored session to play instead, from event `first` on, `factor` times as fast as it was
            (0 = at once).
    """

    agent: str = ""
    prompt: str = ""
    images: tuple[str, ...] = ()
    title: str | None = None
    resumed: bool = False
    pick: bool = False
    replay: str = ""
    first: int = 0
    factor: float = 1.0


class Given(NamedTuple):
    """What a chat screen is made from. `now`: seconds since 1970."""

    session: Session
    desk: Desk
    config: Config
    opening: Opening
    stage: Stage
    around: Surroundings
    now: Callable[[], float]


class TalkingScreen(AskingScreen[None], inherit_bindings=False):
    """Holds the session, the widgets that speak for the person, and what sends their wishes."""

    def __init__(self, given: Given) -> None:
        super().__init__()
        session, desk, config, now = given.session, given.desk, given.config, given.now
        self.session, self.desk, self.config, self.now = session, desk, config, now
        self.opening, self.stage, self.around = given.opening, given.stage, given.around
        self.shown: View = session.view
        self.moment = Moment(opened=now())
        self.form: Form = config.tui.todos
        self.reader = config.tui.screen_reader
        """Nothing floats, and what changes is told by lines of the transcript."""
        self.transcript = TranscriptView(self._brush())
        self.transcript.copy_on_select = config.tui.copy_on_select
        self.todos = TodoView()
        self.roster = RosterView(now)
        self.queue = QueueView()
        self.menu = Menu()
        self.notices = Notices(now)
        self.composer = Composer(self.menu, is_image=all_images)
        self.sender = Wishes(session, desk.library, self.composer, self.say, self.show_state, self.transcript.follow)
        self.shell = Shell(desk.workspace, self.transcript, self.composer.chips, self._printed, self.say, self._turned)
        self.pictures = Pictures(session, desk.workspace, desk.library, self.composer, self.say)
        self.touched = 0.0
        """When the composer last had a key."""

    def _brush(self) -> Brush:
        """Paths are drawn from the session's folder on, and calls that run say how long."""
        folder = self.session.view.info.workspace or self.desk.workspace.folder
        brush = brush_of(self.config.tui, self.stage.palette, self.now(), folder)
        return replace(brush, now=lambda: int(self.now() * 1000))

    # ---- what the other half brings

    @property
    def commands(self) -> Commands:
        raise NotImplementedError

    def show_state(self) -> None:
        raise NotImplementedError

    def show_hints(self) -> None:
        raise NotImplementedError

    def fit_soon(self) -> None:
        raise NotImplementedError

    def confirm(self, question: str, answers: dict[str, str], done: Callable[[str], object]) -> None:
        """Ask with one key; `done` gets the key, never that of staying."""
        raise NotImplementedError

    # ---- for the asks

    async def answer(self, ask: str, answer: AnswerValue) -> Result:
        return await self.sender.answer(ask, answer)

    async def stop_turn(self) -> None:
        await self.sender.cancel()

    def focus_composer(self) -> None:
        editor = self.composer.editor
        if editor.focusable:
            self.set_focus(editor)
        else:  # it is shown again only with the next layout
            editor.focus()

    def say(self, text: str, severity: Severity = "info") -> None:
        self.notices.say(text, severity)
        if self.reader:
            self.notices.display = False
            self.transcript.note(line(text))
        self.fit_soon()

    @property
    def busy(self) -> bool:
        return bool(self.shown.turn or self.shown.foreign or self.shown.status in ("starting", "replaying"))

    # ---- the composer

    @on(Composer.Sent)
    async def _sent(self, message: Composer.Sent) -> None:
        view = self.shown
        replaces = message.now and view.turn and ("steer" not in view.info.can or message.images)
        if replaces and not view.cancelling:
            said = "stop the turn and send this now?"
            self.confirm(said, {"enter": "send now"}, lambda _: self._send_later(message))
        else:
            await self._send(message)

    def _send_later(self, message: Composer.Sent) -> None:
        self.sender.later(self._send(message))

    async def _send(self, message: Composer.Sent) -> None:
        await self.sender.prompt(message.text, message.images, now=message.now)

    @on(Composer.Commanded)
    async def _commanded(self, message: Composer.Commanded) -> None:
        await self.commands.take(message.meant)

    @on(Composer.Ran)
    def _ran(self, message: Composer.Ran) -> None:
        if self.shell.run(message.line):
            self.composer.accepted("!" + message.line)
            self.transcript.follow()

    def _printed(self, chip: Chip) -> None:
        self.composer.ride(chip)

    def _turned(self) -> None:
        if self.is_attached:
            self.show_hints()

    @on(Composer.Saved)
    async def _saved(self, message: Composer.Saved) -> None:
        await self.sender.edit(message.row, message.text)

    @on(Composer.Drafted)
    def _drafted(self, message: Composer.Drafted) -> None:
        self.session.keep_draft(message.text)
        self.fit_soon()

    @on(Composer.Remembered)
    def _remembered(self, message: Composer.Remembered) -> None:
        self.desk.library.add_prompt(message.text)

    @on(Composer.Entered)
    async def _entered(self) -> None:
        if self.composer.offers_plan:
            await self._implement()
        elif self.shown.queue and self.shown.paused:
            await self.sender.release()

    async def _implement(self) -> None:
        """Leave the plan mode and say so; the prompt waits behind the change of mode."""
        found = option(self.shown.state, "mode")
        modes = found.select_values if found else ()
        target = next((each.value for each in modes if mode_kind(each.value, each.name) == "implement"), "")
        self.composer.offer_plan(False)
        if target:
            self.sender.later(self.sender.mode_then(target, IMPLEMENT))

    @on(Composer.Upward)
    def _upward(self) -> None:
        self.queue.enter()

    @on(Composer.Tabbed)
    def _tabbed(self) -> None:
        if self.shown.asks:
            self.asks.take()

    @on(Composer.Said)
    def _said(self, message: Composer.Said) -> None:
        self.say(message.text, message.severity)

    @on(Composer.Touched)
    def _touched(self) -> None:
        self.touched = self.now()
        self.notices.pressed()
        self.show_hints()

    @on(Composer.Resized)
    def _resized(self) -> None:
        self.fit_soon()

    @on(Composer.Dropped)
    def _dropped(self, message: Composer.Dropped) -> None:
        self.sender.later(self.pictures.from_paths(paths_in(message.text)))

    @on(Composer.Asked)
    def _asked(self, message: Composer.Asked) -> None:
        deeds = {"help": self.open_help, "editor": self.edit_draft, "paste": self.paste, "paths": self.read_paths}
        deeds[message.what]()

    def open_help(self, arg: str = "") -> None:
        raise NotImplementedError

    def edit_draft(self, arg: str = "") -> None:
        raise NotImplementedError

    def paste(self) -> None:
        self.sender.later(self._paste())

    async def _paste(self) -> None:
        """The image on the clipboard, else the text that was copied here."""
        if not await self.pictures.from_clipboard() and (text := self.copied):
            self.composer.paste(text)

    @property
    def copied(self) -> str:
        """What was copied in this terminal."""
        raise NotImplementedError

    def read_paths(self) -> None:
        self.sender.later(self._read_paths())

    async def _read_paths(self) -> None:
        self.composer.refresh_paths(await self.desk.workspace.paths())

    # ---- the queue

    @on(QueueView.Edit)
    def _queue_edit(self, message: QueueView.Edit) -> None:
        self.composer.edit_row(message.row)

    @on(QueueView.Remove)
    async def _queue_remove(self, message: QueueView.Remove) -> None:
        await self.sender.remove(message.row)

    @on(QueueView.RemoveAll)
    def _queue_remove_all(self) -> None:
        rows = self.shown.queue
        said = f"remove {count(len(rows), 'prompt')}?"
        self.confirm(said, {"enter": "remove"}, lambda _: self.sender.later(self.sender.remove(*rows)))

    @on(QueueView.Move)
    async def _queue_move(self, message: QueueView.Move) -> None:
        await self.sender.move(message.row, message.position)

    @on(QueueView.Now)
    async def _queue_now(self, message: QueueView.Now) -> None:
        await self.sender.now(message.row)

    @on(QueueView.Hold)
    async def _queue_hold(self) -> None:
        await self.sender.hold()

    async def action_hold_queue(self) -> None:
        if self.shown.queue:
            await self.sender.hold()

    # ---- todos, and going back

    def cycle_todos(self, arg: str = "") -> None:
        """Compact, expanded, hidden, and so on; the choice is kept."""
        self.form = todo_view.FORMS[(todo_view.FORMS.index(self.form) + 1) % len(todo_view.FORMS)]
        self.keep("tui.todos", self.form)
        self.show_state()

    def keep(self, name: str, value: str | bool) -> None:
        """Keep a choice for later starts."""
        raise NotImplementedError

    @on(TodoView.Toggled)
    def _todos_toggled(self) -> None:
        self.form = "compact" if self.form == "full" else "full"
        self.keep("tui.todos", self.form)
        self.show_state()

    @on(QueueView.Left)
    @on(TodoView.Left)
    @on(RosterView.Left)
    def _left(self) -> None:
        self.focus_composer()


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
