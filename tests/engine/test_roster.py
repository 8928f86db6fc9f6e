"""Sub-agents: spawned first, finished once, rows completed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from craze.codec import Event, Stamp, Subagent, Task, Tool
from craze.engine.limits import FINISHED_CHILDREN, PARKED_RECEIPTS, ROUTED_CHILDREN
from craze.engine.roster import Roster, Said

T0, T1 = Stamp("2026-11-30T12:00:00Z"), Stamp("2026-11-30T12:00:01.5Z")


def row(change: str, child: str = "kid", **fields: object) -> Event:
    status = {"finished": "completed"}.get(change, "running")
    return Event("subagent", subagent=Subagent(**{"id": child, "status": status, **fields}), subagent_change=change)


def tool(child: str, tool_id: str, name: str, at: Stamp = T0) -> Event:
    return Event("tool", agent=child, tool=Tool(id=tool_id, name=name), at=at)


def told(said: Said) -> list[str]:
    return [event.subagent_change or event.type for event in said.events]


def the_row(said: Said) -> Subagent:
    found = said.events[-1].subagent
    assert found is not None
    return found


@pytest.mark.rule("ENG-122")
def test_a_row_is_completed_from_what_was_seen() -> None:
    roster = Roster()
    roster.report(row("spawned", tool_call_id="call"), T0)
    for tool_id, name in (("1", "Read"), ("2", "Bash"), ("1", "Read"), ("3", "")):
        roster.seen(tool("kid", tool_id, name))

    said = roster.report(row("finished", tool_call_id="call"), T1)

    assert the_row(said) == Subagent(
        id="kid",
        tool_call_id="call",
        status="completed",
        started_at=T0,
        ended_at=T1,
        duration_ms=1500,
        tool_calls=3,
        tools_used=("Read", "Bash"),
        transcript=True,
    )
    assert said.events[0].at == T1


@pytest.mark.rule("ENG-122")
def test_what_the_agent_reports_wins() -> None:
    roster = Roster()
    roster.report(row("spawned", started_at=T1), T0)
    roster.seen(tool("kid", "1", "Read"))

    said = roster.report(row("finished", tool_calls=9, tools_used=("Grep",), duration_ms=7, ended_at=T0), T1)

    assert the_row(said) == Subagent(
        id="kid",
        status="completed",
        started_at=T1,
        ended_at=T0,
        duration_ms=7,
        tool_calls=9,
        tools_used=("Grep",),
        transcript=True,
    )


@pytest.mark.rule("ENG-122", "ENG-99")
def test_a_replayed_row_gets_no_times() -> None:
    roster = Roster()
    roster.report(replace(row("spawned"), replayed=True), T0)

    said = roster.report(replace(row("finished"), replayed=True), T1)

    assert said.events[0].replayed
    assert the_row(said) == Subagent(id="kid", status="completed")


@pytest.mark.rule("ENG-92", "ENG-10")
def test_a_second_end_is_no_event() -> None:
    roster = Roster()
    roster.report(row("spawned"), T0)
    roster.report(row("finished"), T0)

    assert roster.report(row("finished", status="failed"), T1) == Said(lints=("child-ended-twice",))
    assert roster.report(row("progress"), T1) == Said(lints=("child-after-end",))


@pytest.mark.rule("ENG-92")
@pytest.mark.parametrize(("change", "changes"), [("progress", ["spawned"]), ("finished", ["spawned", "finished"])])
def test_a_child_nobody_announced_is_spawned_first(change: str, changes: list[str]) -> None:
    said = Roster().report(row(change), T0)

    assert told(said) == changes
    assert said.lints == ("child-not-spawned",)
    first = said.events[0].subagent
    assert first is not None
    assert (first.status, first.ended_at) == ("running", "")


@pytest.mark.rule("ENG-92")
def test_an_event_of_an_unknown_child_is_preceded_by_its_spawned() -> None:
    roster = Roster()

    said = roster.seen(tool("kid", "1", "Read"))

    assert told(said) == ["spawned", "tool"]
    assert said.lints == ("child-not-spawned",)
    assert told(roster.seen(tool("kid", "1", "Read"))) == ["tool"]


@pytest.mark.rule("ENG-92")
def test_an_end_in_the_status_is_an_end_whatever_the_change_says() -> None:
    roster = Roster()
    roster.report(row("spawned"), T0)

    assert told(roster.report(row("progress", status="cancelled"), T1)) == ["finished"]


def test_a_second_spawned_of_a_running_child_is_progress() -> None:
    roster = Roster()
    roster.report(row("spawned"), T0)

    said = roster.report(row("spawned", description="more"), T1)

    assert (told(said), said.lints) == (["progress"], ("child-spawned-twice",))
    assert the_row(said).started_at == T0


def test_another_attempt_of_a_finished_child_is_spawned_anew() -> None:
    roster = Roster()
    roster.report(row("spawned", attempt_id="1"), T0)
    roster.report(row("finished", attempt_id="1"), T0)

    said = roster.report(row("spawned", attempt_id="2"), T1)

    assert (told(said), said.lints) == (["spawned"], ())
    assert the_row(said).started_at == T1
    assert roster.running() == ("kid",)


@pytest.mark.rule("ENG-94")
def test_a_cancelled_turn_ends_its_children_but_those_in_the_background() -> None:
    roster = Roster()
    roster.report(row("spawned", "a"), T0)
    roster.report(row("spawned", "far", background=True), T0)
    roster.report(row("spawned", "b", parent_id="a"), T0)

    said = roster.end_all("cancelled", "", T1, background=False)

    assert [event.subagent and (event.subagent.id, event.subagent.status) for event in said.events] == [
        ("b", "cancelled"),
        ("a", "cancelled"),
    ]
    assert roster.running() == ("far",)


@pytest.mark.rule("ENG-94")
def test_when_the_agent_is_gone_every_child_failed_with_its_error() -> None:
    roster = Roster()
    roster.report(row("spawned", background=True, activity="reading"), T0)

    said = roster.end_all("failed", "the agent exited", T1, background=True)

    found = the_row(said)
    assert (found.status, found.error, found.activity, found.duration_ms) == ("failed", "the agent exited", "", 1500)
    assert roster.end_all("failed", "", T1, background=True) == Said()


@pytest.mark.rule("ENG-93", "ACP-119")
def test_output_of_children_beyond_the_limit_goes_to_the_main_transcript() -> None:
    roster = Roster()
    for number in range(ROUTED_CHILDREN):
        assert roster.report(row("spawned", str(number)), T0).lints == ()

    assert roster.report(row("spawned", "more"), T0).lints == ("child-not-routed",)
    (event,) = roster.seen(Event("text", text="hi", agent="more")).events
    assert event == Event("text", text="hi")
    assert not the_row(roster.report(row("finished", "more"), T1)).transcript


@pytest.mark.rule("ENG-93")
def test_the_newest_finished_rows_are_kept() -> None:
    roster = Roster()
    for number in range(FINISHED_CHILDREN + 1):
        roster.report(row("spawned", str(number)), T0)
        roster.report(row("finished", str(number)), T0)

    assert roster.get("0") is None
    assert roster.get("1") is not None
    assert roster.report(row("finished", "0"), T1) == Said(lints=("child-ended-twice",))
    assert roster.seen(Event("text", text="late", agent="0")).events == (Event("text", text="late", agent="0"),)


@pytest.mark.rule("ENG-93")
def test_a_receipt_before_its_row_is_joined_to_it() -> None:
    roster = Roster()
    receipt = Task(agent_id="kid", receipt=True, background=True)
    roster.seen(Event("tool", tool=Tool(id="call", task=receipt)))

    found = the_row(roster.report(row("spawned"), T0))

    assert (found.tool_call_id, found.background) == ("call", True)


@pytest.mark.rule("ENG-93")
def test_only_so_many_receipts_are_parked() -> None:
    roster = Roster()
    for number in range(PARKED_RECEIPTS + 1):
        roster.seen(Event("tool", tool=Tool(id=f"call-{number}", task=Task(agent_id=str(number)))))

    assert the_row(roster.report(row("spawned", "0"), T0)).tool_call_id == ""
    assert the_row(roster.report(row("spawned", "1"), T0)).tool_call_id == "call-1"


def test_a_row_without_id_is_refused() -> None:
    assert Roster().report(row("spawned", ""), T0) == Said(lints=("child-without-id",))


MOVES = st.one_of(
    st.builds(row, st.sampled_from(["spawned", "progress", "finished"]), st.sampled_from("ab")),
    st.builds(row, st.just("spawned"), st.sampled_from("ab"), attempt_id=st.sampled_from("12")),
    st.builds(tool, st.sampled_from(["a", "b", ""]), st.sampled_from("xy"), st.just("Read")),
)


@pytest.mark.rule("ENG-92")
@given(st.lists(MOVES, max_size=40))
def test_whatever_is_reported_each_child_starts_before_and_ends_after_everything_else(moves: list[Event]) -> None:
    roster = Roster()
    out: list[Event] = []
    for event in moves:
        out += (roster.report(event, T0) if event.type == "subagent" else roster.seen(event)).events
    out += roster.end_all("cancelled", "", T1, background=True).events

    running: set[str] = set()
    known: set[str] = set()
    for event in out:
        if event.subagent is None:
            assert event.agent in {*known, ""}
            continue
        child, change = event.subagent.id, event.subagent_change
        assert (change == "spawned") == (child not in running)
        assert (event.subagent.status == "running") == (change != "finished")
        known.add(child)
        running.discard(child) if change == "finished" else running.add(child)
    assert running == set()
