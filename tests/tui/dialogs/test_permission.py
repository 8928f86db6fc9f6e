"""Permissions: every option as it was offered, by keys and by mouse."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from msgspec import UNSET
from msgspec.structs import replace
from textual.strip import Strip

from craze.codec import Diff, Tool
from craze.engine.answers import Pick
from craze.tui.dialogs.ask_panel import AskPanel
from craze.tui.dialogs.call import MOST_ROWS, call_rows
from craze.tui.dialogs.permission import PermissionPanel
from tests.fakes.dialogs import PYTEST, Asking, brush, find, options, permission, text_of, view

SIZE = (80, 20)


async def answered(*keys: str, app: Asking) -> list[object]:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.press(*keys)
        return list(app.answers)


@pytest.mark.rule("TUI-134")
@pytest.mark.parametrize(
    ("key", "option"), [("1", "always"), ("2", "once"), ("3", "no"), ("y", "once"), ("a", "always"), ("n", "no")]
)
async def test_a_key_picks_the_option_that_it_names(key: str, option: str) -> None:
    app = Asking(view(permission()))

    assert await answered(key, app=app) == [Pick(option=option)]


@pytest.mark.rule("TUI-135")
async def test_enter_picks_the_option_that_the_engine_focuses() -> None:
    app = Asking(view(permission()))

    assert await answered("enter", app=app) == [Pick(option="once")]


@pytest.mark.rule("TUI-135")
async def test_a_no_that_stands_first_is_where_the_cursor_starts() -> None:
    app = Asking(view(permission(options(("no", "No", "reject_once"), ("yes", "Yes", "allow_once")))))

    assert await answered("enter", app=app) == [Pick(option="no")]


def test_a_change_in_the_folder_of_the_session_is_named_from_there() -> None:
    diffs = (Diff(path="/work/src/app.py", old_text="a\n", new_text="b\n"),)
    tool = Tool(id="c1", kind="edit", name="Edit", title="Edit", status="pending", diffs=diffs)
    painter = replace(brush(), folder="/work")

    rows = call_rows(tool, "/work", 80, painter)

    assert str(rows[0].text).startswith(" src/app.py ")


@pytest.mark.rule("TUI-134")
async def test_a_letter_of_two_options_only_moves_through_them() -> None:
    two = options(("a", "This way", "allow_once"), ("b", "That way", "allow_once"), ("c", "No", "reject_once"))
    app = Asking(view(permission(two)))

    assert await answered("y", app=app) == []
    app = Asking(view(permission(two)))
    assert await answered("y", "enter", app=app) == [Pick(option="b")]


@pytest.mark.rule("TUI-134", "TUI-135")
async def test_every_option_is_shown_verbatim_in_the_offered_order() -> None:
    odd = options(
        ("1", "Allow", "allow_once"),
        ("2", "Allow", "allow_once"),
        ("3", "", "maybe"),
        ("4", "No\x1b[31m way\u202e", "reject_always"),
    )
    app = Asking(view(permission(odd)))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        rows = [row.strip() for row in text_of(app).splitlines() if row[2:5].strip().isdigit()]

    assert rows == ["▸ 1 ✓  Allow", "2 ✓  Allow", "3 ·  (3)", "4 ✗✗ No way‹U+202E›"]


@pytest.mark.rule("TUI-135")
async def test_more_than_nine_options_are_narrowed_by_typing() -> None:
    many = options(*((f"o{n}", f"Option {n:02}", "allow_once") for n in range(1, 15)))
    app = Asking(view(permission(many)))

    assert await answered("/", *"12", "enter", app=app) == [Pick(option="o12")]


@pytest.mark.rule("TUI-135")
async def test_without_options_only_stopping_is_offered() -> None:
    app = Asking(view(permission(())))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        shown = text_of(app)
        await pilot.press("enter", "1", "y", "escape")

    assert " esc stop turn" in shown
    assert app.answers == []
    assert [type(each) for each in app.said] == [AskPanel.StopTurn]


@pytest.mark.rule("TUI-137")
async def test_a_reason_goes_with_the_reject_option() -> None:
    app = Asking(view(permission()))

    assert await answered("t", *"use echo", "enter", app=app) == [Pick(option="no", feedback="use echo")]


@pytest.mark.rule("TUI-137")
async def test_an_agent_that_takes_no_reason_gets_it_as_a_prompt_and_the_line_says_so() -> None:
    app = Asking(view(permission(), can=()))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press("t")
        assert "it becomes your next prompt" in text_of(app)


@pytest.mark.rule("TUI-138")
async def test_the_first_escape_clears_what_is_typed_and_the_last_one_stops_the_turn() -> None:
    app = Asking(view(permission()))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.press("t", *"no", "escape")
        assert app.panel.field is not None
        assert app.panel.field.text == ""
        await pilot.press("escape", "escape")

    assert [type(each) for each in app.said] == [AskPanel.StopTurn]


@pytest.mark.rule("TUI-136")
async def test_a_command_is_shown_whole_with_its_folder() -> None:
    app = Asking(view(permission()))

    async with app.run_test(size=(50, 20)) as pilot:
        await pilot.pause()
        rows = text_of(app).splitlines()

    assert rows[1:4] == [" pytest -q tests/test_client.py --maxfail=1", " in ~/src/flaky", ""]


@pytest.mark.rule("TUI-136")
async def test_an_edit_is_shown_as_its_diff_and_turns_side_by_side() -> None:
    diff = Diff(path="src/client.py", old_text="a\nsleep(1)\nb\n", new_text="a\nclock.sleep(1)\nb\n")
    tool = Tool(id="t1", kind="edit", title="Edit", diffs=(diff,))
    app = Asking(view(permission(), tools=(tool,)))

    async with app.run_test(size=(120, 20)) as pilot:
        await pilot.pause()
        app.pass_time()
        unified = text_of(app)
        await pilot.press("s")
        beside = text_of(app)

    assert "+1 −1" in unified
    assert "−" in unified
    assert len(unified.splitlines()) == len(beside.splitlines())
    assert any(
        "sleep(1)" in row and "clock.sleep(1)" in row.split("│")[-1] for row in beside.splitlines() if "│" in row
    )


@pytest.mark.rule("TUI-136")
async def test_leaving_plan_mode_is_a_review_of_the_plan_with_the_agents_own_options() -> None:
    tool = Tool(id="t1", kind="switch_mode", title="Ready to code?", content_text="# Plan\n\n1. **Read** it")
    app = Asking(view(permission(), tools=(tool,)))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        shown = text_of(app)

    assert shown.startswith("── demo proposes a plan ──")
    assert "1. Read it" in shown
    assert "Always allow pytest" in shown


@pytest.mark.rule("TUI-136")
async def test_a_long_body_scrolls_inside_and_is_read_in_full() -> None:
    long = Tool(
        id="t1", kind="execute", raw_input=msgspec.json.encode({"command": "\n".join("abcdefghijklmnopqrst")}).decode()
    )
    app = Asking(view(permission(), tools=(long,)))

    async with app.run_test(size=(60, 14)) as pilot:
        await pilot.pause()
        app.pass_time()
        before = text_of(app).splitlines()[1]
        await pilot.press("shift+down", "shift+down", "v")
        after = text_of(app).splitlines()[1]

    assert (before, after) == (" a", " c")
    full = app.said[0]
    assert isinstance(full, AskPanel.ViewFull)
    assert "\ns\nt\n" in full.text


@pytest.mark.rule("TUI-130")
async def test_the_title_names_who_asks_for_what_and_which_of_how_many() -> None:
    app = Asking(view(permission(), permission(id_="a2")))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        rows = text_of(app).splitlines()

    assert rows[0].startswith("── demo asks · 1 of 2 · run a command ─")
    assert " next: permission from demo" in rows


@pytest.mark.rule("TUI-220")
async def test_a_changed_command_goes_with_the_yes() -> None:
    app = Asking(view(permission(), can=("edit_input",)))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.press("e")
        asked = app.said[0]
        assert isinstance(asked, AskPanel.Edit)
        assert asked.text == "pytest -q tests/test_client.py --maxfail=1"
        asked.panel.edited("pytest -q\n")
        await pilot.pause()
        shown = text_of(app)
        await pilot.press("y")

    assert shown.splitlines()[1:3] == [" edited", " pytest -q"]
    answer = app.answers[0]
    assert isinstance(answer, Pick)
    assert answer.input is not UNSET
    assert msgspec.json.decode(answer.input) == {"command": "pytest -q"}


@pytest.mark.rule("TUI-220")
async def test_a_changed_command_keeps_the_words_about_it() -> None:
    tool = Tool(id="t1", kind="execute", title="Do", raw_input='{"command":"touch a","description":"make a"}')
    app = Asking(view(permission(), tools=(tool,), can=("edit_input",)))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.press("e")
        asked = app.said[0]
        assert isinstance(asked, AskPanel.Edit)
        assert asked.text == "touch a"
        asked.panel.edited("touch b\n")
        await pilot.press("y")

    answer = app.answers[0]
    assert isinstance(answer, Pick)
    assert answer.input is not UNSET
    assert msgspec.json.decode(answer.input) == {"command": "touch b", "description": "make a"}


@pytest.mark.rule("TUI-220")
async def test_a_command_with_more_than_words_about_it_is_changed_as_json() -> None:
    tool = Tool(id="t1", kind="execute", title="Do", raw_input='{"command":"touch a","timeout":1}')
    app = Asking(view(permission(), tools=(tool,), can=("edit_input",)))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.press("e")

    asked = app.said[0]
    assert isinstance(asked, AskPanel.Edit)
    assert msgspec.json.decode(asked.text) == {"command": "touch a", "timeout": 1}


@pytest.mark.rule("TUI-220")
async def test_a_changed_input_that_is_no_object_is_said_and_kept() -> None:
    tool = Tool(id="t1", kind="other", title="Do", raw_input='{"a":1,"b":2}')
    app = Asking(view(permission(), tools=(tool,), can=("edit_input",)))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.pass_time()
        await pilot.press("e")
        app.panel.edited('{"a":')
        await pilot.pause()
        assert "must be a JSON object" in text_of(app)
        await pilot.press("e")

    again = app.said[1]
    assert isinstance(again, AskPanel.Edit)
    assert again.text == '{"a":'


@pytest.mark.rule("TUI-220")
async def test_editing_is_hidden_from_agents_that_take_no_changed_input() -> None:
    app = Asking(view(permission()))

    assert await answered("e", app=app) == []
    assert app.said == []


async def test_the_mouse_alone_marks_an_option_and_then_chooses_it() -> None:
    app = Asking(view(permission()))
    app.idle = None

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        place = find(app, "Reject")
        await pilot.click(offset=place)
        app.pass_time()
        await pilot.click(offset=place)
        assert isinstance(app.panel, PermissionPanel)
        assert app.panel.cursor == 2
        assert app.answers == []
        await pilot.click(offset=place)

    assert app.answers == [Pick(option="no")]


async def test_the_tool_is_kept_when_the_view_no_longer_has_it() -> None:
    app = Asking(view(permission()))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.slot.show(view(permission(), tools=()))
        await pilot.pause()
        assert PYTEST.raw_input[12:40] in text_of(app)


@pytest.mark.rule("TUI-84", "TUI-136")
async def test_the_difference_of_long_texts_is_shown_when_it_is_there() -> None:
    old = "".join(f"value {n}\n" for n in range(3000))
    diff = Diff(path="values.py", old_text=old, new_text=old.replace("value 2\n", "another\n"))
    tool = Tool(id="c1", kind="edit", title="values.py", diffs=(diff,))
    app = Asking(view(permission(tool="c1"), tools=(tool,)))

    async with app.run_test(size=SIZE) as pilot:
        async with asyncio.timeout(20):
            while "another" not in text_of(app):
                await pilot.pause(0.05)
        assert "computing" not in text_of(app)


@pytest.mark.rule("TUI-83", "TUI-136")
async def test_a_diff_gets_the_colours_of_its_language() -> None:
    diff = Diff(path="greet.py", old_text="", new_text="def greet(): return 'hello'\n")
    tool = Tool(id="c1", kind="edit", title="greet.py", diffs=(diff,))
    app = Asking(view(permission(tool="c1"), tools=(tool,)))

    async with app.run_test(size=SIZE) as pilot:
        keyword = brush()["syntax-keyword"].color
        async with asyncio.timeout(20):
            while ("def", keyword) not in inks(app):
                await pilot.pause(0.05)


def inks(app: Asking) -> set[tuple[str, object]]:
    """What is drawn in which colour."""
    rows = app.screen._compositor.render_strips(app.size)
    return {(segment.text, segment.style.color) for strip in rows for segment in strip if segment.style}


@pytest.mark.rule("TUI-136")
def test_of_a_huge_change_the_panel_draws_the_beginning() -> None:
    new = "".join(f"value {n}\n" for n in range(3000))
    tool = Tool(id="c1", kind="edit", diffs=(Diff(path="values.py", new_text=new),))

    rows = call_rows(tool, "", 80, brush())

    assert len(rows) == MOST_ROWS + 2
    assert isinstance(rows[-1].text, Strip)
    assert "2600 more lines" in rows[-1].text.text
