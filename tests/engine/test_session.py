"""The session acts: one publish point, one order, results by cause, and endings for everything."""

from __future__ import annotations

import asyncio
import logging

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from craze.codec import Event, Omitted, Queued, Record, State, Tool
from craze.engine.answers import Pick
from craze.engine.facts import Notice, fact
from craze.engine.hub import Snapshot
from craze.engine.intents import (
    Accepted,
    Answer,
    Aside,
    Cancel,
    QueueHold,
    Reconnect,
    Refused,
    SendNow,
    Set,
    Steer,
    Submit,
)
from craze.engine.limits import DRAFT_EVERY, RECORD_BODY, SUBSCRIBER_ITEMS
from craze.engine.ports import Foreign, Gone, Kept, PromptBack, SaveKept, StartTimer, Step, ToolPatch, TurnEnded
from tests.fakes.core import failed, permission, text
from tests.fakes.session import Rig, drained, told, waiting

AT_BEGAN = "1970-01-01T00:16:40Z"


@pytest.mark.rule("ENG-3", "ENG-12", "ENG-107")
async def test_what_an_intent_brings_is_in_the_stream_before_its_result() -> None:
    rig = Rig()
    reader = rig.session.subscribe()

    result = rig.session.submit(Submit(text="hello"))

    assert result.done()
    assert waiting(reader)[:2] == [
        "snapshot joined 1",
        '2 {"type":"turn","turn":{"id":"turn-1","phase":"started","text":"hello","origin":"submit"}}',
    ]
    assert result.result() == Accepted(turn="turn-1")


@pytest.mark.rule("ENG-3", "ENG-6")
async def test_log_and_readers_share_the_bytes_of_an_event() -> None:
    rig = Rig()
    reader = rig.session.subscribe()
    rig.agent.say(text("hello"))

    record = drained(reader)[-1]

    assert isinstance(record, Record)
    assert record.body is rig.log.records[-1].body
    assert record.body == b'{"type":"text","text":"hello","at":"%s"}' % AT_BEGAN.encode()


@pytest.mark.rule("ENG-2", "ENG-12")
async def test_numbers_go_on_where_the_last_journal_ended() -> None:
    rig = Rig(last={"seq": 41, "turn": 7, "q": 3, "perm": 5, "perm-x": 2, "wake": 1})

    assert rig.session.view.seq == 42
    assert (await rig.session.send(Submit(text="hello"))) == Accepted(turn="turn-8")
    assert (await rig.session.send(Submit(text="later"))) == Accepted(row="q-4")
    rig.agent.say(permission())
    assert [ask.id for ask in rig.session.view.asks] == ["perm-6"]
    assert [record.seq for record in rig.log.records] == list(range(42, 46))


@pytest.mark.rule("ENG-7")
async def test_an_event_too_large_keeps_its_number_and_is_seen_in_this_process() -> None:
    rig = Rig()
    reader = rig.session.subscribe()

    rig.agent.say(text("x" * (RECORD_BODY + 1)))
    rig.agent.say(text("after"))

    _, large, after = drained(reader)
    assert large.omitted is not None
    assert (large.omitted.type, large.omitted.reason, large.body) == ("text", "oversized", b"")
    assert large.omitted.bytes > RECORD_BODY
    assert len(large.event.text) == RECORD_BODY + 1
    assert after.seq == large.seq + 1
    assert rig.log.records[-2] is large


@pytest.mark.rule("ENG-7")
async def test_an_event_that_cannot_be_written_is_left_out_and_folded(caplog: pytest.LogCaptureFixture) -> None:
    rig = Rig()
    broken = Tool(id="call-1", status="pending", title={1, 2}.__iter__())  # pyright: ignore[reportArgumentType]

    with caplog.at_level(logging.ERROR):
        rig.agent.say(Event("tool", tool=broken))

    omitted = rig.log.records[-1].omitted
    assert isinstance(omitted, Omitted)
    assert (omitted.type, omitted.reason) == ("tool", "encode_error")
    assert omitted.error
    assert [tool.id for tool in rig.session.view.tools_open] == ["call-1"]
    assert "could not be encoded" in caplog.text


