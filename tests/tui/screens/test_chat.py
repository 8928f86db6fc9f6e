"""The chat screen over a session whose events the test publishes."""

from __future__ import annotations

import asyncio
import re
import threading

import pytest
from msgspec import Raw
from msgspec.structs import replace
from textual.events import Key
from textual.widget import Widget

from craze.codec import Event, Failure, Queued, SendNow, State, Subagent, Todo, Tool
from craze.engine.facts import AgentStderr, Cancelling, Cost, Fact, Info, Notice, SpendPart, UsageFact
from craze.engine.intents import (
    Accepted,
    Cancel,
    CancelSubagent,
    Disarm,
    QueueEdit,
    QueueHold,
    QueueRemove,
    Reconnect,
    Refused,
    Set,
    Steer,
    Submit,
)
from craze.engine.intents import SendNow as Now
from craze.tui.desk import Ended
from craze.tui.dialogs.themes import ThemePicker
from craze.tui.dialogs.viewer import Viewer
from craze.tui.screens.opening import Opening
from craze.tui.theme import Listed, Themes
from tests.fakes.screen import FakeSession, Stand, efforts, models, modes, settled, until


def of(session: FakeSession, kind: type) -> list:  # type: ignore[type-arg]
    return [intent for intent in session.sent if isinstance(intent, kind)]


async def typed(pilot, text: str) -> None:  # type: ignore[no-untyped-def]
    await pilot.press(*("space" if each == " " else each for each in text))


# ---- prompts


@pytest.mark.rule("TUI-100", "TUI-105", "TUI-2")
async def test_enter_sends_and_the_answer_is_drawn() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await typed(pilot, "hello")
        await pilot.press("enter")
        stand.session.say("Good day.")
        await settled(pilot)

        assert of(stand.session, Submit) == [Submit(text="hello")]
        assert "› hello" in stand.text
        assert "● Good day." in stand.text
        assert stand.chat.composer.text == ""
        assert stand.memory.library.added == ["hello"]


@pytest.mark.rule("TUI-94", "TUI-105")
async def test_a_refused_prompt_stays_in_the_composer_and_its_reason_is_said() -> None:
    stand = Stand()
    stand.session.replies[Submit] = lambda intent: Refused(code="queue_full")
    async with stand.run() as pilot:
        await typed(pilot, "hello")
        await pilot.press("enter")
        await settled(pilot)

        assert stand.chat.composer.text == "hello"
        assert "the queue is full (32 prompts)" in stand.text


@pytest.mark.rule("TUI-105")
async def test_the_draft_is_kept_with_each_change_and_comes_back_with_the_session() -> None:
    stand = Stand(FakeSession(draft="from before"))
    async with stand.run() as pilot:
        await settled(pilot)
        assert stand.chat.composer.text == "from before"
        await pilot.press("!")

    assert stand.session.drafts[-1] == "from before!"


@pytest.mark.rule("TUI-10", "TUI-12")
async def test_the_first_prompt_and_title_of_the_command_line_are_sent() -> None:
    stand = Stand(opening=Opening(agent="demo", prompt="do it", title="my title"))
    async with stand.run() as pilot:
        await settled(pilot)

    assert stand.session.sent[:2] == [Set(kind="title", value="my title"), Submit(text="do it")]


@pytest.mark.rule("TUI-12")
async def test_a_prompt_of_a_starting_session_waits_as_a_row_and_esc_takes_it_back() -> None:
    stand = Stand(FakeSession(status="starting"))

    def queued(intent: Submit) -> Accepted:
        stand.session.queue(intent.text)
        return Accepted(row="q1")

    stand.session.replies[Submit] = queued
    async with stand.run() as pilot:
        await typed(pilot, "early")
        await pilot.press("enter")
        await settled(pilot)
        assert "waiting for the agent…" in stand.text

        await pilot.press("escape")
        await settled(pilot)
        assert of(stand.session, QueueRemove) == [QueueRemove(rows=("q1",))]
        assert stand.chat.composer.text == "early"


@pytest.mark.rule("TUI-100")
async def test_ctrl_s_steers_where_the_agent_can() -> None:
    stand = Stand()
    stand.session.can("steer")
    stand.session.begin_turn()
    async with stand.run() as pilot:
        await settled(pilot)
        await typed(pilot, "more")
        await pilot.press("ctrl+s")
        await settled(pilot)

    assert of(stand.session, Steer) == [Steer(text="more")]


@pytest.mark.rule("TUI-100", "TUI-96")
async def test_ctrl_s_replaces_the_turn_after_a_confirm_where_the_agent_cannot_be_steered() -> None:
    stand = Stand()
    stand.session.begin_turn()
    async with stand.run() as pilot:
        await settled(pilot)
        await typed(pilot, "now")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert of(stand.session, Now) == []
        await pilot.press("enter")
        await settled(pilot)

    assert of(stand.session, Now) == [Now(text="now")]


@pytest.mark.rule("TUI-96")
async def test_an_armed_row_says_so_and_esc_takes_it_back() -> None:
    stand = Stand()
    stand.session.begin_turn()
    stand.session.queue("this first")
    stand.session.publish(Event("meta", state=State(send_now=SendNow(armed=True, text="this first"))))
    stand.session.replies[Disarm] = lambda intent: Accepted(text="this first")
    async with stand.run() as pilot:
        await settled(pilot)
        assert "→ now: this first · esc to take back" in stand.text
        await pilot.press("escape")
        await settled(pilot)

        assert of(stand.session, Disarm) == [Disarm()]
        assert stand.chat.composer.text == "this first"


def call(id_: str, path: str, status: str = "in_progress") -> Event:
    return Event("tool", tool=Tool(id=id_, kind="read", name="Read", title=path, status=status, locations=(path,)))


