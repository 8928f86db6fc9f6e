"""The composer alone: what it does with keys, and what it says."""

from __future__ import annotations

from typing import Any

import pytest
from textual import on
from textual.app import App, ComposeResult
from textual.events import Key
from textual.message import Message
from textual.pilot import Pilot
from textual.widget import Widget

from craze.codec import Queued, Slash, SlashItem, SlashRun, State
from craze.engine.view import View
from craze.tui.prompt.composer import Composer
from craze.tui.prompt.images import all_images
from craze.tui.prompt.menu import Menu

ROWS = tuple(
    SlashItem(name=name, description=f"does {name}", source="builtin", run=SlashRun(kind="local", local=name))
    for name in ("help", "new", "theme")
)


class Stand(App[None]):
    """Shows the composer with its menu and keeps its messages."""

    CSS = "Composer { height: 8; } Menu { height: 5; }"

    def __init__(self, view: View | None = None) -> None:
        super().__init__()
        self.view = view or View(state=State(slash=Slash(items=ROWS)))
        self.menu = Menu()
        self.composer = Composer(self.menu, is_image=all_images)
        self.heard: list[Message] = []

    def compose(self) -> ComposeResult:
        yield self.menu
        yield self.composer

    def on_mount(self) -> None:
        for name in ("user", "thought", "rule", "selection", "mode-plan"):
            self.theme_variables.setdefault(name, "red")
        self.composer.editor.focus()
        self.composer.show(self.view, busy=False)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict.fromkeys(("user", "thought", "rule", "selection"), "red")

    @on(Composer.Sent)
    @on(Composer.Ran)
    @on(Composer.Commanded)
    @on(Composer.Saved)
    @on(Composer.Entered)
    @on(Composer.Upward)
    @on(Composer.Tabbed)
    @on(Composer.Asked)
    @on(Composer.Dropped)
    @on(Composer.Said)
    def _heard(self, message: Message) -> None:
        self.heard.append(message)

    def of(self, kind: type[Any]) -> list[Any]:
        return [message for message in self.heard if isinstance(message, kind)]

    async def paste(self, pilot: Pilot[None], text: str) -> None:
        from textual.events import Paste

        self.composer.editor.post_message(Paste(text))
        await pilot.pause()


async def type_(pilot: Pilot[None], text: str) -> None:
    await pilot.press(*("space" if each == " " else each for each in text))


@pytest.mark.rule("TUI-100")
async def test_enter_sends_and_the_draft_goes_when_it_was_accepted() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        await type_(pilot, "hi you")
        await pilot.press("enter")
        (sent,) = app.of(Composer.Sent)
        assert (sent.text, sent.images, sent.now) == ("hi you", (), False)
        assert (app.composer.text, app.composer.drafts.whole) == ("", "hi you")

        app.composer.drafts.accepted("hi you")
        assert (app.composer.text, app.composer.drafts.whole) == ("", "")


@pytest.mark.rule("TUI-105")
async def test_what_is_typed_behind_enter_is_the_next_draft_and_a_refused_one_comes_back_in_front_of_it() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        await type_(pilot, "one")
        await pilot.press("enter")
        await type_(pilot, "two")
        await pilot.press("enter")
        await type_(pilot, "thr")
        assert [sent.text for sent in app.of(Composer.Sent)] == ["one", "two"]
        assert app.composer.drafts.whole == "one\ntwo\nthr"

        app.composer.drafts.accepted("one")
        app.composer.drafts.refused("two")
        assert (app.composer.text, app.composer.drafts.whole) == ("two\nthr", "two\nthr")


@pytest.mark.rule("TUI-105")
async def test_a_refused_paste_comes_back_as_its_chip_with_the_cursor_where_it_was() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        await app.paste(pilot, "line\n" * 30)
        await type_(pilot, "ab")
        await pilot.press("left", "enter")
        (sent,) = app.of(Composer.Sent)

        app.composer.drafts.refused(sent.text)
        assert app.composer.text == "[pasted 30 lines] ab"
        assert app.composer.editor.cursor_location == (0, 19)
        assert app.composer.drafts.whole.count("line\n") == 30


async def test_a_text_accepted_from_elsewhere_leaves_another_draft_alone() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        await type_(pilot, "mine")
        app.composer.drafts.accepted("/theme")
        assert app.composer.text == "mine"


