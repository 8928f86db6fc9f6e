"""Cancelling: told once, whatever runs, and never what comes next."""

from __future__ import annotations

import pytest

from craze.engine.intents import Accepted, Cancel, Refused, Submit
from craze.engine.ports import Close, Foreign, Gone, Returned, TurnEnded, WriteAnswer, WriteCancel
from tests.fakes.core import ALL, Bench, failed, lines, permission


def working() -> Bench:
    bench = Bench()
    bench.send(Submit(text="go"))
    return bench


def cancels(bench: Bench) -> int:
    return sum(isinstance(effect, WriteCancel) for effect in bench.did)


@pytest.mark.rule("ENG-51", "ENG-52", "ENG-111")
def test_a_cancel_is_told_at_once_and_holds_until_the_turn_has_ended() -> None:
    bench = working()

    assert bench.send(Cancel()) == Accepted(turn="turn-1")
    assert lines(bench.last) == ['fact cancelling {"turn":"turn-1","since":"1970-01-01T00:00:04Z"}']
    assert bench.view.cancelling
    assert bench.report(TurnEnded(stop_reason="end_turn"))[2] == "fact cancelling {}"
    assert not bench.view.cancelling


@pytest.mark.rule("ENG-51")
def test_a_late_key_press_never_hits_the_next_turn() -> None:
    bench = working()
    bench.report(TurnEnded(stop_reason="end_turn"))
    bench.send(Submit(text="another"))

    assert bench.send(Cancel(turn="turn-1")) == Refused(code="stale_turn", detail={"turn": "turn-1"})
    assert bench.send(Cancel(foreign=True)) == Refused(code="not_accepting")
    assert cancels(bench) == 0
    assert bench.send(Cancel(turn="turn-2")) == Accepted(turn="turn-2")


@pytest.mark.rule("ENG-51")
def test_with_nothing_to_cancel_and_no_ask_open_it_is_not_accepted() -> None:
    assert Bench().send(Cancel()) == Refused(code="not_accepting")


@pytest.mark.rule("ENG-54", "ENG-53")
def test_a_second_cancel_ends_what_asks_are_open_and_writes_nothing() -> None:
    bench = working()
    bench.send(Cancel())
    bench.report(permission(of_turn=False))

    assert bench.send(Cancel()) == Accepted(turn="turn-1")
    assert bench.last.effects == (WriteAnswer(key="7", answer=None),)
    assert bench.send(Cancel()) == Accepted(turn="turn-1")
    assert (bench.last.out, bench.last.effects) == ((), ())
    assert cancels(bench) == 1


@pytest.mark.rule("ENG-53", "ENG-64")
def test_with_no_turn_running_only_the_asks_end() -> None:
    bench = Bench()
    bench.report(permission(of_turn=False))

    assert bench.send(Cancel()) == Accepted()
    assert bench.last.effects == (WriteAnswer(key="7", answer=None),)


@pytest.mark.rule("ENG-51", "ENG-52", "ENG-54", "ENG-96")
@pytest.mark.parametrize("wish", [Cancel(), Cancel(foreign=True), Cancel(turn="wake-1")])
def test_a_turn_of_the_agents_own_is_cancelled_once_where_the_agent_can(wish: Cancel) -> None:
    bench = Bench()
    bench.report(Foreign(running=True))

    assert bench.send(wish) == Accepted(turn="wake-1")
    assert lines(bench.last) == ['fact cancelling {"foreign":"wake-1","since":"1970-01-01T00:00:04Z"}']
    assert bench.send(wish) == Accepted(turn="wake-1")
    assert cancels(bench) == 1
    assert not bench.view.cancelling
    assert bench.report(Foreign(running=False))[-1] == "fact cancelling {}"


