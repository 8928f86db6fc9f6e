"""A side question: its answer floats over the transcript and leaves the keys where they are."""

from __future__ import annotations

import asyncio

import pytest

from craze.codec import Event, Slash, SlashItem, SlashRun, State
from craze.engine.intents import Accepted, Aside, Result
from craze.tui.dialogs.viewer import Viewer
from tests.fakes.screen import Stand, settled, until

ASIDE = SlashItem(
    name="btw", source="builtin", description="Ask beside", run=SlashRun(kind="aside", param="question", arg="required")
)


def stand_with(answer: str) -> Stand:
    stand = Stand()
    stand.session.can("aside")
    stand.session.replies[Aside] = lambda wish: Accepted(text=answer)
    stand.session.publish(Event("meta", state=State(slash=Slash(items=(ASIDE,)))))
    return stand


async def ask(stand: Stand, pilot, text: str) -> None:  # type: ignore[no-untyped-def]
    stand.chat.composer.drafts.add(f"/btw {text}")
    await pilot.press("enter")
    await pilot.pause()


@pytest.mark.rule("TUI-113")
async def test_the_answer_floats_over_the_transcript_while_the_draft_goes_on() -> None:
    stand = stand_with("Because **it** does.")
    async with stand.run() as pilot:
        await settled(pilot)
        await ask(stand, pilot, "why?")
        await settled(pilot)
        await pilot.press("h", "i")
        await settled(pilot)

        first, second, *_ = stand.text.splitlines()
        assert first.endswith("─┐")
        assert "┌ why? ─" in first
        assert second.endswith("│")
        assert "Because it does." in second
        assert stand.chat.composer.text == "hi"
        assert stand.chat.transcript.last_reply() == ""

        await pilot.press("escape")
        await settled(pilot)
        assert "Because" not in stand.text
        assert stand.chat.composer.text == "hi"


@pytest.mark.rule("TUI-113")
async def test_the_card_waits_for_its_own_answer_only() -> None:
    stand = stand_with("")
    answers: dict[str, asyncio.Future[Result]] = {}

    def reply(wish: Aside) -> Result:
        answers[wish.question] = asyncio.get_running_loop().create_future()
        return answers[wish.question]  # type: ignore[return-value]

    async def answered(wish: Aside) -> Result:
        return await reply(wish)  # type: ignore[misc]

    stand.session.replies[Aside] = answered
    async with stand.run() as pilot:
        await settled(pilot)
        await ask(stand, pilot, "one")
        await until(pilot, lambda: "asked beside the turn…" in stand.text)
        await ask(stand, pilot, "two")
        await until(pilot, lambda: len(answers) == 2)
        answers["one"].set_result(Accepted(text="the first"))
        answers["two"].set_result(Accepted(text="the second"))
        await settled(pilot)

        assert "the second" in stand.text
        assert "the first" not in stand.text


@pytest.mark.rule("TUI-113")
async def test_a_long_answer_is_scrolled_copied_and_read_in_full() -> None:
    stand = stand_with("\n\n".join(f"part {n}" for n in range(40)))
    async with stand.run(60, 20) as pilot:
        await settled(pilot)
        await ask(stand, pilot, "all?")
        await settled(pilot)
        assert "part 0" in stand.text
        assert "f6 to it" in stand.text
        await pilot.press("f6", "f6")
        assert stand.chat.focused is stand.chat.parts.widgets.card
        await pilot.press("down", "down")
        await settled(pilot)
        assert "part 0" not in stand.text
        assert "part 1" in stand.text

        await pilot.press("y")
        await settled(pilot)
        assert stand.memory.workspace.copied[-1].endswith("part 39")
        await pilot.press("v")
        await until(pilot, lambda: isinstance(stand.app.screen, Viewer))
        await pilot.press("escape", "escape")
        await settled(pilot)
        assert stand.chat.focused is stand.chat.composer.editor
        assert not stand.chat.parts.widgets.card.display


@pytest.mark.rule("TUI-113", "TUI-192")
async def test_the_mouse_closes_the_card() -> None:
    stand = stand_with("It does.")
    async with stand.run() as pilot:
        await settled(pilot)
        await ask(stand, pilot, "why?")
        await settled(pilot)
        row, line = next((n, line) for n, line in enumerate(stand.text.splitlines()) if "esc close" in line)
        await pilot.click(offset=(line.index("esc close") + 1, row))
        await settled(pilot)

        assert not stand.chat.parts.widgets.card.display
