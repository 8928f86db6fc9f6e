"""What an agent replays of a loaded session, and what of it is published."""

from __future__ import annotations

import pytest

from craze.codec import Compaction, Event, Replay, State, Subagent, Todo
from craze.engine.facts import Info, Notice, fact
from craze.engine.intents import Accepted, Submit
from craze.engine.ports import (
    Gone,
    Kept,
    Opened,
    Returned,
    Start,
    ToolPatch,
    WriteAnswer,
)
from tests.fakes.core import Bench, failed, lines, permission, text

START, END = Event("replay", replay=Replay(phase="start")), Event("replay", replay=Replay(phase="end"))
BEGINS, ENDS = '{"type":"replay","replay":{"phase":"start"}}', '{"type":"replay","replay":{"phase":"end"}}'


def loading(*, has_history: bool = False, turns: int = 0) -> Bench:
    start = Start(workspace="/work", reopen="p-1", has_history=has_history)
    return Bench(ready=False, start=start, kept=Kept(turns=turns))


@pytest.mark.rule("ENG-98", "ENG-99", "ENG-19")
def test_without_a_history_all_of_the_replay_is_published_and_marked() -> None:
    bench = loading()
    assert bench.report(START) == [BEGINS]
    assert bench.view.status == "replaying"

    said = bench.report(
        Event("user", text="fix the bug"),
        text("Done."),
        ToolPatch(id="call-1", name="Bash", status="completed"),
        Event("meta", state=State(title="a title"), text="a title"),
        END,
        Opened(info=Info(provider_session="p-1")),
    )

    assert said[:5] == [
        '{"type":"user","text":"fix the bug","replayed":true}',
        '{"type":"text","text":"Done.","replayed":true}',
        '{"type":"tool","tool":{"id":"call-1","name":"Bash","status":"completed","kind":"other"},"replayed":true}',
        '{"type":"meta","text":"a title","state":{"title":"a title"},"replayed":true}',
        ENDS,
    ]
    assert bench.view.status == "idle"


@pytest.mark.rule("ENG-98", "ENG-97", "ENG-92")
def test_what_a_replay_left_open_ends_within_its_brackets() -> None:
    bench = loading()
    bench.report(
        START,
        ToolPatch(id="call-1"),
        Event("compaction", compaction=Compaction(phase="started", reason="auto")),
        Event("subagent", subagent=Subagent(id="kid", status="running"), subagent_change="spawned"),
        ToolPatch(id="call-2", agent="kid"),
    )

    step = bench.give((END,))

    kinds = [event.type for event in step.out if isinstance(event, Event)]
    assert kinds == ["tool", "subagent", "tool", "compaction", "replay"]
    assert all(event.replayed for event in step.out[:-1] if isinstance(event, Event))
    assert (bench.view.tools_open, bench.view.compacting) == ((), False)


@pytest.mark.rule("ENG-98", "ENG-21")
@pytest.mark.parametrize("report", [Returned(call="open", failure=failed()), Gone(failure=failed())])
def test_a_load_that_fails_closes_its_brackets(report) -> None:
    bench = loading()
    bench.report(START, ToolPatch(id="call-1", name="Bash"))

    said = bench.report(report)

    assert said[:3] == [
        '{"type":"error","err":{"message":"boom","class":"rpc","code":-32603}}',
        '{"type":"tool","tool":{"id":"call-1","name":"Bash","status":"failed","kind":"other"},"replayed":true}',
        ENDS,
    ]
    assert bench.view.status == "stopped"


@pytest.mark.rule("ENG-99", "ENG-113")
def test_prompts_wait_for_the_end_of_the_replay() -> None:
    bench = loading()
    bench.report(START)
    assert bench.send(Submit(text="go")) == Accepted(row="q-1")

    bench.report(END)
    assert bench.view.turn == ""
    bench.ready()

    assert bench.view.turn_text == "go"


@pytest.mark.rule("ENG-98")
def test_with_a_history_nothing_of_the_replay_is_published_but_settings_and_facts() -> None:
    bench = loading(has_history=True, turns=1)

    said = bench.report(
        START,
        Event("user", text="fix the bug"),
        text("Done."),
        ToolPatch(id="call-1", name="Bash"),
        Event("compaction", compaction=Compaction(phase="started")),
        Event("subagent", subagent=Subagent(id="kid", status="running"), subagent_change="spawned"),
        Event("meta", state=State(title="a title"), text="a title"),
        fact(Notice(severity="info", text="hello")),
        END,
    )

    assert said == [
        '{"type":"meta","text":"a title","state":{"title":"a title"}}',
        'fact notice {"severity":"info","text":"hello"}',
    ]
    assert bench.view.status == "starting"
    bench.ready()
    assert bench.view.status == "idle"


