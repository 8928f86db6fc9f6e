"""Whole screens as text, to be read by people: each story at four sizes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from craze.codec import Diff, Event, Failure, State, Subagent, Todo, Tool, ToolOutput
from craze.engine.facts import Cost, Info, SpendPart, UsageFact
from tests.conftest import Golden
from tests.fakes.screen import GOLDEN, FakeSession, Stand, efforts, models, modes, settled

SIZES = ((100, 30), (80, 24), (60, 20), (40, 12))
OLD = "def wait(self, attempt):\n    time.sleep(2 ** attempt)\n    return attempt\n"
NEW = "def wait(self, attempt):\n    self._clock.sleep(self._delay(attempt))\n    return attempt\n"


def at_work(session: FakeSession) -> None:
    """The main picture: a turn with tools, todos, sub-agents, a queue."""
    session.offers(modes(), models(), efforts(), title="fix retry test")
    session.begin_turn("fix the flaky retry test in tests/test_client.py")
    session.say("I'll look at the test first, then at the clock it uses.")
    session.publish(
        Event("tool", tool=Tool(id="1", kind="read", status="completed", locations=("tests/test_client.py",))),
        Event(
            "tool",
            tool=Tool(
                id="2",
                kind="edit",
                status="completed",
                locations=("src/client.py",),
                diffs=(Diff(path="src/client.py", old_text=OLD, new_text=NEW, added=1, removed=1),),
            ),
        ),
        Event(
            "tool",
            tool=Tool(
                id="3",
                kind="execute",
                status="in_progress",
                title="pytest -q tests/test_client.py",
                output=ToolOutput(stdout="....F\n"),
            ),
        ),
    )
    todos = [
        ("look", "completed"),
        ("inject a clock", "completed"),
        ("run the test suite", "in_progress"),
        ("tidy", "pending"),
    ]
    session.publish(
        Event(
            "todos", todos=tuple(Todo(id=str(n), content=text, status=status) for n, (text, status) in enumerate(todos))
        )
    )
    now = session.clock.stamp()
    explore = Subagent(
        id="a", subagent_type="explore", activity="reading fixtures", status="running", tokens_used=4100, started_at=now
    )
    lint = Subagent(id="b", subagent_type="lint", status="completed", started_at=now, ended_at=now, duration_ms=8000)
    session.publish(Event("subagent", subagent=explore), Event("subagent", subagent=lint))
    session.queue("also update the changelog", "then open a pull request")
    spent = SpendPart(cost_pico_usd=40_000_000_000)
    cost = Cost(amount="1.2", currency="USD")
    session.tell(UsageFact(source="agent", context_tokens=34_000, context_window=100_000, turn=spent, cost=cost))


def held(session: FakeSession) -> None:
    """A turn that failed: the queue waits for a decision."""
    session.offers(modes(), models())
    session.begin_turn("do it")
    session.publish(Event("error", err=Failure(message="the model is overloaded", error_class="overloaded", code=529)))
    session.end_turn(stop_reason="", err_class="overloaded", err="the model is overloaded")
    session.queue("and then this")
    session.publish(Event("meta", state=State(reason="queue_paused", detail="turn_failed")))


def dead(session: FakeSession) -> None:
    """The agent is gone."""
    session.can("reopen")
    session.begin_turn("do it")
    session.say("I begin.")
    session.publish(Event("error", err=Failure(message="agent exited (status 1)", error_class="agent_exited", code=1)))
    session.end_turn(stop_reason="", err_class="agent_exited", synthetic=True)
    session.tell(Info(session="s-1", agent="demo", status="stopped", can=frozenset({"reopen"})))


STORIES: dict[str, Callable[[FakeSession], None]] = {"at_work": at_work, "held": held, "dead": dead}


@pytest.mark.rule("TUI-20", "TUI-22", "TUI-24", "TUI-165", "TUI-167")
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("story", STORIES)
async def test_the_screen_looks_as_it_was_judged(story: str, size: tuple[int, int], golden: Golden) -> None:
    stand = Stand()
    stand.memory.workspace.head = "main"
    async with stand.run(*size) as pilot:
        await settled(pilot)
        STORIES[story](stand.session)
        stand.clock.now += 42
        await settled(pilot)
        stand.chat.does.picture.show()
        await settled(pilot)

        assert all(len(line) <= size[0] for line in stand.text.split("\n"))
        golden(GOLDEN / f"{story}.{size[0]}x{size[1]}.txt", (stand.text + "\n").encode())


@pytest.mark.rule("TUI-112")
@pytest.mark.parametrize("size", [(100, 30), (60, 20)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_slash_menu_looks_as_it_was_judged(size: tuple[int, int], golden: Golden) -> None:
    stand = Stand()
    stand.session.offers(modes(), models(), efforts())
    async with stand.run(*size) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await settled(pilot)

        golden(GOLDEN / f"slash_menu.{size[0]}x{size[1]}.txt", (stand.text + "\n").encode())


@pytest.mark.rule("TUI-194")
async def test_ascii_replaces_every_sign_of_the_frame(golden: Golden) -> None:
    stand = Stand(glyphs="ascii")
    async with stand.run() as pilot:
        await settled(pilot)
        at_work(stand.session)
        await settled(pilot)

        golden(GOLDEN / "at_work_ascii.100x30.txt", (stand.text + "\n").encode())