@pytest.mark.rule("ENG-4", "ENG-134", "ENG-102")
async def test_what_is_said_inside_an_effect_waits_for_the_whole_step() -> None:
    rig = Rig()
    answers: list[int] = []

    def at_once() -> None:
        rig.agent.say(text("first"))
        rig.agent.say(text("second"))
        rig.agent.say(TurnEnded(stop_reason="end_turn"))
        answers.append(len(rig.log.lines))

    rig.agent.during["prompt"] = at_once
    before = len(rig.log.lines)

    result = await rig.session.send(Submit(text="hello"))

    assert result == Accepted(turn="turn-1")
    assert answers == [before + 2]  # nothing of it was published while the effects ran
    assert rig.new_lines(before) == [
        "# do",
        '{"type":"turn","turn":{"id":"turn-1","phase":"started","text":"hello","origin":"submit"}}',
        '{"type":"text","text":"first"}',
        '{"type":"text","text":"second"}',
        '{"type":"done","stopReason":"end_turn"}',
        '{"type":"turn","turn":{"id":"turn-1","phase":"ended","stopReason":"end_turn"}}',
    ]


@pytest.mark.rule("ENG-134")
async def test_a_chain_of_turns_that_end_at_once_keeps_its_order() -> None:
    rig = Rig()
    await rig.session.send(Submit(text="one"))
    for words in ("two", "three", "four"):
        await rig.session.send(Submit(text=words))
    rig.agent.during["prompt"] = lambda: rig.agent.say(TurnEnded(stop_reason="end_turn"))

    rig.agent.say(TurnEnded(stop_reason="end_turn"))

    assert [call for call in rig.agent.calls if call.startswith("prompt")] == [
        "prompt turn-1 one",
        "prompt turn-2 two",
        "prompt turn-3 three",
        "prompt turn-4 four",
    ]
    assert rig.session.view.status == "idle"


SAID = (
    (text("one"), ToolPatch(id="call-1", stdout_add="a")),
    (ToolPatch(id="call-1", stdout_add="b"),),
    (),
    (permission(), text("two")),
    (ToolPatch(id="call-1", status="completed"),),
    (TurnEnded(stop_reason="end_turn"), text("late")),
)


@pytest.mark.rule("ENG-134", "ENG-90", "ENG-102")
@pytest.mark.parametrize("inside", range(len(SAID) + 1))
async def test_the_log_does_not_depend_on_how_many_lines_came_at_once(inside: int) -> None:
    rig, other = Rig(), Rig()
    rig.agent.during["prompt"] = lambda: [rig.agent.say(*line) for line in SAID[:inside]]

    for each, lines in ((rig, SAID[inside:]), (other, SAID)):
        await each.session.send(Submit(text="hello"))
        for line in lines:
            each.agent.say(*line)

    assert rig.log.lines == other.log.lines
    assert rig.agent.calls == other.agent.calls
    assert sum('"type":"tool"' in line for line in rig.log.lines) == 3


LINES = st.sampled_from(
    [
        (text("a"),),
        (permission("1"), permission("2", of_turn=False)),
        (TurnEnded(stop_reason="end_turn"),),
        (PromptBack(reason="prompt_in_flight"),),
        (Foreign(running=True),),
        (Foreign(running=False), text("b")),
        (Gone(failure=failed()),),
        (),
    ]
)
WISHES = st.sampled_from(
    [Submit(text="go"), SendNow(text="now"), Cancel(), QueueHold(held=False), Set(kind="title", value="t"), Reconnect()]
)
INSIDE = st.dictionaries(st.sampled_from(["prompt", "cancel", "answer", "set", "open"]), st.lists(LINES, max_size=3))


@given(INSIDE, st.lists(WISHES | LINES, max_size=12))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.rule("ENG-134", "ENG-4", "ENG-3", "ENG-102")
def test_each_step_is_published_and_performed_before_the_next_is_taken(inside, acts) -> None:
    async def live() -> tuple[Rig, list[tuple[Step, int, int]]]:
        rig = Rig()
        steps: list[tuple[Step, int, int]] = []
        take = rig.core.take

        def noted(given, at, cause=""):
            steps.append((take(given, at, cause), len(rig.log.heard), len(rig.agent.calls)))
            return steps[-1][0]

        rig.core.take = noted
        for name, said in inside.items():
            rig.agent.during[name] = lambda said=said: [rig.agent.say(*line) for line in said[:3]] and said.clear()
        for act in acts:
            if isinstance(act, tuple):
                rig.agent.say(*act)
            else:
                rig.session.submit(act)
        return rig, steps

    rig, steps = asyncio.run(live())

    heard, calls = (steps[0][1], steps[0][2]) if steps else (0, 0)
    for step, heard_before, calls_before in steps:
        assert (heard_before, calls_before) == (heard, calls)
        heard += len(step.out)
        calls += sum(not isinstance(effect, StartTimer | SaveKept) for effect in step.effects)
    seqs = [item.seq for item in rig.log.heard if isinstance(item, Record)]
    assert seqs == list(range(1, len(seqs) + 1))


