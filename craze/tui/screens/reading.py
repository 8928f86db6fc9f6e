"""Takes texts out of a transcript: to the clipboard, onto a screen of their own, or to where a link leads."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from textual.screen import Screen

from craze.engine.facts import Severity
from craze.tui.desk import Session, Workspace
from craze.tui.dialogs.links import doubt
from craze.tui.screens.stage import confirm, push
from craze.tui.scrub import line
from craze.tui.transcript.view import TranscriptView
from craze.tui.words import count


class Reading:
    """What one session says, read and copied.

    Args:
        screen: Where dialogs open.
        by_escape: Puts a text on the terminal's clipboard; False when it is too long for that.
        later: Does something beside the keys.
    """

    def __init__(
        self,
        screen: Screen[Any],
        session: Session,
        transcript: TranscriptView,
        workspace: Workspace,
        *,
        by_escape: Callable[[str], bool],
        say: Callable[[str, Severity], object],
        later: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        self._screen, self._session, self._transcript, self._workspace = screen, session, transcript, workspace
        self._by_escape, self._say, self._later = by_escape, say, later

    # ---- copied

    def copy(self, text: str) -> None:
        if not text:
            self._say("nothing to copy", "info")
        else:
            self._later(self._copy(text))

    async def _copy(self, text: str) -> None:
        by_escape = self._by_escape(text)
        by_program = await self._workspace.copy(text)
        if by_escape or by_program:
            self._say(f"copied {count(len(text), 'character')}", "info")
        else:
            self._say("too long for the terminal's clipboard, and no program for it was found", "warning")

    def copy_reply(self, arg: str = "") -> None:
        """The last reply, or its n-th block of code."""
        text = self._transcript.last_reply()
        if arg:
            fences = fenced(text)
            if not arg.isdigit() or not 0 < int(arg) <= len(fences):
                self._say(f"the last reply has {count(len(fences), 'block')} of code", "warning")
                return
            text = fences[int(arg) - 1]
        self.copy(text)

    # ---- on a screen of its own

    def read(self, title: str, text: str) -> None:
        from craze.tui.dialogs.viewer import Viewer

        push(self._screen, Viewer(title, text, self.copy))

    def read_block(self, message: TranscriptView.OpenViewer) -> None:
        """What the transcript shows a part of, whole."""
        if message.seq:
            self._later(self._read_whole(message))
        else:
            self.read(message.title, message.text)

    async def _read_whole(self, message: TranscriptView.OpenViewer) -> None:
        from craze.tui.transcript.whole import whole_text

        self.read(message.title, await whole_text(self._session, message.seq) or message.text)

    # ---- links

    def ask_to_open(self, target: str) -> None:
        """Open a link once the person has seen where it leads, since an agent wrote it."""
        warning = doubt(target)
        text = f"open this link?: {line(target)}" + (f"\n\n{warning}" if warning else "")
        confirm(self._screen, text, {"enter": "open"}, lambda _: self._later(self.open(target)))

    async def open(self, target: str) -> None:
        if not await self._workspace.open_link(target):
            self._say(f"no program opens links here: {target}", "warning")


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
