"""What becomes of the draft in the composer: sent, run, written elsewhere, or filled with what lies outside of it."""

from __future__ import annotations

from craze.engine.slash import mode_kind
from craze.errors import CrazeError
from craze.tui.panels.status_bar import option
from craze.tui.prompt.composer import Composer
from craze.tui.prompt.images import paths_in
from craze.tui.screens.parts import Parts
from craze.tui.screens.pictures import Pictures
from craze.tui.screens.shell import Shell

IMPLEMENT = "Implement the plan above."


class Draft:
    """The composer's way to the session, the shell and the person's files."""

    def __init__(self, parts: Parts, shell: Shell) -> None:
        self._parts, self._shell, self._composer = parts, shell, parts.widgets.composer
        desk = parts.desk
        self._pictures = Pictures(parts.session, desk.workspace, desk.library, self._composer, parts.say)

    def begin(self) -> None:
        self._parts.sender.later(self._begin())

    async def _begin(self) -> None:
        """What the command line asked for: a title, and the first prompt, which waits until the agent is ready."""
        opening, sender = self._parts.opening, self._parts.sender
        if opening.title is not None:
            await sender.send_title(opening.title)
        if opening.prompt or opening.images:
            await sender.prompt(opening.prompt, opening.images)

    # ---- out of it

    async def send(self, message: Composer.Sent) -> None:
        """Send; asks first where that stops the turn."""
        view = self._parts.view
        replaces = message.now and view.turn and ("steer" not in view.info.can or message.images)
        if replaces and not view.cancelling:
            said = "stop the turn and send this now?"
            later = self._parts.sender.later
            self._parts.confirm(said, {"enter": "send now"}, lambda _: later(self._send(message)))
        else:
            await self._send(message)

    async def _send(self, message: Composer.Sent) -> None:
        await self._parts.sender.prompt(message.text, message.images, now=message.now)

    async def enter(self) -> None:
        """Enter without a text: carries the plan out, or lets the queue go on."""
        if self._composer.offers_plan:
            self._implement()
        elif self._parts.view.queue and self._parts.view.paused:
            await self._parts.sender.release()

    def _implement(self) -> None:
        """Leave the plan mode and say so; the prompt waits behind the change of mode."""
        found = option(self._parts.view.state, "mode")
        modes = found.select_values if found else ()
        target = next((each.value for each in modes if mode_kind(each.value, each.name) == "implement"), "")
        self._composer.offer_plan(False)
        if target:
            self._parts.sender.later(self._parts.sender.mode_then(target, IMPLEMENT))

    def run(self, line: str) -> None:
        """A command of the person's own."""
        if self._shell.run(line):
            self._composer.drafts.accepted("!" + line)
            self._parts.widgets.transcript.follow()

    def keep(self, text: str) -> None:
        self._parts.session.keep_draft(text)
        self._parts.fit_soon()

    def touched(self) -> None:
        self._parts.touched = self._parts.now()
        self._parts.widgets.notices.pressed()

    # ---- into it

    def drop(self, text: str) -> None:
        """Files that were dropped on the terminal."""
        self._parts.sender.later(self._pictures.from_paths(paths_in(text)))

    def attach_image(self, path: str) -> None:
        self._parts.sender.later(self._pictures.from_paths([path]))

    def edit(self, arg: str = "") -> None:
        """Write it in the person's own editor."""
        self._parts.sender.later(self._edit())

    async def _edit(self) -> None:
        try:
            text = await self._parts.desk.workspace.edit(self._composer.drafts.whole)
        except CrazeError as error:
            self._parts.say(f"{error} · {error.hint}" if error.hint else str(error), "warning")
            return
        if text is not None:
            self._composer.drafts.fill(text)

    def paste(self) -> None:
        self._parts.sender.later(self._paste())

    async def _paste(self) -> None:
        """The image on the clipboard, else the text that was copied here."""
        if not await self._pictures.from_clipboard() and (text := self._parts.stage.clipboard):
            self._composer.paste(text)

    def read_paths(self) -> None:
        """The names of files that the draft may mention."""
        self._parts.sender.later(self._read_paths())

    async def _read_paths(self) -> None:
        self._composer.refresh_paths(await self._parts.desk.workspace.paths())

    def read_history(self) -> None:
        self._parts.sender.later(self._read_history())

    async def _read_history(self) -> None:
        self._composer.recall.load(await self._parts.desk.library.prompts())
