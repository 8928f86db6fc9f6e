"""Asks, pickers and the replay on the app itself: what is sent, what stays, and where the keyboard is."""

from __future__ import annotations

from typing import Any

import pytest

from craze.codec import Ask, Event, Permission, Tool
from craze.engine.answers import Pick
from craze.engine.facts import Login, LoginMethod
from craze.engine.intents import Accepted, Answer, Authenticate, Cancel, Refused, Set
from craze.tui.desk import StoredRow
from craze.tui.dialogs.question import QuestionPanel
from craze.tui.dialogs.viewer import Viewer
from craze.tui.screens.sessions import SessionPicker
from tests.conftest import Golden
from tests.fakes.dialogs import THREE
from tests.fakes.screen import GOLDEN, FakeSession, Stand, efforts, models, settled
from tests.tui.dialogs.test_question import DATABASES, asked

PYTEST = Tool(
    id="t1", kind="execute", status="pending", title="pytest", raw_input='{"command":"pytest -q tests/test_client.py"}'
)


def asking(stand: Stand, id_: str = "a1") -> None:
    """A turn that asks for a permission."""
    if not stand.session.view.turn:
        stand.session.begin_turn("run the tests")
        stand.session.publish(Event("tool", tool=PYTEST))
    stand.session.publish(Event("permission", permission=Permission(id=id_, tool="t1", options=THREE)))


def ended(stand: Stand, id_: str = "a1") -> None:
    ask = Ask(id=id_, kind="permission", outcome="answered", by="client", option_id="once")
    stand.session.publish(Event("ask", ask=ask))


@pytest.mark.rule("TUI-131", "TUI-132")
async def test_an_ask_is_answered_and_the_composer_has_the_keyboard_again() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        asking(stand)
        await settled(pilot)
        stand.clock.now += 1
        await pilot.press("y")
        await settled(pilot)
        sending = stand.text
        ended(stand)
        await settled(pilot)
        await pilot.press("h", "i")

        assert stand.session.sent == [Answer(ask="a1", answer=Pick(option="once"))]
        assert "sending…" in sending
        assert stand.chat.composer.drafts.whole == "hi"


@pytest.mark.rule("TUI-131", "TUI-133")
async def test_keys_stay_in_the_draft_while_the_person_is_typing() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        await pilot.press("a")
        asking(stand)
        await settled(pilot)
        await pilot.press("y", "n")
        await settled(pilot)
        shown = stand.text
        await pilot.press("tab")
        await settled(pilot)
        stand.clock.now += 1
        await pilot.press("y")
        await settled(pilot)

        assert "tab to answer" in shown
        assert stand.chat.composer.drafts.whole == "ayn"
        assert stand.session.sent == [Answer(ask="a1", answer=Pick(option="once"))]


@pytest.mark.rule("TUI-138", "TUI-150")
async def test_escape_on_a_permission_stops_the_turn() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        asking(stand)
        await settled(pilot)
        await pilot.press("escape")
        await settled(pilot)

        assert stand.session.sent == [Cancel(turn="t1")]


@pytest.mark.rule("TUI-132")
async def test_an_answer_that_the_session_refuses_comes_back() -> None:
    stand = Stand()
    stand.session.replies[Answer] = lambda _: Refused(code="bad_answer", detail={"option": "was not offered"})
    async with stand.run() as pilot:
        await settled(pilot)
        asking(stand)
        await settled(pilot)
        stand.clock.now += 1
        await pilot.press("y")
        await settled(pilot)

        assert "was not offered" in stand.text
        assert "sending…" not in stand.text


@pytest.mark.rule("TUI-133")
async def test_the_transcript_details_work_while_an_ask_is_open() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        asking(stand)
        await settled(pilot)
        await pilot.press("pageup", "ctrl+o")
        await settled(pilot)

        assert stand.session.sent == []
        assert stand.chat.asks.panel is not None
        assert stand.chat.asks.panel.has_focus


@pytest.mark.rule("TUI-136")
async def test_the_call_of_an_ask_is_read_on_the_full_screen_and_copied() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        asking(stand)
        await settled(pilot)
        await pilot.press("v")
        await settled(pilot)
        assert isinstance(stand.app.screen, Viewer)
        assert "pytest -q tests/test_client.py" in stand.text
        await pilot.press("y")
        await settled(pilot)

        assert any("pytest -q tests/test_client.py" in text for text in stand.memory.workspace.copied)


