"""Asks: opened once, answered by whoever is first, ended once."""

from __future__ import annotations

from functools import partial

import pytest
from msgspec import Raw

from craze.codec import Event, Permission, PermissionOption, Plan, Question, QuestionItem, QuestionOption, Subagent
from craze.engine.answers import Form, Judge, OpenAsk, Pick, Reply, Skip, Verdict
from craze.engine.asks import Asks
from craze.engine.facts import Policies, details
from craze.engine.intents import Accepted, Answer, Cancel, Reconnect, Refused, Submit
from craze.engine.limits import ENDED_ASKS
from craze.engine.ports import (
    AskOpened,
    AskWithdrawn,
    Close,
    Foreign,
    Gone,
    ToolPatch,
    TurnEnded,
    WriteAnswer,
    WriteCancel,
)
from craze.engine.rules import Rule, decider
from craze.engine.situation import Settings
from tests.fakes.core import ALL, Bench, failed, lines, permission

COLOURS = QuestionItem(
    id="colour",
    prompt="Which?",
    options=(QuestionOption(id="r", label="Red"), QuestionOption(id="g", label="Green")),
)
OPENED = (
    '{"type":"permission","permission":{"id":"perm-1","tool":"call-1","options":['
    '{"optionId":"once","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}}'
)


def working(**options) -> Bench:
    bench = Bench(**options)
    bench.send(Submit(text="go"))
    return bench


def question(key: str = "8", *items: QuestionItem, form: Form | None = None) -> AskOpened:
    return AskOpened(key=key, ask=OpenAsk(body=Question(title="Colours", questions=items or (COLOURS,)), form=form))


def plan(key: str = "9") -> AskOpened:
    return AskOpened(key=key, ask=OpenAsk(body=Plan(name="A plan")))


def ending(outcome: str, by: str, ask: str = "perm-1", **more: object) -> str:
    kind = {"perm": "permission", "ask": "question", "plan": "plan"}[ask.split("-")[0]]
    tail = "".join(f',"{key}":"{value}"' for key, value in more.items())
    return f'{{"type":"ask","ask":{{"id":"{ask}","kind":"{kind}","outcome":"{outcome}","by":"{by}"{tail}}}}}'


def refused(bench: Bench, answer: Answer) -> tuple[str, dict[str, str]]:
    result = bench.send(answer)
    assert isinstance(result, Refused)
    assert (bench.last.out, bench.last.effects) == ((), ())
    return result.code, dict(result.detail)


@pytest.mark.rule("ENG-57", "ENG-58", "ENG-60", "ENG-118", "ENG-9")
def test_an_ask_is_opened_with_its_fact_and_answered_with_the_exact_option() -> None:
    bench = working()

    assert bench.report(permission()) == [OPENED, 'fact ask {"tool":"call-1"}']
    assert bench.send(Answer(ask="perm-1", answer=Pick(option="once"))) == Accepted()
    assert lines(bench.last) == [
        '{"type":"ask","ask":{"id":"perm-1","kind":"permission","outcome":"answered","by":"client","optionId":"once","label":"Yes"}}'
    ]
    assert bench.last.effects == (WriteAnswer(key="7", answer=Pick(option="once")),)
    assert bench.view.asks == ()


@pytest.mark.rule("ENG-57", "ENG-2")
def test_many_may_be_open_and_any_can_be_answered_first() -> None:
    bench = working()
    bench.report(permission("1"), question("2"), plan("3"), permission("4"))
    assert [ask.id for ask in bench.view.asks] == ["perm-1", "ask-1", "plan-1", "perm-2"]

    bench.send(Answer(ask="perm-2", answer=Pick(option="no")))
    bench.send(Answer(ask="plan-1", answer=Judge(accepted=True)))

    assert [ask.id for ask in bench.view.asks] == ["perm-1", "ask-1"]