async def test_a_call_that_runs_says_how_long_and_only_its_block_is_painted_again() -> None:
    stand = Stand(animations=True)
    stand.session.begin_turn()
    stand.session.say("looking")
    stand.session.publish(call("c1", "/work/src/app.py"), call("c2", "/elsewhere/b.py", "completed"))
    async with stand.run() as pilot:
        await settled(pilot)
        painted = stand.chat.transcript.paints
        stand.clock.now += 75
        await until(pilot, lambda: "1:15" in stand.text)

        assert stand.chat.transcript.paints == painted + 1


async def test_paths_in_the_folder_of_the_session_are_drawn_from_there() -> None:
    stand = Stand()
    stand.session.begin_turn()
    stand.session.publish(call("c1", "/work/src/app.py", "completed"))
    stand.session.say("and")
    stand.session.publish(call("c2", "/elsewhere/b.py", "completed"))
    async with stand.run() as pilot:
        await settled(pilot)

        assert "read    src/app.py" in stand.text
        assert "/elsewhere/b.py" in stand.text


@pytest.mark.rule("TUI-182")
@pytest.mark.parametrize("theme", [row.name for row in Themes().listed()])
async def test_every_theme_that_is_shipped_draws_the_screen(theme: str) -> None:
    stand = Stand(theme=theme)
    async with stand.run() as pilot:
        await settled(pilot)

        assert stand.app.theme == theme
        assert "enter send" in stand.text


@pytest.mark.rule("TUI-183")
async def test_without_colours_a_theme_that_is_chosen_changes_nothing() -> None:
    stand = Stand()
    stand.app.themes.colours = False
    async with stand.run() as pilot:
        await settled(pilot)
        stand.chat.does.pickers.theme("nord")
        await settled(pilot)

        assert stand.app.palette.name == "colourless"
        assert "enter send" in stand.text


@pytest.mark.rule("TUI-182")
async def test_the_list_of_themes_waits_for_the_theme_that_was_asked_for_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stand = Stand()
    read, go_on = stand.app.themes.listed, threading.Event()
    calls = iter([lambda: go_on.wait(30), lambda: True])

    def slow_at_first() -> tuple[Listed, ...]:
        assert next(calls)()
        return read()

    monkeypatch.setattr(stand.app.themes, "listed", slow_at_first)
    async with stand.run() as pilot:
        await settled(pilot)
        stand.chat.does.pickers.theme("nord")
        stand.chat.does.pickers.theme()
        await pilot.pause()
        go_on.set()
        await settled(pilot)

        assert isinstance(stand.app.screen, ThemePicker)
        assert re.search(r"nord +dark, in use", stand.text)


# ---- cancel and quit


@pytest.mark.rule("TUI-150")
async def test_esc_right_after_enter_cancels_that_turn_and_its_text_comes_back() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await typed(pilot, "hello")
        await pilot.press("enter")
        await settled(pilot)
        await pilot.press("escape")
        await settled(pilot)

        assert of(stand.session, Cancel) == [Cancel(turn="t1")]
        assert stand.chat.composer.text == "hello"


@pytest.mark.rule("TUI-150")
async def test_esc_cancels_once_and_not_again_while_the_agent_stops() -> None:
    stand = Stand()
    stand.session.begin_turn()
    stand.session.say("working on it")
    async with stand.run() as pilot:
        await settled(pilot)
        await pilot.press("escape")
        stand.session.tell(Cancelling(turn="t1", since=stand.clock.stamp()))
        await settled(pilot)
        await pilot.press("escape")
        await settled(pilot)

        assert len(of(stand.session, Cancel)) == 1
        assert "stopping 0:00" in stand.text


@pytest.mark.rule("TUI-151", "ACP-56")
async def test_a_cancel_that_hangs_offers_to_restart_the_agent() -> None:
    stand = Stand()
    stand.session.can("reopen")
    stand.session.begin_turn()
    stand.session.tell(Cancelling(turn="t1", since=stand.clock.stamp()))
    async with stand.run() as pilot:
        await settled(pilot)
        assert "restart agent" not in stand.text
        stand.clock.now += 10
        await until(pilot, lambda: "the agent does not stop · 0:10 · r restart agent" in stand.text)
        await settled(pilot)
        assert stand.text.rstrip().endswith(" r restart agent")

        await pilot.press("r")
        await settled(pilot)

    assert of(stand.session, Reconnect) == [Reconnect()]


@pytest.mark.rule("TUI-152")
async def test_ctrl_c_holds_the_rows_and_cancels_and_twice_quits() -> None:
    stand = Stand()
    stand.session.begin_turn()
    stand.session.queue("waits")
    async with stand.run() as pilot:
        await settled(pilot)
        await pilot.press("ctrl+c")
        await settled(pilot)
        assert stand.session.sent == [QueueHold(held=True), Cancel(turn="t1")]

        await pilot.press("ctrl+c")
        await until(pilot, lambda: stand.session.closed)

    assert stand.session.closed


@pytest.mark.rule("TUI-152")
async def test_ctrl_c_clears_a_draft_into_history_and_later_only_says_how_to_quit() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await typed(pilot, "draft")
        await pilot.press("ctrl+c")
        await settled(pilot)
        assert (stand.chat.composer.text, stand.memory.library.added) == ("", ["draft"])

        stand.clock.now += 1.5
        await pilot.press("ctrl+c")
        await settled(pilot)
        assert "ctrl+c again to quit" in stand.text
        assert not stand.session.closed


@pytest.mark.rule("TUI-150")
async def test_a_second_esc_clears_the_draft_into_history() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await typed(pilot, "draft")
        await pilot.press("escape")
        assert stand.chat.composer.text == "draft"
        await pilot.press("escape")
        await settled(pilot)

        assert stand.chat.composer.text == ""
        assert stand.chat.composer.drafts.history.entries == ("draft",)