@pytest.mark.rule("TUI-100", "TUI-102")
@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (["a", "ctrl+j", "b", "alt+enter", "c"], "a\nb\nc"),
        (["a", "b", "space", "c", "ctrl+w", "d"], "ab d"),
        (["a", "b", "left", "c", "home", "d", "end", "e"], "dacbe"),
        (["a", "ctrl+u", "b", "alt+y"], "ba"),
    ],
)
async def test_keys_that_come_all_at_once_act_in_their_order(keys: list[str], text: str) -> None:
    app = Stand()
    async with app.run_test() as pilot:
        for key in keys:
            character = key if len(key) == 1 else " " if key == "space" else None
            app.composer.editor.post_message(Key(key, character))
        await pilot.pause()
        assert app.composer.text == text


@pytest.mark.rule("TUI-100")
async def test_two_prompts_typed_all_at_once_are_two_prompts() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        for key in ["a", "enter", "b", "enter", "/", "t", "h", "tab"]:
            app.composer.editor.post_message(Key(key, key if len(key) == 1 else None))
        await pilot.pause()
        assert [sent.text for sent in app.of(Composer.Sent)] == ["a", "b"]
        assert app.composer.text == "/theme "


@pytest.mark.rule("TUI-100")
@pytest.mark.parametrize("key", ["ctrl+j", "shift+enter", "alt+enter"])
async def test_newline_keys_make_a_new_line(key: str) -> None:
    app = Stand()
    async with app.run_test() as pilot:
        await pilot.press("a", key, "b")

        assert app.composer.text == "a\nb"


@pytest.mark.rule("TUI-100")
async def test_a_backslash_makes_enter_a_new_line() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        await pilot.press("a", "backslash", "enter", "b")

        assert (app.composer.text, app.of(Composer.Sent)) == ("a\nb", [])


@pytest.mark.rule("TUI-100")
async def test_a_blank_draft_is_never_sent() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        await pilot.press("space", "space", "enter")

        assert (app.of(Composer.Sent), len(app.of(Composer.Entered))) == ([], 1)


@pytest.mark.rule("TUI-101")
async def test_a_paste_keeps_its_newlines_and_loses_its_controls_and_is_not_sent() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        await app.paste(pilot, "one\r\ntwo\x1b[31m red\x07")

        assert app.composer.text == "one\ntwo red"
        assert [said.text for said in app.of(Composer.Said)] == ["control characters in the paste were dropped"]
        assert app.of(Composer.Sent) == []


@pytest.mark.rule("TUI-101")
async def test_a_long_paste_is_a_chip_that_is_sent_in_full_and_that_enter_on_it_expands() -> None:
    app = Stand()
    text = "\n".join(f"line {n}" for n in range(30))
    async with app.run_test() as pilot:
        await app.paste(pilot, text)
        assert app.composer.text == "[pasted 30 lines] "
        await pilot.press("enter")
        assert app.of(Composer.Sent)[0].text == text + " "

        app.composer.drafts.refused(text + " ")
        await pilot.press("home", "enter")
        assert app.composer.text == text + " "


@pytest.mark.rule("TUI-102")
async def test_words_and_lines_are_cut_and_put_back() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        await type_(pilot, "one two three")
        await pilot.press("ctrl+w")
        assert app.composer.text == "one two "
        await pilot.press("alt+y", "home", "ctrl+k")
        assert app.composer.text == ""
        await pilot.press("alt+y")
        assert app.composer.text == "one two three"
        await pilot.press("ctrl+underscore")
        assert app.composer.text == ""


@pytest.mark.rule("TUI-102")
async def test_more_than_the_limit_is_refused_and_the_draft_stays() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        app.composer.drafts.fill("x" * (256 * 1024))
        await pilot.press("y")

        assert len(app.composer.text) == 256 * 1024
        assert app.of(Composer.Said)[-1].text == "that would be more than 256 KiB"


@pytest.mark.rule("TUI-193")
async def test_the_cursor_and_backspace_take_whole_characters() -> None:
    app = Stand()
    family = "👨\u200d👩\u200d👧"
    async with app.run_test() as pilot:
        app.composer.drafts.fill(f"a{family}e\u0301")
        await pilot.press("left", "left")
        assert app.composer.editor.cursor_location == (0, 1)
        await pilot.press("end", "backspace", "backspace")

        assert app.composer.text == "a"