@pytest.mark.rule("ENG-58")
def test_options_are_kept_as_they_are_offered() -> None:
    bench = working()
    odd = tuple(
        PermissionOption(option_id=i, name=n, kind=k)
        for i, n, k in (("a", "", "x"), ("a2", " y ", "x"), ("b", "B", "allow_once"))
    )

    bench.report(AskOpened(key="1", ask=OpenAsk(body=Permission(options=odd))))

    body = bench.view.asks[0].body
    assert isinstance(body, Permission)
    assert body.options == odd
    assert bench.send(Answer(ask="perm-1", answer=Pick(option="a2"))) == Accepted()


@pytest.mark.rule("ENG-59", "ENG-117", "ENG-70")
@pytest.mark.parametrize(
    ("opens", "ask", "answer", "member"),
    [
        (permission(), "perm-1", Pick(option="always"), "option"),
        (permission(), "perm-1", Skip(), "answer"),
        (permission(), "perm-1", Judge(accepted=True), "answer"),
        (permission(), "perm-1", Pick(option="once", input=Raw(b"[]")), "input"),
        (permission(), "perm-1", Pick(option="no", input=Raw(b"{}")), "input"),
        (question(), "ask-1", Pick(option="once"), "answer"),
        (question(), "ask-1", Reply(answers={}), "answers"),
        (question(), "ask-1", Reply(answers={"size": ("r",)}), "size"),
        (question(), "ask-1", Reply(answers={"colour": ("r", "g")}), "colour"),
        (question(), "ask-1", Reply(answers={"colour": ("blue",)}), "colour"),
        (question(), "ask-1", Reply(answers={"colour": ()}), "colour"),
        (plan(), "plan-1", Pick(option="yes"), "answer"),
        (plan(), "plan-1", Skip(), "answer"),
    ],
)
def test_an_invalid_answer_is_refused_and_the_ask_stays_open(opens: AskOpened, ask: str, answer, member: str) -> None:
    bench = working()
    bench.report(ToolPatch(id="call-1", from_ask=True), opens)

    code, detail = refused(bench, Answer(ask=ask, answer=answer))

    assert (code, list(detail)) == ("bad_answer", [member])
    assert [each.id for each in bench.view.asks] == [ask]


@pytest.mark.rule("ENG-117", "ENG-59")
@pytest.mark.parametrize(("can", "accepted"), [(ALL, True), (ALL - {"edit_input"}, False)])
def test_the_input_of_a_call_can_be_changed_where_the_agent_takes_that(can, accepted: bool) -> None:
    bench = working(can=can)
    bench.report(ToolPatch(id="call-1", raw_input='{"command":"ls"}', from_ask=True), permission())
    answer = Pick(option="once", input=Raw(b'{"command":"ls -l"}'))

    result = bench.send(Answer(ask="perm-1", answer=answer))

    assert isinstance(result, Accepted) == accepted
    assert (WriteAnswer(key="7", answer=answer) in bench.did) == accepted


@pytest.mark.rule("ENG-117", "ENG-59")
def test_a_label_stands_for_its_option() -> None:
    bench = working()
    bench.report(question())

    bench.send(Answer(ask="ask-1", answer=Reply(answers={"colour": ("Green",)})))

    assert bench.last.effects == (WriteAnswer(key="8", answer=Reply(answers={"colour": ("g",)})),)
    assert '"answers":{"colour":["g"]}' in lines(bench.last)[0]


@pytest.mark.rule("ENG-117", "ENG-65")
def test_a_person_may_pass_over_a_question() -> None:
    bench = working()
    bench.report(question())

    assert bench.send(Answer(ask="ask-1", answer=Skip())) == Accepted()
    assert lines(bench.last) == [
        '{"type":"ask","ask":{"id":"ask-1","kind":"question","outcome":"answered","by":"client","skip":true}}'
    ]
    assert bench.view.turn == "turn-1"


@pytest.mark.rule("ENG-118")
def test_a_form_travels_beside_the_question() -> None:
    form = Form(schema=Raw(b'{"type":"object"}'), custom=("colour",))
    bench = working()

    said = bench.report(question(form=form))

    assert said[1] == 'fact ask {"form":{"type":"Form","schema":{"type":"object"},"custom":["colour"]}}'
    assert bench.view.asks[0].form is not None
    assert bench.view.asks[0].form.custom == ("colour",)
    assert bench.send(Answer(ask="ask-1", answer=Reply(answers={"colour": ("blue",)}))) == Accepted()


