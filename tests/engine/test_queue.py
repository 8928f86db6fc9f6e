"""The queue, send-now and steering, event by event."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from craze.codec import Event, Queued
from craze.engine.intents import (
    Accepted,
    Cancel,
    Disarm,
    QueueEdit,
    QueueHold,
    QueueRemove,
    Reconnect,
    Refused,
    SendNow,
    Steer,
    Submit,
)
from craze.engine.limits import QUEUE_ROWS, QUEUE_TEXT
from craze.engine.ports import (
    Close,
    Foreign,
    Gone,
    Kept,
    PromptBack,
    Returned,
    SaveKept,
    SteersReturned,
    TurnEnded,
    TurnFailed,
    WriteCancel,
    WriteSteer,
)
from craze.engine.queue import Queue
from tests.fakes.core import Bench, failed, line, lines

A = {"q-1": "one", "q-2": "two", "q-3": "three"}


def queueing(*texts: str) -> Bench:
    """A turn runs and these wait."""
    bench = Bench()
    for words in ("go", *texts):
        bench.send(Submit(text=words))
    return bench


def row(change: str, row_id: str, words: str = "", *, at: int = 0, version: int = 0) -> str:
    more = f',"version":{version}' if version else ""
    place = f',"queuePos":{at}' if at else ""
    return (
        f'{{"type":"queue","queue":{{"id":"{row_id}","text":"{words or A[row_id]}"{more}}},'
        f'"queueChange":"{change}"{place}}}'
    )


def texts(bench: Bench) -> list[str]:
    return [waiting.text for waiting in bench.view.queue]


@pytest.mark.rule("ENG-36", "ENG-38")
def test_a_prompt_typed_while_a_turn_runs_waits() -> None:
    bench = queueing("one")

    assert bench.send(Submit(text="two")) == Accepted(row="q-2")
    assert lines(bench.last) == [row("queued", "q-2", at=1)]
    assert bench.view.queue[1] == Queued(id="q-2", text="two", queued_at=bench.last.out[0].at, version=0)  # type: ignore[union-attr]


@pytest.mark.rule("ENG-36", "ENG-109")
@pytest.mark.parametrize("words", ["", "  \n"])
def test_a_blank_prompt_is_refused_unless_something_is_attached(words: str) -> None:
    bench = queueing()

    assert isinstance(refused := bench.send(Submit(text=words)), Refused)
    assert refused.code == "bad_request"
    assert bench.send(Submit(text=words, attachments=("/s/a.png",))) == Accepted(row="q-1")
    bench.send(Submit(text="words"))
    for wish in (SendNow(text=words), QueueEdit(row="q-2", version=0, text=words)):
        assert getattr(bench.send(wish), "code", "") == "bad_request"
    assert bench.send(QueueEdit(row="q-1", version=0, text=words or " ")) == Accepted(row="q-1")


@pytest.mark.rule("ENG-36")
def test_the_caps_refuse_and_cut_nothing() -> None:
    bench = queueing(*["x"] * QUEUE_ROWS)

    assert bench.send(Submit(text="one more")) == Refused(code="queue_full")
    bench.send(QueueRemove(rows=("q-1",)))
    assert bench.send(Submit(text="x" * (QUEUE_TEXT + 1))) == Refused(code="text_too_long")
    assert bench.send(Submit(text="é" * (QUEUE_TEXT // 2 + 1))) == Refused(code="text_too_long")
    assert bench.send(QueueEdit(row="q-2", version=0, text="x" * (QUEUE_TEXT + 1))) == Refused(code="text_too_long")
    assert bench.send(Submit(text="x" * QUEUE_TEXT)) == Accepted(row="q-33")


@pytest.mark.rule("ENG-36", "ENG-46")
def test_rows_that_come_back_and_the_armed_one_are_exempt_from_the_caps() -> None:
    bench = queueing(*["x"] * QUEUE_ROWS)

    assert bench.send(SendNow(text="y" * (QUEUE_TEXT + 1))) == Accepted(turn="turn-1", row="q-33")
    bench.report(SteersReturned(texts=("steered",)), TurnEnded(stop_reason="end_turn"))

    assert len(bench.view.queue) == QUEUE_ROWS + 1
    assert texts(bench)[0] == "steered"


@pytest.mark.rule("ENG-37", "ENG-38")
def test_an_edit_raises_the_version_and_a_stale_one_is_refused() -> None:
    bench = queueing("one", "two")

    assert bench.send(QueueEdit(row="q-2", version=0, text="2")) == Accepted(row="q-2")
    assert lines(bench.last) == [row("edited", "q-2", "2", at=1, version=1)]
    assert bench.send(QueueEdit(row="q-2", version=0, text="zwei")) == Refused(
        code="stale_version", detail={"row": "q-2"}
    )
    assert bench.send(QueueEdit(row="q-9", version=0, text="?")) == Refused(code="unknown_row", detail={"row": "q-9"})
    assert texts(bench) == ["one", "2"]


@pytest.mark.rule("ENG-39", "ENG-38")
def test_a_move_is_a_removal_and_a_new_place_of_the_same_row() -> None:
    bench = queueing("one", "two", "three")

    bench.send(QueueEdit(row="q-3", version=0, position=0))

    assert lines(bench.last) == [row("removed", "q-3", at=2), row("queued", "q-3")]
    assert len({event.cause for event in bench.last.out if isinstance(event, Event)}) == 1
    assert texts(bench) == ["three", "one", "two"]


@pytest.mark.rule("ENG-39")
def test_a_move_to_where_it_is_says_nothing_and_succeeds() -> None:
    bench = queueing("one", "two")

    assert bench.send(QueueEdit(row="q-2", version=0, position=7)) == Accepted(row="q-2")
    assert bench.last.out == ()


@pytest.mark.rule("ENG-37", "ENG-39")
def test_one_edit_may_change_text_and_place() -> None:
    bench = queueing("one", "two")

    bench.send(QueueEdit(row="q-1", version=0, text="1", position=1))

    assert lines(bench.last) == [
        row("edited", "q-1", "1", version=1),
        row("removed", "q-1", "1", version=1),
        row("queued", "q-1", "1", at=1, version=1),
    ]


@pytest.mark.rule("ENG-37", "ENG-38")
def test_several_rows_leave_one_by_one_from_the_front() -> None:
    bench = queueing("one", "two", "three")

    assert bench.send(QueueRemove(rows=("q-3", "q-9", "q-1"))) == Accepted()
    assert lines(bench.last) == [row("removed", "q-1"), row("removed", "q-3", at=1)]
    assert bench.send(QueueRemove(rows=("q-1", "q-3"))) == Refused(code="unknown_row", detail={"row": "q-1, q-3"})


@pytest.mark.rule("ENG-42", "ENG-37", "ENG-40")
def test_a_pause_is_said_when_rows_wait_and_a_resume_drains() -> None:
    bench = queueing("one")
    bench.send(QueueHold(held=True))
    assert lines(bench.last) == ['{"type":"meta","state":{"reason":"queue_paused","detail":"person"}}']
    bench.report(TurnEnded(stop_reason="end_turn"))

    assert bench.send(QueueHold(held=False)) == Accepted()
    assert lines(bench.last) == [
        '{"type":"meta","state":{"reason":"queue_resumed"}}',
        row("sent", "q-1"),
        '{"type":"turn","turn":{"id":"turn-2","phase":"started","text":"one","origin":"drain"}}',
    ]


@pytest.mark.rule("ENG-42")
def test_a_pause_of_an_empty_queue_is_said_with_the_first_row() -> None:
    bench = queueing()
    bench.send(QueueHold(held=True))
    assert bench.last.out == ()

    bench.send(Submit(text="one"))

    assert lines(bench.last) == [
        row("queued", "q-1"),
        '{"type":"meta","state":{"reason":"queue_paused","detail":"person"}}',
    ]


@pytest.mark.rule("ENG-42")
def test_a_pause_that_readers_know_of_is_always_taken_back() -> None:
    bench = queueing("one")
    bench.report(TurnFailed(failure=failed()))
    bench.send(QueueRemove(rows=("q-1",)))
    bench.send(QueueHold(held=True))
    assert bench.last.out == ()

    bench.send(QueueHold(held=False))

    assert lines(bench.last) == ['{"type":"meta","state":{"reason":"queue_resumed"}}']
    assert bench.view.paused == ""


@pytest.mark.rule("ENG-41")
def test_a_paused_queue_can_be_worked_on() -> None:
    bench = queueing("one", "two")
    bench.report(TurnFailed(failure=failed()))

    bench.send(QueueEdit(row="q-1", version=0, text="1"))
    bench.send(QueueEdit(row="q-2", version=0, position=0))
    bench.send(QueueRemove(rows=("q-1",)))

    assert texts(bench) == ["two"]
    assert bench.view.turn == ""


@pytest.mark.rule("ENG-113", "ENG-40")
def test_a_direct_prompt_passes_a_paused_queue() -> None:
    bench = queueing("one")
    bench.report(TurnFailed(failure=failed()))

    assert bench.send(Submit(text="first")) == Accepted(turn="turn-2")
    assert texts(bench) == ["one"]


# ---- stored rows


@pytest.mark.rule("ENG-44", "ENG-136")
def test_stored_rows_come_back_in_order_and_wait_for_the_person() -> None:
    rows = (Queued(id="q-3", text="three", version=2), Queued(id="q-1", text="one"))
    bench = Bench(kept=Kept(queue=rows, attachments={"q-1": ("/s/a.png",)}), numbers={"q": 3}, ready=False)

    assert [told for told in map(line, bench.said) if not told.startswith("fact")] == [
        row("queued", "q-3", version=2),
        row("queued", "q-1", at=1),
        '{"type":"meta","state":{"reason":"queue_paused","detail":"restored"}}',
    ]
    bench.ready()
    assert bench.view.turn == ""
    bench.send(QueueHold(held=False))
    bench.report(TurnEnded(stop_reason="end_turn"))
    assert any(getattr(effect, "prompt", None) and effect.prompt.attachments == ("/s/a.png",) for effect in bench.did)  # type: ignore[union-attr]


@pytest.mark.rule("ENG-44")
def test_nothing_stored_says_nothing() -> None:
    assert [line(item).split()[:2] for item in Bench(ready=False).said] == [["fact", "info"]]


@pytest.mark.rule("ENG-43", "ENG-50")
def test_each_change_is_handed_to_be_kept_whole() -> None:
    bench = Bench()
    kept: list[Kept] = []
    for wish in (
        Submit(text="fix the bug"),
        Submit(text="later", attachments=("/s/a.png",)),
        QueueEdit(row="q-1", version=0, text="much later"),
        QueueHold(held=True),
    ):
        bench.send(wish)
        kept += [effect.kept for effect in bench.last.effects if isinstance(effect, SaveKept)]

    assert [(k.title, k.turns, [row.text for row in k.queue], k.paused) for k in kept] == [
        ("fix the bug", 1, [], ""),
        ("fix the bug", 1, ["later"], ""),
        ("fix the bug", 1, ["much later"], ""),
        ("fix the bug", 1, ["much later"], "person"),
    ]
    assert kept[-1].attachments == {"q-1": ("/s/a.png",)}
    assert kept[-1].provider_session == "p-1"


# ---- an agent that is not there


@pytest.mark.rule("ENG-23", "ENG-19")
def test_a_prompt_in_a_stopped_session_goes_first_when_the_queue_is_paused() -> None:
    bench = queueing("waits")
    bench.report(Gone(failure=failed()))

    assert bench.send(Submit(text="now")) == Accepted(row="q-2")
    assert texts(bench) == ["now", "waits"]
    assert bench.view.status == "starting"
    bench.send(Submit(text="and this"))
    assert texts(bench) == ["now", "and this", "waits"]
    bench.ready()
    assert bench.view.turn_text == "now"
    bench.report(TurnEnded(stop_reason="max_tokens"))
    assert bench.view.turn_text == "and this"
    assert texts(bench) == ["waits"]


@pytest.mark.rule("ENG-41", "ENG-23")
@pytest.mark.parametrize(
    ("ending", "goes_on"), [(TurnEnded(stop_reason="end_turn"), True), (TurnFailed(failure=failed()), False)]
)
def test_a_prompt_that_started_the_agent_again_resumes_the_queue_like_any_direct_one(ending, goes_on: bool) -> None:
    bench = queueing("waits")
    bench.report(Gone(failure=failed()))
    bench.send(Submit(text="now"))
    bench.ready()

    bench.report(ending)

    assert bench.view.turn_text == ("waits" if goes_on else "")


@pytest.mark.rule("ENG-23", "ENG-41")
def test_when_the_first_of_two_such_prompts_fails_the_other_waits() -> None:
    bench = queueing("waits")
    bench.report(Gone(failure=failed()))
    bench.send(Submit(text="now"))
    bench.send(Submit(text="and this"))
    bench.ready()

    bench.report(TurnFailed(failure=failed()))

    assert bench.view.turn == ""
    assert texts(bench) == ["and this", "waits"]


@pytest.mark.rule("ENG-23", "ENG-21")
def test_when_the_start_for_it_fails_the_prompt_stays_and_waits() -> None:
    bench = queueing()
    bench.report(Gone(failure=failed()))
    bench.send(Submit(text="now"))

    bench.report(Returned(call="open", failure=failed()))

    assert (texts(bench), bench.view.paused, bench.view.status) == (["now"], "start_failed", "stopped")
    bench.send(Reconnect())
    bench.ready()
    assert bench.view.turn == ""


@pytest.mark.rule("ENG-23")
def test_a_person_who_holds_the_queue_is_obeyed_when_the_agent_comes_up() -> None:
    bench = Bench(ready=False, kept=Kept(queue=(Queued(id="q-1", text="stored"),)), numbers={"q": 1})
    bench.send(Submit(text="now"))
    bench.send(QueueHold(held=True))

    bench.ready()

    assert bench.view.turn == ""


@pytest.mark.rule("ENG-111", "ENG-37")
def test_a_resume_is_the_cause_of_what_it_takes_but_not_of_the_turn() -> None:
    bench = queueing("one")
    bench.report(TurnFailed(failure=failed()))

    bench.send(QueueHold(held=False))

    assert [(event.type, event.cause) for event in bench.last.out if isinstance(event, Event)] == [
        ("meta", "c-1/3"),
        ("queue", "c-1/3"),
        ("turn", ""),
    ]


# ---- send now


@pytest.mark.rule("ENG-46", "ENG-25")
def test_send_now_starts_at_once_when_idle() -> None:
    bench = Bench()

    assert bench.send(SendNow(text="now")) == Accepted(turn="turn-1")
    assert lines(bench.last) == [
        '{"type":"turn","turn":{"id":"turn-1","phase":"started","text":"now","origin":"send_now"}}'
    ]


@pytest.mark.rule("ENG-46")
def test_a_waiting_row_can_be_sent_at_once_from_where_it_stands() -> None:
    bench = queueing("one", "two")
    bench.report(TurnFailed(failure=failed()))

    assert bench.send(SendNow(row="q-2")) == Accepted(turn="turn-2")
    assert lines(bench.last)[0] == row("sent", "q-2", at=1)
    assert bench.send(SendNow(row="q-2")) == Refused(code="unknown_row", detail={"row": "q-2"})


@pytest.mark.rule("ENG-46", "ENG-47", "ENG-52")
def test_arming_points_at_the_row_and_cancels_the_turn_in_one_step() -> None:
    bench = queueing("one")

    assert bench.send(SendNow(text="now")) == Accepted(turn="turn-1", row="q-2")
    assert lines(bench.last)[:2] == [
        row("queued", "q-2", "now"),
        '{"type":"meta","state":{"sendNow":{"armed":true,"text":"now","fromRow":"q-2","turn":"turn-1"}}}',
    ]
    assert WriteCancel() in bench.last.effects
    assert bench.view.cancelling
    assert bench.send(SendNow(text="me too")) == Refused(code="already_submitted")


@pytest.mark.rule("ENG-46", "ENG-47")
def test_the_armed_row_is_sent_with_the_text_it_has_then() -> None:
    bench = queueing("one", "two")
    bench.send(SendNow(row="q-2"))

    bench.send(QueueEdit(row="q-2", version=0, text="other words"))
    assert lines(bench.last)[1] == (
        '{"type":"meta","state":{"sendNow":{"armed":true,"text":"other words","fromRow":"q-2","turn":"turn-1"}}}'
    )
    bench.report(TurnEnded(stop_reason="end_turn"))

    assert bench.view.turn_text == "other words"
    assert bench.view.send_now is None
    assert texts(bench) == ["one"]


@pytest.mark.rule("ENG-48")
def test_disarming_gives_the_text_back_and_takes_the_row_that_arming_made() -> None:
    bench = queueing("one")
    bench.send(SendNow(text="now"))

    assert bench.send(Disarm()) == Accepted(text="now")
    assert lines(bench.last) == [
        row("removed", "q-2", "now"),
        '{"type":"meta","state":{"sendNow":{},"reason":"withdrawn"}}',
    ]
    assert bench.view.cancelling  # the cancel stands
    bench.report(TurnEnded(stop_reason="end_turn"))
    assert bench.view.turn_text == "one"


@pytest.mark.rule("ENG-48")
def test_disarming_leaves_a_row_that_waited_before() -> None:
    bench = queueing("one", "two")
    bench.send(SendNow(row="q-2"))

    assert bench.send(Disarm()) == Accepted(text="two")
    assert texts(bench) == ["one", "two"]


@pytest.mark.rule("ENG-48", "ENG-56", "ENG-112")
@pytest.mark.parametrize(
    ("reason", "brings"),
    [
        ("row_gone", lambda bench: bench.send(QueueRemove(rows=("q-1",)))),
        ("cancel_failed", lambda bench: bench.report(Returned(call="cancel", failure=failed()))),
        ("stopped", lambda bench: bench.report(Gone(failure=failed()))),
        ("closing", lambda bench: bench.give(Close())),
    ],
)
def test_an_involuntary_disarm_says_why_and_leaves_the_row(reason: str, brings) -> None:
    bench = queueing()
    bench.send(SendNow(text="now"))

    brings(bench)

    told = [event.state for event in bench.said if isinstance(event, Event) and event.state and event.state.send_now]
    assert told[-1].reason == reason
    assert bench.view.send_now is None
    assert texts(bench) == ([] if reason == "row_gone" else ["now"])


@pytest.mark.rule("ENG-56")
def test_a_cancel_that_did_not_arrive_is_told() -> None:
    bench = queueing()
    bench.send(Cancel())

    assert bench.report(Returned(call="cancel", failure=failed("the pipe is full"))) == [
        'fact notice {"severity":"warning","text":"the cancel did not reach the agent: the pipe is full","code":"cancel_failed"}'
    ]


@pytest.mark.rule("ENG-46", "ENG-95", "ENG-96")
def test_an_armed_row_goes_first_after_a_turn_of_the_agents_own() -> None:
    bench = queueing("one")
    bench.send(QueueHold(held=True))
    bench.send(SendNow(row="q-1"))
    bench.report(Foreign(running=True))
    bench.report(TurnEnded(stop_reason="end_turn"))
    assert bench.view.send_now

    assert bench.report(Foreign(running=False)) == [
        '{"type":"foreign_turn","foreignTurn":{"id":"wake-1"}}',
        row("sent", "q-1"),
        '{"type":"meta","state":{"sendNow":{}}}',
        '{"type":"turn","turn":{"id":"turn-2","phase":"started","text":"one","origin":"send_now"}}',
    ]


# ---- steering


@pytest.mark.rule("ENG-49", "ENG-132")
def test_a_steer_is_written_and_the_agent_says_whether_it_has_it() -> None:
    bench = queueing()

    assert bench.send(Steer(text="left")) is None
    assert bench.last.out == ()
    assert bench.last.effects == (WriteSteer(call="c-1/2", text="left"),)
    said = bench.report(Event("user", text="left", interjection=True), Returned(call="c-1/2"))

    assert said == ['{"type":"user","text":"left","interjection":true}']
    assert bench.results["c-1/2"] == Accepted()
    assert bench.send(Steer(text=" ")) == Refused(code="bad_request", detail={"text": "the text is empty"})


@pytest.mark.rule("ENG-49")
def test_a_steer_that_comes_back_after_its_turn_is_sent_at_once() -> None:
    bench = queueing()
    bench.report(TurnEnded(stop_reason="end_turn"))

    bench.report(SteersReturned(texts=("left", "right")))

    assert bench.view.turn_text == "left"
    assert texts(bench) == ["right"]


@given(st.lists(st.text(min_size=1)))
@settings(deadline=None)
def test_rows_leave_in_the_order_they_came(words: list[str]) -> None:
    queue = Queue()
    for number, text in enumerate(words):
        queue.put(Queued(id=str(number), text=text), len(queue.rows))

    sent = [queue.take(queue.rows[0].id)[0].text for _ in words]

    assert sent == words


@pytest.mark.rule("ENG-50", "ENG-43")
def test_the_attachments_of_a_row_leave_with_it() -> None:
    bench = queueing()
    bench.send(Submit(text="look", attachments=("/s/a.png",)))

    bench.report(TurnEnded(stop_reason="end_turn"))

    assert [effect.kept.attachments for effect in bench.did if isinstance(effect, SaveKept)][-1] == {}


@pytest.mark.rule("ENG-37", "ENG-39")
def test_an_edit_that_changes_nothing_says_nothing() -> None:
    bench = queueing("one")

    assert bench.send(QueueEdit(row="q-1", version=0, text="one")) == Accepted(row="q-1")
    assert bench.last.out == ()


@pytest.mark.rule("ENG-41")
def test_a_prompt_for_a_paused_queue_goes_to_its_end_while_a_turn_runs() -> None:
    bench = queueing("one")
    bench.send(QueueHold(held=True))

    bench.send(Submit(text="two"))

    assert texts(bench) == ["one", "two"]


@pytest.mark.rule("ENG-96", "ENG-32")
def test_an_agent_may_not_begin_by_itself_while_a_prompt_waits_for_another_try() -> None:
    bench = queueing()
    bench.report(PromptBack(reason="prompt_in_flight"))
    assert not bench.core.may_wake()

    bench.send(QueueRemove(rows=("q-1",)))
    assert bench.core.may_wake()
    bench.send(QueueHold(held=True))

    assert not bench.core.may_wake()


@pytest.mark.rule("ENG-76")
def test_a_prompt_that_waits_names_the_session_too() -> None:
    bench = Bench(ready=False)

    bench.send(Submit(text="fix the bug"))

    assert [effect.kept.title for effect in bench.did if isinstance(effect, SaveKept)][-1] == "fix the bug"