@pytest.mark.rule("ENG-134")
async def test_an_intent_sent_inside_an_effect_runs_after_it() -> None:
    rig = Rig()
    sent: list[asyncio.Future[object]] = []
    rig.agent.during["prompt"] = lambda: sent.append(rig.session.submit(Cancel()))  # pyright: ignore[reportArgumentType]

    await rig.session.send(Submit(text="hello"))

    assert sent[0].result() == Accepted(turn="turn-1")
    assert rig.agent.calls[-2:] == ["prompt turn-1 hello", "cancel"]


@pytest.mark.rule("ENG-5")
async def test_events_have_the_time_of_what_brought_them_about() -> None:
    rig = Rig()
    await rig.session.send(Submit(text="hello"))
    rig.clock.turn(2)
    line_time = rig.clock.now()
    rig.clock.seconds += 3  # the line waited in a buffer

    rig.agent.sink.report(line_time, text("of the line"))
    await rig.session.send(Submit(text="later"))

    assert [record.event.at for record in rig.log.records[-3:]] == [
        AT_BEGAN,
        "1970-01-01T00:16:42Z",
        "1970-01-01T00:16:45Z",
    ]


@pytest.mark.rule("ENG-5", "ENG-102")
async def test_a_report_inside_an_effect_without_a_time_has_the_time_of_the_step() -> None:
    rig = Rig()
    rig.agent.during["prompt"] = lambda: rig.agent.sink.report("", text("at once"))  # pyright: ignore[reportArgumentType]

    await rig.session.send(Submit(text="hello"))

    assert rig.log.records[-1].event.at == AT_BEGAN


@pytest.mark.rule("ENG-131")
async def test_inputs_are_written_before_what_follows_and_refusals_not_at_all() -> None:
    rig = Rig()
    before, rows = len(rig.log.lines), len(rig.rows)

    await rig.session.send(Submit(text="hello"))
    assert rig.new_lines(before)[0] == "# do"
    assert isinstance(await rig.session.send(Submit(text=" ")), Refused)
    assert isinstance(await rig.session.send(Cancel(turn="turn-9")), Refused)
    rig.clock.turn(120)

    assert rig.rows[rows:] == [
        'do {"cause":"c-1/1","intent":{"type":"Submit","text":"hello"}}',
        "timer quiet:turn-1",
    ]


@pytest.mark.rule("ENG-135")
async def test_a_providers_own_wait_comes_back_to_the_provider() -> None:
    rig = Rig()
    rig.clock.later(5, "provider:retry")
    rig.clock.later(5, "nobody:turn-1")
    before = len(rig.log.records)

    rig.clock.turn(5)

    assert rig.agent.calls[-1] == "fired provider:retry"
    assert rig.rows == ["timer provider:retry", "timer nobody:turn-1"]
    assert len(rig.log.records) == before


@pytest.mark.rule("ENG-132", "ENG-107")
async def test_a_wish_of_the_agent_is_done_when_the_agent_says_so() -> None:
    rig = Rig()
    await rig.session.send(Submit(text="hello"))
    steered = rig.session.submit(Steer(text="left"))
    asked = rig.session.submit(Aside(question="why?"))
    assert not steered.done()

    rig.returned(3, text="because")
    rig.returned(2, failure=failed("too late"))
    rig.returned(2)

    assert asked.result() == Accepted(text="because")
    refused = steered.result()
    assert isinstance(refused, Refused)
    assert (refused.code, refused.detail["message"]) == ("failed", "too late")