@pytest.mark.rule("ENG-117")
@pytest.mark.parametrize("can", [ALL, ALL - {"feedback"}])
def test_words_that_go_with_a_refusal_go_to_the_agent_or_to_the_head_of_the_queue(can) -> None:
    bench = working(can=can)
    bench.send(Submit(text="waits"))
    bench.report(permission())

    bench.send(Answer(ask="perm-1", answer=Pick(option="no", feedback="use make")))

    assert [row.text for row in bench.view.queue] == (["waits"] if can == ALL else ["use make", "waits"])
    assert all(event.cause == "c-1/3" for event in bench.last.out if isinstance(event, Event))


@pytest.mark.rule("ENG-117", "ENG-113")
def test_words_that_go_with_a_refusal_outside_a_turn_start_one() -> None:
    bench = Bench(can=frozenset())
    bench.report(permission(of_turn=False))

    bench.send(Answer(ask="perm-1", answer=Pick(option="no", feedback="use make")))

    assert bench.view.turn_text == "use make"


# ---- endings


@pytest.mark.rule("ENG-62")
def test_an_ended_ask_and_one_that_never_was_are_told_apart() -> None:
    bench = working()
    bench.report(permission("1"))
    bench.send(Answer(ask="perm-1", answer=Pick(option="once")))

    assert refused(bench, Answer(ask="perm-1", answer=Pick(option="no")))[0] == "already_resolved"
    for unknown in ("perm-2", "ask-1", "perm-0", "perm-x1", "nonsense", "perm-", "turn-1"):
        assert refused(bench, Answer(ask=unknown, answer=Pick(option="no")))[0] == "unknown_ask"


@pytest.mark.rule("ENG-62", "ENG-115")
def test_asks_older_than_those_remembered_count_as_resolved() -> None:
    bench = working()
    for number in range(ENDED_ASKS + 2):
        bench.report(permission(str(number)))
        bench.report(AskWithdrawn(key=str(number)))

    assert refused(bench, Answer(ask="perm-1", answer=Pick(option="no")))[0] == "already_resolved"


@pytest.mark.rule("ENG-62", "ENG-2")
def test_asks_of_an_earlier_process_count_as_resolved() -> None:
    bench = Bench(numbers={"perm": 4, "perm-x": 2})

    assert refused(bench, Answer(ask="perm-4", answer=Pick(option="no")))[0] == "already_resolved"
    assert refused(bench, Answer(ask="perm-x2", answer=Pick(option="no")))[0] == "already_resolved"
    assert refused(bench, Answer(ask="perm-5", answer=Pick(option="no")))[0] == "unknown_ask"


@pytest.mark.rule("ENG-60", "ENG-63")
def test_an_ask_that_the_agent_takes_back_is_not_answered() -> None:
    bench = working()
    bench.report(permission())

    step = bench.give((AskWithdrawn(key="7"),))

    assert lines(step) == [ending("cancelled", "provider")]
    assert step.effects == ()
    assert bench.report(AskWithdrawn(key="7")) == ['fact lint {"name":"withdrawn-unknown","count":1,"example":"7"}']


@pytest.mark.rule("ENG-63")
def test_a_request_id_that_comes_twice_gets_one_reply() -> None:
    bench = working()
    bench.report(permission())

    assert bench.report(permission()) == ['fact lint {"name":"duplicate-request-id","count":1,"example":"7"}']
    bench.send(Answer(ask="perm-1", answer=Pick(option="once")))

    assert sum(isinstance(effect, WriteAnswer) for effect in bench.did) == 1


