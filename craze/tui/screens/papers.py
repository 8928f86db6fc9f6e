"""What is told of a session beside its transcript: its log, what it used, and a file with all of it."""

from __future__ import annotations

from typing import Literal

from craze.errors import CrazeError
from craze.tui.screens import log
from craze.tui.screens.parts import Parts
from craze.tui.screens.reading import Reading


class Papers:
    """The log, the usage and the export of one session."""

    def __init__(self, parts: Parts, reading: Reading) -> None:
        self._parts, self._reading = parts, reading

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

    def read_log(self, arg: str = "") -> None:
        self._reading.read("log", self.log_text() or "nothing yet")

    def log_text(self) -> str:
        return log.text(self._parts.widgets.notices.kept, self._parts.view)

    def tell_usage(self) -> None:
        if used := log.used(self._parts.view):
            self._parts.say(used)
