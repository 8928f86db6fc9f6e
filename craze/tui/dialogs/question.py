"""The panel of a question: one item a page, and a review before several are sent."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Final

from msgspec.structs import replace
from textual.content import Content
from textual.reactive import reactive

from craze.codec import Question, QuestionOption
from craze.engine.answers import OpenAsk, Skip
from craze.tui.dialogs.ask_panel import FIELD, AskPanel, Said
from craze.tui.dialogs.context import Context
from craze.tui.dialogs.links import doubt
from craze.tui.dialogs.rows import Hint, Hit, Row, Rows, indented, wrapped
from craze.tui.dialogs.sheet import Page, Sheet
from craze.tui.dialogs.typed import Typed, lines
from craze.tui.keys import bindings
from craze.tui.lines import DIM, cells
from craze.tui.scrub import cut, line, prose
from craze.tui.transcript.paint.brush import Brush

_DIGITS: Final = 9
_BESIDE: Final = 24
"""Cells that a label takes before its description."""


class QuestionPanel(AskPanel):
    """Posts a `Reply` with every item that was answered, or a `Skip`."""

    BINDINGS = bindings("ask.mark", "ask.back", "ask.forward", "ask.skip", "ask.newline")

    turned: reactive[int] = reactive(0, init=False)
    """Raised whenever the sheet has changed."""

    def __init__(self, ask: OpenAsk, context: Context, brush: Brush, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(ask, context, brush, self._shows, now)
        assert isinstance(ask.body, Question)
        self.sheet = Sheet(ask.body, ask.form)
        self.wrong: Mapping[str, str] = {}
        """What the session said of each item."""
        self._enter(self.sheet.at)

    def take_ask(self, ask: OpenAsk) -> None:
        if ask.form != self.ask.form and isinstance(ask.body, Question):
            self.sheet = Sheet(ask.body, ask.form)
            self._enter(0)
        super().take_ask(ask)

    # ---- drawing

    def _shows(self, width: int) -> Said:
        page = self.sheet.page
        return Said(
            does="asks",
            about=self._about(),
            body=lambda: self._body_rows(width),
            key=(self.sheet.at, page is not None and self._is_default(page)),
            full=self._full,
            choices=self._choices(width),
            hints=self._hints(),
            at=self.cursor,
            extra=self._wrong_rows(page, width) if page else (),
        )

    def _about(self) -> str:
        assert isinstance(self.ask.body, Question)
        page, pages = self.sheet.at + 1, len(self.sheet.pages)
        where = "review" if self.sheet.page is None else f"question {page}/{pages}" if pages > 1 else "a question"
        # Without a form the title is the header of the first question alone.
        said = line(self.ask.body.title) if page == 1 or self.sheet.form.schema else ""
        same = pages == 1 and said == line(self.sheet.pages[0].item.prompt)
        return where + (f" · {said}" if said and not same else "")

    def _body_rows(self, width: int) -> Rows:
        page = self.sheet.page
        if page is None:
            return []
        prompt = prose(page.item.prompt).strip() or line(page.item.id)
        rows = [Row(Content(" ") + row) for row in Content(prompt).wrap(max(2, width - 2))]
        if self._is_link(page):
            rows = [Row(Content(" ") + row) for row in Content(line(page.item.prompt)).fold(max(2, width - 2))]
            if warning := doubt(page.item.prompt):
                rows += wrapped(Content.styled(f" {warning}", "$warning"), width)
        notes = ["choose any"] if page.item.allow_multiple else []
        notes += ["default"] * self._is_default(page)
        notes += ["required"] * page.limit.required + [page.limit.said] * bool(page.limit.said)
        return rows + (wrapped(Content.styled(f" {' · '.join(notes)}", DIM), width) if notes else [])

    def _full(self) -> str:
        assert isinstance(self.ask.body, Question)
        parts = [line(self.ask.body.title)]
        for item in self.ask.body.questions:
            said = [f"- {line(option.label)}  {line(option.description)}".rstrip() for option in item.options]
            parts.append("\n".join([prose(item.prompt), *said]))
        return "\n\n".join(parts)

    def _choices(self, width: int) -> Rows:
        page = self.sheet.page
        if page is None:
            return self._review(width)
        rows = [row for at, option in enumerate(page.item.options) for row in self._option(page, at, option, width)]
        return rows + (self._text_rows(page, width) if page.text else [])

    def _option(self, page: Page, at: int, option: QuestionOption, width: int) -> Rows:
        on = option.id in self.sheet.chosen[page.item.id]
        sign = ("[x]" if on else "[ ]") if page.item.allow_multiple else ("●" if on else "○")
        mark, number = "▸" if at == self.cursor else " ", str(at + 1) if at < _DIGITS else " "
        notes = [line(option.description)] if option.description else []
        notes += ["default"] * (option.id in self.sheet.defaults.get(page.item.id, ()))
        note = ", ".join(notes)
        label = line(option.label) or line(option.id)
        hits = (Hit(0, width, f"take({at})"),)
        said = Content.assemble(f" {mark} {number} {sign} ", (label, "bold" if at == self.cursor else ""))
        if note:
            beside = said.pad_right(max(2, _BESIDE - said.cell_length))
            if beside.cell_length + cells(note) <= width:
                return [Row(Content.assemble(beside, (note, DIM)), hits)]
            under = wrapped(Content.styled(note, DIM), width - 8)
            return [
                Row(said.truncate(width, ellipsis=True), hits),
                *(replace(row, hits=hits) for row in indented(under, 7)),
            ]
        return [Row(said.truncate(width, ellipsis=True), hits)]

    def _text_rows(self, page: Page, width: int) -> Rows:
        at = len(page.item.options)
        alone = not page.item.options
        mark, number = "▸" if at == self.cursor else " ", str(at + 1) if at < _DIGITS else " "
        label = f" {mark} " if alone else f" {mark} {number} Other: "
        shown = lines(
            self.sheet.texts[page.text], width - len(label) - 1, FIELD, active=self._typing() and self.has_focus
        )
        hits = (Hit(0, width, f"take({at})"),)
        return [
            Row(Content(label if not n else " " * len(label)) + row, hits)
            for n, row in enumerate(shown or [Content("")])
        ]

    def _review(self, width: int) -> Rows:
        room = min(max(cells(self._called(page)) for page in self.sheet.pages), width // 2)
        rows: Rows = []
        for at, page in enumerate(self.sheet.pages):
            mark = "▸" if at == self.cursor else " "
            name = cut(self._called(page), room)
            number = str(at + 1) if at < _DIGITS else " "
            said = Content.assemble(f" {mark} {number} ", (name, DIM)).pad_right(
                max(0, room - Content(name).cell_length)
            )
            rows.append(
                Row(
                    (said + f"   {line(self.sheet.said(page))}").truncate(width, ellipsis=True),
                    (Hit(0, width, f"take({at})"),),
                )
            )
            rows += self._wrong_rows(page, width)
        return rows

    def _called(self, page: Page) -> str:
        """What an item is called in the review: its prompt, where that is its own."""
        own = sum(other.item.prompt == page.item.prompt for other in self.sheet.pages) == 1
        return line(page.item.prompt if own and page.item.prompt else page.item.id)

    def _wrong_rows(self, page: Page, width: int) -> Rows:
        said = self.wrong.get(page.item.id) or (self.wrong.get(page.text, "") if page.text else "")
        return wrapped(Content.styled(f"     {line(said)}", "$error"), width) if said else []

    def _hints(self) -> list[Hint]:
        page = self.sheet.page
        if page is None:
            last = min(len(self.sheet.pages), _DIGITS)
            return [
                Hint("enter", "send", "choose"),
                Hint(f"1-{last}", "change"),
                Hint("←", "back", "back"),
                Hint("esc", "skip all", "stop"),
            ]
        several = len(self.sheet.pages) > 1
        rows = min(page.rows, _DIGITS)
        hints: list[Hint] = []
        if page.item.options and not self._typing():
            hints = [Hint(f"1-{rows}" + (" or space" if page.item.allow_multiple else ""), "", "mark")]
        hints.append(Hint("enter", "next" if several else "send", "choose"))
        if self._typing() and page.limit.lines:
            hints.append(Hint("alt+enter", "new line", "newline"))
        if several and self.sheet.at and not (self._typing() and self.sheet.texts[page.text].at):
            hints.append(Hint("←", "back", "back"))
        if several:
            hints.append(Hint("ctrl+n", "skip", "skip"))
        cleared = self._typing() and bool(self.sheet.texts[page.text].text)
        return [*hints, Hint("esc", "clear" if cleared else "skip all" if several else "skip", "stop")]

    # ---- typing

    def text_field(self) -> Typed | None:
        page = self.sheet.page
        return self.sheet.texts[page.text] if page is not None and self._typing() else None

    def set_text(self, text: Typed) -> None:
        self.sheet.type(text)
        self._changed()

    def _typing(self) -> bool:
        """Whether the cursor is in a text field."""
        page = self.sheet.page
        return page is not None and bool(page.text) and self.cursor == len(page.item.options)

    def _is_default(self, page: Page) -> bool:
        """Whether a text field holds what the form suggests."""
        given = self.sheet.defaults.get(page.text, ())
        return bool(page.text and not page.item.options and given) and self.sheet.texts[page.text].text == given[0]

    # ---- actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if self.sending:
            return action in ("view", "scroll_up", "scroll_down", "next")
        checks = {
            "newline": self._typing(),
            "skip": self.sheet.page is not None,
            "back": self.sheet.at > 0,
            "forward": self.sheet.at < self.sheet.last,
        }
        return checks.get(action, True)

    def action_up(self) -> None:
        self.cursor = max(0, self.cursor - 1)

    def action_down(self) -> None:
        page = self.sheet.page
        self.cursor = min(self.cursor + 1, (page.rows if page else len(self.sheet.pages)) - 1)

    def action_pick(self, number: int) -> None:
        """A digit: an option, the text field, or of the review a page."""
        page = self.sheet.page
        if page is None:
            if number <= len(self.sheet.pages):
                self._enter(number - 1)
            return
        if number > page.rows or not self.awake:
            return
        self.cursor = number - 1
        if not self._typing():
            self.action_mark()
            if not page.item.allow_multiple:
                self._go_on()

    def action_take(self, at: int) -> None:
        """A click chooses of several at once, else where the cursor is already."""
        page = self.sheet.page
        again, self.cursor = at == self.cursor, at
        if page is None:
            self._enter(at)
        elif page.item.allow_multiple:
            self.action_mark()
        elif again and not self._typing():
            self.action_choose()

    def action_mark(self) -> None:
        page = self.sheet.page
        if page and not self._typing() and self.awake:
            self.sheet.toggle(page.item.options[self.cursor].id)
            self._changed()

    def action_choose(self) -> None:
        """Enter: the option under the cursor, and on to the next page."""
        page = self.sheet.page
        if not self.awake:
            return
        if page and not page.item.allow_multiple and not self._typing() and page.item.options:
            self.sheet.toggle(page.item.options[self.cursor].id)
        self._go_on()

    def action_skip(self) -> None:
        if self.awake:
            self.sheet.skip()
            self._leave(self.sheet.at + 1)

    def action_back(self) -> None:
        self._enter(self.sheet.at - 1)

    def action_forward(self) -> None:
        self._go_on(send=False)

    def action_newline(self) -> None:
        if (text := self.text_field()) is not None:
            self.set_text(text.put("\n", newlines=True))

    def action_stop(self) -> None:
        text = self.text_field()
        if text is not None and text.text:
            self.set_text(Typed())
        else:
            self.send(Skip())

    def refused(self, detail: Mapping[str, str]) -> None:
        self.sending = False
        self.wrong = detail
        pages = [at for name in detail if (at := self.sheet.page_of(name)) is not None]
        if pages:
            self._enter(min(pages) if len(self.sheet.pages) == 1 else self.sheet.last)
        else:
            super().refused(detail)

    def _go_on(self, *, send: bool = True) -> None:
        if self.sheet.page is not None:
            self.sheet.touch()
            if message := self.sheet.misses():
                self.trouble = line(message)
                return
        elif not send:
            return
        self._leave(self.sheet.at + 1)

    def _leave(self, to: int) -> None:
        if to > self.sheet.last:
            self._send()
        else:
            self._enter(to)

    def _send(self) -> None:
        page = self.sheet.pages[0]
        if self._is_link(page) and self.sheet.chosen[page.item.id] == ["open"] and self.awake:
            self.post_message(self.OpenLink(page.item.prompt))
        self.send(self.sheet.reply())
        self._changed()

    def _enter(self, at: int) -> None:
        """Open a page, the cursor on what is chosen there."""
        self.sheet.at = at
        page = self.sheet.page
        self.trouble, self.top, self.cursor = "", 0, 0
        if page is not None:
            chosen = self.sheet.chosen[page.item.id]
            typed = bool(page.text) and bool(self.sheet.texts[page.text].text)
            ids = [option.id for option in page.item.options]
            self.cursor = ids.index(chosen[0]) if chosen else len(ids) if typed else 0
        self._changed()

    def _changed(self) -> None:
        self.turned += 1

    def _is_link(self, page: Page) -> bool:
        ids = {option.id for option in page.item.options}
        return ids == {"open", "decline"} and page.item.prompt.startswith(("http://", "https://"))