@pytest.mark.rule("TUI-103")
async def test_up_and_down_browse_history_at_the_edges_and_keep_the_draft() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        app.composer.drafts.history.load(["one", "two\nlines"])
        await type_(pilot, "draft")
        await pilot.press("up")
        assert app.composer.text == "two\nlines"
        await pilot.press("up", "up")
        assert app.composer.text == "one"
        await pilot.press("down", "down", "down")
        assert app.composer.text == "draft"


@pytest.mark.rule("TUI-93")
async def test_up_on_an_empty_draft_goes_to_the_queue_first() -> None:
    app = Stand(View(queue=(Queued(id="q1", text="waits"),)))
    async with app.run_test() as pilot:
        app.composer.drafts.history.load(["one"])
        await pilot.press("up")

        assert (len(app.of(Composer.Upward)), app.composer.text) == (1, "")


@pytest.mark.rule("TUI-103")
async def test_the_search_of_history_takes_a_hit_or_leaves_the_draft() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        app.composer.drafts.history.load(["fix a", "other", "fix b"])
        await type_(pilot, "draft")
        await pilot.press("ctrl+r", "f", "i", "x", "ctrl+r", "enter")
        assert app.composer.text == "fix a"

        await pilot.press("ctrl+r", "f")
        assert app.composer.escape()
        assert app.composer.text == "fix a"


@pytest.mark.rule("TUI-103")
async def test_a_search_that_is_open_looks_through_earlier_prompts_that_come_meanwhile() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        app.composer.drafts.history.load(["fix b"])
        await pilot.press("ctrl+r", "f", "i", "x")
        app.composer.recall.load(["fix a", "other"])
        await pilot.press("ctrl+r", "enter")

        assert app.composer.text == "fix a"


@pytest.mark.rule("TUI-112")
async def test_tab_completes_a_command_and_enter_on_a_whole_name_runs_it() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        await type_(pilot, "/th")
        assert [row.name for row in app.menu.rows] == ["/theme"]
        await pilot.press("tab")
        assert app.composer.text == "/theme "
        await pilot.press("backspace", "enter")

        assert [said.meant.row.name for said in app.of(Composer.Commanded)] == ["theme"]


@pytest.mark.rule("TUI-112")
async def test_enter_on_a_whole_name_runs_it_where_a_longer_name_stands_before_it() -> None:
    names = ("model", "mode")
    rows = tuple(SlashItem(name=each, source="builtin", run=SlashRun(kind="picker", picker=each)) for each in names)
    app = Stand(View(state=State(slash=Slash(items=rows))))
    async with app.run_test() as pilot:
        await type_(pilot, "/mode")
        await pilot.press("enter")

        assert [said.meant.row.name for said in app.of(Composer.Commanded)] == ["mode"]


@pytest.mark.rule("TUI-112", "TUI-150")
async def test_a_menu_that_was_closed_by_hand_stays_closed_until_the_text_changes() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        await pilot.press("slash")
        assert app.menu.display
        assert app.composer.escape()
        assert not app.menu.display
        await pilot.press("n")

        assert [row.name for row in app.menu.rows] == ["/new"]


@pytest.mark.rule("TUI-106")
async def test_a_mention_descends_into_folders_and_ends_with_a_space() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        app.composer.refresh_paths(("src/", "src/a b.py", "top.py"))
        await type_(pilot, "@sr")
        await pilot.press("tab")
        assert app.composer.text == "@src/"
        await type_(pilot, "a")
        await pilot.press("enter")

        assert app.composer.text == '@"src/a b.py" '


@pytest.mark.rule("TUI-107")
async def test_an_exclamation_mark_first_is_shell_mode_and_backspace_leaves_it() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        await pilot.press("!")
        assert (app.composer.mode, app.composer.text) == ("shell", "")
        await type_(pilot, "ls -l")
        await pilot.press("enter")
        assert [said.line for said in app.of(Composer.Ran)] == ["ls -l"]

        app.composer.drafts.clear()
        await pilot.press("!", "backspace")
        assert app.composer.mode == "prompt"