@pytest.mark.rule("TUI-137", "TUI-22")
async def test_the_panel_grows_with_what_is_typed_into_it() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        asking(stand)
        await settled(pilot)
        await pilot.press("t", *"use make")
        await settled(pilot)

        shown = stand.text
        assert "pytest -q tests/test_client.py\n" in shown
        assert "tell: use make" in shown


@pytest.mark.parametrize("size", [(100, 30), (80, 24), (60, 20), (40, 12)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.rule("TUI-20", "TUI-130")
async def test_the_chat_with_two_asks_looks_as_its_golden_screen(size: tuple[int, int], golden: Golden) -> None:
    stand = Stand()
    async with stand.run(*size) as pilot:
        await settled(pilot)
        asking(stand)
        question = asked(DATABASES)
        stand.session.publish(Event("question", question=question.body))  # type: ignore[arg-type]
        await settled(pilot)
        text = stand.text

    golden(GOLDEN / f"chat_asks.{size[0]}x{size[1]}.txt", text.encode())


# ---- models


@pytest.mark.rule("TUI-121", "TUI-122")
async def test_the_model_goes_first_and_an_option_that_vanished_with_it_is_not_sent() -> None:
    stand = Stand()
    stand.session.offers(models(), efforts())

    def switched(intent: Set) -> Accepted:
        if intent.kind == "model":
            stand.session.offers(models("small-2"), model="small-2")
        return Accepted()

    stand.session.replies[Set] = switched
    async with stand.run() as pilot:
        await settled(pilot)
        await pilot.press("alt+p")
        await settled(pilot)
        await pilot.press("down", "tab", "left", "enter")
        await settled(pilot)

        assert stand.session.sent == [Set(kind="model", value="small-2")]
        assert "effort low is not offered by this model" in stand.text
        assert stand.memory.library.models == ["small-2"]


@pytest.mark.rule("TUI-121")
async def test_the_first_refusal_stops_what_was_chosen_and_is_named() -> None:
    stand = Stand()
    stand.session.offers(models(), efforts())
    stand.session.replies[Set] = lambda _: Refused(code="failed", detail={"message": "no such model"})
    async with stand.run() as pilot:
        await settled(pilot)
        await pilot.press("alt+p")
        await settled(pilot)
        await pilot.press("down", "tab", "left", "enter")
        await settled(pilot)

        assert stand.session.sent == [Set(kind="model", value="small-2")]
        assert "small-2" in stand.text
        assert "no such model" in stand.text


# ---- replay


@pytest.mark.rule("TUI-175", "TUI-157")
async def test_p_in_the_session_list_replays_and_leaving_returns_to_the_session() -> None:
    from tests.tui.screens.test_replay import EVENTS, replay_of

    stand = Stand()
    stand.memory.library.rows = [StoredRow(id="s-9", title="old one", agent="demo", turns=2)]
    stand.memory.library.replays["s-9"], stored = replay_of(EVENTS)
    async with stand.run() as pilot:
        await settled(pilot)
        stored.begin()
        stand.app.pick_session()
        await settled(pilot)
        assert isinstance(stand.app.screen, SessionPicker)
        await pilot.press("p")
        await settled(pilot)
        shown = stand.text
        await pilot.press("escape")
        await settled(pilot)

        assert "turn " in shown
        assert "7/7" in shown
        assert stand.app.screen is stand.chat


async def test_a_question_of_the_session_gets_its_form_and_its_panel() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        body: Any = asked(DATABASES).body
        stand.session.publish(Event("question", question=body))
        await settled(pilot)

        assert isinstance(stand.chat.asks.panel, QuestionPanel)


# ---- sign-in


@pytest.mark.rule("TUI-14", "TUI-171")
async def test_an_agent_that_wants_a_sign_in_before_it_starts_gets_the_dialog_and_esc_leaves_a_way_back() -> None:
    stand = Stand(FakeSession(status="starting"))
    async with stand.run() as pilot:
        await settled(pilot)
        stand.session.tell(Login(required=True, methods=(LoginMethod(id="browser", name="With the browser"),)))
        await settled(pilot)
        first = stand.text
        await pilot.press("escape")
        await settled(pilot)
        await pilot.press("escape")
        await settled(pilot)
        await pilot.press("s")
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)

        assert "sign in to demo" in first
        assert stand.session.sent == [Authenticate(method="browser")]