@pytest.mark.rule("ENG-107")
@pytest.mark.parametrize("end", ["gone", "close", "reconnect"])
async def test_what_still_waits_when_the_agent_goes_has_failed(end: str) -> None:
    rig = Rig()
    waits = rig.session.submit(Aside(question="why?"))

    if end == "gone":
        rig.agent.say(Gone(failure=failed()))
    elif end == "close":
        await rig.session.close()
    else:
        rig.session.submit(Reconnect())

    result = waits.result()
    assert isinstance(result, Refused)
    assert result.code == "failed"


@pytest.mark.rule("ENG-107", "ENG-111")
async def test_causes_count_from_one_and_stand_on_what_they_brought_about() -> None:
    rig = Rig()
    await rig.session.send(Submit(text="hello"))
    await rig.session.send(Submit(text="later"))
    rig.agent.say(TurnEnded(stop_reason="end_turn"))

    causes = [(record.event.type, record.event.cause) for record in rig.log.records[1:]]
    assert causes == [("turn", "c-1/1"), ("queue", "c-1/2"), ("done", ""), ("queue", ""), ("turn", ""), ("turn", "")]


@pytest.mark.rule("ENG-14")
async def test_a_lossless_reader_holds_the_agent_and_intents_still_run() -> None:
    rig = Rig()
    reader = rig.session.subscribe(lossless=True)
    for _ in range(SUBSCRIBER_ITEMS + 1):
        rig.agent.say(text("a"))
    assert rig.agent.calls[-1] == "hold True"

    assert await rig.session.send(Submit(text="hello")) == Accepted(turn="turn-1")

    seqs = [item.seq for item in drained(reader) if isinstance(item, Record)]
    assert seqs == list(range(2, SUBSCRIBER_ITEMS + 4))
    assert rig.agent.calls[-1] == "hold False"


@pytest.mark.rule("ENG-13")
async def test_a_slow_reader_goes_on_with_the_record_after_its_snapshot() -> None:
    rig = Rig()
    reader = rig.session.subscribe()
    for _ in range(SUBSCRIBER_ITEMS + 5):
        rig.agent.say(text("a"))

    snapshot, *rest = drained(reader)

    assert isinstance(snapshot, Snapshot)
    assert snapshot.reason == "slow_consumer"
    assert rest[0].seq == snapshot.view.seq + 1
    assert rest[-1].seq == rig.session.view.seq


@pytest.mark.rule("ENG-15", "ENG-8")
async def test_history_has_records_facts_and_the_holes() -> None:
    rig = Rig(last={"seq": 10})
    rig.agent.say(fact(Notice(severity="info", text="hello")), text("after"))

    lines = [told(item) async for item in rig.session.history(9, 12)]

    assert "Missing" in lines[0]
    assert lines[-2:] == ['fact notice {"severity":"info","text":"hello"}', '12 {"type":"text","text":"after"}']


@pytest.mark.rule("ENG-43", "ENG-136", "ENG-44")
async def test_a_stored_session_has_its_rows_its_pause_and_its_draft() -> None:
    rows = (Queued(id="q-1", text="one", version=2), Queued(id="q-4", text="four"))
    rig = Rig(kept=Kept(queue=rows, draft="half a", paused="person"), last={"q": 4})

    view = rig.session.view
    assert (view.queue, view.paused, view.draft) == (rows, "restored", "half a")
    assert "prompt" not in " ".join(rig.agent.calls)
    await rig.session.send(QueueHold(held=False))
    assert rig.agent.calls[-1] == "prompt turn-1 one"


@pytest.mark.rule("ENG-76")
async def test_a_stored_session_is_called_as_it_was_until_something_else_is_said() -> None:
    rig = Rig(kept=Kept(title="fix the bug"))
    assert (rig.session.view.title, rig.session.view.state.title) == ("fix the bug", None)

    rig.agent.say(Event("meta", state=State(title="the agent's words")))
    assert rig.session.view.title == "the agent's words"


@pytest.mark.rule("ENG-43")
async def test_what_is_kept_is_whole_and_has_the_draft() -> None:
    rig = Rig()
    rig.session.keep_draft("half a thought")

    await rig.session.send(Submit(text="fix the bug"))
    await rig.session.send(Submit(text="then this"))

    kept = rig.kept[-1]
    assert (kept.title, kept.turns, kept.draft) == ("fix the bug", 1, "half a thought")
    assert [row.text for row in kept.queue] == ["then this"]