@pytest.mark.rule("TUI-107")
async def test_an_exclamation_mark_behind_what_commands_have_printed_is_shell_mode_too() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        drafts = app.composer.drafts
        drafts.ride(drafts.chips.output("ls", "a\nb"))
        await pilot.press("!")
        await type_(pilot, "pwd")
        assert (app.composer.mode, app.composer.text) == ("shell", "pwd")
        await pilot.press("enter")
        assert [said.line for said in app.of(Composer.Ran)] == ["pwd"]

        drafts.accepted("!pwd")
        drafts.ride(drafts.chips.output("pwd", "/"))
        assert (app.composer.mode, app.composer.text) == ("prompt", "[!ls, 2 lines] [!pwd, 1 line] ")
        await type_(pilot, "see")
        await pilot.press("enter")
        assert [said.text for said in app.of(Composer.Sent)] == ["$ ls\na\nb\n$ pwd\n/\nsee"]


@pytest.mark.rule("TUI-107")
async def test_what_a_command_prints_while_the_next_is_written_rides_in_front_of_the_prompt() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        drafts = app.composer.drafts
        await pilot.press("!")
        await type_(pilot, "pwd")
        drafts.ride(drafts.chips.output("ls", "a\nb"))
        assert (app.composer.mode, app.composer.text) == ("shell", "pwd")
        await pilot.press("escape")
        app.composer.escape()

        assert (app.composer.mode, app.composer.text) == ("prompt", "[!ls, 2 lines] pwd")


@pytest.mark.rule("TUI-107", "TUI-111")
@pytest.mark.parametrize(("typed", "sent"), [(" !x", "!x"), (" /help", "/help"), ("  two", "  two")])
async def test_a_space_in_front_sends_the_mark_itself(typed: str, sent: str) -> None:
    app = Stand()
    async with app.run_test() as pilot:
        await type_(pilot, typed)
        await pilot.press("enter")

        assert [said.text for said in app.of(Composer.Sent)] == [sent]


@pytest.mark.rule("TUI-107", "TUI-108")
async def test_backspace_takes_a_whole_chip() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        await type_(pilot, "see")
        app.composer.drafts.ride(app.composer.drafts.chips.output("ls", "a\nb"))
        assert app.composer.text == "[!ls, 2 lines] see"
        await pilot.press("home", "right", "backspace")

        assert app.composer.text == " see"


@pytest.mark.rule("TUI-108")
async def test_a_drop_of_image_paths_alone_is_told_apart_from_text() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        await app.paste(pilot, "'/tmp/a b.png' file:///tmp/c%20d.jpg ~/e.gif")
        await app.paste(pilot, "see /tmp/a.png")

        assert len(app.of(Composer.Dropped)) == 1
        assert app.composer.text == "see /tmp/a.png"


@pytest.mark.rule("TUI-93", "TUI-105")
async def test_editing_a_waiting_prompt_brings_the_draft_back_afterwards() -> None:
    row = Queued(id="q1", text="waits", version=3)
    app = Stand(View(queue=(row,)))
    async with app.run_test() as pilot:
        await type_(pilot, "draft")
        app.composer.edit_row(row)
        await pilot.press("!", "enter")
        (saved,) = app.of(Composer.Saved)
        assert (saved.row, saved.text) == (row, "waits!")

        app.composer.drafts.end_edit()
        assert app.composer.text == "draft"


@pytest.mark.rule("TUI-160")
async def test_a_question_mark_on_an_empty_draft_asks_for_help() -> None:
    app = Stand()
    async with app.run_test() as pilot:
        await pilot.press("?", "a", "?")

        assert ([said.what for said in app.of(Composer.Asked)], app.composer.text) == (["help"], "a?")


@pytest.mark.rule("TUI-114")
async def test_the_argument_that_a_command_needs_is_shown_behind_the_cursor() -> None:
    needs = SlashItem(
        name="image", source="builtin", run=SlashRun(kind="local", local="image", arg="required", arg_hint="file")
    )
    app = Stand(View(state=State(slash=Slash(items=(needs,)))))
    async with app.run_test() as pilot:
        await type_(pilot, "/image ")

        assert app.composer.editor.suggestion == "<file>"
        await pilot.press("right")
        assert app.composer.text == "/image "


async def test_the_widgets_of_a_composer_can_be_counted() -> None:
    app = Stand()
    async with app.run_test():
        assert len(list(app.composer.query(Widget))) == 5