@pytest.mark.rule("TUI-153")
async def test_quitting_asks_once_while_a_turn_runs() -> None:
    stand = Stand()
    stand.session.begin_turn()
    async with stand.run() as pilot:
        await settled(pilot)
        await pilot.press("ctrl+q")
        await settled(pilot)
        assert "Stop it and quit? The draft is kept." in stand.text
        await pilot.press("escape")
        await settled(pilot)
        assert not stand.session.closed

        await pilot.press("ctrl+q")
        await settled(pilot)
        await pilot.press("q")
        await until(pilot, lambda: stand.session.closed)


@pytest.mark.rule("TUI-153")
async def test_ctrl_q_pressed_again_is_the_answer() -> None:
    stand = Stand()
    stand.session.begin_turn()
    async with stand.run() as pilot:
        await settled(pilot)
        await pilot.press("ctrl+q")
        await settled(pilot)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: stand.session.closed)


@pytest.mark.rule("TUI-153")
async def test_ctrl_d_quits_from_an_empty_composer_and_deletes_forwards_in_a_draft() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await typed(pilot, "ab")
        await pilot.press("home", "ctrl+d")
        assert stand.chat.composer.text == "b"
        await pilot.press("ctrl+d", "ctrl+d")
        await until(pilot, lambda: stand.session.closed)


@pytest.mark.rule("TUI-15")
async def test_leaving_says_which_session_it_was_and_whether_anything_was_prompted() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await typed(pilot, "hello")
        await pilot.press("enter")
        await settled(pilot)
        stand.session.end_turn()
        await settled(pilot)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: stand.session.closed)

    left = stand.app.return_value
    assert left is not None
    assert (left.session, left.prompted, left.exit) == ("s-1", True, "done")


# ---- the queue


@pytest.mark.rule("TUI-93", "TUI-94")
async def test_rows_are_edited_in_place_and_an_edit_carries_the_version() -> None:
    stand = Stand()
    stand.session.begin_turn()
    stand.session.queue("one", "two")
    async with stand.run() as pilot:
        await settled(pilot)
        await pilot.press("up", "enter")
        await settled(pilot)
        assert "── editing 2 ──" in stand.text
        await pilot.press("!", "enter")
        await settled(pilot)

    assert of(stand.session, QueueEdit) == [QueueEdit(row="q2", version=1, text="two!")]


@pytest.mark.rule("TUI-94")
async def test_an_edit_that_came_too_late_stays_in_the_composer() -> None:
    stand = Stand()
    stand.session.begin_turn()
    stand.session.queue("one")
    stand.session.replies[QueueEdit] = lambda intent: Refused(code="stale_version")
    async with stand.run() as pilot:
        await settled(pilot)
        await pilot.press("up", "enter", "!", "enter")
        await settled(pilot)

        assert stand.chat.composer.text == "one!"
        assert "that prompt was already sent or changed" in stand.text


@pytest.mark.rule("TUI-93")
async def test_rows_are_moved_removed_and_sent_now_by_keys() -> None:
    stand = Stand()
    stand.session.begin_turn()
    stand.session.queue("one", "two", "three")
    async with stand.run() as pilot:
        await settled(pilot)
        await pilot.press("up", "K")
        await settled(pilot)
        await pilot.press("x")
        await settled(pilot)
        await pilot.press("up", "s")
        await settled(pilot)

        assert stand.session.sent == [
            QueueEdit(row="q3", version=1, position=1),
            QueueRemove(rows=("q3",)),
            Now(row="q2"),
        ]
        assert stand.chat.composer.drafts.history.entries == ("three",)


@pytest.mark.rule("TUI-95")
async def test_a_held_queue_says_why_and_enter_on_an_empty_composer_releases_it() -> None:
    stand = Stand()
    stand.session.queue("one", "two")
    stand.session.publish(Event("meta", state=State(reason="queue_paused", detail="turn_failed")))
    async with stand.run() as pilot:
        await settled(pilot)
        assert "queue 2 · held: the turn failed" in stand.text
        await pilot.press("enter")
        await settled(pilot)

    assert stand.session.sent == [QueueHold(held=False)]


@pytest.mark.rule("TUI-95")
async def test_delete_on_the_head_removes_all_rows_after_a_confirm() -> None:
    stand = Stand()
    stand.session.queue("one", "two")
    stand.session.publish(Event("meta", state=State(reason="queue_paused", detail="person")))
    async with stand.run() as pilot:
        await settled(pilot)
        await pilot.press("up", "up", "up", "delete")
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)

    assert stand.session.sent == [QueueRemove(rows=("q1", "q2"))]
    assert stand.chat.composer.drafts.history.entries == ("one", "two")


@pytest.mark.rule("TUI-13")
async def test_what_waits_for_a_refresh_does_not_go_with_a_dialog_that_closes() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        dialog = stand.chat.parts.confirm("sure?", {"y": "yes"}, lambda _: None)
        await settled(pilot)
        called = asyncio.Event()
        # Its second refresh would come a sixtieth of a second after the first, when it is closed.
        for _ in range(2):
            dialog.query("*").first().refresh(layout=True)
            for _ in range(4):
                await asyncio.sleep(0)
        stand.chat.call_after_refresh(called.set)
        for _ in range(4):
            await asyncio.sleep(0)
        dialog.dismiss(None)

        async with asyncio.timeout(20):
            await called.wait()


@pytest.mark.rule("TUI-95")
async def test_ctrl_space_holds_and_releases() -> None:
    stand = Stand()
    stand.session.begin_turn()
    stand.session.queue("one")
    async with stand.run() as pilot:
        await settled(pilot)
        await pilot.press("ctrl+@")
        await settled(pilot)

    assert stand.session.sent == [QueueHold(held=True)]


# ---- modes and models