@pytest.mark.rule("ENG-43")
async def test_a_draft_is_stored_soon_and_at_close_at_the_latest(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig()
    loop = asyncio.get_running_loop()
    waits: list[float] = []
    due = loop.call_later
    monkeypatch.setattr(loop, "call_later", lambda after, *call: (waits.append(after), due(3600, *call))[1])

    for draft in ("a", "ab", "abc"):
        rig.session.keep_draft(draft)
    assert waits == [DRAFT_EVERY]
    monkeypatch.undo()
    await rig.session.close()

    assert rig.kept[-1].draft == "abc"


@pytest.mark.rule("ENG-112", "ENG-136", "ENG-101")
async def test_closing_ends_everything_and_then_the_stream() -> None:
    rig = Rig()
    reader = rig.session.subscribe(lossless=True)
    await rig.session.send(Submit(text="hello"))
    await rig.session.send(Submit(text="later"))
    rig.agent.say(permission())
    drained(reader)

    await rig.session.close()

    async with asyncio.timeout(20):
        lines = [told(item).partition(" ")[2] async for item in reader]
    assert [line for line in lines if line.startswith("{")] == [
        '{"type":"ask","ask":{"id":"perm-1","kind":"permission","outcome":"closing","by":"close"}}',
        '{"type":"turn","turn":{"id":"turn-1","phase":"ended","stopReason":"closing","synthetic":true,"pending":1}}',
    ]
    assert [msgspec.json.decode(line[5:])["status"] for line in lines if line.startswith("info")] == [
        "closing",
        "closed",
    ]
    assert rig.agent.calls[-2:] == ["answer 7 None", "close 2.0"]
    assert rig.session.view.status == "closed"
    assert rig.log.closed
    assert rig.clock.stopped
    assert [row.text for row in rig.kept[-1].queue] == ["later"]


@pytest.mark.rule("ENG-112")
async def test_closing_twice_is_closing_once() -> None:
    rig = Rig()

    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        group.create_task(rig.session.close())
        group.create_task(rig.session.close())
    await rig.session.close()

    assert rig.agent.calls.count("close 2.0") == 1
    assert sum(row.startswith("do") for row in rig.rows) == 1
    assert await rig.session.send(Submit(text="hello")) == Refused(code="not_accepting")


@pytest.mark.rule("ENG-112")
async def test_a_provider_that_fails_to_close_does_not_keep_the_session_open(caplog: pytest.LogCaptureFixture) -> None:
    rig = Rig()

    def fail() -> None:
        raise RuntimeError("no")

    rig.agent.during["close"] = fail
    await rig.session.close()

    assert rig.session.view.status == "closed"
    assert "closing the agent failed" in caplog.text


@pytest.mark.rule("ENG-112")
async def test_what_the_agent_begins_while_it_is_closed_ends_too() -> None:
    rig = Rig()
    rig.agent.during["close"] = lambda: rig.agent.say(text("bye"), ToolPatch(id="call-1"), permission(of_turn=False))

    await rig.session.close()

    assert rig.log.lines[-5:-1] == [
        '{"type":"text","text":"bye"}',
        '{"type":"tool","tool":{"id":"call-1","status":"pending","kind":"other"}}',
        '{"type":"ask","ask":{"id":"perm-x1","kind":"permission","outcome":"closing","by":"close","body":'
        '{"permission":{"id":"perm-x1","tool":"call-1","options":[{"optionId":"once","name":"Yes","kind":"allow_once"},'
        '{"optionId":"no","name":"No","kind":"reject_once"}]}}}}',
        '{"type":"tool","tool":{"id":"call-1","status":"cancelled","kind":"other"}}',
    ]


@pytest.mark.rule("ENG-105")
async def test_a_provider_that_raises_stops_the_session_and_not_the_program(caplog: pytest.LogCaptureFixture) -> None:
    rig = Rig()

    def fail() -> None:
        raise RuntimeError("boom")

    rig.agent.during["prompt"] = fail

    result = await rig.session.send(Submit(text="hello"))
    await asyncio.sleep(0)

    assert result == Accepted(turn="turn-1")
    assert [line for line in rig.log.lines if '"type":"error"' in line] == [
        '{"type":"error","err":{"message":"craze failed inside: RuntimeError(\'boom\')","class":"other","code":0}}'
    ]
    assert rig.session.view.status == "stopped"
    assert rig.agent.calls[-1] == "close 2.0"
    assert "a step of the session failed" in caplog.text
    rig.agent.during.clear()
    assert isinstance(rig.session.submit(Reconnect()), asyncio.Future)
    assert rig.session.view.status == "starting"


@pytest.mark.rule("ENG-105", "ENG-112")
async def test_a_session_can_be_closed_while_its_broken_agent_still_goes() -> None:
    rig = Rig()

    def fail() -> None:
        raise RuntimeError("boom")

    rig.agent.during["prompt"] = fail
    await rig.session.send(Submit(text="hello"))

    async with asyncio.timeout(20):
        await rig.session.close()

    assert rig.session.view.status == "closed"
    assert rig.agent.calls.count("close 2.0") == 1


@pytest.mark.rule("ENG-105")
async def test_a_wish_that_broke_the_core_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig()
    real = rig.core.take

    def take(given, at, cause=""):
        if isinstance(given, Submit):
            raise KeyError("a bug")
        return real(given, at, cause)

    monkeypatch.setattr(rig.core, "take", take)
    async with asyncio.timeout(20):
        result = await rig.session.send(Submit(text="hello"))

    assert isinstance(result, Refused)
    assert result.code == "failed"
    assert rig.session.view.status == "stopped"


@pytest.mark.rule("ENG-105")
async def test_a_bug_while_the_agent_is_gone_is_told_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig()
    rig.agent.say(Gone(failure=failed()))

    def fail(start: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(rig.core, "take", fail)
    await rig.session.send(Submit(text="hello"))

    assert '"class":"other"' in rig.log.lines[-1]


@pytest.mark.rule("ENG-106")
async def test_a_log_that_fails_is_told_once_and_taken_back() -> None:
    rig = Rig()

    rig.session.index_error("the disk is full")
    rig.session.index_error("the disk is full")
    assert rig.session.view.state.index_err == "the disk is full"
    rig.session.index_error("")
    rig.session.index_error("")

    assert not rig.session.view.state.index_err
    assert [record.event.type for record in rig.log.records[1:]] == ["meta", "meta"]


@pytest.mark.rule("ENG-10", "ENG-27")
async def test_a_report_that_fits_nothing_is_a_lint_and_changes_nothing() -> None:
    rig = Rig()
    before = rig.session.view

    rig.agent.say(TurnEnded(stop_reason="end_turn"))
    rig.agent.say(TurnEnded(stop_reason="end_turn"))

    assert rig.log.lines[-1] == 'fact lint {"name":"second-ending","count":2,"example":"TurnEnded"}'
    assert msgspec.structs.replace(rig.session.view, facts={}) == msgspec.structs.replace(before, facts={})


@pytest.mark.rule("ENG-96")
async def test_an_agent_may_begin_by_itself_only_when_nothing_waits() -> None:
    rig = Rig()
    assert rig.session.may_wake()

    await rig.session.send(Submit(text="hello"))
    assert not rig.session.may_wake()
    await rig.session.send(Submit(text="later"))
    await rig.session.send(QueueHold(held=True))
    rig.agent.say(TurnEnded(stop_reason="end_turn"))

    assert not rig.session.may_wake()


@pytest.mark.rule("ENG-107", "ENG-59")
async def test_a_refusal_is_a_value_and_never_raises() -> None:
    rig = Rig()
    rig.agent.say(permission(of_turn=False))

    assert await rig.session.send(Answer(ask="perm-9", answer=Pick(option="once"))) == Refused(
        code="unknown_ask", detail={"ask": "perm-9"}
    )
    assert await rig.session.send(Set(kind="model", value="none")) == Refused(
        code="bad_request", detail={"value": "this agent offers no model 'none'"}
    )


@pytest.mark.rule("ENG-107")
async def test_a_caller_that_went_away_does_not_matter() -> None:
    rig = Rig()
    gone = rig.session.submit(Aside(question="why?"))
    gone.cancel()

    rig.returned(1, text="because")

    assert rig.session.view.status == "idle"
    assert await rig.session.send(Submit(text="hello")) == Accepted(turn="turn-1")
