"""What a row of the slash menu does by its kind, and what the screen leaves to others: mentions, output that grows."""

from __future__ import annotations

import pytest

from craze.codec import Event, Slash, SlashItem, SlashRun, SlashSetting, State, Tool, ToolOutput
from craze.engine.intents import Accepted, Aside, Set, Submit
from tests.fakes.screen import FakeSession, Stand, models, settled, until


def row(name: str, kind: str, **run: object) -> SlashItem:
    return SlashItem(name=name, source="builtin", while_working=True, run=SlashRun(kind=kind, **run))  # type: ignore[arg-type]


ROWS = (
    SlashItem(name="review", source="agent", run=SlashRun(kind="prompt", arg="optional")),
    row("rename", "method", method="session.setTitle", param="title", arg="required"),
    row("plan", "method", method="session.set", setting=SlashSetting(kind="mode", value="plan")),
    row("model", "picker", picker="model", arg="optional"),
    row("btw", "aside", param="question", arg="required"),
    row("keys", "local", local="keys"),
    row("steer", "unavailable", reason="this agent cannot be steered"),
)


async def entered(stand: Stand, pilot, text: str) -> None:  # type: ignore[no-untyped-def]
    stand.chat.composer.drafts.add(text)
    await pilot.press("enter")
    await settled(pilot)


def wishes(stand: Stand) -> list[object]:
    return [intent for intent in stand.session.sent if isinstance(intent, Submit | Set | Aside)]


@pytest.mark.rule("TUI-113")
@pytest.mark.parametrize(
    ("text", "sent", "shown"),
    [
        ("/review it", [Submit(text="/review it")], "› /review it"),
        ("/rename The title", [Set(kind="title", value="The title")], ""),
        ("/plan", [Set(kind="mode", value="plan")], ""),
        ("/model", [], "small-2"),
        ("/model small-2", [Set(kind="model", value="small-2")], ""),
        ("/btw why", [Aside(question="why")], "because it does"),
        ("/steer", [], "this agent cannot be steered"),
    ],
)
async def test_a_command_does_what_its_kind_says(text: str, sent: list[object], shown: str) -> None:
    stand = Stand()
    stand.session.can("aside")
    stand.session.replies[Aside] = lambda wish: Accepted(text="because it does")
    stand.session.offers(models())
    stand.session.publish(Event("meta", state=State(slash=Slash(items=ROWS))))
    async with stand.run() as pilot:
        await settled(pilot)
        await entered(stand, pilot, text)

        assert wishes(stand) == sent
        assert shown in stand.text


@pytest.mark.rule("TUI-113")
async def test_a_command_of_the_screen_reaches_no_agent() -> None:
    stand = Stand()
    stand.session.publish(Event("meta", state=State(slash=Slash(items=ROWS))))
    async with stand.run() as pilot:
        await settled(pilot)
        before = stand.app.screen
        await entered(stand, pilot, "/keys")

        assert wishes(stand) == []
        assert stand.app.screen is not before


@pytest.mark.rule("TUI-113")
async def test_a_prompt_command_waits_its_turn_while_the_agent_works() -> None:
    stand = Stand()
    stand.session.publish(Event("meta", state=State(slash=Slash(items=ROWS))))
    stand.session.begin_turn()
    async with stand.run() as pilot:
        await settled(pilot)
        await entered(stand, pilot, "/review it")

        assert wishes(stand) == [Submit(text="/review it")]


@pytest.mark.rule("TUI-159")
@pytest.mark.parametrize(
    ("wanted", "draft", "earlier", "shown"),
    [
        ("/model", "mine", ("/model",), "small-2"),
        ("/rename", "/rename ", ("mine",), ""),
        ("/review", "/review ", ("mine",), ""),
    ],
)
async def test_the_palette_runs_a_command_or_puts_it_where_its_argument_is_typed(
    wanted: str, draft: str, earlier: tuple[str, ...], shown: str
) -> None:
    stand = Stand()
    stand.session.offers(models())
    stand.session.publish(Event("meta", state=State(slash=Slash(items=ROWS))))
    async with stand.run() as pilot:
        await settled(pilot)
        stand.chat.composer.drafts.add("mine")
        await pilot.press("ctrl+p", *wanted)
        await pilot.press("enter")
        await settled(pilot)

        assert (stand.chat.composer.text, stand.chat.composer.drafts.history.entries) == (draft, earlier)
        assert shown in stand.text


@pytest.mark.rule("TUI-47")
async def test_a_prompt_of_any_kind_follows_the_end_again() -> None:
    stand = Stand()
    stand.session.publish(Event("meta", state=State(slash=Slash(items=ROWS))))
    stand.session.publish(*(Event("text", text=f"line {n}\n\n") for n in range(99)))
    async with stand.run() as pilot:
        await settled(pilot)
        for typed in ("/review it", "hello"):
            await pilot.press("pageup")
            assert not stand.chat.transcript.following
            await entered(stand, pilot, typed)
            assert stand.chat.transcript.following


@pytest.mark.rule("TUI-225")
async def test_a_mention_stays_the_text_that_the_person_sees() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        await entered(stand, pilot, "look at @no/such/file.py and @/etc/passwd please")

        assert wishes(stand) == [Submit(text="look at @no/such/file.py and @/etc/passwd please")]
        assert "› look at @no/such/file.py and @/etc/passwd please" in stand.text


@pytest.mark.rule("TUI-85")
async def test_output_that_grows_is_a_tail_and_paints_its_own_block_alone() -> None:
    stand = Stand()
    stand.session.begin_turn()
    stand.session.say("looking")
    lines = [f"row {number}\n" for number in range(40)]

    def ran(*pieces: str) -> Event:
        output = ToolOutput(stdout="".join(pieces))
        return Event("tool", tool=Tool(id="c", kind="execute", title="make", status="in_progress", output=output))

    stand.session.publish(ran(*lines))
    async with stand.run() as pilot:
        await settled(pilot)
        assert "row 39" in stand.text
        assert "row 3\n" not in stand.text
        painted = stand.chat.transcript.paints
        stand.session.publish(ran(*lines, " 10%\r100%\x1b[5;1Hdone\n"))
        await settled(pilot)

        assert stand.chat.transcript.paints == painted + 1
        assert "100%done" in stand.text
        assert " 10%" not in stand.text


@pytest.mark.rule("TUI-161")
async def test_opening_another_session_closes_this_one_and_the_screen_stays() -> None:
    stand, other = Stand(), FakeSession()
    other.say("from before")
    stand.memory.library.sessions["s-2"] = other
    async with stand.run() as pilot:
        await settled(pilot)
        await stand.app.open_session("s-2")
        await settled(pilot)

        assert (stand.session.closed, other.closed) == (True, False)
        assert stand.app.session is other
        assert "from before" in stand.text


@pytest.mark.rule("TUI-113", "TUI-116")
async def test_a_command_that_is_typed_before_the_catalog_comes_is_run_when_it_has_come() -> None:
    stand = Stand()
    async with stand.run() as pilot:
        await settled(pilot)
        stand.chat.composer.drafts.add("/rename The title")
        await pilot.press("enter")
        await pilot.pause()
        assert wishes(stand) == []
        stand.session.publish(Event("meta", state=State(slash=Slash(items=ROWS))))
        await until(pilot, lambda: wishes(stand))

        assert wishes(stand) == [Set(kind="title", value="The title")]
        assert stand.chat.composer.drafts.whole == ""