@pytest.mark.rule("TUI-123")
async def test_shift_tab_cycles_modes_and_shows_the_wish_until_it_is_true() -> None:
    stand = Stand()
    stand.session.offers(modes())
    waiting: list = []  # type: ignore[type-arg]

    async def later(intent: Set) -> Accepted:
        import asyncio

        waiting.append((intent, done := asyncio.get_running_loop().create_future()))
        return await done

    stand.session.replies[Set] = later
    async with stand.run() as pilot:
        await settled(pilot)
        await pilot.press("shift+tab")
        await until(pilot, lambda: waiting)
        await pilot.pause()
        assert "◆ Code → Plan…" in stand.text
        await pilot.press("shift+tab", "shift+tab")

        stand.session.offers(modes("plan"), mode="plan")
        waiting[0][1].set_result(Accepted())
        await settled(pilot)

        assert [intent.value for intent, _ in waiting] == ["plan"]
        assert "◆ Plan\n" in stand.text


@pytest.mark.rule("TUI-123")
async def test_a_refused_mode_reverts_with_a_notice() -> None:
    stand = Stand()
    stand.session.offers(modes())
    stand.session.replies[Set] = lambda intent: Refused(code="failed", detail={"message": "not now"})
    async with stand.run() as pilot:
        await settled(pilot)
        await pilot.press("shift+tab")
        await settled(pilot)

        assert "→ Plan" not in stand.text
        assert "mode: the agent refused: not now" in stand.text


@pytest.mark.rule("TUI-109")
async def test_a_plan_is_offered_to_be_implemented_and_enter_switches_the_mode_first() -> None:
    stand = Stand()
    stand.session.offers(modes("plan"), mode="plan")

    def switched(intent: Set) -> Accepted:
        stand.session.offers(modes(intent.value), mode=intent.value)
        return Accepted()

    stand.session.replies[Set] = switched
    async with stand.run() as pilot:
        await settled(pilot)
        stand.session.begin_turn()
        stand.session.say("1. change it\n2. test it")
        stand.session.end_turn()
        await settled(pilot)
        assert "enter: implement this plan" in stand.text
        await pilot.press("enter")
        await settled(pilot)

    assert stand.session.sent == [Set(kind="mode", value="code"), Submit(text="Implement the plan above.")]


@pytest.mark.rule("TUI-109")
async def test_typing_withdraws_the_offer_of_a_plan() -> None:
    stand = Stand()
    stand.session.offers(modes("plan"), mode="plan")
    async with stand.run() as pilot:
        await settled(pilot)
        stand.session.begin_turn()
        stand.session.say("1. change it\n2. test it")
        stand.session.end_turn()
        await settled(pilot)
        await pilot.press("x", "backspace")
        await settled(pilot)

        assert "implement this plan" not in stand.text


@pytest.mark.rule("TUI-109")
async def test_an_answer_without_steps_is_no_plan_to_implement() -> None:
    stand = Stand()
    stand.session.offers(modes("plan"), mode="plan")
    async with stand.run() as pilot:
        await settled(pilot)
        stand.session.begin_turn("what is this?")
        stand.session.say("A small parser.\n\n- it has no tests")
        stand.session.end_turn()
        await settled(pilot)

        assert "implement this plan" not in stand.text


# ---- shell, images, editor


@pytest.mark.rule("TUI-107")
async def test_a_shell_command_is_shown_and_rides_in_front_of_the_next_prompt_once() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await typed(pilot, "!ls -l")
        await pilot.press("enter")
        await until(pilot, lambda: stand.memory.workspace.end is not None)
        assert stand.memory.workspace.end is not None
        stand.memory.workspace.end.set_result(Ended(0, "a.py\nb.py\n"))
        await until(pilot, lambda: stand.chat.composer.text)
        assert stand.chat.composer.text.startswith("[!ls -l, ")
        await typed(pilot, "what?")
        await pilot.press("enter")
        await settled(pilot)

        assert of(stand.session, Submit) == [Submit(text="$ ls -l\na.py\nb.py\nwhat?")]
        assert "a.py" in stand.text


@pytest.mark.rule("TUI-107", "TUI-150")
async def test_esc_kills_a_running_command_before_it_does_anything_else() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await typed(pilot, "!sleep")
        await pilot.press("enter")
        await until(pilot, lambda: stand.memory.workspace.end is not None)
        assert " esc stop the command · " in stand.text
        await pilot.press("escape")
        await until(pilot, lambda: not stand.chat.does.shell.running)
        await settled(pilot)
        assert "stop the command" not in stand.text

        assert stand.memory.workspace.end is not None
        assert stand.memory.workspace.end.cancelled()


@pytest.mark.rule("TUI-108")
async def test_images_become_chips_and_go_beside_the_text() -> None:
    stand = Stand()
    stand.session.can("images")
    stand.memory.workspace.images["/x.png"] = b"12345"
    async with stand.run() as pilot:
        await settled(pilot)
        stand.chat.does.draft.attach_image("/x.png")
        await settled(pilot)
        await typed(pilot, "see")
        await pilot.press("enter")
        await settled(pilot)

    assert of(stand.session, Submit) == [Submit(text="[image 1] see", attachments=("/copies/5.png",))]


@pytest.mark.rule("TUI-108")
async def test_an_agent_that_sees_no_images_gets_the_path() -> None:
    stand = Stand()
    stand.memory.workspace.images["/x.png"] = b"12345"
    async with stand.run() as pilot:
        stand.chat.does.draft.attach_image("/x.png")
        await settled(pilot)
        assert stand.chat.composer.text == "[image 1, path only] "
        await pilot.press("enter")
        await settled(pilot)

    assert of(stand.session, Submit) == [Submit(text="/x.png ")]


