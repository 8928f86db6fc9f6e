"""Turns and their settlement, event by event."""

from __future__ import annotations

import pytest

from craze.codec import Compaction, Event, Subagent
from craze.engine.intents import Accepted, Cancel, QueueHold, QueueRemove, Reconnect, SendNow, Submit
from craze.engine.limits import CANCEL_LINT, DEADLINE_TO_RESTART, PROMPT_AGAIN, QUIET_AFTER
from craze.engine.ports import (
    Close,
    Foreign,
    Gone,
    Open,
    PromptBack,
    StartTimer,
    SteersReturned,
    ToolPatch,
    TurnEnded,
    TurnFailed,
    WriteCancel,
    WritePrompt,
)
from craze.engine.situation import Settings
from tests.fakes.core import ALL, Bench, failed, lines, permission, text

DONE = '{"type":"done","stopReason":"end_turn"}'


def ended(turn: int = 1, **members: object) -> str:
    """A `turn ended` as its line; members in the order of the schema."""
    told = {"id": f"turn-{turn}", "phase": "ended", **members}
    inside = ",".join(f'"{key}":{_json(value)}' for key, value in told.items())
    return f'{{"type":"turn","turn":{{{inside}}}}}'


def _json(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def started(turn: int, words: str, origin: str = "drain") -> str:
    return f'{{"type":"turn","turn":{{"id":"turn-{turn}","phase":"started","text":"{words}","origin":"{origin}"}}}}'


def row(change: str, number: int, words: str, **more: object) -> str:
    tail = "".join(f',"{key}":{_json(value)}' for key, value in more.items())
    return f'{{"type":"queue","queue":{{"id":"q-{number}","text":"{words}"}},"queueChange":"{change}"{tail}}}'


def working(*rows: str, **options) -> Bench:
    bench = Bench(**options)
    for words in ("go", *rows):
        bench.send(Submit(text=words))
    return bench


@pytest.mark.rule("ENG-24", "ENG-25", "ENG-26")
def test_a_turn_is_said_before_its_prompt_is_written() -> None:
    bench = Bench()

    assert bench.send(Submit(text="go")) == Accepted(turn="turn-1")
    assert lines(bench.last) == [started(1, "go", "submit")]
    assert bench.last.effects[0] == WritePrompt(turn="turn-1", prompt=bench.last.effects[0].prompt)  # type: ignore[union-attr]


@pytest.mark.rule("ENG-25", "ENG-30", "ENG-33", "ENG-40")
def test_a_clean_ending_sends_the_next_row_in_one_batch() -> None:
    bench = working("next", "later")

    assert bench.report(TurnEnded(stop_reason="end_turn")) == [
        DONE,
        row("sent", 1, "next"),
        ended(stopReason="end_turn", next="turn-2", pending=1),
        started(2, "next"),
    ]
    assert bench.view.turn == "turn-2"


@pytest.mark.rule("ENG-28", "ENG-30", "ENG-33")
@pytest.mark.parametrize("word", ["max_tokens", "max_turn_requests", "refusal", "a word of its own"])
def test_the_agents_word_is_kept(word: str) -> None:
    bench = working()

    assert bench.report(TurnEnded(stop_reason=word)) == [
        f'{{"type":"done","stopReason":"{word}"}}',
        ended(stopReason=word),
    ]
    assert bench.view.status == "idle"


@pytest.mark.rule("ENG-30", "ENG-28", "ENG-34", "ENG-41", "ENG-42")
def test_a_failed_turn_pauses_the_queue_and_keeps_it() -> None:
    bench = working("next")

    assert bench.report(TurnFailed(failure=failed())) == [
        '{"type":"error","err":{"message":"boom","class":"rpc","code":-32603}}',
        ended(errClass="rpc", err="boom", pending=1),
        '{"type":"meta","state":{"reason":"queue_paused","detail":"turn_failed"}}',
    ]
    assert bench.view.status == "error"


@pytest.mark.rule("ENG-28", "ENG-30", "ENG-55", "ENG-52")
@pytest.mark.parametrize("signal", [TurnEnded(stop_reason="end_turn"), TurnFailed(failure=failed())])
def test_after_a_cancel_of_ours_any_ending_is_cancelled(signal) -> None:
    bench = working("next")
    bench.send(Cancel())

    assert bench.report(signal) == [
        '{"type":"done","stopReason":"cancelled"}',
        row("sent", 1, "next"),
        ended(stopReason="cancelled", next="turn-2"),
        "fact cancelling {}",
        started(2, "next"),
    ]


@pytest.mark.rule("ENG-30", "ENG-31")
def test_cancelled_by_the_agent_alone_is_cancelled_too() -> None:
    bench = working("next", settings=Settings(after_cancel="pause"))

    assert bench.report(TurnEnded(stop_reason="cancelled")) == [
        '{"type":"done","stopReason":"cancelled"}',
        ended(stopReason="cancelled", pending=1),
        '{"type":"meta","state":{"reason":"queue_paused","detail":"cancelled"}}',
    ]


@pytest.mark.rule("ENG-28", "ENG-30", "ENG-94")
def test_an_agent_that_dies_after_a_cancel_has_cancelled_the_turn() -> None:
    bench = working()
    bench.send(Cancel())

    assert bench.report(Gone(failure=failed("exit 1", "agent_exit_status", 1)))[:3] == [
        '{"type":"error","err":{"message":"exit 1","class":"agent_exit_status","code":1}}',
        ended(stopReason="cancelled", synthetic=True),
        "fact cancelling {}",
    ]
    assert bench.view.status == "stopped"


@pytest.mark.rule("ENG-30")
@pytest.mark.parametrize("reason", ["prompt_cancelled", "prompt_in_flight", "foreign_turn"])
def test_a_prompt_that_comes_back_after_a_cancel_is_withdrawn(reason) -> None:
    bench = working()
    bench.send(Cancel())

    assert bench.report(PromptBack(reason=reason)) == [
        ended(stopReason="cancelled", errClass="prompt_cancelled", synthetic=True),
        "fact cancelling {}",
    ]
    assert bench.view.queue == ()
    assert bench.view.status == "idle"


@pytest.mark.rule("ENG-30", "ENG-31")
@pytest.mark.parametrize(("policy", "goes_on"), [("continue", True), ("pause", False)])
def test_after_a_withdrawn_prompt_the_chain_policy_decides(policy, goes_on: bool) -> None:
    bench = working("next", settings=Settings(after_cancel=policy))

    bench.report(PromptBack(reason="prompt_cancelled"))

    assert bench.view.turn == ("turn-2" if goes_on else "")
    assert bench.view.paused == ("" if goes_on else "cancelled")


@pytest.mark.rule("ENG-30", "ENG-32", "ENG-28")
def test_a_refused_prompt_is_put_back_and_tried_once_more() -> None:
    bench = working("later")

    step = bench.give((PromptBack(reason="prompt_in_flight"),))

    assert lines(step) == [row("queued", 2, "go"), ended(errClass="prompt_in_flight", synthetic=True, pending=2)]
    assert StartTimer(timer="prompt-again:q-2", seconds=PROMPT_AGAIN) in step.effects
    assert bench.view.status == "idle"
    assert bench.fire("prompt-again:q-2") == [row("sent", 2, "go"), started(2, "go")]
    assert bench.report(PromptBack(reason="prompt_in_flight")) == [
        row("queued", 2, "go"),
        ended(2, errClass="prompt_in_flight", synthetic=True, pending=2),
        '{"type":"meta","state":{"reason":"queue_paused","detail":"agent_busy"}}',
    ]
    assert bench.fire("prompt-again:q-2") == []


@pytest.mark.rule("ENG-32")
def test_a_row_that_is_refused_keeps_its_identity() -> None:
    bench = working("next")
    before = bench.view.queue[0]
    bench.report(TurnEnded(stop_reason="end_turn"))

    bench.report(PromptBack(reason="prompt_in_flight"))

    assert bench.view.queue == (before,)


@pytest.mark.rule("ENG-32", "ENG-95")
def test_a_prompt_refused_for_a_turn_of_the_agents_own_goes_when_that_ends() -> None:
    bench = working()
    bench.report(Foreign(running=True, reason="cron"))
    step = bench.give((PromptBack(reason="foreign_turn"),))
    assert not any(isinstance(effect, StartTimer) for effect in step.effects)

    assert bench.report(Foreign(running=False)) == [
        '{"type":"foreign_turn","foreignTurn":{"id":"wake-1","reason":"cron"}}',
        row("sent", 1, "go"),
        started(2, "go"),
    ]


@pytest.mark.rule("ENG-32", "ENG-113", "ENG-37")
@pytest.mark.parametrize("wish", [QueueHold(held=False), QueueRemove(rows=("q-1",))])
def test_in_the_wait_for_another_try_a_submit_queues_and_the_person_can_end_the_wait(wish) -> None:
    bench = working()
    bench.report(PromptBack(reason="prompt_in_flight"))
    assert bench.send(Submit(text="behind")) == Accepted(row="q-2")

    bench.send(wish)

    assert bench.view.turn_text == ("go" if isinstance(wish, QueueHold) else "behind")


@pytest.mark.rule("ENG-30", "ENG-112", "ENG-60", "ENG-94", "ENG-97", "ENG-86", "ENG-92")
def test_a_close_ends_all_that_is_open_in_the_order_of_a_settlement() -> None:
    bench = working("kept")
    bench.report(
        Event("compaction", compaction=Compaction(phase="started", reason="auto")),
        ToolPatch(id="call-1", name="Task"),
        Event("subagent", subagent=Subagent(id="kid", status="running"), subagent_change="spawned"),
        ToolPatch(id="call-2", agent="kid", name="Read"),
        permission(),
    )

    said = lines(bench.give(Close()))

    assert [line.split('"type":"')[1].split('"')[0] if line.startswith("{") else line.split()[1] for line in said] == [
        "info",
        "ask",
        "tool",
        "subagent",
        "tool",
        "compaction",
        "turn",
    ]
    assert said[-1] == ended(stopReason="closing", synthetic=True, pending=1)
    assert '"outcome":"closing","by":"close"' in said[1]
    assert '"id":"call-2","name":"Read","status":"cancelled"' in said[2]
    assert '"status":"cancelled"' in said[3]
    assert '"err":"the turn ended"' in said[5]
    assert bench.view.status == "closing"


@pytest.mark.rule("ENG-27", "ENG-10")
def test_the_first_ending_counts_and_a_later_one_is_a_lint() -> None:
    bench = working()
    bench.report(TurnEnded(stop_reason="end_turn"))

    assert bench.report(TurnFailed(failure=failed())) == [
        'fact lint {"name":"second-ending","count":1,"example":"TurnFailed"}'
    ]


@pytest.mark.rule("ENG-29", "ENG-95")
def test_what_arrives_after_the_ending_is_published_as_it_comes() -> None:
    bench = working("next")

    said = bench.report(TurnEnded(stop_reason="end_turn"), text("late"))

    assert said[-2:] == [started(2, "next"), '{"type":"text","text":"late"}']


@pytest.mark.rule("ENG-30", "ENG-49", "ENG-36")
def test_steered_texts_that_no_step_consumed_go_first_in_the_order_typed() -> None:
    bench = working("last")

    assert bench.report(SteersReturned(texts=("one", "two")), TurnEnded(stop_reason="end_turn")) == [
        DONE,
        row("queued", 2, "one"),
        row("queued", 3, "two", queuePos=1),
        row("sent", 2, "one"),
        ended(stopReason="end_turn", next="turn-2", pending=2),
        started(2, "one"),
    ]


@pytest.mark.rule("ENG-30", "ENG-133", "ENG-86")
def test_calls_left_open_are_closed_and_counted() -> None:
    bench = working()
    bench.report(ToolPatch(id="call-1", name="Bash"), ToolPatch(id="call-2", from_ask=True))
    bench.report(ToolPatch(id="call-3", background=True))

    assert (
        bench.report(TurnEnded(stop_reason="end_turn"))
        == [
            DONE,
            '{"type":"tool","tool":{"id":"call-1","name":"Bash","status":"completed","kind":"other"}}',
            '{"type":"tool","tool":{"id":"call-2","status":"completed","kind":"other"}}',
            ended(stopReason="end_turn"),
            'fact lint {"name":"tool-left-open","count":1}',
        ]
        or bench.view.tools_open
    )


@pytest.mark.rule("ENG-30", "ENG-46", "ENG-47", "ENG-31")
def test_the_armed_row_goes_first_paused_or_not() -> None:
    bench = working("waits", settings=Settings(after_cancel="pause"))
    bench.send(QueueHold(held=True))
    bench.send(SendNow(text="now"))

    assert bench.report(TurnEnded(stop_reason="end_turn")) == [
        '{"type":"done","stopReason":"cancelled"}',
        row("sent", 2, "now"),
        ended(stopReason="cancelled", next="turn-2", pending=1),
        "fact cancelling {}",
        '{"type":"meta","state":{"sendNow":{}}}',
        started(2, "now", "send_now"),
    ]
    assert bench.view.paused == "person"


@pytest.mark.rule("ENG-31")
@pytest.mark.parametrize(("policy", "turn"), [("continue", "turn-2"), ("pause", "")])
def test_after_a_short_ending_the_chain_policy_decides(policy, turn: str) -> None:
    bench = working("next", settings=Settings(after_short=policy))

    bench.report(TurnEnded(stop_reason="max_tokens"))

    assert bench.view.turn == turn
    assert bench.view.paused == ("" if turn else "short")


@pytest.mark.rule("ENG-41", "ENG-42")
@pytest.mark.parametrize("wish", [Submit(text="again"), SendNow(text="again")])
def test_a_direct_prompt_that_ends_clean_resumes_the_queue(wish) -> None:
    bench = working("next")
    bench.report(TurnFailed(failure=failed()))
    bench.send(wish)

    assert bench.report(TurnEnded(stop_reason="end_turn")) == [
        DONE,
        row("sent", 1, "next"),
        ended(2, stopReason="end_turn", next="turn-3"),
        '{"type":"meta","state":{"reason":"queue_resumed"}}',
        started(3, "next"),
    ]


@pytest.mark.rule("ENG-41")
def test_a_direct_prompt_that_fails_leaves_the_pause() -> None:
    bench = working("next")
    bench.report(TurnFailed(failure=failed()))
    bench.send(Submit(text="again"))
    bench.report(TurnFailed(failure=failed()))

    assert bench.view.paused == "turn_failed"
    assert [row.text for row in bench.view.queue] == ["next"]


@pytest.mark.rule("ENG-41", "ENG-113")
def test_a_pause_that_a_person_makes_while_the_turn_runs_stays() -> None:
    bench = working("next")
    bench.report(TurnFailed(failure=failed()))
    bench.send(Submit(text="again"))
    bench.send(QueueHold(held=True))

    bench.report(TurnEnded(stop_reason="end_turn"))

    assert bench.view.paused == "person"
    assert not bench.view.turn


@pytest.mark.rule("ENG-94", "ENG-92")
def test_a_cancelled_turn_takes_its_children_along_but_not_those_in_the_background() -> None:
    bench = working()
    for child, background in (("fore", False), ("back", True)):
        told = Subagent(id=child, status="running", background=background)
        bench.report(Event("subagent", subagent=told, subagent_change="spawned"))
    bench.send(Cancel())

    bench.report(TurnEnded(stop_reason="cancelled"))

    assert {child.id: child.status for child in bench.view.roster} == {"fore": "cancelled", "back": "running"}


@pytest.mark.rule("ENG-35", "ENG-135", "ACP-53")
def test_a_quiet_agent_is_mentioned_and_left_alone() -> None:
    bench = Bench()
    bench.send(Submit(text="go"))
    assert StartTimer(timer="quiet:turn-1", seconds=QUIET_AFTER) in bench.did
    step = bench.give_at(60, (text("still here"),))

    early = bench.give_at(QUIET_AFTER, "quiet:turn-1")
    late = bench.give_at(60 + QUIET_AFTER, "quiet:turn-1")

    assert step.effects == ()
    assert early.out == ()
    assert early.effects == (StartTimer(timer="quiet:turn-1", seconds=60.0),)
    assert lines(late) == ['fact notice {"severity":"info","text":"the agent has been quiet for 120 s","code":"quiet"}']
    assert bench.view.turn == "turn-1"


@pytest.mark.rule("ENG-35")
def test_an_empty_line_of_the_agent_counts_as_a_sign_of_life() -> None:
    bench = Bench()
    bench.send(Submit(text="go"))
    bench.give_at(100, ())

    assert bench.give_at(QUIET_AFTER, "quiet:turn-1").out == ()


@pytest.mark.rule("ENG-35", "ENG-34")
@pytest.mark.parametrize("reopens", [True, False])
def test_a_turn_past_its_deadline_is_cancelled_and_then_the_agent_is_restarted(reopens: bool) -> None:
    bench = working("next", settings=Settings(turn_timeout=60.0), can=ALL if reopens else ALL - {"reopen"})
    assert StartTimer(timer="turn-deadline:turn-1", seconds=60.0) in bench.did

    bench.fire("turn-deadline:turn-1")
    assert WriteCancel() in bench.did
    assert StartTimer(timer="turn-restart:turn-1", seconds=DEADLINE_TO_RESTART) in bench.did
    said = bench.fire("turn-restart:turn-1")

    assert said[:3] == [
        ended(errClass="deadline_exceeded", err="the turn passed its time limit and did not end", pending=1),
        "fact cancelling {}",
        '{"type":"meta","state":{"reason":"queue_paused","detail":"turn_failed"}}',
    ]
    assert bench.view.status == ("starting" if reopens else "stopped")
    assert any(isinstance(effect, Open) for effect in bench.did[1:]) == reopens


@pytest.mark.rule("ENG-135", "ENG-35")
def test_a_timer_of_a_turn_that_is_over_changes_nothing() -> None:
    bench = working(settings=Settings(turn_timeout=60.0))
    bench.send(Cancel())
    bench.report(TurnEnded(stop_reason="end_turn"))
    bench.send(Submit(text="another"))

    timers = [effect.timer for effect in bench.did if isinstance(effect, StartTimer) and "turn-1" in effect.timer]

    assert len(timers) == 3
    assert [bench.fire(timer) for timer in [*timers, "turn-restart:turn-1"]] == [[]] * 4


@pytest.mark.rule("ENG-56", "ENG-135", "ACP-56")
def test_a_cancel_without_an_answer_is_noted_after_a_while() -> None:
    bench = working()
    bench.send(Cancel())
    assert StartTimer(timer="cancel-lint:turn-1", seconds=CANCEL_LINT) in bench.did

    assert bench.fire("cancel-lint:turn-1") == ['fact lint {"name":"unanswered-cancel","count":1,"example":"turn-1"}']
    assert bench.view.turn == "turn-1"
    bench.send(Reconnect())
    assert bench.view.status == "starting"


@pytest.mark.rule("ENG-126", "ENG-50", "ENG-30")
def test_the_attachments_of_a_prompt_follow_its_start() -> None:
    bench = working()
    bench.send(Submit(text="look", attachments=("/s/a.png", "/s/b.jpg")))

    said = bench.report(TurnEnded(stop_reason="end_turn"))

    assert said[-2:] == [
        started(2, "look"),
        'fact attachments {"attachments":[{"path":"/s/a.png","mime":"image/png"},{"path":"/s/b.jpg","mime":"image/jpeg"}]}',
    ]
    written = [effect for effect in bench.did if isinstance(effect, WritePrompt)][-1]
    assert written.prompt.attachments == ("/s/a.png", "/s/b.jpg")


@pytest.mark.rule("ENG-111")
def test_a_drained_turn_carries_no_cause_and_a_direct_one_its_own() -> None:
    bench = working("next")
    bench.report(TurnEnded(stop_reason="end_turn"))

    causes = [event.cause for event in bench.said if isinstance(event, Event) and event.turn]

    assert causes == ["c-1/1", "", ""]


@pytest.mark.rule("ENG-2", "ENG-1")
def test_turns_rows_and_wakes_go_on_from_the_numbers_given() -> None:
    bench = Bench(numbers={"turn": 4, "q": 9, "wake": 2, "seq": 70})

    assert bench.send(Submit(text="go")) == Accepted(turn="turn-5")
    assert bench.send(Submit(text="next")) == Accepted(row="q-10")
    bench.report(Foreign(running=True))

    assert bench.view.foreign is not None
    assert bench.view.foreign.id == "wake-3"


@pytest.mark.rule("ENG-32", "ENG-113")
def test_a_direct_prompt_ends_the_wait_for_another_try() -> None:
    bench = working()
    bench.report(PromptBack(reason="prompt_in_flight"))
    bench.send(SendNow(text="now"))

    bench.report(TurnEnded(stop_reason="end_turn"))

    assert bench.view.turn_text == "go"