@pytest.mark.rule("ENG-98")
@pytest.mark.parametrize(("replayed", "lints", "notices"), [(0, 0, 0), (2, 0, 0), (3, 1, 1), (1, 1, 0)])
def test_a_replay_with_another_number_of_prompts_is_told_once(replayed: int, lints: int, notices: int) -> None:
    """Fewer than our own is the agent's affair; only more of them mean turns that this history does not have."""
    bench = loading(has_history=True, turns=2)

    said = bench.report(START, *[Event("user", text="a prompt")] * replayed, END)

    differs = f'fact lint {{"name":"replay-differs","count":1,"example":"{replayed} prompts replayed, 2 of our own"}}'
    elsewhere = 'fact notice {"severity":"warning","text":"turns made elsewhere are not shown","code":"replay_differs"}'
    assert said == [differs] * lints + [elsewhere] * notices


@pytest.mark.rule("ENG-98", "ENG-57")
@pytest.mark.parametrize("has_history", [True, False])
def test_an_ask_is_not_replayed(has_history: bool) -> None:
    bench = loading(has_history=has_history)
    bench.report(START)

    step = bench.give((permission(),))

    assert lines(step) == []
    assert step.effects == (WriteAnswer(key="7", answer=None),)


@pytest.mark.rule("ENG-10")
@pytest.mark.parametrize("event", [START, END])
def test_brackets_of_a_replay_stand_in_a_start_alone(event: Event) -> None:
    bench = Bench()

    assert bench.report(event) == ['fact lint {"name":"replay-bracket","count":1}']
    assert bench.view.status == "idle"


def test_an_agent_that_is_ready_has_ended_its_replay() -> None:
    bench = loading()
    bench.report(START)

    said = bench.report(Opened(info=Info(provider_session="p-1")))

    assert said[0] == ENDS
    assert bench.view.status == "idle"
    assert bench.report(END) == ['fact lint {"name":"replay-bracket","count":1}']


# ---- todos


@pytest.mark.rule("ENG-91", "ENG-17")
def test_todos_are_a_whole_list_with_ids_and_known_statuses() -> None:
    bench = Bench()

    bench.report(
        Event("todos", todos=(Todo(content="a", status="done?"), Todo(id="x", content="b", status="completed")))
    )

    assert [(todo.id, todo.status) for todo in bench.view.todos] == [("1", "pending"), ("x", "completed")]
    bench.report(Event("todos"))
    assert bench.view.todos == ()


# ---- compactions


@pytest.mark.rule("ENG-97")
def test_compactions_come_in_pairs() -> None:
    bench = Bench()
    began = Event("compaction", compaction=Compaction(phase="started", reason="auto"))
    ended = Event("compaction", compaction=Compaction(phase="ended", tokens_before=9, tokens_after=3))

    assert bench.report(began, began, ended) == [
        '{"type":"compaction","compaction":{"phase":"started","reason":"auto"}}',
        '{"type":"compaction","compaction":{"phase":"ended","tokensBefore":9,"tokensAfter":3}}',
    ]
    assert bench.report(ended) == ['fact lint {"name":"compaction-end","count":1}']


@pytest.mark.rule("ENG-97")
def test_a_compaction_that_did_not_end_ends_with_its_child() -> None:
    bench = Bench()
    bench.report(
        Event("subagent", subagent=Subagent(id="kid", status="running"), subagent_change="spawned"),
        Event("compaction", agent="kid", compaction=Compaction(phase="started", reason="auto")),
    )

    said = bench.report(Event("subagent", subagent=Subagent(id="kid", status="completed"), subagent_change="finished"))

    assert said[0] == (
        '{"type":"compaction","agent":"kid","compaction":{"phase":"ended","reason":"auto","err":"the sub-agent ended"}}'
    )


@pytest.mark.rule("ENG-97")
def test_an_ending_alone_is_legal_in_a_replay() -> None:
    bench = loading()
    bench.report(START)

    assert bench.report(Event("compaction", compaction=Compaction(phase="ended", tokens_before=9))) == [
        '{"type":"compaction","replayed":true,"compaction":{"phase":"ended","tokensBefore":9}}'
    ]
