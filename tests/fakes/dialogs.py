"""An app that shows one widget or one dialog, and keeps what it says."""

from __future__ import annotations

from typing import Any

from textual.app import App, ComposeResult
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from craze.codec import Permission, PermissionOption, Tool
from craze.engine.answers import AnswerValue, OpenAsk
from craze.engine.facts import Info
from craze.engine.view import View
from craze.tui.dialogs.ask_panel import AskPanel
from craze.tui.dialogs.ask_slot import AskSlot
from craze.tui.theme import Themes
from craze.tui.transcript.paint.brush import Brush
from tests.fakes.screen import GOLDEN, text_of

__all__ = ["GOLDEN", "Asking", "Showing", "find", "options", "permission", "text_of", "view"]

PALETTE = Themes().get("craze-dark")


def brush() -> Brush:
    return Brush(palette=PALETTE)


class Showing(App[None]):
    """Shows `shown` alone; a screen is pushed and its result kept."""

    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = ""

    def __init__(self, shown: Widget | Screen[Any]) -> None:
        super().__init__()
        self.shown = shown
        self.results: list[object] = []
        self.register_theme(PALETTE.textual)
        self.theme = PALETTE.name

    def compose(self) -> ComposeResult:
        if not isinstance(self.shown, Screen):
            yield self.shown

    def on_mount(self) -> None:
        if isinstance(self.shown, Screen):
            self.push_screen(self.shown, self.results.append)
        else:
            self.shown.focus()


class Asking(App[None]):
    """The asks of a view in their slot; time stands still until `pass_time`."""

    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = ""
    CSS = "AskSlot { height: 1fr; }"

    def __init__(self, view: View, *, locked: bool = False) -> None:
        super().__init__()
        self.view = view
        self.time = 100.0
        self.idle: float | None = 9.0
        self.slot = AskSlot(lambda: self.idle, brush, now=lambda: self.time, locked=locked)
        self.answers: list[AnswerValue] = []
        self.said: list[Message] = []
        self.register_theme(PALETTE.textual)
        self.theme = PALETTE.name

    def compose(self) -> ComposeResult:
        yield self.slot

    def on_mount(self) -> None:
        self.slot.show(self.view)

    def on_ask_panel_answered(self, message: AskPanel.Answered) -> None:
        self.answers.append(message.answer)

    def on_ask_panel_next_ask(self) -> None:
        self.slot.next()

    def on_ask_panel_stop_turn(self, message: Message) -> None:
        self.said.append(message)

    def on_ask_panel_view_full(self, message: Message) -> None:
        self.said.append(message)

    def on_ask_panel_edit(self, message: Message) -> None:
        self.said.append(message)

    def on_ask_panel_open_link(self, message: Message) -> None:
        self.said.append(message)

    def pass_time(self, seconds: float = 1.0) -> None:
        self.time += seconds

    @property
    def panel(self) -> AskPanel:
        assert self.slot.panel
        return self.slot.panel


def find(app: App[Any], text: str) -> tuple[int, int]:
    """Column and row where a text stands on the screen."""
    for y, row in enumerate(text_of(app).splitlines()):
        if (x := row.find(text)) >= 0:
            return x, y
    raise AssertionError(f"{text!r} is not on the screen:\n{text_of(app)}")


def options(*rows: tuple[str, str, str]) -> tuple[PermissionOption, ...]:
    """Rows of id, name and kind."""
    return tuple(PermissionOption(option_id=id_, name=name, kind=kind) for id_, name, kind in rows)


THREE = options(
    ("always", "Always allow pytest in this project", "allow_always"),
    ("once", "Allow once", "allow_once"),
    ("no", "Reject", "reject_once"),
)
PYTEST = Tool(
    id="t1", kind="execute", title="pytest", raw_input='{"command":"pytest -q tests/test_client.py --maxfail=1"}'
)


def permission(options: tuple[PermissionOption, ...] = THREE, id_: str = "a1", tool: str = "t1") -> OpenAsk:
    return OpenAsk(body=Permission(id=id_, tool=tool, options=options), id=id_, tool=tool)


def view(*asks: OpenAsk, tools: tuple[Tool, ...] = (PYTEST,), can: tuple[Any, ...] = ("feedback",)) -> View:
    info = Info(agent="demo", workspace="~/src/flaky", can=frozenset(can))
    return View(info=info, asks=asks, tools_open=tools)
