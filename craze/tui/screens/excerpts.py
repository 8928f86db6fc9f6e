"""Takes texts out of a session: to the clipboard, into a file, onto a screen of their own, or to where a link leads."""

from __future__ import annotations

from typing import Literal

from craze.errors import CrazeError
from craze.tui.dialogs.links import doubt
from craze.tui.screens import log
from craze.tui.screens.parts import Parts
from craze.tui.screens.stage import push
from craze.tui.scrub import line
from craze.tui.transcript.view import TranscriptView
from craze.tui.words import count


class Excerpts:
    """What one session says, taken elsewhere."""

    def __init__(self, parts: Parts) -> None:
        self._parts, self._transcript = parts, parts.widgets.transcript

    # ---- copied

    def copy(self, text: str) -> None:
        if not text:
            self._parts.say("nothing to copy")
        else:
            self._parts.sender.later(self._copy(text))

    async def _copy(self, text: str) -> None:
        by_escape = self._parts.around.copy(text)
        by_program = await self._parts.desk.workspace.copy(text)
        if by_escape or by_program:
            self._parts.say(f"copied {count(len(text), 'character')}")
        else:
            self._parts.say("too long for the terminal's clipboard, and no program for it was found", "warning")

    def copy_reply(self, arg: str = "") -> None:
        """The last reply, or its n-th block of code."""
        text = self._transcript.last_reply()
        if arg:
            fences = fenced(text)
            if not arg.isdigit() or not 0 < int(arg) <= len(fences):
                self._parts.say(f"the last reply has {count(len(fences), 'block')} of code", "warning")
                return
            text = fences[int(arg) - 1]
        self.copy(text)

    # ---- written

    def export(self, arg: str = "") -> None:
        path = arg or f"craze-{self._parts.view.info.session[:8]}.md"
        self._parts.sender.later(self._export(path))

    async def _export(self, path: str) -> None:
        ending = path.rpartition(".")[2]
        form: Literal["html", "jsonl", "md"] = "html" if ending == "html" else "jsonl" if ending == "jsonl" else "md"
        try:
            written = await self._parts.desk.library.export(self._parts.view.info.session, path, form)
        except CrazeError as error:
            self._parts.say(str(error), "error")
        else:
            self._parts.say(f"written: {written}")

    # ---- read on a screen of its own

    def read(self, title: str, text: str) -> None:
        from craze.tui.dialogs.viewer import Viewer

        push(self._parts.screen, Viewer(title, text, self.copy))

    def read_block(self, message: TranscriptView.OpenViewer) -> None:
        """What the transcript shows a part of, whole."""
        if message.seq:
            self._parts.sender.later(self._read_whole(message))
        else:
            self.read(message.title, message.text)

    async def _read_whole(self, message: TranscriptView.OpenViewer) -> None:
        from craze.tui.transcript.whole import whole_text

        self.read(message.title, await whole_text(self._parts.session, message.seq) or message.text)

    def read_log(self, arg: str = "") -> None:
        self.read("log", self.log_text() or "nothing yet")

    def log_text(self) -> str:
        return log.text(self._parts.widgets.notices.kept, self._parts.view)

    def tell_usage(self) -> None:
        if used := log.used(self._parts.view):
            self._parts.say(used)

    # ---- links

    def open_link(self, target: str) -> None:
        """Asks first, since an agent wrote it."""
        warning = doubt(target)
        text = f"open this link?: {line(target)}" + (f"\n\n{warning}" if warning else "")
        later = self._parts.sender.later
        self._parts.confirm(text, {"enter": "open"}, lambda _: later(self._parts.open_link(target)))


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
