"""What the panels of asks have in common: their frame, their text that scrolls, a field, and when their keys count.

A panel shows one open ask and posts what the person wants. It stays until the ask's ending comes; an answer that was
sent is shown as `sending…`, a refused one brings everything typed back.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final

from msgspec import Struct
from msgspec.structs import replace
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive

from craze.engine.answers import AnswerValue, OpenAsk
from craze.tui.dialogs.context import MOST_ROWS, Context
from craze.tui.dialogs.rows import Hint, Row, Rows, RowsWidget, hint_row, text_row, title_row, wrapped
from craze.tui.dialogs.typed import Typed, lines
from craze.tui.keys import bindings
from craze.tui.lines import DIM
from craze.tui.scrub import line
from craze.tui.transcript.paint.brush import Brush

GRACE: Final = 0.3
"""Seconds after the panel got the keyboard before a key answers: what was typed for the composer must not."""

BODY: Final = 12
"""Rows of its text that a panel wishes for at most."""

TOLD: Final = 2
FIELD: Final = 4

PANEL_BINDINGS: Final = (
    "ask.pick",
    "ask.up",
    "ask.down",
    "ask.choose",
    "ask.view",
    "ask.scroll_up",
    "ask.scroll_down",
    "ask.next",
    "ask.stop",
)


class Said(Struct, frozen=True):
    """What a kind of ask shows in some width."""

    does: str
    """What the asker does: `asks`."""
    about: str
    body: Callable[[], Rows]
    """Draws the text that the ask is about."""
    key: tuple[object, ...]
    """What the body is made from, beside its width."""
    full: Callable[[], str]
    """All of the text, for the full screen."""
    choices: Rows
    """What can be chosen, a row each or more."""
    hints: Sequence[Hint]
    at: int = 0
    """The row of the choices that must stay in sight."""
    extra: Sequence[Row] = ()
    """Rows between the choices and the hints."""


class AskPanel(RowsWidget, can_focus=True):
    """One ask above the composer. `said`: what its kind shows in a width."""

    BINDINGS = bindings(*PANEL_BINDINGS)
    DEFAULT_CSS = "AskPanel { height: 1fr; background: $background; color: $foreground; }"
    SCROLLS: ClassVar[int] = 3

    context: reactive[Context] = reactive(Context(), init=False)
    cursor: reactive[int] = reactive(0, init=False)
    field: reactive[Typed | None] = reactive(None, init=False)
    """The text that is typed, while something is."""
    trouble: reactive[str] = reactive("", init=False)
    sending: reactive[bool] = reactive(False, init=False)
    locked = False
    """Only shown: nothing here answers it."""
    top: reactive[int] = reactive(0, init=False)
    """The first row of its text that is shown."""

    class Answered(Message):
        """The person has answered."""

        def __init__(self, panel: AskPanel, answer: AnswerValue) -> None:
            super().__init__()
            self.panel, self.ask, self.answer = panel, panel.ask.id, answer

    class StopTurn(Message):
        """The turn should stop, and every open ask with it."""

    class NextAsk(Message):
        """Another of the open asks should be shown."""

    class Resized(Message):
        """The panel wishes for another height."""

    class ViewFull(Message):
        """The whole text on the full screen."""

        def __init__(self, title: str, text: str) -> None:
            super().__init__()
            self.title, self.text = title, text

    class OpenLink(Message):
        """The person wants the link opened."""

        def __init__(self, target: str) -> None:
            super().__init__()
            self.target = target

    class Edit(Message):
        """A text should be changed in the person's editor; the result goes to `panel.edited`."""

        def __init__(self, panel: AskPanel, text: str, suffix: str) -> None:
            super().__init__()
            self.panel, self.text, self.suffix = panel, text, suffix

    def __init__(
        self,
        ask: OpenAsk,
        context: Context,
        brush: Brush,
        said: Callable[[int], Said],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(self.rows)
        self.ask, self.brush, self._said = ask, brush, said
        self._now = now
        self._since = 0.0
        self._body: tuple[object, Rows] = (None, [])
        self._height = self._wished = 0
        self._finding = False
        self.set_reactive(AskPanel.context, context)

    # ---- what the screen uses

    def wished(self, width: int) -> int:
        """Rows that the panel would like."""
        return _height(*self._parts(width, self._said(width)))

    def least(self, width: int) -> int:
        """Rows of the title, the choices and the hints."""
        _, _, choices, tail = self._parts(width, self._said(width))
        return 1 + len(choices) + len(tail)

    def refused(self, detail: Mapping[str, str]) -> None:
        """The answer did not fit: say why, and let everything typed stand."""
        self.sending = False
        self.trouble = " · ".join(line(said) for said in detail.values()) or "this answer does not fit"

    def take_ask(self, ask: OpenAsk) -> None:
        """The ask as it is known now: its form and call may come right behind its opening."""
        self.ask = ask

    def edited(self, text: str | None) -> None:
        """What came back from the editor; None: it was left with an error."""

    # ---- drawing

    def rows(self, width: int, height: int) -> Rows:
        said = self._said(width)
        head, body, choices, tail = self._parts(width, said)
        if (wished := _height(head, body, choices, tail)) != self._wished:
            self._wished = wished
            self.post_message(self.Resized())
        room = height - 1 - len(choices) - len(tail)
        head = head[: max(1, 1 + room)]
        room -= len(head) - 1
        if room < 0:
            choices = _around(choices, said.at, max(1, len(choices) + room))
        gap = [Row()] if body and room > min(len(body), 3) else []
        self._height = max(0, room - len(gap))
        shown = self._window(body, self._height)
        if shown is not body:
            tail = self._tail(width, said, cut=True)
        return [*head, *shown, *gap, *choices, *tail][: max(1, height)]

    def _parts(self, width: int, said: Said) -> tuple[Rows, Rows, Rows, Rows]:
        return self._head(width, said), self._kept_body(width, said), said.choices, self._tail(width, said)

    def _kept_body(self, width: int, said: Said) -> Rows:
        key = (width, self.brush, *said.key)
        if self._body[0] != key:
            self._body = (key, said.body())
            if self.brush.waits and not self._finding:
                self._finding = True
                self.run_worker(self._embellish())
        return self._body[1]

    async def _embellish(self) -> None:
        """Draw with the colours and differences as they are found; the transcript may be at the same ones."""
        while self.brush.waits:
            if not await self.brush.find():
                await asyncio.sleep(GRACE)
            self._body = (None, [])
            self.refresh()
        self._finding = False

    def _head(self, width: int, said: Said) -> Rows:
        told = [row for each in self.context.told for row in wrapped(Content.styled(f" {each}", DIM), width)]
        if len(told) > TOLD:
            told = [*told[: TOLD - 1], text_row((" … (v)", DIM), action="view")]
        return [title_row(width, self._title(said)), *told]

    def _title(self, said: Said) -> str:
        number = f" · {self.context.number} of {self.context.of}" if self.context.of > 1 else ""
        return f"{self.context.asker} {said.does}{number}" + (f" · {said.about}" if said.about else "")

    def _tail(self, width: int, said: Said, *, cut: bool = False) -> Rows:
        rows = [*said.extra]
        if self.trouble:
            rows += wrapped(Content.styled(f" {self.trouble}", "$error"), width)[:2]
        if self.context.next:
            rows.append(text_row((f" next: {self.context.next}", DIM), action="next"))
        if self.locked:
            return [*rows, text_row((" as it was asked · the recording answers", DIM))]
        if self.sending:
            return [*rows, text_row((" sending…", DIM))]
        if not self.has_focus:
            return [*rows, Row(Content.styled(" tab to answer", DIM))]
        return [*rows, hint_row(width, self._kept_hints(said, cut=cut))]

    def _kept_hints(self, said: Said, *, cut: bool) -> list[Hint]:
        """Of a text that is not shown whole, the way to all of it comes first."""
        views = [hint for hint in said.hints if hint.action == "view"] or [Hint("v", "full", "view")]
        if not cut or self.text_field() is not None:
            return list(said.hints)
        others = [hint for hint in said.hints if hint.action != "view"]
        return [*others[:-1], replace(views[0], first=True), *others[-1:]]

    def _window(self, body: Rows, height: int) -> Rows:
        if len(body) <= height:
            return body
        if height < 2:
            return body[:height]  # of a command its first line says more than how many there are
        first = max(0, min(self.top, len(body) - height + 1))
        more = len(body) - first - height + 1
        if more <= 0:
            return body[-height:]
        beyond = "+" if len(body) > MOST_ROWS else ""
        said = f"    … {more}{beyond} more {'line' if more == 1 else 'lines'} (v)"
        return [*body[first : first + height - 1], text_row((said, DIM), action="view")]

    def field_rows(self, width: int, label: str) -> Rows:
        """The text that is typed behind its label."""
        if self.field is None:
            return []
        shown = lines(self.field, width - len(label) - 3, FIELD, active=self.has_focus)
        pad = " " * (len(label) + 2)
        return [Row(Content.assemble((f" {label} " if not at else pad, DIM)) + row) for at, row in enumerate(shown)]

    # ---- life

    def on_focus(self) -> None:
        self._since = self._now()
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    @property
    def awake(self) -> bool:
        """Whether a key may answer by now."""
        return not self.sending and not self.locked and self._now() - self._since >= GRACE

    def takes_click(self, event: events.Click) -> bool:
        """The first click only brings the keyboard here, and the next one must not follow at once."""
        return self.awake and self.has_focus

    def on_key(self, event: events.Key) -> None:
        held = None if self.sending else self.text_field()
        changed = held.take(event) if held else None
        # At the ends of a text the arrows are free for the panel.
        if changed is not None and (changed != held or event.key not in ("left", "right")):
            event.stop()
            event.prevent_default()
            self.set_text(changed)

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        held = None if self.sending else self.text_field()
        if held is not None:
            self.set_text(held.put(event.text, newlines=self.takes_newlines()))

    def text_field(self) -> Typed | None:
        """The text that keys go to, None while they mean other things."""
        return self.field

    def set_text(self, text: Typed) -> None:
        self.field = text

    def takes_newlines(self) -> bool:
        return True

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self._scroll(-self.SCROLLS)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self._scroll(self.SCROLLS)

    def _scroll(self, by: int) -> None:
        most = max(0, len(self._body[1]) - self._height + (self._height > 0))
        self.top = max(0, min(self.top + by, most))

    def send(self, answer: AnswerValue) -> None:
        """Hand the answer out, unless it comes too early to be meant."""
        if self.awake:
            self.trouble = ""
            self.sending = True
            self.post_message(self.Answered(self, answer))

    # ---- actions

    def action_scroll_up(self) -> None:
        self._scroll(-1)

    def action_scroll_down(self) -> None:
        self._scroll(1)

    def action_view(self) -> None:
        told, said = "\n".join(self.context.told), self._said(self.size.width)
        text = said.full()
        self.post_message(self.ViewFull(self._title(said), f"{told}\n\n{text}" if told else text))

    def action_next(self) -> None:
        self.post_message(self.NextAsk())


def _height(head: Rows, body: Rows, choices: Rows, tail: Rows) -> int:
    return len(head) + min(len(body), BODY) + len(choices) + len(tail) + bool(body)


def _around(rows: Rows, at: int, height: int) -> Rows:
    first = max(0, min(at - height // 2, len(rows) - height))
    return rows[first : first + height]
