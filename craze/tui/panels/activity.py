"""What goes on now, in one line: `⠹ working 0:42 · esc to stop`."""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from craze.engine.facts import Activity, Cancelling
from craze.engine.view import View
from craze.tui.lines import DIM, Part, row
from craze.tui.moment import Moment
from craze.tui.panels.panel import drawn
from craze.tui.scrub import line
from craze.tui.told import stderr, stopping, told
from craze.tui.words import clock

SPINNER: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
ASCII_SPINNER: Final = "|/-\\"
REASONS: Final = {"subagent_wake": "a sub-agent came back", "resume": "it goes on", "external": "asked from elsewhere"}
TO_STOP: Final = "esc to stop"
STDERR_AFTER: Final = 3.0
"""Seconds of starting after which the agent's last error line is shown."""


_DOING: Final = {
    "execute": "running a command",
    "edit": "editing",
    "read": "reading",
    "search": "searching",
    "fetch": "fetching",
    "delete": "deleting",
    "move": "moving files",
    "think": "thinking",
}


class Doing(Struct, frozen=True):
    """What is shown: the word, since when (seconds since 1970, 0 = no clock), what follows, and what Esc does."""

    word: str
    since: float = 0.0
    more: str = ""
    esc: str = ""
    style: str = ""


def doing(view: View, moment: Moment, *, now: float, agent: str) -> Doing | None:
    """What the session does; None when it waits for a prompt.

    Args:
        now: Seconds since 1970.
        agent: The name that "starting" shows.
    """
    told_by_agent = line(told(view, "activity", Activity).text)
    pending = told(view, "cancelling", Cancelling)
    if view.status == "starting":
        said = stderr(view)[-1:] if now - moment.opened >= STDERR_AFTER else ()
        return Doing(f"starting {agent}".strip(), moment.opened, line("".join(said)), "esc to give up")
    if view.status == "replaying":
        return Doing("restoring", moment.opened)
    if view.status in ("closing", "closed"):
        return Doing("closing")
    if pending.turn or pending.foreign:
        return Doing("stopping", stopping(view) or now, "", "", "$warning")
    if view.asks:
        return Doing("waiting for you", moment.turn_began, style="$warning")
    if view.foreign:
        reason = REASONS.get(view.foreign.reason, "")
        can = "esc to stop" if "cancel_foreign" in view.info.can else ""
        more = " · ".join(filter(None, (reason, told_by_agent)))
        return Doing("the agent works on its own", moment.foreign_began, more, can)
    if not view.turn:
        return Doing("compacting") if view.compacting else None
    word = "compacting" if view.compacting else _working(view)
    more = f"quiet {clock(now - moment.heard)}" if moment.quiet else ""
    return Doing(word, moment.turn_began, " · ".join(filter(None, (told_by_agent, more))), TO_STOP)


def _working(view: View) -> str:
    """What the one call that runs does; else that it works."""
    running = [tool for tool in view.tools_open if tool.status == "in_progress" and tool.task is None]
    if not running:
        return "working"
    tool = running[-1]
    word = _DOING.get(tool.kind) or f"running {line(tool.tool_name or tool.name or tool.title)}".strip()
    return word + (f" +{len(running) - 1}" if len(running) > 1 else "")


def parts(doing: Doing, spinner: str, now: float, *, brief: bool = False) -> list[Part]:
    """The pieces of the line. `brief`: as a part of the status row."""
    said: list[Part] = [(spinner, "$primary"), " "]
    if not brief or doing.esc != TO_STOP:
        said += [(doing.word, doing.style), " "]
    if doing.since:
        said.append(clock(now - doing.since))
    if doing.more and not brief:
        said.append((f" · {doing.more}", DIM))
    if doing.esc:
        said.append((" esc stop" if brief else f" · {doing.esc}", DIM))
    return said


class ActivityLine(Widget):
    """The line, with a spinner that turns four times a second."""

    DEFAULT_CSS = "ActivityLine { height: 1; }"

    doing: reactive[Doing | None] = reactive(None)
    tick: reactive[int] = reactive(0)
    offer: reactive[str] = reactive("")
    """Keys that can be pressed now, such as those of a cancel that hangs."""

    def __init__(self, *, animated: bool, ascii_only: bool, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._frames = ASCII_SPINNER if ascii_only else SPINNER
        self._animated = animated
        self.now = 0.0

    @property
    def spinner(self) -> str:
        return self._frames[self.tick % len(self._frames)] if self._animated else "*"

    @drawn
    def render(self) -> Content:
        if self.doing is None:
            return Content("")
        offer: list[Part] = [(f" · {self.offer}", "$warning")] if self.offer else []
        return row(self.size.width, " ", *parts(self.doing, self.spinner, self.now), *offer)
