"""The agent comes, fails to come, goes, comes again, is signed in to and is closed."""

from __future__ import annotations

import msgspec
import pytest

from craze.codec import Event, Queued, Subagent
from craze.engine.facts import Fact, Info, Login, LoginMethod, Policies, fact
from craze.engine.intents import (
    Accepted,
    Aside,
    Authenticate,
    Cancel,
    CancelSubagent,
    QueueHold,
    Reconnect,
    Refused,
    SendNow,
    Submit,
)
from craze.engine.limits import CLOSE_PROVIDER
from craze.engine.ports import (
    Close,
    CloseAgent,
    Foreign,
    Gone,
    Kept,
    Open,
    Opened,
    Returned,
    SaveKept,
    SignIn,
    Start,
    StopChild,
    ToolPatch,
    TurnEnded,
    WriteAside,
)
from craze.engine.situation import Settings
from tests.fakes.core import ALL, Bench, failed, line, lines, permission, text

DEAD = failed("exit status 3", "agent_exit_status", 3)
LOGIN = fact(Login(required=True, methods=(LoginMethod(id="browser"),)))


def statuses(bench: Bench) -> list[str]:
    told = [item for item in bench.said if isinstance(item, Fact) and item.kind == "info"]
    return [msgspec.json.decode(item.data, type=Info).status for item in told]


def opens(bench: Bench) -> list[Start]:
    return [effect.start for effect in bench.did if isinstance(effect, Open)]


def working(*rows: str, **options) -> Bench:
    bench = Bench(**options)
    for words in ("go", *rows):
        bench.send(Submit(text=words))
    return bench


# ---- the first start


@pytest.mark.rule("ENG-136", "ENG-101", "ENG-129", "ENG-44", "ENG-19")
def test_a_session_begins_with_who_it_is_who_answers_and_what_waited() -> None:
    kept = Kept(queue=(Queued(id="q-1", text="one"),))
    bench = Bench(ready=False, kept=kept, settings=Settings(policies=Policies(permission="reads")))

    assert [line(item) for item in bench.said] == [
        'fact info {"session":"s-1","workspace":"/work"}',
        'fact policies {"permission":"reads"}',
        '{"type":"queue","queue":{"id":"q-1","text":"one"},"queueChange":"queued"}',
        '{"type":"meta","state":{"reason":"queue_paused","detail":"restored"}}',
    ]
    assert [type(effect) for effect in bench.did] == [Open, SaveKept]
    assert bench.view.status == "starting"


@pytest.mark.rule("ENG-101", "ENG-100", "ENG-20", "ENG-103")
def test_ready_is_told_with_all_that_the_agent_said_of_itself() -> None:
    bench = Bench(ready=False)
    assert bench.view.info.can == frozenset()

    bench.ready()

    assert bench.view.info == Info(
        session="s-1", workspace="/work", agent="fake", version="1", provider_session="p-1", status="idle", can=ALL
    )
    assert bench.view.status == "idle"


@pytest.mark.rule("ENG-21", "ENG-113", "ENG-40")
def test_prompts_typed_before_the_agent_is_up_are_sent_when_it_is() -> None:
    bench = Bench(ready=False)
    assert bench.send(Submit(text="one")) == Accepted(row="q-1")
    bench.send(Submit(text="two"))

    bench.ready()

    assert bench.view.turn_text == "one"
    assert [row.text for row in bench.view.queue] == ["two"]


@pytest.mark.rule("ENG-21", "ENG-19", "ENG-42")
@pytest.mark.parametrize("report", [Returned(call="open", failure=DEAD), Gone(failure=DEAD)])
def test_a_start_that_fails_stops_with_one_error_and_keeps_what_was_typed(report) -> None:
    bench = Bench(ready=False)
    bench.send(Submit(text="one"))

    assert bench.report(report) == [
        '{"type":"error","err":{"message":"exit status 3","class":"agent_exit_status","code":3}}',
        '{"type":"meta","state":{"reason":"queue_paused","detail":"start_failed"}}',
        'fact info {"session":"s-1","workspace":"/work","status":"stopped"}',
    ]
    assert bench.view.status == "stopped"
    assert [row.text for row in bench.view.queue] == ["one"]
    assert bench.report(report) == []