@pytest.mark.rule("TUI-108")
async def test_an_image_that_cannot_be_read_is_a_notice() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        stand.chat.does.draft.attach_image("/none.png")
        await settled(pilot)

        assert "/none.png: no such file" in stand.text
        assert stand.chat.composer.text == ""


@pytest.mark.rule("TUI-104")
async def test_the_editor_takes_the_draft_and_a_failed_one_leaves_it() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await typed(pilot, "draft")
        stand.memory.workspace.edits = lambda text: text + " edited"
        stand.chat.does.draft.edit()
        await settled(pilot)
        assert stand.chat.composer.text == "draft edited"

        stand.memory.workspace.edits = lambda text: None
        stand.chat.does.draft.edit()
        await settled(pilot)
        assert stand.chat.composer.text == "draft edited"


# ---- what is shown


@pytest.mark.rule("TUI-90")
async def test_todos_cycle_and_the_choice_is_kept() -> None:
    stand = Stand()
    todos = (Todo(id="1", content="look", status="completed"), Todo(id="2", content="change it", status="in_progress"))
    stand.session.publish(Event("todos", todos=todos))
    async with stand.run() as pilot:
        await settled(pilot)
        assert " todos   1/2 ◐ change it" in stand.text
        await pilot.press("ctrl+t")
        await settled(pilot)
        assert "✓ look" in stand.text
        await pilot.press("ctrl+t")
        await settled(pilot)
        assert " todos  " not in stand.text

    assert stand.memory.library.choices == {"tui.todos": "hidden"}


@pytest.mark.rule("TUI-90")
async def test_a_list_that_is_done_stays_until_the_next_prompt() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        stand.session.begin_turn()
        stand.session.publish(Event("todos", todos=(Todo(id="1", content="look", status="completed"),)))
        stand.session.end_turn()
        await settled(pilot)
        assert " todos   1/1" in stand.text
        stand.session.begin_turn("next", "t2")
        await settled(pilot)

        assert " todos  " not in stand.text


@pytest.mark.rule("TUI-205")
async def test_a_choice_that_cannot_be_kept_is_a_notice_and_holds() -> None:
    stand = Stand()
    stand.memory.library.refuses = "disk full"
    stand.session.publish(Event("todos", todos=(Todo(id="1", content="look", status="pending"),)))
    async with stand.run() as pilot:
        await settled(pilot)
        await pilot.press("ctrl+t")
        await settled(pilot)

        assert "not kept: disk full" in stand.text
        assert "○ look" in stand.text


def child(status: str = "running", **more: object) -> Subagent:
    given = {"id": "c1", "subagent_type": "explore", "activity": "reading", "tokens_used": 4100, "transcript": True}
    return Subagent(status=status, **{**given, **more})  # type: ignore[arg-type]


@pytest.mark.rule("TUI-91")
async def test_a_sub_agent_is_shown_with_what_it_does_and_lingers_a_while_after_its_end() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        stand.session.begin_turn()
        stand.session.publish(Event("subagent", subagent=child(started_at=stand.clock.stamp())))
        await settled(pilot)
        assert " agents  ◐ explore · reading · 0:00 · 4.1k tok" in stand.text

        ended = child("completed", started_at=stand.clock.stamp(), ended_at=stand.clock.stamp(), duration_ms=8000)
        stand.session.publish(Event("subagent", subagent=ended))
        await settled(pilot)
        assert "✓ explore · 0:08" in stand.text
        stand.clock.now += 11
        stand.session.say("more")
        await settled(pilot)

        assert "explore" not in stand.text


@pytest.mark.rule("TUI-92")
async def test_a_sub_agents_transcript_takes_the_place_of_the_conversation_until_esc() -> None:
    stand = Stand()
    stand.session.can("cancel_subagent")
    async with stand.run() as pilot:
        stand.session.begin_turn("main prompt")
        stand.session.publish(Event("subagent", subagent=child(description="reads the code")))
        stand.session.publish(Event("text", text="child speaks", agent="c1"))
        await settled(pilot)
        assert "child speaks" not in stand.text
        stand.chat.parts.widgets.roster.focus()
        await pilot.press("enter")
        await settled(pilot)
        assert " explore (reads the code) ◐" in stand.text
        assert "child speaks" in stand.text
        assert "main prompt" not in stand.text
        assert stand.text.splitlines()[-1].startswith(" esc back")

        await pilot.press("x")
        await settled(pilot)
        await pilot.press("y")
        await settled(pilot)
        assert of(stand.session, CancelSubagent) == [CancelSubagent(agent="c1")]

        await pilot.press("escape")
        await settled(pilot)
        assert "main prompt" in stand.text


@pytest.mark.rule("TUI-165", "TUI-166")
async def test_the_status_shows_what_is_known_and_nothing_else() -> None:
    stand = Stand()
    stand.memory.workspace.head = "main"
    stand.session.offers(modes(), models(), efforts())
    async with stand.run() as pilot:
        await settled(pilot)
        assert " demo · small-1 (high) · ◆ Code · main\n" in stand.text
        stand.session.queue("a", "b")
        stand.session.tell(
            UsageFact(
                source="agent",
                context_tokens=34_000,
                context_window=100_000,
                turn=SpendPart(cost_pico_usd=40_000_000_000),
                cost=Cost(amount="1.2", currency="USD"),
            )
        )
        await settled(pilot)

        assert " demo · small-1 (high) · ◆ Code · ctx 34% · $0.04 / $1.20 · main · ⧗ 2" in stand.text


@pytest.mark.rule("TUI-168")
async def test_notices_of_the_session_are_shown_for_four_seconds_and_kept_in_the_log() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        stand.session.tell(Notice(severity="warning", text="mind this"))
        await settled(pilot)
        assert "mind this" in stand.text
        stand.clock.now += 4.1
        stand.session.say("x")
        await settled(pilot)
        stand.chat.parts.widgets.notices.tick()
        await settled(pilot)
        assert "mind this" not in stand.text

        assert "mind this" in stand.chat.does.papers.log_text()


