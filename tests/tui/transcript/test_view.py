"""The transcript under keys and mouse."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.events import MouseScrollUp
from textual.message import Message
from textual.pilot import Pilot

from craze.codec import Diff, Event, Subagent, Task, Tool
from craze.tui.theme import Themes
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.view import TranscriptView
from tests.tui.transcript.stories import prompt, records, tool

BRUSH = Brush(palette=Themes().get("craze-dark"))


class ViewApp(App[None]):
    """Shows a transcript and keeps its messages."""

    def __init__(self, events: Iterable[Event]) -> None:
        super().__init__()
        self.view = TranscriptView(BRUSH)
        self.events = records(events)
        self.said: list[Message] = []

    def compose(self) -> ComposeResult:
        yield self.view

    def on_mount(self) -> None:
        self.view.fold(self.events)
        self.view.focus()

    def text(self) -> list[str]:
        height = self.view.size.height
        return [self.view.render_line(y).text.rstrip() for y in range(height)]

    def on_transcript_view_copy(self, message: TranscriptView.Copy) -> None:
        self.said.append(message)

    def on_transcript_view_leave(self, message: TranscriptView.Leave) -> None:
        self.said.append(message)

    def on_transcript_view_open_child(self, message: TranscriptView.OpenChild) -> None:
        self.said.append(message)

    def on_transcript_view_find(self, message: TranscriptView.Find) -> None:
        self.said.append(message)

    def add(self, *events: Event) -> None:
        self.view.fold(records(events, self.view._fold.last + 1))


async def until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    """Wait for what the view does when nothing else waits."""
    async with asyncio.timeout(20):
        while not holds():
            await pilot.pause()


def story(count: int = 30) -> list[Event]:
    return [event for at in range(count) for event in (prompt(f"prompt {at}"), Event("text", text=f"answer **{at}**"))]


async def test_a_session_is_drawn_from_its_end() -> None:
    app = ViewApp([prompt("hello"), Event("text", text="Hi, **you**.")])

    async with app.run_test(size=(60, 30)):
        assert next(line.lstrip("▌") for line in app.text()[:3]).startswith("› hello")
        assert app.text()[2].lstrip("▌● ") == "Hi, you."


@pytest.mark.rule("TUI-47", "TUI-48")
async def test_scrolling_up_ends_following_and_counts_what_comes() -> None:
    app = ViewApp(story())

    async with app.run_test(size=(60, 20)) as pilot:
        app.view.page(-1)
        before = app.text()[:-1]
        app.add(prompt("one more"), Event("text", text="done"))
        await pilot.pause()

        assert not app.view.following
        assert app.view.new_blocks == 2
        assert app.text()[-1].endswith("↓ 2 new")
        assert app.text()[:-1] == before

        await pilot.press("end")
        assert app.view.following
        assert "done" in app.text()[-1]


@pytest.mark.rule("TUI-60", "TUI-62")
async def test_the_cursor_moves_by_block_and_jumps_by_kind() -> None:
    app = ViewApp([prompt("a"), tool("t", kind="edit"), Event("text", text="x"), prompt("b"), Event("text", text="y")])

    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("k")
        assert app.view.cursor
        assert app.view.cursor.source.text == "b"
        await pilot.press("[")
        assert app.view.cursor
        assert app.view.cursor.source.text == "a"
        await pilot.press("}")
        assert app.view.cursor
        assert app.view.cursor.kind == "tool"
        assert [line[0] for line in app.text() if line.startswith("▌")] == ["▌"]
        await pilot.press("escape")
        assert isinstance(app.said[-1], TranscriptView.Leave)


@pytest.mark.rule("TUI-61")
async def test_enter_opens_and_closes_and_all_can_be_full() -> None:
    body = Event("tool", tool=Tool(id="t", kind="fetch", status="completed", title="x", content_text="the whole page"))
    app = ViewApp([prompt("a"), body, tool("z", kind="fetch", content_text="another page")])

    async with app.run_test(size=(60, 30)) as pilot:
        await pilot.press("k", "enter")
        assert any("the whole page" in line for line in app.text())
        await pilot.press("enter")
        assert not any("the whole page" in line for line in app.text())
        app.view.toggle_all()
        assert any("another page" in line for line in app.text())


@pytest.mark.rule("TUI-61")
async def test_a_long_prompt_stands_short_until_it_is_opened() -> None:
    app = ViewApp([prompt("\n".join(f"line {n}" for n in range(40)))])

    async with app.run_test(size=(60, 50)) as pilot:
        assert [line for line in app.text() if "more" in line] == ["▌ … 28 more lines"]
        await pilot.press("enter")
        assert "▌ line 39" in app.text()
        await pilot.press("enter")
        assert "▌ line 39" not in app.text()
        await pilot.press("left")
        assert [line[:8] for line in app.text() if "line" in line] == ["▌ line 0"]
        app.view.search("line 33")
        await pilot.pause()
        assert any("line 33" in line for line in app.text())


@pytest.mark.rule("TUI-87")
async def test_enter_on_a_sub_agent_opens_its_transcript() -> None:
    child = Tool(id="t", kind="other", status="in_progress", task=Task(agent_id="kid", description="look"))
    app = ViewApp([Event("tool", tool=child), Event("text", text="from the child", agent="kid")])

    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("enter")
        message = app.said[-1]
        assert isinstance(message, TranscriptView.OpenChild)
        app.view.show(message.agent)
        assert any("from the child" in line for line in app.text())
        app.view.show(None)
        assert any("look" in line for line in app.text())


@pytest.mark.rule("TUI-87")
async def test_enter_on_a_tool_opens_the_sub_agent_that_names_it_as_its_own() -> None:
    started = Tool(id="t", kind="other", status="in_progress", task=Task(description="look"))
    kid = Event("subagent", subagent=Subagent(id="kid", tool_call_id="t"), subagent_change="spawned")
    app = ViewApp([Event("tool", tool=started), kid, Event("text", text="from the child", agent="kid")])

    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("enter")
        message = app.said[-1]
        assert isinstance(message, TranscriptView.OpenChild)
        assert message.agent == "kid"


@pytest.mark.rule("TUI-47", "TUI-61")
async def test_what_opens_at_the_bottom_comes_up_as_far_as_its_head_stays_in_sight() -> None:
    page = Event("tool", tool=Tool(id="t", kind="fetch", status="completed", title="x", content_text="the whole\npage"))
    app = ViewApp([*(prompt(f"p{n}") for n in range(20)), page])

    async with app.run_test(size=(60, 8)) as pilot:
        await pilot.press("enter")
        assert app.text()[-1].strip() == "▌   page"
        assert app.view.following


@pytest.mark.rule("TUI-47")
@pytest.mark.parametrize(("height", "last"), [(30, ["", "› p98", "", "› p99", ""]), (29, ["› p98", "› p99"])])
async def test_a_tall_screen_has_an_empty_line_below_the_last_block(height: int, last: list[str]) -> None:
    app = ViewApp([prompt(f"p{n}") for n in range(100)])

    async with app.run_test(size=(60, height)) as pilot:
        app.screen.set_focus(None)
        await pilot.pause()
        assert [row.split("  ")[0] for row in app.text()[-len(last) :]] == last
        app.view.scroll_by_rows(-3)
        app.view.fold(records([prompt("new")], 200))
        assert app.text()[-1].endswith("↓ 1 new")


@pytest.mark.rule("TUI-60")
async def test_with_the_keyboard_the_cursor_is_on_a_block_in_sight() -> None:
    app = ViewApp([prompt(f"p{n}") for n in range(40)])

    async with app.run_test(size=(60, 8)) as pilot:
        await pilot.press("g")
        app.screen.set_focus(None)
        app.view.follow()
        await pilot.pause()
        app.view.focus()
        await pilot.pause()
        assert app.view.cursor
        assert app.view.cursor.source.text == "p39"


@pytest.mark.rule("TUI-63", "TUI-64")
async def test_a_drag_copies_the_text_without_the_breaks_of_wrapping() -> None:
    words = "one two three four five six seven eight nine ten eleven twelve thirteen"
    app = ViewApp([Event("text", text=f"intro\n\n```python\ndef f():\n\treturn 1\n```\n{words}")])

    async with app.run_test(size=(40, 20)) as pilot:
        rows = app.text()
        start = next(y for y, row in enumerate(rows) if "one two" in row)
        await pilot.mouse_down(app.view, offset=(2, start))
        await pilot.hover(app.view, offset=(30, start + 1))
        app.view.on_mouse_move(_move(app.view, 30, start + 1))
        await pilot.mouse_up(app.view, offset=(30, start + 1))
        assert app.view.selected_text().startswith("one two three")
        assert "\n" not in app.view.selected_text()

        app.view.clear_selection()
        await pilot.press("c")
        message = app.said[-1]
        assert isinstance(message, TranscriptView.Copy)
        assert message.text == "def f():\n\treturn 1"


def _move(view: TranscriptView, x: int, y: int) -> Any:
    from textual.events import MouseMove

    return MouseMove(view, x, y, 0, 0, 1, False, False, False)


@pytest.mark.rule("TUI-63", "TUI-25")
async def test_a_selection_survives_streaming_and_resize() -> None:
    app = ViewApp([prompt("first words of mine"), Event("text", text="some text ")])

    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("k", "v", "down")
        selected = app.view.selected_text()
        app.add(Event("text", text="and more of it\n\nand a paragraph"))
        await pilot.resize_terminal(44, 25)
        await pilot.pause()

        assert selected.startswith("first words of mine")
        assert app.view.selected_text().startswith("first words of mine\nsome text")


@pytest.mark.rule("TUI-65")
async def test_search_goes_from_the_newest_hit_backwards_and_opens_blocks() -> None:
    hidden = Event("tool", tool=Tool(id="t", kind="fetch", status="completed", title="x", content_text="a needle here"))
    app = ViewApp([hidden, *story(20), Event("text", text="the Needle")])

    async with app.run_test(size=(60, 20)) as pilot:
        app.view.search("needle")
        await pilot.pause()
        search = app.view.searching
        assert search is not None
        assert (search.position, search.total) == (2, 2)

        app.view.move_hit(-1)
        await pilot.pause()
        assert any("a needle here" in line for line in app.text())
        app.view.move_hit(-1)
        assert search.wrapped

        app.view.end_search(stay=False)
        assert app.view.following

        app.view.search("(", regex=True)
        assert app.view.searching
        assert app.view.searching.error


@pytest.mark.rule("TUI-1", "TUI-218")
async def test_one_widget_however_long_and_few_paints_a_frame() -> None:
    app = ViewApp(story(500))

    async with app.run_test(size=(80, 24)) as pilot:
        assert len(list(app.screen.walk_children())) == 1
        before = app.view.paints
        await pilot.resize_terminal(70, 24)
        await pilot.pause()
        assert app.view.paints - before <= 24 + 2


@pytest.mark.rule("TUI-53")
async def test_a_fence_is_coloured_a_little_later() -> None:
    app = ViewApp([Event("text", text="```python\ndef f(): return 1\n```\n"), prompt("x")])

    async with app.run_test(size=(60, 20)) as pilot:
        plain = {str(segment.style) for segment in app.view.render_line(0)}
        await until(pilot, lambda: len({str(segment.style) for segment in app.view.render_line(0)}) > len(plain))


@pytest.mark.rule("TUI-84")
async def test_a_large_difference_is_computed_beside_the_loop() -> None:
    old = "\n".join(f"line {at}" for at in range(6000))
    diff = Diff(path="a.txt", old_text=old, new_text=old.replace("line 3000\n", "changed\n"))
    app = ViewApp([tool("t", kind="edit", diffs=(diff,))])

    async with app.run_test(size=(60, 20)) as pilot:
        assert any("computing" in line for line in app.text())
        await until(pilot, lambda: any("changed" in line for line in app.text()))


async def test_a_shell_command_is_one_block_that_grows() -> None:
    app = ViewApp([prompt("x")])

    async with app.run_test(size=(60, 20)):
        app.view.shell(1, "ls", "", None, running=True)
        app.view.shell(1, "ls", "a.py\nb.py\n", 0, running=False)

        assert [line.strip("▌ ") for line in app.text() if line.strip("▌ ")][1:] == ["✓ ! ls", "a.py", "b.py"]


@pytest.mark.rule("TUI-33")
async def test_older_pages_come_above_without_moving_what_is_seen() -> None:
    app = ViewApp([])
    everything = records(story(60))

    async with app.run_test(size=(60, 20)):
        app.view.fold(everything[80:])
        app.view.page(-1)
        before = app.text()
        app.view.prepend(everything[40:80])
        app.view.prepend(everything[:40])

        assert app.text() == before
        app.view.to_top()
        assert "prompt 0" in app.text()[0]


@pytest.mark.rule("TUI-52", "TUI-218")
async def test_streaming_draws_anew_only_the_rows_that_change() -> None:
    app = ViewApp([prompt("x"), Event("text", text="first paragraph\n\nsecond")])

    async with app.run_test(size=(60, 20)) as pilot:
        before = [row.line for row in app.view._window.rows]
        paints = app.view.paints
        app.add(Event("text", text=" goes on"), Event("text", text=" and on"))
        await pilot.pause()
        after = [row.line for row in app.view._window.rows]

        assert app.view.paints == paints + 1
        assert [one is two for one, two in zip(before, after, strict=True)] == [True] * (len(before) - 1) + [False]


@pytest.mark.rule("TUI-64")
async def test_the_fence_that_is_seen_is_copied() -> None:
    fences = "\n".join(f"```\ncode {at}\n```\n" + "text\n" * 30 for at in range(3))
    app = ViewApp([Event("text", text=fences)])

    async with app.run_test(size=(60, 20)) as pilot:
        app.view.to_top()
        app.view.scroll_by_rows(30)
        await pilot.press("c")

        message = app.said[-1]
        assert isinstance(message, TranscriptView.Copy)
        assert message.text == "code 1"


@pytest.mark.rule("TUI-32")
async def test_a_restated_transcript_keeps_place_and_what_was_opened() -> None:
    app = ViewApp([])
    body = Event("tool", tool=Tool(id="t", kind="fetch", status="completed", title="x", content_text="the whole page"))
    everything = records([*story(20), body, *story(20)])

    async with app.run_test(size=(60, 20)) as pilot:
        app.view.fold(everything)
        await pilot.press("{", "enter")
        before = app.text()
        app.view.restate(everything)

        assert app.text() == before
        assert any("the whole page" in line for line in before)


@pytest.mark.rule("TUI-192", "TUI-48")
async def test_the_wheel_moves_three_rows() -> None:
    app = ViewApp(story())

    async with app.run_test(size=(60, 20)) as pilot:
        top = app.view._window.top
        await pilot._post_mouse_events([MouseScrollUp], app.view, offset=(5, 5))
        await pilot.pause()

        assert app.view._window.top == top - 3


@pytest.mark.rule("TUI-62")
async def test_own_prompts_are_listed_and_gone_to() -> None:
    app = ViewApp(story())

    async with app.run_test(size=(60, 20)):
        id_, text = app.view.own_prompts()[3]
        app.view.go_to(id_)

        assert text == "prompt 3"
        assert any("prompt 3" in line for line in app.text())
        assert not app.view.following


async def test_coming_back_from_a_sub_agent_finds_the_place_again() -> None:
    app = ViewApp([*story(), Event("text", text="from the child", agent="kid")])

    async with app.run_test(size=(60, 20)):
        app.view.page(-1)
        before = app.text()
        app.view.show("kid")
        app.add(Event("text", text=" and more", agent="kid"), prompt("meanwhile"))
        assert any("from the child and more" in line for line in app.text())
        app.view.show(None)

        assert app.text()[:-1] == before[:-1]


async def test_a_cleared_view_shows_only_what_comes_after() -> None:
    app = ViewApp([prompt("old"), Event("text", text="old answer")])

    async with app.run_test(size=(90, 20)):
        app.view.clear_view()
        app.add(Event("text", text=" still going"))
        app.view.shell(1, "ls", "a.py\n", 0, running=False)
        app.view.restate(records([prompt("old"), Event("text", text="old answer"), Event("text", text=" still going")]))

        shown = [line.lstrip("▌ ●") for line in app.text() if line.strip("▌ ")]
        assert shown[0].startswith("view cleared")
        assert "a.py" in shown[-1]
        assert not any("old answer" in line for line in shown[:1])