@pytest.mark.rule("ENG-52")
@pytest.mark.parametrize("end", [Close(), (Gone(failure=failed()),)])
def test_the_mark_of_a_cancelled_foreign_turn_goes_with_it(end) -> None:
    bench = Bench()
    bench.report(Foreign(running=True))
    bench.send(Cancel())

    assert "fact cancelling {}" in lines(bench.give(end))


@pytest.mark.rule("ENG-95")
def test_a_foreign_turn_that_nobody_cancelled_ends_without_a_word_about_it() -> None:
    bench = Bench()
    assert bench.report(Foreign(running=True, reason="cron", text="nightly")) == [
        '{"type":"foreign_turn","foreignTurn":{"id":"wake-1","text":"nightly","reason":"cron","running":true}}'
    ]

    assert bench.report(Foreign(running=False)) == [
        '{"type":"foreign_turn","foreignTurn":{"id":"wake-1","reason":"cron"}}'
    ]


@pytest.mark.rule("ENG-51")
def test_where_the_agent_cannot_cancel_its_own_turn_only_its_asks_end() -> None:
    bench = Bench(can=ALL - {"cancel_foreign"})
    bench.report(Foreign(running=True))
    assert bench.send(Cancel()) == Refused(code="unsupported")

    bench.report(permission())

    assert bench.send(Cancel()) == Accepted(turn="wake-1")
    assert bench.last.effects == (WriteAnswer(key="7", answer=None),)
    assert cancels(bench) == 0


@pytest.mark.rule("ENG-53")
def test_an_ask_of_a_foreign_turn_that_is_being_cancelled_is_not_shown() -> None:
    bench = Bench()
    bench.report(Foreign(running=True))
    bench.send(Cancel())

    said = bench.report(permission())

    assert '"outcome":"cancelled","by":"cancel"' in said[0]
    assert bench.view.asks == ()


@pytest.mark.rule("ENG-95", "ENG-96")
def test_a_foreign_turn_lets_submits_wait_and_ends_before_the_next_turn() -> None:
    bench = Bench()
    bench.report(Foreign(running=True))
    assert not bench.core.may_wake()
    assert bench.send(Submit(text="go")) == Accepted(row="q-1")

    said = bench.report(Foreign(running=False, reason="done"))

    assert said == [
        '{"type":"foreign_turn","foreignTurn":{"id":"wake-1","reason":"done"}}',
        '{"type":"queue","queue":{"id":"q-1","text":"go"},"queueChange":"sent"}',
        '{"type":"turn","turn":{"id":"turn-1","phase":"started","text":"go","origin":"drain"}}',
    ]


@pytest.mark.rule("ENG-95", "ENG-10")
@pytest.mark.parametrize("running", [True, False])
def test_a_foreign_turn_begins_once_and_ends_once(running: bool) -> None:
    bench = Bench()
    if running:
        bench.report(Foreign(running=True))

    assert bench.report(Foreign(running=running)) == ['fact lint {"name":"foreign-turn","count":1}']


@pytest.mark.rule("ENG-132", "ENG-56")
def test_a_cancel_that_failed_after_its_turn_had_ended_is_no_news() -> None:
    bench = working()
    bench.send(Cancel())
    bench.report(TurnEnded(stop_reason="end_turn"))
    bench.send(Submit(text="another"))

    assert bench.report(Returned(call="cancel", failure=failed())) == []


@pytest.mark.rule("ENG-52")
def test_cancels_of_both_turns_are_told_as_one_state() -> None:
    bench = working()
    bench.report(Foreign(running=True))
    bench.send(Cancel())
    bench.send(Cancel(foreign=True))
    assert lines(bench.last) == ['fact cancelling {"turn":"turn-1","foreign":"wake-1","since":"1970-01-01T00:00:05Z"}']

    assert (
        bench.report(Foreign(running=False))[-1] == 'fact cancelling {"turn":"turn-1","since":"1970-01-01T00:00:05Z"}'
    )
    assert bench.view.cancelling
    assert bench.report(TurnEnded(stop_reason="end_turn"))[-1] == "fact cancelling {}"
