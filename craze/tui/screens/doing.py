"""The half of the chat screen that runs commands: what each local slash command does, and the dialogs they open."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import datetime

from textual import on

from craze.engine.facts import Lint
from craze.engine.intents import Refused
from craze.errors import CrazeError, ExitName
from craze.tui.dialogs.links import doubt
from craze.tui.panels import aside_card
from craze.tui.panels.aside_card import AsideCard
from craze.tui.panels.bar import Bar
from craze.tui.panels.status_bar import StatusBar
from craze.tui.screens.commands import Commands
from craze.tui.screens.refusals import words
from craze.tui.screens.stage import push
from craze.tui.screens.talking import Given, TalkingScreen
from craze.tui.scrub import line
from craze.tui.told import plugins, read, stderr, usage
from craze.tui.transcript.view import TranscriptView
from craze.tui.words import count, tokens


class DoingScreen(TalkingScreen, inherit_bindings=False):
    """Implements `commands.Deeds`."""

    def __init__(self, given: Given) -> None:
        super().__init__(given)
        self._commands = Commands(self)
        self._mouse = given.config.tui.mouse
        self.card = AsideCard()

    @property
    def commands(self) -> Commands:
        return self._commands

    # ---- dialogs

    def confirm(self, question: str, answers: dict[str, str], done: Callable[[str], object]) -> None:
        from craze.tui.dialogs.confirm import Choice, Confirm

        def closed(answer: str | None) -> None:
            if answer is not None:
                done(answer)

        choices = [Choice(key, word, key) for key, word in answers.items()]
        title, _, text = question.partition(": ")
        push(self, Confirm(title, text or question, *choices), closed)

    def read_through(self, title: str, text: str) -> None:
        """A text on the full screen."""
        from craze.tui.dialogs.viewer import Viewer

        push(self, Viewer(title, text, self.copy))

    def keep(self, name: str, value: str | bool) -> None:
        self.sender.later(self._keep(name, value))

    async def _keep(self, name: str, value: str | bool) -> None:
        try:
            await self.desk.library.choose(name, value)
        except CrazeError as error:
            self.say(f"not kept: {error}", "warning")

    def leaving(self, what: str, go: Callable[[], object]) -> None:
        """Go at once, or ask first when something runs."""
        if self.shown.turn or self.shown.asks:
            self.confirm(f"a turn is running: stop it and {what}?", {"y": "yes"}, lambda _: go())
        else:
            go()

    # ---- sessions and agents

    def new_session(self, arg: str = "") -> None:
        self.leaving("start a new session", lambda: self.replace(self.stage.start_agent, self.opening.agent))

    def replace(self, go: Callable[[str], Coroutine[object, object, None]], what: str) -> None:
        """Another session comes: the app's doing, since this screen ends with all that it does."""
        self.app.call_later(go, what)  # pyright: ignore[reportUnknownMemberType]

    def open_sessions(self, arg: str = "") -> None:
        self.leaving("open another session", lambda: self.stage.pick_session(arg))

    def open_agents(self, arg: str = "") -> None:
        self.leaving("choose another agent", self.stage.pick_agent)

    def restart(self, arg: str = "") -> None:
        self.sender.reconnect(refused=self._not_restarted)

    def _not_restarted(self, refused: Refused) -> None:
        more = " · /new starts a session here" if refused.code == "unsupported" else ""
        self.say(words(refused) + more, "error")

    def leave(self, arg: str = "") -> None:
        """Quit; asks once when something runs. Who wants it again while a question stands there means it."""
        from craze.tui.dialogs.confirm import Confirm

        asked = isinstance(self.app.screen, Confirm)  # pyright: ignore[reportUnknownMemberType]
        if (self.shown.turn or self.shown.asks) and not asked:
            rows = count(len(self.shown.queue), "prompt")
            kept = f"The queue ({rows}) and the draft are kept." if self.shown.queue else "The draft is kept."
            text = f"a turn is running: Stop it and quit? {kept}"
            self.confirm(text, {"q": "quit and stop it"}, lambda _: self.quit())
        else:
            self.quit()

    def quit(self, exit_name: ExitName = "done") -> None:
        self.call_later(self.stage.leave, exit_name)

    # ---- the transcript

    def clear_view(self, arg: str = "") -> None:
        self.transcript.clear_view()

    def copy_reply(self, arg: str = "") -> None:
        """The last reply, or its n-th block of code."""
        text = self.transcript.last_reply()
        if arg:
            fences = fenced(text)
            if not arg.isdigit() or not 0 < int(arg) <= len(fences):
                self.say(f"the last reply has {count(len(fences), 'block')} of code", "warning")
                return
            text = fences[int(arg) - 1]
        self.copy(text)

    def copy(self, text: str) -> None:
        if not text:
            self.say("nothing to copy")
        else:
            self.sender.later(self._copy(text))

    async def _copy(self, text: str) -> None:
        by_escape = self.around.copy(text)
        by_program = await self.desk.workspace.copy(text)
        if by_escape or by_program:
            self.say(f"copied {count(len(text), 'character')}")
        else:
            self.say("too long for the terminal's clipboard, and no program for it was found", "warning")

    def export(self, arg: str = "") -> None:
        path = arg or f"craze-{self.shown.info.session[:8]}.md"
        self.sender.later(self._export(path))

    async def _export(self, path: str) -> None:
        form = path.rpartition(".")[2]
        try:
            if form == "html":
                written = await self.desk.library.export(self.shown.info.session, path, "html")
            elif form == "jsonl":
                written = await self.desk.library.export(self.shown.info.session, path, "jsonl")
            else:
                written = await self.desk.library.export(self.shown.info.session, path, "md")
        except CrazeError as error:
            self.say(str(error), "error")
        else:
            self.say(f"written: {written}")

    # ---- what the transcript cannot do itself

    @on(TranscriptView.Copy)
    def _transcript_copy(self, message: TranscriptView.Copy) -> None:
        self.copy(message.text)

    @on(TranscriptView.OpenViewer)
    def _transcript_viewer(self, message: TranscriptView.OpenViewer) -> None:
        if message.seq:
            self.sender.later(self._read_whole(message))
        else:
            self.read_through(message.title, message.text)

    async def _read_whole(self, message: TranscriptView.OpenViewer) -> None:
        from craze.tui.transcript.whole import whole_text

        self.read_through(message.title, await whole_text(self.session, message.seq) or message.text)

    @on(TranscriptView.OpenLink)
    def _transcript_link(self, message: TranscriptView.OpenLink) -> None:
        warning = doubt(message.target)
        text = f"open this link?: {line(message.target)}" + (f"\n\n{warning}" if warning else "")
        self.confirm(text, {"enter": "open"}, lambda _: self.sender.later(self._open_link(message.target)))

    async def _open_link(self, target: str) -> None:
        if not await self.desk.workspace.open_link(target):
            self.say(f"no program opens links here: {target}", "warning")

    @on(TranscriptView.Find)
    def _transcript_find(self) -> None:
        self.open_search()

    @on(TranscriptView.Leave)
    def _transcript_leave(self) -> None:
        self.transcript.forget_search()
        self.focus_composer()

    def open_log(self, arg: str = "") -> None:
        self.read_through("log", self.log_text() or "nothing yet")

    def log_text(self) -> str:
        """Notices, what the agent did that it should not, what plugins reported, and the agent's error output."""
        said = [f"{_time(at)}  {severity:<7}  {text}" for at, severity, text in self.notices.kept]
        lints = [read(fact, Lint) for (kind, _), fact in self.shown.facts.items() if kind == "lint"]
        told = [f"{lint.name}  x{lint.count}  {lint.example}" for lint in lints]
        parts = {
            "notices": said,
            "lints": told,
            "plugins": plugins(self.shown),
            "error output of the agent": stderr(self.shown),
        }
        return "\n\n".join(
            f"{title}\n" + "\n".join(f"  {row}" for row in rows) for title, rows in parts.items() if rows
        )

    # ---- the draft

    def edit_draft(self, arg: str = "") -> None:
        self.sender.later(self._edit_draft())

    async def _edit_draft(self) -> None:
        try:
            text = await self.desk.workspace.edit(self.composer.whole)
        except CrazeError as error:
            self.say(f"{error} · {error.hint}" if error.hint else str(error), "warning")
            return
        if text is not None:
            self.composer.fill(text)

    @property
    def copied(self) -> str:
        return self.stage.clipboard

    def attach_image(self, arg: str = "") -> None:
        self.sender.later(self.pictures.from_paths([arg]))

    # ---- the rest

    def toggle_mouse(self, arg: str = "") -> None:
        self._mouse = not self._mouse
        self.stage.use_mouse(self._mouse)
        self.say("the mouse is craze's" if self._mouse else "the mouse is the terminal's")

    def show_aside(self, question: str, answer: str) -> None:
        """A side question and, once it is there, its answer."""
        if self.reader and answer:
            self.read_through(question, answer)
        elif self.reader:
            self.say(aside_card.WAITS)
        elif answer:
            self.card.tell(question, answer, self.transcript.brush)
        else:
            self.card.ask(question)
        self.fit_soon()

    @on(AsideCard.Wanted)
    def _card_wanted(self, message: AsideCard.Wanted) -> None:
        if message.what == "copy":
            self.copy(self.card.answer)
        elif message.what == "view":
            self.read_through(self.card.question, self.card.answer)
        else:
            self.close_card()

    def close_card(self) -> None:
        held, self.card.display = self.card.has_focus, False
        if held:
            self.focus_composer()

    @on(StatusBar.Clicked)
    def _status_clicked(self, message: StatusBar.Clicked) -> None:
        deeds: dict[str, Callable[[], None]] = {
            "model": lambda: self.open_models(""),
            "mode": lambda: self.open_modes(""),
            "queue": self.queue.enter,
            "ctx": self._tell_usage,
            "cost": self._tell_usage,
            "answers": lambda: self.commands.local["answers"](""),
            "disk": lambda: self.say(self.shown.state.index_err or "", "error"),
        }
        if deed := deeds.get(message.name):
            deed()

    def _tell_usage(self) -> None:
        found = usage(self.shown)
        if found is None:
            return
        part = found.session or found.turn
        said = [f"context {tokens(found.context_tokens)}" if found.context_tokens is not None else ""]
        said += [f"of {tokens(found.context_window)}" if found.context_window else ""]
        if part:
            names = {"in": part.input, "out": part.output, "reasoning": part.reasoning, "cached": part.cache_read}
            said += [f"· {name} {tokens(value)}" for name, value in names.items() if value]
        self.say(" ".join(filter(None, said)))

    @on(Bar.Wanted)
    def _bar_wanted(self, message: Bar.Wanted) -> None:
        deeds: dict[str, Callable[[], None]] = {
            "restart": self.restart,
            "new": self.new_session,
            "log": self.open_log,
            "dismiss": self.dismiss_bar,
        }
        deeds[message.what]()

    def dismiss_bar(self) -> None:
        raise NotImplementedError

    def open_models(self, arg: str = "") -> None:
        raise NotImplementedError

    def open_modes(self, arg: str = "") -> None:
        raise NotImplementedError

    def open_theme(self, arg: str = "") -> None:
        raise NotImplementedError

    def open_search(self, arg: str = "") -> None:
        raise NotImplementedError

    def open_sign_in(self, arg: str = "") -> None:
        raise NotImplementedError


def fenced(text: str) -> list[str]:
    """The blocks of code of a text."""
    blocks: list[str] = []
    lines: list[str] | None = None
    mark = ""
    for each in text.split("\n"):
        start = each.lstrip()
        if lines is None and start.startswith(("```", "~~~")):
            mark, lines = start[:3], []
        elif lines is not None and start.startswith(mark) and not start.strip(mark[0]):
            blocks.append("\n".join(lines))
            lines = None
        elif lines is not None:
            lines.append(each)
    return [*blocks, "\n".join(lines)] if lines else blocks


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).strftime("%H:%M:%S")
