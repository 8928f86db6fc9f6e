"""The answers to a question while they are given: pages, what is chosen and typed on each, and the whole `Reply`.

A page is one item, together with the free text that may stand beside its options: that of a companion item
(`<id>_custom`) or, where the form allows it, of the item itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from craze.codec import Question, QuestionItem
from craze.engine import forms
from craze.engine.answers import AnswerValue, Form, Reply, Skip
from craze.tui.dialogs.limits import Limit, limits
from craze.tui.dialogs.typed import Typed, end_of


class Page(Struct, frozen=True):
    """`text`: the item that a free text answers, "" where none is taken."""

    item: QuestionItem
    text: str = ""
    limit: Limit = Limit()

    @property
    def rows(self) -> int:
        """Places of the cursor: the options, and the free text behind them."""
        return len(self.item.options) + bool(self.text)


class Sheet:
    """What the person has answered so far. `at` is the page; behind the last one of several comes the review."""

    def __init__(self, question: Question, form: Form | None) -> None:
        self.question, self.form = question, form or Form()
        self.pages = _pages(question, self.form)
        self.at = 0
        given = forms.defaults(self.form)
        self.defaults: Mapping[str, tuple[str, ...]] = given
        self._options = {page.item.id: [option.id for option in page.item.options] for page in self.pages}
        self.chosen = {
            name: [each for each in given.get(name, ()) if each in ids] for name, ids in self._options.items()
        }
        self.texts = {page.text: end_of(_text(page, given)) for page in self.pages if page.text}
        self._touched: set[str] = set()
        self._skipped: set[str] = set()

    @property
    def page(self) -> Page | None:
        """The page that is open, None for the review."""
        return self.pages[self.at] if self.at < len(self.pages) else None

    @property
    def last(self) -> int:
        """The number of the last page; several items have a review behind them."""
        return len(self.pages) if len(self.pages) > 1 else 0

    def toggle(self, option: str) -> None:
        """Choose an option, or of several take it back."""
        page = self.pages[self.at]
        held = self.chosen[page.item.id]
        self._answer(page)
        if not page.item.allow_multiple:
            self.chosen[page.item.id] = [option]
            if page.text:
                self.texts[page.text] = Typed()
        elif option in held:
            held.remove(option)
        else:
            held.append(option)

    def type(self, text: Typed) -> None:
        """The free text of the page; beside a single choice it takes the choice's place."""
        page = self.pages[self.at]
        self._answer(page)
        self.texts[page.text] = text
        if text.text and not page.item.allow_multiple:
            self.chosen[page.item.id] = []

    def skip(self) -> None:
        """Leave the item without an answer."""
        self._skipped.add(self.pages[self.at].item.id)

    def touch(self) -> None:
        """The page was seen and gone on from: it counts again when it was skipped."""
        self._skipped.discard(self.pages[self.at].item.id)

    def answer_of(self, page: Page) -> dict[str, tuple[str, ...]]:
        """What a page answers, by item; nothing when it is empty or skipped."""
        item = page.item
        if item.id in self._skipped:
            return {}
        ids = tuple(each for each in self._options[item.id] if each in self.chosen[item.id])
        text = self.texts[page.text].text if page.text else ""
        typed = (text,) if text.strip() else ()
        if page.text == item.id:
            ids, typed = ids + typed, ()
        emptied = item.allow_multiple and item.id in self._touched and not typed
        found = {item.id: ids} if ids or emptied else {}
        return {**found, page.text: typed} if typed else found

    def said(self, page: Page) -> str:
        """The answer of a page for the review."""
        labels = {option.id: option.label or option.id for option in page.item.options}
        given = [labels.get(each, each) for texts in self.answer_of(page).values() for each in texts]
        return ", ".join(given) if given else "none" if self.answer_of(page) else "—"

    def misses(self) -> str:
        """What is wrong with the open page, "" when it may be left."""
        page = self.page
        if page is None or page.item.id in self._skipped:
            return ""
        found = forms.misses(self.form, self.question, self.answers())
        return found.get(page.item.id) or (found.get(page.text, "") if page.text else "")

    def answers(self) -> dict[str, tuple[str, ...]]:
        return {name: texts for page in self.pages for name, texts in self.answer_of(page).items()}

    def reply(self) -> AnswerValue:
        """The whole answer; when everything was left empty, that the person does not answer."""
        answers = self.answers()
        return Reply(answers=answers) if answers else Skip()

    def page_of(self, item: str) -> int | None:
        """The page that an item is answered on."""
        return next((at for at, page in enumerate(self.pages) if item in (page.item.id, page.text)), None)

    def _answer(self, page: Page) -> None:
        self._touched.add(page.item.id)
        self._skipped.discard(page.item.id)


def _pages(question: Question, form: Form) -> tuple[Page, ...]:
    items = {item.id: item for item in question.questions}
    said = limits(form)
    companions = {
        f"{item.id}_custom": item.id
        for item in question.questions
        if item.options and (other := items.get(f"{item.id}_custom")) and not other.options
    }
    texts = {of: name for name, of in companions.items()}
    return tuple(
        Page(
            item,
            texts.get(item.id) or (item.id if not item.options or item.id in form.custom else ""),
            said.get(item.id, Limit()),
        )
        for item in question.questions
        if item.id not in companions
    )


def _text(page: Page, given: Mapping[str, tuple[str, ...]]) -> str:
    """The default of a free text: that of its own item where it has no options."""
    own = page.text != page.item.id or not page.item.options
    return next(iter(given.get(page.text, ())), "") if own else ""