@pytest.mark.rule("ENG-60", "ENG-64")
def test_an_ask_ends_with_its_turn_and_the_agent_is_told() -> None:
    bench = working()
    bench.report(permission("1"), permission("2", of_turn=False))

    step = bench.give((TurnEnded(stop_reason="end_turn"),))

    assert lines(step)[1] == ending("turn_ended", "turn")
    assert step.effects == (WriteAnswer(key="1", answer=None),)
    assert [ask.id for ask in bench.view.asks] == ["perm-2"]


@pytest.mark.rule("ENG-60", "ENG-53", "ENG-64", "ENG-54")
def test_a_cancel_is_written_first_and_then_every_open_ask_is_answered() -> None:
    bench = working()
    bench.report(permission("1"), permission("2", of_turn=False))

    bench.send(Cancel())

    assert [effect for effect in bench.last.effects if isinstance(effect, WriteCancel | WriteAnswer)] == [
        WriteCancel(),
        WriteAnswer(key="1", answer=None),
        WriteAnswer(key="2", answer=None),
    ]
    assert lines(bench.last)[1:] == [ending("cancelled", "cancel"), ending("cancelled", "cancel", "perm-2")]


@pytest.mark.rule("ENG-53", "ENG-61")
def test_an_ask_that_arrives_while_cancelling_is_answered_unshown() -> None:
    bench = working()
    bench.send(Cancel())

    step = bench.give((permission(),))

    assert lines(step) == [
        '{"type":"ask","ask":{"id":"perm-x1","kind":"permission","outcome":"cancelled","by":"cancel",'
        f'"body":{{"permission":{OPENED.removeprefix(_START).removesuffix("}").replace("perm-1", "perm-x1")}}}}}}}'
    ]
    assert step.effects == (WriteAnswer(key="7", answer=None),)


_START = '{"type":"permission","permission":'


@pytest.mark.rule("ENG-64")
def test_a_request_for_a_turn_that_is_over_is_never_shown() -> None:
    bench = working()
    bench.report(TurnEnded(stop_reason="end_turn"))

    step = bench.give((permission(),))

    assert '"id":"perm-x1","kind":"permission","outcome":"turn_ended","by":"turn"' in lines(step)[0]
    assert step.effects == (WriteAnswer(key="7", answer=None),)


@pytest.mark.rule("ENG-60", "ENG-112")
@pytest.mark.parametrize(("given", "by"), [(Close(), "close"), ((Gone(failure=failed()),), "provider")])
def test_an_ask_ends_with_the_session_or_its_agent(given, by: str) -> None:
    bench = working()
    bench.report(permission("1"), permission("2", of_turn=False))

    step = bench.give(given)

    assert [line for line in lines(step) if '"type":"ask"' in line] == [
        ending("closing", by),
        ending("closing", by, "perm-2"),
    ]
    assert sum(isinstance(effect, WriteAnswer) for effect in step.effects) == (2 if by == "close" else 0)


@pytest.mark.rule("ENG-60", "ENG-23")
def test_an_ask_that_was_open_before_a_reconnect_is_over() -> None:
    bench = working()
    bench.report(permission())

    bench.send(Reconnect())

    assert bench.view.asks == ()
    assert not any(isinstance(effect, WriteAnswer) for effect in bench.did)


@pytest.mark.rule("ENG-60")
@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_an_ask_ends_with_its_call(status: str) -> None:
    bench = working()
    bench.report(ToolPatch(id="call-1", from_ask=True), permission(), permission("8", tool="call-2"))

    said = bench.report(ToolPatch(id="call-1", status=status))

    assert said[1:] == [ending("cancelled", "call")]
    assert [ask.id for ask in bench.view.asks] == ["perm-2"]


@pytest.mark.rule("ENG-60")
def test_an_ask_ends_with_its_sub_agent() -> None:
    bench = working()
    child = Subagent(id="kid", status="running")
    asked = permission()
    bench.report(Event("subagent", subagent=child, subagent_change="spawned"))
    bench.report(AskOpened(key="7", ask=OpenAsk(body=asked.ask.body, agent="kid"), of_turn=False))

    said = bench.report(Event("subagent", subagent=Subagent(id="kid", status="completed"), subagent_change="finished"))

    assert '"outcome":"cancelled","by":"call"' in said[0]
    assert '"subagentChange":"finished"' in said[1]