@pytest.mark.rule("TUI-168")
async def test_what_a_plugin_reported_is_in_the_log() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        stand.session.tell_fact(Fact("plugin", Raw(b'{"kind":"index","summary":"12 files\\u001b[2J"}'), "finder"))
        await settled(pilot)

        assert "plugins\n  finder  index  12 files" in stand.chat.does.papers.log_text()
        assert "\x1b" not in stand.chat.does.papers.log_text()


@pytest.mark.rule("TUI-170")
async def test_the_last_words_of_an_agent_that_died_stand_below_its_end() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        stand.session.tell(AgentStderr(lines=tuple(f"trace {number}" for number in range(12))))
        stand.session.publish(
            Event(
                "error",
                err=Failure(message="the agent exited with status 1", error_class="agent_exit_status", code=1),
            )
        )
        stand.session.tell(Info(session="s-1", agent="demo", status="stopped"))
        await settled(pilot)

        assert "the agent exited with status 1" in stand.text
        assert "trace 2\n" in stand.text
        assert "trace 11\n" in stand.text
        assert "trace 1\n" not in stand.text


@pytest.mark.rule("TUI-42")
@pytest.mark.parametrize("kind", ["text", "user"])
async def test_the_viewer_has_all_of_a_text_whose_middle_the_transcript_left_out(kind: str) -> None:
    stand = Stand()
    lines = [f"line {number} of a long text\n" for number in range(20_000)]
    pieces = lines if kind == "text" else ["".join(lines)]
    stand.session.publish(*(Event(kind, text=piece, replayed=True) for piece in pieces))
    stand.session.publish(Event("thought", text="that was long"))
    async with stand.run() as pilot:
        await settled(pilot)
        stand.chat.transcript.focus()
        await pilot.press("up", "v")
        await until(pilot, lambda: isinstance(stand.app.screen, Viewer))
        viewer = stand.app.screen
        assert isinstance(viewer, Viewer)

        assert viewer.pages.text.rstrip("\n") == "".join(lines).rstrip("\n")


@pytest.mark.rule("TUI-167")
async def test_the_activity_says_what_goes_on() -> None:
    stand = Stand(FakeSession(status="starting"))
    async with stand.run() as pilot:
        stand.session.tell(AgentStderr(lines=("loading model",)))
        await settled(pilot)
        assert "starting demo 0:00 · esc to give up" in stand.text
        stand.clock.now += 3
        stand.session.tell(AgentStderr(lines=("loading model",)))
        await settled(pilot)
        assert "starting demo 0:03 · loading model" in stand.text

        stand.session.tell(Info(session="s-1", agent="demo", status="idle"))
        stand.session.begin_turn()
        await settled(pilot)
        assert "working 0:00 · esc to stop" in stand.text


@pytest.mark.rule("TUI-170")
async def test_a_dead_agent_can_be_restarted_or_only_read() -> None:
    stand = Stand()
    stand.session.can("reopen")
    async with stand.run() as pilot:
        await typed(pilot, "draft")
        stand.session.publish(
            Event("error", err=Failure(message="agent exited (status 1)", error_class="agent_exited", code=1))
        )
        stand.session.tell(Info(session="s-1", agent="demo", status="stopped", can=frozenset({"reopen"})))
        await settled(pilot)
        assert " agent exited (status 1) · r restart and resume · n new session · l log · esc read only" in stand.text
        assert stand.chat.composer.text == "draft"

        stand.chat.parts.widgets.bar.focus()
        await pilot.press("r")
        await settled(pilot)
        assert of(stand.session, Reconnect) == [Reconnect()]
        await pilot.press("escape")
        await settled(pilot)
        assert "restart and resume" not in stand.text


@pytest.mark.rule("TUI-170")
async def test_a_restart_that_is_not_supported_offers_a_new_session() -> None:
    stand = Stand()
    stand.session.replies[Reconnect] = lambda intent: Refused(code="unsupported")
    other = FakeSession()
    stand.memory.agents.sessions.append(other)
    async with stand.run() as pilot:
        stand.chat.does.leaving.restart()
        await settled(pilot)
        assert "this agent cannot do that · /new starts a session here" in stand.text
        stand.chat.does.leaving.new_session()
        await until(pilot, lambda: stand.app.session is other)
        await settled(pilot)

        assert stand.session.closed
        assert stand.memory.agents.starts == ["demo"]
        assert stand.app.screen is stand.chat


@pytest.mark.rule("TUI-14")
async def test_a_failed_start_stays_on_the_screen_with_what_can_be_done() -> None:
    stand = Stand(FakeSession(status="starting"))
    async with stand.run() as pilot:
        await settled(pilot)
        stand.session.tell(AgentStderr(lines=tuple(f"line {n}" for n in range(30))))
        stand.session.publish(
            Event("error", err=Failure(message="it exited with status 3", error_class="agent_exit_status", code=3))
        )
        stand.session.tell(Info(session="s-1", agent="demo", status="stopped"))
        await settled(pilot)
        assert " demo did not start" in stand.text
        assert "it exited with status 3" in stand.text
        assert "line 29" in stand.text
        assert " r retry · p other agent · q quit" in stand.text

        await pilot.press("q")
        await until(pilot, lambda: stand.session.closed)

    assert stand.app.return_value is not None
    assert stand.app.return_value.exit == "failed"