@pytest.mark.rule("ENG-21", "ENG-23", "ENG-107")
def test_a_failed_start_can_be_tried_again() -> None:
    bench = Bench(ready=False)
    bench.report(Returned(call="open", failure=DEAD))

    assert bench.send(Reconnect()) is None
    bench.report(Returned(call="open", failure=DEAD))
    result = bench.results["c-1/1"]
    assert isinstance(result, Refused)
    assert result.code == "failed"
    assert bench.send(Reconnect()) is None
    bench.ready()

    assert bench.results["c-1/2"] == Accepted()
    assert statuses(bench) == ["starting", "stopped", "starting", "stopped", "starting", "idle"]
    assert [start.reopen for start in opens(bench)] == ["", "", ""]


# ---- signing in


@pytest.mark.rule("ENG-21", "ENG-120", "ENG-132")
def test_a_start_that_needs_a_sign_in_goes_on_after_it() -> None:
    bench = Bench(ready=False)
    bench.report(LOGIN)
    bench.send(Submit(text="one"))

    assert bench.view.status == "starting"
    assert ("login", "") in bench.view.facts
    assert bench.send(Authenticate(method="browser")) is None
    assert bench.last.effects == (SignIn(call="c-1/2", method="browser"),)
    bench.report(Returned(call="c-1/2"))
    bench.ready()

    assert bench.results["c-1/2"] == Accepted()
    assert bench.view.turn_text == "one"


@pytest.mark.rule("ENG-120")
def test_without_a_method_there_is_no_signing_in_and_only_offered_ones_are_used() -> None:
    bench = Bench()
    assert bench.send(Authenticate(method="browser")) == Refused(code="unsupported")

    bench.report(LOGIN)

    assert bench.send(Authenticate(method="telepathy")) == Refused(code="bad_request", detail={"method": "telepathy"})


@pytest.mark.rule("ENG-120", "ENG-101", "ENG-123")
def test_signing_out_is_told_by_a_new_info() -> None:
    bench = Bench()
    bench.report(LOGIN)
    assert bench.view.state.slash is not None
    assert "connect" in {item.name for item in bench.view.state.slash.items}

    assert bench.send(Authenticate(method=None)) is None
    bench.report(Opened(info=Info(agent="fake", can=frozenset())), Returned(call="c-1/1"))

    assert bench.view.info.can == frozenset()
    assert bench.view.status == "idle"
    assert bench.results["c-1/1"] == Accepted()


# ---- gone, and again


@pytest.mark.rule("ENG-112", "ENG-30", "ENG-41", "ENG-94", "ENG-28", "ENG-20")
def test_when_the_agent_dies_all_ends_with_its_error_and_the_session_stops() -> None:
    bench = working("next")
    bench.report(
        ToolPatch(id="call-1", name="Bash"),
        Event("subagent", subagent=Subagent(id="kid", status="running", background=True), subagent_change="spawned"),
    )

    said = bench.report(Gone(failure=DEAD))

    assert said[0] == '{"type":"error","err":{"message":"exit status 3","class":"agent_exit_status","code":3}}'
    assert '"status":"failed"' in said[1]
    assert '"error":"exit status 3"' in said[1]
    assert said[2:5] == [
        '{"type":"tool","tool":{"id":"call-1","name":"Bash","status":"failed","kind":"other"}}',
        '{"type":"turn","turn":{"id":"turn-1","phase":"ended","errClass":"agent_exit_status","err":"exit status 3","pending":1}}',
        '{"type":"meta","state":{"reason":"queue_paused","detail":"turn_failed"}}',
    ]
    assert said[5].startswith("fact info")
    assert '"status":"stopped"' in said[5]
    assert len(said) == 6
    assert bench.report(Gone(failure=DEAD)) == []