@pytest.mark.rule("ENG-86", "ENG-65")
def test_a_refused_call_that_stays_open_has_failed() -> None:
    bench = working()
    bench.report(ToolPatch(id="call-1", name="Bash", from_ask=True), permission())
    bench.send(Answer(ask="perm-1", answer=Pick(option="no")))
    assert bench.view.turn == "turn-1"

    said = bench.report(TurnEnded(stop_reason="end_turn"))

    assert '{"type":"tool","tool":{"id":"call-1","name":"Bash","status":"failed","kind":"other"}}' in said


# ---- answered without a person


def deciding(presets: Policies, *rules: Rule, **more) -> Bench:
    decide = decider((), rules, presets, "/work", alone=False)
    return working(decide=decide, settings=Settings(policies=presets), **more)


@pytest.mark.rule("ENG-61", "ENG-68", "ENG-60", "ENG-66", "ENG-67", "CODEC-6")
def test_what_a_preset_answers_opens_and_ends_in_one_step() -> None:
    bench = deciding(Policies(permission="deny"))

    step = bench.give((permission(),))

    assert lines(step) == [
        OPENED,
        'fact ask {"tool":"call-1"}',
        '{"type":"ask","ask":{"id":"perm-1","kind":"permission","outcome":"automatic","by":"policy","optionId":"no",'
        '"label":"No"}}',
    ]
    assert step.effects == (WriteAnswer(key="7", answer=Pick(option="no")),)
    assert bench.view.asks == ()
    assert refused(bench, Answer(ask="perm-1", answer=Pick(option="once")))[0] == "already_resolved"


@pytest.mark.rule("ENG-66", "CODEC-6")
def test_questions_and_plans_settled_without_a_person_say_so_in_their_opening() -> None:
    bench = deciding(Policies(question="all", plan="all"))

    asked, question_ended, judged, plan_ended = bench.report(question(), plan())

    assert '"auto":true,"answers":{"colour":["r"]}' in asked
    assert '"outcome":"automatic","by":"policy","answers":{"colour":["r"]}' in question_ended
    assert '"auto":true,"accepted":true' in judged
    assert '"accepted":true' in plan_ended
    assert "body" not in question_ended + plan_ended


@pytest.mark.rule("ENG-68", "ENG-60")
def test_a_rule_of_a_person_answers_as_the_person_and_is_used_up() -> None:
    bench = deciding(Policies(), Rule(kind="permission", do="allow", times=1))

    first, second = bench.report(permission("1")), bench.report(permission("2"))

    assert '"outcome":"answered","by":"client","optionId":"once"' in first[-1]
    assert second[0] == OPENED.replace("perm-1", "perm-2")
    assert len(second) == 2


@pytest.mark.rule("ENG-67", "ENG-60")
def test_where_nothing_can_be_picked_the_agent_is_answered_with_nothing() -> None:
    bench = deciding(Policies(permission="deny"))
    only_yes = Permission(options=(PermissionOption(option_id="y", name="Yes", kind="allow_once"),))

    step = bench.give((AskOpened(key="7", ask=OpenAsk(body=only_yes)),))

    assert '"outcome":"automatic","by":"unavailable"' in lines(step)[-1]
    assert step.effects == (WriteAnswer(key="7", answer=None),)


@pytest.mark.rule("ENG-66", "ENG-51")
def test_a_preset_that_fails_denies_and_cancels_the_turn() -> None:
    bench = deciding(Policies(permission="fail"))
    bench.report(ToolPatch(id="call-1", title="rm -r build", from_ask=True))

    step = bench.give((permission(),))

    assert lines(step)[3:] == [
        'fact notice {"severity":"warning","text":"the run ends here: permission \'rm -r build\' was asked","code":"run_ended_by_ask"}',
        'fact cancelling {"turn":"turn-1","since":"1970-01-01T00:00:05Z"}',
    ]
    assert [type(effect).__name__ for effect in step.effects] == ["WriteAnswer", "WriteCancel", "StartTimer"]