@pytest.mark.rule("TUI-14", "TUI-170")
@pytest.mark.parametrize("status", ["starting", "idle"])
async def test_the_last_words_of_an_agent_are_shown_once_and_leave_room_for_the_keys(status: str) -> None:
    stand = Stand(FakeSession(status=status))
    async with stand.run() as pilot:
        await settled(pilot)
        died = "the agent exited with status 3\nout of luck"
        stand.session.tell(AgentStderr(lines=("out of luck", "and of time")))
        stand.session.publish(Event("error", err=Failure(message=died, error_class="agent_exit_status", code=3)))
        stand.session.tell(Info(session="s-1", agent="demo", status="stopped", can=("reopen",)))
        await settled(pilot)

        assert (stand.text.count("out of luck"), stand.text.count("and of time")) == (1, 1)
        assert ("r retry" if status == "starting" else "status 3 · r restart and resume · n new session") in stand.text


@pytest.mark.rule("TUI-13")
async def test_esc_while_starting_asks_whether_to_go_on_waiting() -> None:
    stand = Stand(FakeSession(status="starting"))
    async with stand.run() as pilot:
        await settled(pilot)
        await pilot.press("escape")
        await settled(pilot)
        assert "Stop waiting?" in stand.text
        await pilot.press("r")
        await settled(pilot)

    assert of(stand.session, Reconnect) == [Reconnect()]


@pytest.mark.rule("TUI-23")
async def test_a_terminal_that_is_too_small_says_so_and_growing_brings_everything_back() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await typed(pilot, "draft")
        await pilot.resize_terminal(39, 11)
        await settled(pilot)
        assert "40x12 needed, 39x11 now" in stand.text
        await pilot.resize_terminal(80, 24)
        await settled(pilot)

        assert stand.chat.composer.text == "draft"
        assert stand.app.focused is stand.chat.composer.editor


@pytest.mark.rule("TUI-1")
async def test_the_number_of_widgets_does_not_depend_on_the_length_of_the_session() -> None:
    counts = []
    for length in (1, 300):
        stand = Stand()
        async with stand.run() as pilot:
            for number in range(length):
                stand.session.begin_turn(f"p{number}", f"t{number}")
                stand.session.say("answer")
                stand.session.end_turn(f"t{number}")
            await settled(pilot)
            counts.append(len(stand.chat.query(Widget)))

    assert counts[0] == counts[1]


@pytest.mark.rule("TUI-32", "TUI-33")
async def test_a_long_session_is_read_backwards_and_what_a_slow_reader_missed_is_read_again() -> None:
    session = FakeSession()
    for number in range(1500):
        session.begin_turn(f"prompt {number}", f"t{number}")
        session.end_turn(f"t{number}")
    stand = Stand(session)
    async with stand.run() as pilot:
        await settled(pilot)
        assert "› prompt 1499" in stand.text
        prompts = [text for _, text in stand.chat.transcript.own_prompts()]
        assert prompts == [f"prompt {number}" for number in range(1500)]

        session.begin_turn("the missed one", "m1")
        session.falls_behind()
        session.say("and its answer")
        await settled(pilot)

        assert "› the missed one" in stand.text
        assert "● and its answer" in stand.text


@pytest.mark.rule("TUI-32")
async def test_a_range_that_cannot_be_read_is_one_line() -> None:
    session = FakeSession()
    for number in range(10):
        session.begin_turn(f"prompt {number}", f"t{number}")
        session.end_turn(f"t{number}")
    session.unreadable = (3, 8)
    stand = Stand(session)
    async with stand.run() as pilot:
        await settled(pilot)

        assert "events 3–8 missing" in stand.text


@pytest.mark.rule("TUI-34", "TUI-31")
async def test_an_unknown_event_or_fact_makes_no_block() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        before = stand.text
        stand.session.publish(Event("something_new"))
        await settled(pilot)

        assert stand.text == before


@pytest.mark.rule("TUI-202")
async def test_the_hints_follow_the_keyboard_and_the_state() -> None:
    stand = Stand()
    stand.session.offers(modes())
    async with stand.run() as pilot:
        await settled(pilot)
        assert stand.text.endswith(" enter send · shift+tab mode · ctrl+p palette · ? help")
        stand.session.begin_turn()
        stand.session.queue("one")
        await settled(pilot)
        assert stand.text.endswith(" enter queue · ctrl+s send now · shift+tab mode · ctrl+p palette · ? help")
        await pilot.press("up")
        await settled(pilot)
        assert stand.text.endswith(" ↑ move · enter edit · del remove · s now · h hold · esc back")
        await pilot.press("escape", "!")
        await settled(pilot)
        assert stand.text.endswith(" enter run · esc back to the prompt")


async def test_an_empty_session_says_what_can_be_typed_until_something_was_asked() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        assert "› ask for something · / commands · @ files · ! shell" in stand.text
        stand.session.begin_turn("hello")
        await settled(pilot)
        assert "ask for something" not in stand.text


@pytest.mark.rule("TUI-201", "TUI-202")
async def test_keys_of_the_person_act_and_are_shown() -> None:
    stand = Stand(keys={"mode.next": "f8", "nonsense": "x"})
    stand.session.offers(modes())
    async with stand.run() as pilot:
        await settled(pilot)
        assert "f8 mode" in stand.text
        assert "keys: no action 'nonsense'" in stand.text
        await pilot.press("f8")
        await settled(pilot)

    assert of(stand.session, Set) == [Set(kind="mode", value="plan")]


@pytest.mark.rule("TUI-195")
async def test_f6_goes_round_all_parts_that_are_shown() -> None:
    stand = Stand()
    stand.session.publish(Event("todos", todos=(Todo(id="1", content="look", status="pending"),)))
    stand.session.begin_turn()
    stand.session.queue("one")
    async with stand.run() as pilot:
        await settled(pilot)
        seen = []
        for _ in range(4):
            await pilot.press("f6")
            assert stand.app.focused is not None
            seen.append(type(stand.app.focused).__name__)

    assert seen == ["TranscriptView", "TodoView", "QueueView", "PromptEditor"]