@pytest.mark.rule("ENG-112", "ENG-95")
def test_an_agent_that_dies_while_idle_is_told_once_and_pauses_nothing() -> None:
    bench = Bench()
    bench.report(Foreign(running=True))
    bench.send(Submit(text="waits"))

    said = bench.report(Gone(failure=DEAD))

    assert [line.split('"type":"')[-1].split('"')[0] for line in said[:2]] == ["error", "foreign_turn"]
    assert bench.view.paused == ""
    bench.send(Reconnect())
    bench.ready()
    assert bench.view.turn_text == "waits"


@pytest.mark.rule("ENG-23", "ENG-107", "ENG-111")
@pytest.mark.parametrize("held", [False, True])
def test_a_reconnect_ends_what_is_open_without_an_error_and_leaves_the_queue(held: bool) -> None:
    bench = working("next")
    if held:
        bench.send(QueueHold(held=True))
    before = bench.view

    assert bench.send(Reconnect()) is None

    said = lines(bench.last)
    assert said[0] == (
        '{"type":"turn","turn":{"id":"turn-1","phase":"ended","errClass":"closed","err":"the agent was restarted","pending":1}}'
    )
    assert said[1].startswith("fact info")
    assert len(said) == 2
    assert (bench.view.queue, bench.view.paused) == (before.queue, "person" if held else "")
    assert bench.view.status == "starting"
    assert opens(bench)[-1].reopen == "p-1"
    assert opens(bench)[-1].has_history
    bench.ready()
    assert bench.view.turn_text == ("" if held else "next")


@pytest.mark.rule("ENG-23", "ENG-28")
def test_a_cancelled_turn_that_hangs_is_cancelled_by_the_reconnect() -> None:
    bench = working(settings=Settings(after_cancel="pause"))
    bench.send(SendNow(text="now"))

    bench.send(Reconnect())

    assert lines(bench.last)[:3] == [
        '{"type":"turn","turn":{"id":"turn-1","phase":"ended","stopReason":"cancelled","synthetic":true,"pending":1}}',
        "fact cancelling {}",
        '{"type":"meta","state":{"sendNow":{},"reason":"stopped"}}',
    ]
    assert bench.view.paused == ""


@pytest.mark.rule("ENG-23", "ENG-98")
def test_a_session_without_turns_of_its_own_takes_the_agents_replay() -> None:
    bench = Bench()
    bench.report(Gone(failure=DEAD))

    bench.send(Reconnect())

    assert (opens(bench)[-1].reopen, opens(bench)[-1].has_history) == ("p-1", False)


@pytest.mark.rule("ENG-107")
def test_another_reconnect_fails_the_one_that_still_waits() -> None:
    bench = Bench()
    bench.send(Reconnect())
    bench.send(Reconnect())

    first = bench.results["c-1/1"]
    assert isinstance(first, Refused)
    assert first.code == "failed"
    bench.ready()
    assert bench.results["c-1/2"] == Accepted()


# ---- side calls


@pytest.mark.rule("ENG-107", "ENG-132")
def test_an_aside_is_answered_beside_the_turn() -> None:
    bench = working()

    assert bench.send(Aside(question="why?")) is None
    assert bench.last.effects == (WriteAside(call="c-1/2", question="why?"),)
    bench.report(Returned(call="c-1/2", text="because"))

    assert bench.results["c-1/2"] == Accepted(text="because")
    assert bench.view.turn == "turn-1"
    assert bench.send(Aside(question=" ")) == Refused(code="bad_request", detail={"text": "the question is empty"})


@pytest.mark.rule("ENG-100", "ENG-92")
def test_only_a_sub_agent_that_runs_can_be_stopped() -> None:
    bench = working()
    row = Subagent(id="kid", status="running")
    bench.report(Event("subagent", subagent=row, subagent_change="spawned"))

    assert bench.send(CancelSubagent(agent="nobody")) == Refused(code="unknown_subagent", detail={"agent": "nobody"})
    assert bench.send(CancelSubagent(agent="kid")) is None
    assert bench.last.effects == (StopChild(call="c-1/3", agent="kid"),)
    ended = msgspec.structs.replace(row, status="cancelled")
    bench.report(Event("subagent", subagent=ended, subagent_change="finished"), Returned(call="c-1/3"))

    assert bench.results["c-1/3"] == Accepted()
    assert bench.view.roster[0].status == "cancelled"


