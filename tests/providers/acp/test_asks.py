"""Permissions, plans, forms and links: how they open, and what an answer is on the wire."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from craze.engine.answers import Judge, Pick, Reply, Skip
from craze.engine.facts import Policies
from craze.engine.intents import Answer, Submit
from craze.engine.ports import AskOpened, AskWithdrawn, Opened, Start
from tests.fakes.acp_bench import PERMISSION_OPTIONS, Step, bench, initialized, opened, prompted, request, text, update
from tests.fakes.acp_session import stage

EXIT_PLAN = [
    {"optionId": "exit-plan-default", "name": "Yes", "kind": "allow_once"},
    {"optionId": "exit-plan-auto", "name": "Yes, all", "kind": "allow_always"},
    {"optionId": "reject", "name": "No", "kind": "reject_once"},
]
FORM = {
    "type": "object",
    "properties": {
        "question_0": {
            "type": "string",
            "oneOf": [{"const": "Red", "title": "Red"}, {"const": "Blue", "title": "Blue"}],
        },
        "question_0_custom": {"type": "string", "title": "Other"},
    },
}


def selected(option: str) -> dict[str, Any]:
    return {"outcome": {"outcome": "selected", "optionId": option}}


def permission(*steps: Step, options: Any = PERMISSION_OPTIONS, call: Any = None, **fields: Any) -> list[Step]:
    """A turn in which a permission is asked and answered."""
    call = {"toolCallId": "t"} if call is None else call
    ask = request(0, "session/request_permission", toolCall=call, options=options, **fields)
    return [*opened(), {"expect": {"method": "session/prompt"}}, *steps, ask, {"expect": {"id": 0}}, DONE]


DONE: Step = {"send": {"jsonrpc": "2.0", "id": 3, "result": {"stopReason": "end_turn"}}}
TOOL = update("tool_call", toolCallId="t", title="rm", kind="execute")


@pytest.mark.rule("ACP-76", "ACP-T27")
async def test_all_options_are_shown_as_sent_and_answered_by_id(tmp_path: Path) -> None:
    kinds = ["allow_once", "allow_once", "maybe", "allow_always", "reject_once", "reject_always", "", None]
    options = [{"optionId": f"o{at}", "name": f"n{at}", "kind": kind} for at, kind in enumerate(kinds)]
    async with stage(tmp_path, *permission(TOOL, options=[*options, {"name": "no id"}])) as test:
        await test.ready()
        await test.send(Submit(text="go"))
        opening = await test.opened("permission")
        assert opening.permission is not None
        await test.send(Answer(ask=opening.permission.id, answer=Pick(option="o2")))
        await test.ended()

        assert [option.option_id for option in opening.permission.options] == [f"o{at}" for at in range(8)]
        assert opening.permission.tool == "t"
        assert [line["result"] for line in test.sent() if line.get("id") == 0] == [selected("o2")]


@pytest.mark.rule("ACP-77", "ACP-T28", "ACP-185", "ACP-T60")
@pytest.mark.parametrize(
    ("kinds", "policy", "result"),
    [
        ({"always": "allow_always", "once": "allow_once", "no": "reject_once"}, "all", selected("once")),
        ({"always": "allow_always", "once": "allow_once", "no": "reject_once"}, "deny", selected("no")),
        ({"never": "reject_always", "once": "allow_once"}, "deny", selected("never")),
        ({"once": "allow_once"}, "deny", {"outcome": {"outcome": "cancelled"}}),
    ],
)
async def test_a_preset_answers_with_the_option_of_its_kind(
    tmp_path: Path, kinds: dict[str, str], policy: str, result: Any
) -> None:
    options = [{"optionId": name, "name": name, "kind": kind} for name, kind in kinds.items()]
    async with stage(tmp_path, *permission(TOOL, options=options), policies=Policies(permission=policy)) as test:
        await test.ready()
        await test.turn("go")

        assert [line["result"] for line in test.sent() if line.get("id") == 0] == [result]


@pytest.mark.rule("ACP-76")
async def test_a_request_without_options_is_cancelled_at_once(tmp_path: Path) -> None:
    async with stage(tmp_path, *permission(TOOL, options=[])) as test:
        await test.ready()
        await test.turn("go")

        assert [line["result"] for line in test.sent() if line.get("id") == 0] == [
            {"outcome": {"outcome": "cancelled"}}
        ]
        assert test.of("permission", "ask") == []
        assert test.lints() == {"no-options": 1}


@pytest.mark.rule("ACP-78", "ACP-T58", "ACP-58")
@pytest.mark.parametrize("updated", [False, True])
async def test_a_permission_may_be_the_first_and_only_news_of_its_call(tmp_path: Path, updated: bool) -> None:
    more = [update("tool_call_update", toolCallId="p9", content=[])] if updated else []
    ask = request(0, "session/request_permission", toolCall={"toolCallId": "p9"}, options=PERMISSION_OPTIONS)
    steps = [*opened(), {"expect": {"method": "session/prompt"}}, ask, {"expect": {"id": 0}}, *more, DONE]
    async with stage(tmp_path, *steps) as test:
        await test.ready()
        await test.send(Submit(text="go"))
        opening = await test.opened("permission")
        assert opening.permission is not None
        await test.send(Answer(ask=opening.permission.id, answer=Pick(option="once")))
        await test.ended()

        types = [event.type for event in test.events if event.type in ("tool", "permission", "turn")]
        assert types == ["turn", "tool", "permission", "tool", "turn"]
        first, last = test.keys("tool")
        assert first["tool"] == {"id": "p9", "status": "pending", "kind": "other"}
        assert last["tool"]["status"] == "completed"
        assert [lint["name"] for lint in test.facts("lint")] == ["permission-before-call"] + [
            "tool-left-open"
        ] * updated


@pytest.mark.rule("ACP-78", "ACP-T59")
async def test_news_of_a_call_do_not_open_its_permission_again(tmp_path: Path) -> None:
    ask = request(0, "session/request_permission", toolCall={"toolCallId": "t"}, options=PERMISSION_OPTIONS)
    later = update("tool_call_update", toolCallId="t", rawInput={"command": "rm x"})
    steps = [*opened(), {"expect": {"method": "session/prompt"}}, TOOL, ask, later, {"expect": {"id": 0}}, DONE]
    async with stage(tmp_path, *steps) as test:
        await test.ready()
        await test.send(Submit(text="go"))
        await test.until(lambda: len(test.of("tool")) == 2)

        assert len(test.of("permission")) == 1
        assert test.keys("tool")[-1]["tool"]["rawInput"] == '{"command": "rm x"}'


@pytest.mark.rule("ACP-78")
async def test_empty_locations_of_a_request_do_not_erase_earlier_ones(tmp_path: Path) -> None:
    tool = update("tool_call", toolCallId="t", title="rm", locations=[{"path": "/a"}])
    async with stage(tmp_path, *permission(tool, call={"toolCallId": "t", "locations": []})) as test:
        await test.ready()
        await test.send(Submit(text="go"))
        await test.opened("permission")

        assert test.keys("tool")[-1]["tool"]["locations"] == ["/a"]


@pytest.mark.rule("ACP-17", "ACP-T11")
async def test_the_agent_may_take_its_request_back(tmp_path: Path) -> None:
    ask = request(0, "session/request_permission", toolCall={"toolCallId": "t"}, options=PERMISSION_OPTIONS)
    back = {"send": {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 0}}}
    steps = [*opened(), {"expect": {"method": "session/prompt"}}, TOOL, ask, back, back, {"expect": {"id": 0}}, DONE]
    async with stage(tmp_path, *steps) as test:
        await test.ready()
        await test.turn("go")

        (ending,) = test.keys("ask")
        assert (ending["ask"]["outcome"], ending["ask"]["by"]) == ("cancelled", "provider")
        answers = [line["error"] for line in test.sent() if line.get("id") == 0]
        assert answers == [{"code": -32800, "message": "Request cancelled"}]


@pytest.mark.rule("ACP-15", "ACP-12", "ACP-T8")
async def test_unknown_requests_are_answered_with_their_ids_as_they_came(tmp_path: Path) -> None:
    ids: list[Any] = [0, "x", None]
    asked = [{"send": {"jsonrpc": "2.0", "id": number, "method": "foo/bar"}} for number in ids]
    answered = [{"expect": {"id": number, "error": {"code": -32601, "data": {"method": "foo/bar"}}}} for number in ids]
    async with bench(tmp_path, *opened(), *asked, *answered, text("ok")) as test:
        test.open()
        await test.until(lambda: test.events("text"))

        assert test.lints() == {"unknown-request": 1}


@pytest.mark.rule("ACP-81", "ACP-T31")
async def test_a_plan_exit_with_three_ways_is_a_permission_with_its_text_in_the_tool(tmp_path: Path) -> None:
    call = {"toolCallId": "t", "title": "Plan", "kind": "switch_mode", "rawInput": {"plan": "# do it"}}
    steps = permission(options=EXIT_PLAN, call=call)
    async with stage(tmp_path, *steps, policies=Policies(permission="all")) as test:
        await test.ready()
        await test.turn("go")

        assert test.keys("tool")[0]["tool"]["contentText"] == "# do it"
        assert [line["result"] for line in test.sent() if line.get("id") == 0] == [selected("exit-plan-default")]


@pytest.mark.rule("ACP-81", "ACP-T31")
@pytest.mark.parametrize(("accepted", "option"), [(True, "exit-plan-default"), (False, "reject")])
async def test_a_plan_exit_with_two_ways_is_a_plan(tmp_path: Path, accepted: bool, option: str) -> None:
    plan = [{"type": "content", "content": {"type": "text", "text": "# do it"}}]
    call = {"toolCallId": "t", "title": "Plan", "name": "ExitPlanMode", "content": plan}
    async with stage(tmp_path, *permission(options=[EXIT_PLAN[0], EXIT_PLAN[2]], call=call)) as test:
        await test.ready()
        await test.send(Submit(text="go"))
        opening = await test.opened("plan")
        assert opening.plan is not None
        await test.send(Answer(ask=opening.plan.id, answer=Judge(accepted=accepted)))
        await test.ended()

        assert (opening.plan.name, opening.plan.plan) == ("Plan", "# do it")
        assert [line["result"] for line in test.sent() if line.get("id") == 0] == [selected(option)]


@pytest.mark.rule("ACP-82")
async def test_a_request_for_a_call_of_an_ended_turn_is_cancelled_unseen(tmp_path: Path) -> None:
    ask = request(0, "session/request_permission", toolCall={"toolCallId": "t"}, options=PERMISSION_OPTIONS)
    steps = [*opened(), *prompted(TOOL), ask, {"expect": {"id": 0}}, text("after")]
    async with stage(tmp_path, *steps) as test:
        await test.ready()
        await test.turn("go")
        await test.until(lambda: test.of("text"))

        assert [line["result"] for line in test.sent() if line.get("id") == 0] == [
            {"outcome": {"outcome": "cancelled"}}
        ]
        assert test.of("permission") == []


@pytest.mark.rule("ACP-82")
async def test_a_request_outside_of_a_turn_belongs_to_none(tmp_path: Path) -> None:
    ask = request("a", "session/request_permission", toolCall={"toolCallId": "t"}, options=PERMISSION_OPTIONS)
    async with bench(tmp_path, *opened(), ask) as test:
        test.open()
        opening = await test.one(AskOpened)

        assert (opening.key, opening.of_turn) == ('"a"', False)


@pytest.mark.rule("ACP-79", "ACP-T75")
@pytest.mark.parametrize(("policy", "open_"), [("all", True), ("deny", False)])
async def test_a_sign_in_link_stays_for_a_person_unless_denied(tmp_path: Path, policy: str, open_: bool) -> None:
    link = [{"type": "content", "content": {"type": "text", "text": "https://login.example.org/x"}}]
    steps = permission(call={"toolCallId": "l", "title": "Sign in", "kind": "fetch", "content": link})
    async with stage(tmp_path, *steps, policies=Policies(permission=policy)) as test:
        await test.ready()
        await test.send(Submit(text="go"))
        await test.until(lambda: test.session.view.asks if open_ else test.of("ask"))

        assert bool(test.of("ask")) is not open_


@pytest.mark.rule("ACP-83", "ACP-84", "ACP-85", "ACP-T32")
@pytest.mark.parametrize(
    ("answer", "result"),
    [
        (Reply(answers={"question_0": ("Red",)}), {"action": "accept", "content": {"question_0": "Red"}}),
        (Skip(), {"action": "decline"}),
        (None, {"action": "cancel"}),
    ],
)
async def test_a_form_is_answered_typed_declined_or_cancelled(tmp_path: Path, answer: Any, result: Any) -> None:
    ask = request(0, "elicitation/create", mode="form", message="Which?", requestedSchema=FORM)
    steps = [*opened(), {"expect": {"method": "session/prompt"}}, ask, {"expect": {"id": 0, "result": result}}, DONE]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Opened)
        test.prompt("go")
        opening = await test.one(AskOpened)
        test.provider.answer(opening.key, answer)
        test.provider.answer(opening.key, answer)
        await test.until(lambda: [line for line in test.sent() if line.get("id") == 0])

        assert [item.id for item in opening.ask.body.questions] == ["question_0", "question_0_custom"]
        assert [line["result"] for line in test.sent() if line.get("id") == 0] == [result]


@pytest.mark.rule("ACP-T33", "ACP-T76")
async def test_a_value_that_misses_the_form_leaves_it_open(tmp_path: Path) -> None:
    schema = {"properties": {"n": {"type": "integer", "minimum": 1, "maximum": 5, "default": 2}}}
    ask = request(0, "elicitation/create", message="How many?", requestedSchema=schema)
    steps = [*opened(), {"expect": {"method": "session/prompt"}}, ask, {"expect": {"id": 0}}, DONE]
    async with stage(tmp_path, *steps) as test:
        await test.ready()
        await test.send(Submit(text="go"))
        opening = await test.opened("question")
        assert opening.question is not None
        bad = await test.send(Answer(ask=opening.question.id, answer=Reply(answers={"n": ("9",)})))
        await test.send(Answer(ask=opening.question.id, answer=Reply(answers={"n": ("4",)})))
        await test.ended()

        assert getattr(bad, "code", "") == "bad_answer"
        (answer,) = [line["result"] for line in test.sent() if line.get("id") == 0]
        assert answer == {"action": "accept", "content": {"n": 4}}
        assert schema["properties"]["n"] in _values(test.facts("ask")[0])


@pytest.mark.rule("ACP-86")
@pytest.mark.parametrize(("schema", "opens"), [({"type": "object", "properties": 7}, True), ("nonsense", False)])
async def test_a_form_that_cannot_be_read_is_one_text_or_declined(tmp_path: Path, schema: Any, opens: bool) -> None:
    ask = request(0, "elicitation/create", message="Say", requestedSchema=schema)
    async with bench(tmp_path, *opened(), ask) as test:
        test.open()
        await test.until(lambda: test.of(AskOpened) or [line for line in test.sent() if line.get("id") == 0])

        assert bool(test.of(AskOpened)) is opens
        assert test.lints() == {"bad-form": 1}


@pytest.mark.rule("ACP-88", "ACP-79", "ACP-T75")
async def test_a_link_is_opened_only_by_a_person(tmp_path: Path) -> None:
    ask = request(
        0, "elicitation/create", mode="url", message="Sign in", url="https://xn--e1aybc.org/", elicitationId="e1"
    )
    done = {"send": {"jsonrpc": "2.0", "method": "elicitation/complete", "params": {"elicitationId": "e1"}}}
    steps = [*opened(), ask, {"expect": {"id": 0, "result": {"action": "accept"}}}, done]
    async with bench(tmp_path, *steps, screen=True) as test:
        test.open()
        opening = await test.one(AskOpened)
        test.provider.answer(opening.key, Reply(answers={"url": ("open",)}))
        await test.until(lambda: len(test.facts("activity")) == 2)

        item = opening.ask.body.questions[0]
        assert opening.ask.person_only
        assert item.prompt == "https://xn--e1aybc.org/"
        assert [option.id for option in item.options] == ["open", "decline"]
        assert "not plain ASCII" in opening.ask.body.title
        assert test.facts("activity") == [{"text": "waiting for what was opened in the browser"}, {}]


@pytest.mark.rule("ACP-88", "ACP-89")
@pytest.mark.parametrize(
    ("fields", "screen"),
    [
        ({"mode": "url", "url": "https://x.org"}, False),
        ({"mode": "url", "url": "file:///etc/passwd"}, True),
        ({"mode": "url", "url": "http://["}, True),
        ({"mode": "telepathy"}, True),
    ],
)
async def test_a_mode_that_was_not_offered_is_refused(tmp_path: Path, fields: Any, screen: bool) -> None:
    steps = [
        *opened(),
        request(0, "elicitation/create", message="m", **fields),
        {"expect": {"error": {"code": -32602}}},
        text("ok"),
    ]
    async with bench(tmp_path, *steps, screen=screen) as test:
        test.open()
        await test.until(lambda: test.events("text"))

        assert test.of(AskOpened) == []


@pytest.mark.rule("ACP-82", "ACP-87")
async def test_a_form_in_a_replay_is_cancelled_one_of_the_start_is_not(tmp_path: Path) -> None:
    form = {"message": "m", "requestedSchema": {"properties": {"a": {"type": "string"}}}}
    of_start = {"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": {"requestId": 2, **form}}
    steps = [
        *initialized(agentCapabilities={"loadSession": True}),
        {"expect": {"method": "session/load"}},
        request(0, "elicitation/create", **form),
        {"expect": {"id": 0, "result": {"action": "cancel"}}},
        {"send": of_start},
    ]
    start = Start(workspace=str(tmp_path / "work"), reopen="s", has_history=True, answers_questions=True)
    async with bench(tmp_path, *steps, start=start) as test:
        test.open()

        assert (await test.one(AskOpened)).key == "1"


@pytest.mark.rule("ACP-185", "ACP-198")
async def test_what_a_request_says_beside_its_tool_is_kept_as_details(tmp_path: Path) -> None:
    options = [{**PERMISSION_OPTIONS[1], "_meta": {"covers": "git *"}}]
    async with bench(tmp_path, *permission(TOOL, options=options, title="May I?")) as test:
        test.open()
        await test.one(Opened)
        test.prompt("go")
        await test.one(AskOpened)

        assert test.facts("details")[-1] == {"title": "May I?", "options": {"always": '{"covers": "git *"}'}}


@pytest.mark.rule("ACP-15")
@pytest.mark.parametrize(
    ("method", "params", "field"),
    [
        ("fs/read_text_file", {"path": 7.5}, "path"),
        ("fs/read_text_file", {}, "path"),
        ("fs/write_text_file", {"path": "/x", "line": []}, "content"),
        ("terminal/create", {"args": 7, "command": None}, "command"),
    ],
)
async def test_a_request_that_cannot_be_read_names_the_field(
    tmp_path: Path, method: str, params: dict[str, Any], field: str
) -> None:
    steps = [*opened(), request(0, method, **params), {"expect": {"error": {"code": -32602}}}, text("ok")]
    async with bench(tmp_path, *steps, fs=True) as test:
        test.open()
        await test.until(lambda: test.events("text"))

        (answer,) = [line["error"]["message"] for line in test.sent() if line.get("id") == 0]
        assert answer == f"Invalid params: {field}"


async def test_an_answer_after_the_agent_took_it_back_is_not_written(tmp_path: Path) -> None:
    ask = request(0, "session/request_permission", toolCall={"toolCallId": "t"}, options=PERMISSION_OPTIONS)
    back = {"send": {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 0}}}
    async with bench(tmp_path, *opened(), ask, back) as test:
        test.open()
        await test.one(AskWithdrawn)
        test.provider.answer("0", Pick(option="once"))
        await asyncio.sleep(0)

        assert len([line for line in test.sent() if line.get("id") == 0]) == 1


def _values(value: Any) -> list[Any]:
    """Every object inside a value."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value, *(found for held in inside for found in _values(held))]