@pytest.mark.rule("TUI-222", "TUI-223")
@pytest.mark.parametrize(("preset", "mark"), [("all", "!allows all"), ("reads", "reads"), ("deny", "denies")])
async def test_a_preset_that_answers_by_itself_is_marked(preset: str, mark: str) -> None:
    from craze.engine.facts import Policies

    stand = Stand()
    stand.session.tell(Policies(permission=preset, question=preset, plan=preset))
    async with stand.run() as pilot:
        await settled(pilot)
        assert f"· {mark}" in stand.text
        stand.chat.does.commands.local["answers"]("")
        await settled(pilot)
        assert f"permissions: {preset}" in stand.text


@pytest.mark.rule("TUI-226")
async def test_a_foreign_turn_says_why_where_that_is_known() -> None:
    from craze.codec import ForeignTurn

    stand = Stand()
    async with stand.run() as pilot:
        stand.session.publish(
            Event("foreign_turn", foreign_turn=ForeignTurn(id="w1", running=True, reason="subagent_wake"))
        )
        await settled(pilot)
        assert "the agent works on its own 0:00 · a sub-agent came back" in stand.text
        stand.session.publish(Event("foreign_turn", foreign_turn=ForeignTurn(id="w1", running=True, reason="odd")))
        await settled(pilot)
        assert "odd" not in stand.text


async def test_the_queue_row_keeps_its_cursor_when_rows_go() -> None:
    stand = Stand()
    stand.session.begin_turn()
    stand.session.queue("one", "two", "three")
    async with stand.run() as pilot:
        await settled(pilot)
        await pilot.press("up", "up")
        row = Queued(id="q1", text="one", version=1)
        stand.session.publish(Event("queue", queue=row, queue_change="sent", queue_pos=0))
        await settled(pilot)

        assert stand.chat.queue.rows[stand.chat.queue.cursor].text == "two"
        assert replace(row, version=2).version == 2


@pytest.mark.rule("TUI-221")
async def test_a_turn_without_any_output_says_so_in_the_transcript() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        stand.session.begin_turn()
        await settled(pilot)
        stand.session.tell(Notice(severity="warning", text="the agent ended the turn without any output"))
        stand.session.end_turn()
        await settled(pilot)

        assert "the agent ended the turn without output" in stand.text


@pytest.mark.rule("TUI-169")
async def test_a_failed_turn_names_the_command_that_may_help_and_offers_the_prompt_again() -> None:
    stand = Stand()
    stand.session.offers(models())
    async with stand.run() as pilot:
        await settled(pilot)
        await typed(pilot, "hello")
        await pilot.press("enter")
        await settled(pilot)
        stand.session.publish(
            Event("error", err=Failure(message="no such model", error_class="model_not_found", code=404))
        )
        stand.session.end_turn(stand.session.view.turn, stop_reason="", err_class="model_not_found")
        await settled(pilot)
        assert "/model chooses another" in stand.text
        assert "no such model" in stand.text
        await pilot.press("up")

        assert stand.chat.composer.text == "hello"


@pytest.mark.rule("TUI-62")
async def test_a_jump_within_what_is_seen_moves_the_mark() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        stand.session.begin_turn("my prompt")
        stand.session.say("an answer")
        stand.session.end_turn()
        await settled(pilot)
        await pilot.press("f6")
        await settled(pilot)
        assert lines_with(stand, "▌") == ["▌ an answer"]

        await pilot.press("[")
        await settled(pilot)
        assert [line[:11] for line in lines_with(stand, "▌")] == ["▌ my prompt"]


def lines_with(stand: Stand, sign: str) -> list[str]:
    return [line for line in stand.text.splitlines() if sign in line]


@pytest.mark.rule("TUI-93", "TUI-150")
async def test_the_keyboard_comes_back_when_the_last_row_of_the_queue_is_gone() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        stand.session.begin_turn()
        stand.session.queue("one")
        await settled(pilot)
        await pilot.press("up")
        await settled(pilot)
        assert stand.chat.focused is stand.chat.queue
        stand.session.publish(Event("queue", queue=Queued(id="q1", text="one", version=1), queue_change="sent"))
        await settled(pilot)

        assert stand.chat.focused is stand.chat.composer.editor


@pytest.mark.rule("TUI-63", "TUI-202")
async def test_the_hints_tell_what_the_keys_do_while_lines_are_selected() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        stand.session.begin_turn("my prompt")
        stand.session.end_turn()
        await settled(pilot)
        await pilot.press("f6", "v")
        await settled(pilot)
        assert stand.text.endswith(" ↓ extend · y copy · esc clear")

        await pilot.press("escape")
        await settled(pilot)
        assert "extend" not in stand.text


@pytest.mark.rule("TUI-65", "TUI-202")
async def test_hits_are_stepped_through_and_forgotten_on_the_way_back_to_the_composer() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        stand.session.begin_turn("one two one")
        stand.session.end_turn()
        await settled(pilot)
        await pilot.press("ctrl+f", *"one", "enter")
        await settled(pilot)
        assert " n next hit · N previous hit · " in stand.text
        await pilot.press("N")
        await settled(pilot)
        assert "1/2" in stand.text

        await pilot.press("escape")
        await settled(pilot)
        assert stand.chat.transcript.searching is None
        assert stand.chat.focused is stand.chat.composer.editor


@pytest.mark.rule("TUI-60", "TUI-62")
async def test_a_key_right_behind_the_one_that_moves_the_keyboard_goes_where_it_went() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        stand.session.begin_turn("my prompt")
        stand.session.end_turn()
        await settled(pilot)
        for key, character in (("f6", None), ("v", "v")):
            stand.app.post_message(Key(key, character))
        await settled(pilot)

        assert stand.chat.transcript.selecting
        assert stand.chat.composer.text == ""