@pytest.mark.rule("ENG-68", "ENG-66")
def test_the_decider_sees_the_call_and_holds_for_children_and_foreign_turns() -> None:
    bench = Bench(decide=decider((), (), Policies(permission="reads"), "/work"))
    bench.report(Foreign(running=True))
    bench.report(ToolPatch(id="call-1", agent="kid", kind="read", locations=("/work/a.py",), from_ask=True))
    asked = permission()

    said = bench.report(AskOpened(key="7", ask=OpenAsk(body=asked.ask.body, tool="call-1", agent="kid"), of_turn=False))

    assert '"optionId":"once"' in said[-1]


@pytest.mark.rule("ENG-119", "ENG-66")
@pytest.mark.parametrize(("preset", "waits"), [("all", True), ("reads", True), ("deny", False), ("fail", False)])
def test_only_denials_answer_what_is_for_a_person(preset: str, waits: bool) -> None:
    bench = deciding(Policies(permission=preset))
    asked = permission()

    bench.report(AskOpened(key="7", ask=OpenAsk(body=asked.ask.body, person_only=True)))

    assert [ask.person_only for ask in bench.view.asks] == ([True] if waits else [])


@pytest.mark.rule("ENG-129")
def test_what_answers_asks_is_told_unless_it_is_the_person() -> None:
    told = [line for line in lines(Bench(settings=Settings(policies=Policies(plan="all"))).give(())) if line]
    said = Bench(settings=Settings(policies=Policies(plan="all", rules=True)), ready=False).said

    assert told == []
    assert [bytes(fact.data) for fact in said if getattr(fact, "kind", "") == "policies"] == [
        b'{"plan":"all","rules":true}'
    ]
    assert not any(getattr(fact, "kind", "") == "policies" for fact in Bench(ready=False).said)


@pytest.mark.rule("ENG-133")
def test_facts_about_an_ask_come_under_its_own_id() -> None:
    bench = working()
    bench.report(permission())

    bench.report(details("7", {"description": "runs make"}), details("config", {"a": 1}))

    assert ("details", "perm-1") in bench.view.facts
    assert ("details", "config") in bench.view.facts
    assert bench.core.ask_of("7") == "perm-1"
    assert bench.core.ask_of("8") == ""


@pytest.mark.rule("ENG-116")
def test_an_ask_names_its_call_and_never_a_title() -> None:
    bench = working()
    bench.report(AskOpened(key="7", ask=OpenAsk(body=Permission(tool="Delete everything"))))

    assert bench.view.asks[0].tool == ""
    assert getattr(bench.view.asks[0].body, "tool", "") == "Delete everything"


def test_the_registry_forgets_old_keys_but_not_open_asks() -> None:
    asks = Asks()
    opening = partial(OpenAsk, body=Permission())
    asks.open("first", opening(id="perm-1"))
    for number in range(5 * ENDED_ASKS):
        asks.open(f"k{number}", opening(id=f"perm-{number + 2}"))
        waiting = asks.get(f"perm-{number + 2}")
        assert waiting
        asks.end(waiting, "cancelled", "provider")

    assert asks.get("perm-1")
    assert asks.open_key("first")


def test_a_verdict_without_an_answer_is_nobodys_fault() -> None:
    bench = working(decide=lambda ask, tool, used: Verdict(answer=None, by="client"))

    assert '"by":"unavailable"' in bench.report(plan())[-1]


@pytest.mark.rule("ENG-86")
def test_an_allowed_call_that_stays_open_is_completed_with_its_turn() -> None:
    bench = working()
    bench.report(ToolPatch(id="call-1", name="Bash"), permission())
    bench.send(Answer(ask="perm-1", answer=Pick(option="once")))

    said = bench.report(TurnEnded(stop_reason="end_turn"))

    assert '{"type":"tool","tool":{"id":"call-1","name":"Bash","status":"completed","kind":"other"}}' in said