@pytest.mark.rule("ENG-132")
def test_a_call_that_is_over_cannot_return_again() -> None:
    bench = working()
    bench.send(Aside(question="why?"))
    bench.report(Returned(call="c-1/2", text="because"))

    step = bench.give((Returned(call="c-1/2", text="no"), Returned(call="c-1/99"), Returned(call="open")))

    assert (step.results, step.out, step.effects) == ((), (), ())


# ---- the end


@pytest.mark.rule("ENG-112", "ENG-136")
def test_a_close_keeps_the_queue_and_then_closes_the_agent() -> None:
    bench = working()
    bench.send(SendNow(text="now"))

    step = bench.give(Close())

    assert [effect for effect in step.effects if isinstance(effect, CloseAgent)] == [CloseAgent(grace=CLOSE_PROVIDER)]
    assert isinstance(step.effects[-1], CloseAgent)
    assert not any(isinstance(effect, Open) for effect in step.effects)
    kept = [effect.kept for effect in bench.did if isinstance(effect, SaveKept)][-1]
    assert [row.text for row in kept.queue] == ["now"]
    assert statuses(bench) == ["starting", "idle", "closing"]


@pytest.mark.rule("ENG-112")
def test_what_the_agent_says_while_it_is_closed_is_taken_as_ever_and_its_exit_is_no_failure() -> None:
    bench = working()
    bench.give(Close())

    assert bench.report(text("bye")) == ['{"type":"text","text":"bye"}']
    assert bench.report(Gone(failure=DEAD)) == []
    assert bench.give(Close()).out == ()
    assert bench.closed() == [
        'fact info {"session":"s-1","workspace":"/work","agent":"fake","version":"1","provider_session":"p-1",'
        '"status":"closed","can":' + msgspec.json.encode(ALL, order="deterministic").decode() + "}"
    ]
    assert bench.view.status == "closed"


@pytest.mark.rule("ENG-112", "ENG-107")
def test_a_session_can_be_closed_before_its_agent_is_up() -> None:
    bench = Bench(ready=False)
    bench.send(Submit(text="one"))
    bench.send(Reconnect())

    bench.give(Close())
    bench.report(Opened(info=Info()))

    assert bench.view.status == "closing"
    result = bench.results["c-1/2"]
    assert isinstance(result, Refused)
    assert bench.view.turn == ""


@pytest.mark.rule("ENG-20")
def test_status_goes_beside_asks_and_foreign_turns() -> None:
    bench = Bench()
    bench.report(Foreign(running=True))
    assert (bench.view.status, bench.view.foreign is not None) == ("idle", True)
    bench.report(Foreign(running=False))
    bench.send(Submit(text="go"))
    bench.send(Cancel())

    assert (bench.view.status, bench.view.cancelling) == ("working", True)
    bench.report(TurnEnded(stop_reason="end_turn"))
    assert (bench.view.status, bench.view.cancelling) == ("idle", False)


@pytest.mark.rule("ENG-10", "ENG-63", "ENG-112")
def test_what_an_agent_began_after_its_end_does_not_outlive_the_next_start() -> None:
    bench = working()
    bench.report(Gone(failure=DEAD))

    said = bench.report(Foreign(running=True), permission(of_turn=False), ToolPatch(id="call-1"))
    bench.send(Submit(text="again"))
    bench.ready()

    assert said[0] == 'fact lint {"name":"foreign-turn","count":1}'
    assert '"outcome":"closing","by":"provider"' in said[1]
    assert (bench.view.foreign, bench.view.asks, bench.view.tools_open) == (None, (), ())
    assert bench.view.turn_text == "again"


@pytest.mark.rule("ENG-10")
def test_what_an_agent_did_wrong_is_shown_in_short() -> None:
    bench = Bench()
    bench.report(permission(key="x" * 10_000, of_turn=False))

    said = bench.report(permission(key="x" * 10_000, of_turn=False))

    assert len(said[0]) < 300
