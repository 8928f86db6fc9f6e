"""Questions: pages, choices, texts, the review, and what the session refuses."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec import Raw
from msgspec.structs import replace

from craze.codec import Question, QuestionItem, QuestionOption
from craze.engine import forms
from craze.engine.answers import Form, OpenAsk, Reply, Skip
from craze.tui.dialogs.ask_panel import AskPanel
from craze.tui.dialogs.question import QuestionPanel
from tests.fakes.dialogs import Asking, find, text_of, view

SIZE = (80, 20)
DATABASES: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name of the service", "default": "demo"},
        "db": {
            "type": "array",
            "title": "Databases",
            "items": {
                "anyOf": [
                    {"const": "sqlite", "title": "SQLite", "description": "in a file"},
                    {"const": "pg", "title": "PostgreSQL", "description": "by URL"},
                ]
            },
            "default": ["sqlite"],
        },
        "port": {"type": "integer", "title": "Port", "minimum": 1024, "maximum": 65535},
    },
    "required": ["name"],
}
COLOUR: dict[str, Any] = {
    "type": "object",
    "properties": {
        "colour": {"type": "string", "title": "Which colour?", "enum": ["red", "blue"]},
        "colour_custom": {"type": "string", "title": "Other"},
    },
}


def asked(schema: dict[str, Any], title: str = "Set up the database") -> OpenAsk:
    made = forms.question(Raw(msgspec.json.encode(schema)), title)
    assert made
    question, form = made
    return OpenAsk(body=replace(question, id="q1"), id="q1", form=form)


def showing(schema: dict[str, Any]) -> Asking:
    return Asking(view(asked(schema)))


async def answered(app: Asking, *keys: str) -> list[object]:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.press(*keys)
        return list(app.answers)


@pytest.mark.rule("TUI-140")
async def test_a_digit_answers_a_single_choice_at_once() -> None:
    assert await answered(showing(COLOUR), "2") == [Reply(answers={"colour": ("blue",)})]


@pytest.mark.rule("TUI-140")
async def test_enter_answers_with_the_option_under_the_cursor() -> None:
    assert await answered(showing(COLOUR), "down", "enter") == [Reply(answers={"colour": ("blue",)})]


@pytest.mark.rule("TUI-140")
async def test_the_companion_text_is_the_last_row_and_takes_every_letter() -> None:
    app = showing(COLOUR)

    assert await answered(app, "3", *"y n1 v", "enter") == [Reply(answers={"colour_custom": ("y n1 v",)})]


@pytest.mark.rule("TUI-140")
async def test_free_text_beside_options_is_an_answer_of_the_item_itself() -> None:
    item = QuestionItem(id="q", prompt="Which?", options=(QuestionOption(id="a", label="A"),))
    ask = OpenAsk(body=Question(id="q1", title="", questions=(item,)), id="q1", form=Form(custom=("q",)))

    assert await answered(Asking(view(ask)), "2", *"mine", "enter") == [Reply(answers={"q": ("mine",)})]


@pytest.mark.rule("TUI-141", "TUI-142")
async def test_defaults_are_preselected_and_nothing_is_sent_before_the_review() -> None:
    app = showing(DATABASES)

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.press("enter")
        second = text_of(app)
        await pilot.press("2", "enter", "enter")
        review = text_of(app)
        before = list(app.answers)
        await pilot.press("enter")

    assert "question 2/3 · Set up the database" in second
    assert "[x] SQLite" in second
    assert "in a file, default" in second
    assert "3 Port                  —" in review
    assert before == []
    assert app.answers == [Reply(answers={"name": ("demo",), "db": ("sqlite", "pg")})]


@pytest.mark.rule("TUI-140")
async def test_the_header_of_the_first_question_does_not_stand_over_the_second() -> None:
    items = tuple(
        QuestionItem(id=name, prompt=f"Which {name}?", options=(QuestionOption(id="a", label="A"),))
        for name in ("library", "licence")
    )
    ask = OpenAsk(body=Question(id="q1", title="Library", questions=items), id="q1", form=Form())
    app = Asking(view(ask))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        first = text_of(app)
        await pilot.press("enter")
        second = text_of(app)

    assert "question 1/2 · Library" in first
    assert "Which licence?" in second
    assert "Library" not in second


@pytest.mark.rule("TUI-142")
async def test_a_digit_on_the_review_goes_back_to_that_item() -> None:
    app = showing(DATABASES)

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.press("enter", "enter", "enter", "1")
        assert "question 1/3" in text_of(app)


@pytest.mark.rule("TUI-142")
async def test_a_skipped_item_is_left_out_although_it_has_a_default() -> None:
    assert await answered(showing(DATABASES), "enter", "ctrl+n", "enter", "enter") == [
        Reply(answers={"name": ("demo",)})
    ]


@pytest.mark.rule("TUI-141")
async def test_a_page_is_left_only_with_what_fits_the_form() -> None:
    app = showing(DATABASES)

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.press("enter", "enter", *"80", "enter")
        refused = text_of(app)
        await pilot.press(*"80", "enter")
        passed = text_of(app)

    assert "80 is less than the minimum of 1024" in refused
    assert "review" in passed
    assert "8080" in passed


@pytest.mark.rule("TUI-141")
async def test_a_required_text_that_was_emptied_is_asked_for() -> None:
    app = showing(DATABASES)

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.press("ctrl+u", "enter")
        assert "an answer is required" in text_of(app)


@pytest.mark.rule("TUI-132", "TUI-141")
async def test_a_refused_answer_brings_back_everything_with_the_message_under_its_item() -> None:
    app = showing(DATABASES)

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.press("enter", "enter", *"8080", "enter", "enter")
        sending = text_of(app)
        app.slot.refused("q1", {"port": "is taken"})
        await pilot.pause()
        back = text_of(app).splitlines()
        await pilot.press("enter")

    assert "sending…" in sending
    at = next(n for n, row in enumerate(back) if "8080" in row)
    assert back[at + 1].strip() == "is taken"
    assert len(app.answers) == 2


@pytest.mark.rule("TUI-138")
async def test_escape_clears_a_text_first_and_then_skips_the_question() -> None:
    app = showing(DATABASES)

    assert await answered(app, "escape", "escape") == [Skip()]


@pytest.mark.rule("TUI-140")
async def test_the_arrows_turn_pages_and_keep_what_was_chosen() -> None:
    app = showing(DATABASES)

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.press("enter", "2", "left", "right", "right", "right")
        await pilot.pause()
        assert isinstance(app.panel, QuestionPanel)
        assert app.panel.sheet.chosen["db"] == ["sqlite", "pg"]


@pytest.mark.rule("TUI-140")
async def test_alt_enter_writes_a_second_line() -> None:
    item = QuestionItem(id="q", prompt="Why?")
    ask = OpenAsk(body=Question(id="q1", questions=(item,)), id="q1")

    assert await answered(Asking(view(ask)), "a", "alt+enter", "b", "enter") == [Reply(answers={"q": ("a\nb",)})]


@pytest.mark.rule("TUI-143")
@pytest.mark.parametrize(
    ("url", "warning"),
    [
        ("https://example.org/sign-in", ""),
        ("https://xn--exmple-cua.org/", "may look like others"),
        ("https://example.org@evil.test/", "only a name"),
        ("http://10.0.0.1/", "a number, not a name"),
    ],
)
async def test_a_link_is_shown_whole_with_its_doubts_and_opened_only_when_chosen(url: str, warning: str) -> None:
    options = (QuestionOption(id="open", label="Open"), QuestionOption(id="decline", label="Decline"))
    body = Question(id="q1", title="Please sign in", questions=(QuestionItem(id="link", prompt=url, options=options),))
    app = Asking(view(OpenAsk(body=body, id="q1", person_only=True)))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        shown = text_of(app)
        before = list(app.said)
        await pilot.press("1")

    assert url in shown
    assert warning in shown
    assert before == []
    assert isinstance(app.said[0], AskPanel.OpenLink)
    assert app.answers == [Reply(answers={"link": ("open",)})]


async def test_declining_a_link_opens_nothing() -> None:
    options = (QuestionOption(id="open", label="Open"), QuestionOption(id="decline", label="Decline"))
    body = Question(id="q1", questions=(QuestionItem(id="link", prompt="https://example.org", options=options),))
    app = Asking(view(OpenAsk(body=body, id="q1")))

    assert await answered(app, "2") == [Reply(answers={"link": ("decline",)})]
    assert app.said == []


async def test_the_mouse_alone_answers_several_items() -> None:
    app = showing(DATABASES)

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        for word in ("enter next", "PostgreSQL", "enter next", "enter next", "enter send"):
            await pilot.click(offset=find(app, word))
            await pilot.pause()

    assert app.answers == [Reply(answers={"name": ("demo",), "db": ("sqlite", "pg")})]


@pytest.mark.rule("ACP-90")
@pytest.mark.parametrize("place", ["title", "prompt", "label"])
async def test_a_link_inside_an_ask_is_plain_text(place: str) -> None:
    words = {"title": "Title", "prompt": "Prompt", "label": "Label"}
    words[place] = "see [here](https://evil.test)\x1b]8;;https://evil.test\x07there\x1b]8;;\x07"
    options = (QuestionOption(id="a", label=words["label"]), QuestionOption(id="b", label="Other"))
    item = QuestionItem(id="q0", prompt=words["prompt"], options=options)
    app = Asking(view(OpenAsk(body=Question(id="q1", title=words["title"], questions=(item,)), id="q1")))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        shown = text_of(app)
        strips = app.screen._compositor.render_strips(app.size)

    assert "see [here](https://evil.test)there" in shown
    assert [each.style.link for strip in strips for each in strip if each.style and each.style.link] == []
