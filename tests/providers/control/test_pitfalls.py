"""The pitfalls of the channel, each with its exact lines."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from craze.engine.answers import Judge, Pick, Reply
from craze.engine.facts import Policies
from craze.engine.intents import Answer, Aside, Cancel, Reconnect, Set, Steer
from craze.engine.ports import Prompt
from craze.providers.control.declaration import Declaration
from craze.providers.control.opening import greeting
from craze.transport import Exit
from tests.fakes.control_memory import EXTENDED, Hand, text

ALL = Policies(permission="all", question="all", plan="all")
CHECKS = {"question": "Which checks?", "options": [{"label": "Auth"}, {"label": "Audit"}], "multiSelect": True}


def asked_questions(hand: Hand, questions: Any, request: object = "r1") -> Hand:
    return hand.asks_tool(request, tool_name="AskUserQuestion", input={"questions": questions})


# ---- CTL-T1 … T6: requests and their answers


@pytest.mark.rule("CTL-20", "CTL-T1")
async def test_an_unknown_request_is_refused_by_name_and_the_next_one_works() -> None:
    hand = Hand().ready().prompted()
    hand.tell('{"type":"control_request","request_id":"r1","request":{"subtype":"no_such"}}')

    assert hand.lines[-1] == (
        b'{"type":"control_response","response":{"subtype":"error","request_id":"r1",'
        b'"error":"unsupported control_request subtype \\"no_such\\""}}'
    )
    hand.asks_tool("r2")
    assert len(hand.of("permission")) == 1


@pytest.mark.rule("CTL-15", "CTL-16", "CTL-T2")
@pytest.mark.parametrize("request_id", ["", 7])
async def test_ids_go_back_as_they_came(request_id: object) -> None:
    hand = Hand(policies=ALL).ready().prompted().asks_tool(request_id)

    assert hand.sent[-1]["response"]["request_id"] == request_id


@pytest.mark.rule("CTL-16", "CTL-T2")
@pytest.mark.parametrize(
    "line",
    [
        '{"type":"control_request","request":{"subtype":"can_use_tool"}}',
        '{"type":"control_request","request_id":null,"request":{"subtype":"can_use_tool"}}',
    ],
)
async def test_a_request_without_an_id_is_told_and_not_answered(line: str) -> None:
    hand = Hand().ready()
    before = len(hand.lines)
    hand.tell(line)

    assert len(hand.lines) == before
    assert [event.err.error_class for event in hand.of("error") if event.err] == ["provider"]
    hand.prompted().result()
    assert hand.of("done")


@pytest.mark.rule("CTL-17", "CTL-18", "CTL-T3")
async def test_a_request_that_comes_twice_is_answered_once_and_its_id_can_come_again() -> None:
    hand = Hand().ready().prompted().asks_tool().asks_tool()
    hand.do(Answer(ask=hand.ask_id, answer=Pick(option="allow")))
    hand.do(Answer(ask="perm-1", answer=Pick(option="reject")))

    assert hand.answers() == [{"behavior": "allow", "updatedInput": {"a": 1}}]
    assert hand.lints()["duplicate-request-id"] == 1
    hand.asks_tool()
    assert [event.permission.id for event in hand.of("permission") if event.permission] == ["perm-1", "perm-2"]


@pytest.mark.rule("CTL-18", "CTL-T4", "CTL-T5")
async def test_a_withdrawn_request_is_never_answered() -> None:
    hand = Hand().ready().prompted().asks_tool()
    before = len(hand.lines)
    hand.tell('{"type":"control_cancel_request","request_id":"r1"}')
    hand.do(Answer(ask="perm-1", answer=Pick(option="allow")))
    hand.tell('{"type":"control_cancel_request","request_id":"r1"}')
    hand.tell('{"type":"control_cancel_request","request_id":"zz"}')

    assert len(hand.lines) == before
    assert [(event.ask.outcome, event.ask.by) for event in hand.of("ask") if event.ask] == [("cancelled", "provider")]


@pytest.mark.rule("CTL-77", "CTL-T6")
async def test_a_result_ends_asks_but_those_of_a_living_background_agent() -> None:
    hand = Hand().ready().prompted()
    hand.system("task_started", task_id="t1", task_type="local_agent", tool_use_id="tool", is_backgrounded=True)
    hand.asks_tool("r1").asks_tool("r2", agent_id="t1").result()

    assert [(event.ask.id, event.ask.outcome) for event in hand.of("ask") if event.ask] == [("perm-1", "turn_ended")]
    assert [ask.agent for ask in hand.session.view.asks] == ["t1"]


@pytest.mark.rule("CTL-82", "CTL-93", "CTL-T7")
@pytest.mark.parametrize(
    ("end", "error_class", "code"),
    [
        (Exit(code=0), "agent_exited", 0),
        (Exit(code=1), "agent_exit_status", 1),
        (Exit(signal="SIGKILL"), "agent_exit_status", -1),
    ],
)
async def test_an_agent_that_goes_takes_its_asks_along(end: Exit, error_class: str, code: int) -> None:
    hand = Hand().ready().prompted().asks_tool().ends(end)

    assert [(event.ask.outcome, event.ask.by) for event in hand.of("ask") if event.ask] == [("closing", "provider")]
    errors = [(event.err.error_class, event.err.code) for event in hand.of("error") if event.err]
    assert errors == [(error_class, code)]
    ended = [event.turn for event in hand.of("turn") if event.turn and event.turn.phase == "ended"]
    assert [turn.err_class for turn in ended] == [error_class]


# ---- CTL-T8 … T11: bodies


@pytest.mark.rule("CTL-38", "CTL-40", "CTL-T8")
async def test_questions_go_back_verbatim_unknown_keys_too() -> None:
    hand = Hand().ready().prompted()
    asked_questions(hand, [{"question": "Q", "options": [{"label": "A"}], "multiSelect": True, "x": 1}])
    hand.do(Answer(ask=hand.ask_id, answer=Reply(answers={"q0": ("A",)})))

    assert hand.answers() == [
        {
            "behavior": "allow",
            "updatedInput": {
                "questions": [{"question": "Q", "options": [{"label": "A"}], "multiSelect": True, "x": 1}],
                "answers": {"Q": "A"},
            },
        }
    ]


@pytest.mark.rule("CTL-39", "CTL-T9")
async def test_chosen_labels_are_joined_in_the_order_of_the_options() -> None:
    hand = asked_questions(Hand().ready().prompted(), [CHECKS])
    hand.do(Answer(ask=hand.ask_id, answer=Reply(answers={"q0": ("Audit", "Auth")})))

    assert hand.answers()[0]["updatedInput"]["answers"] == {"Which checks?": "Auth, Audit"}


@pytest.mark.rule("CTL-42", "CTL-T10")
@pytest.mark.parametrize(
    ("questions", "answer"),
    [
        ([CHECKS, CHECKS], {"behavior": "deny", "message": "Questions 1 and 2 have the same text: Which checks?"}),
        ([{"question": " "}], {"behavior": "deny", "message": "Question 1 has no text."}),
        ({}, "malformed can_use_tool: input.questions is not a list"),
        ([7], "malformed can_use_tool: input.questions[0] is not an object"),
        (
            [{"question": "Q", "options": [{}]}],
            "malformed can_use_tool: input.questions[0].options[0].label is missing",
        ),
    ],
)
async def test_questions_that_nobody_can_answer_open_no_ask(questions: Any, answer: Any) -> None:
    hand = asked_questions(Hand().ready().prompted(), questions)

    assert hand.answers() == [answer]
    assert not hand.of("question", "ask")


@pytest.mark.rule("CTL-42", "CTL-37")
async def test_a_question_without_options_takes_free_text() -> None:
    hand = asked_questions(Hand().ready().prompted(), [{"question": "Why?"}])
    hand.do(Answer(ask=hand.ask_id, answer=Reply(answers={"q0": ("because",)})))

    assert hand.answers()[0]["updatedInput"]["answers"] == {"Why?": "because"}


@pytest.mark.rule("CTL-30", "CTL-T11")
async def test_an_allow_carries_the_input_as_it_came() -> None:
    hand = Hand(policies=ALL).ready().prompted().asks_tool()

    assert hand.answers() == [{"behavior": "allow", "updatedInput": {"a": 1}}]


@pytest.mark.rule("CTL-20")
@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"subtype": "can_use_tool", "input": {}}, "malformed can_use_tool: tool_name is missing"),
        (
            {"subtype": "can_use_tool", "tool_name": "Bash", "input": []},
            "malformed can_use_tool: input is not an object",
        ),
        ({"subtype": "hook_callback"}, "malformed hook_callback: callback_id is missing"),
        (
            {"subtype": "mcp_message", "server_name": 1, "message": {}},
            "malformed mcp_message: server_name is not a string",
        ),
        ({}, "malformed control_request: request.subtype is missing"),
    ],
)
async def test_a_malformed_request_is_refused_by_field(body: dict[str, Any], error: str) -> None:
    hand = Hand().ready().prompted().ask("r1", **body)

    assert hand.answers() == [error]


# ---- CTL-T12 … T14, T35: hooks and servers


@pytest.mark.rule("CTL-52", "CTL-T12")
async def test_an_unknown_hook_lets_pass() -> None:
    hand = Hand().ready().ask("r1", subtype="hook_callback", callback_id="h-9")

    assert hand.answers() == [{}]
    assert hand.lints()["unknown-hook"] == 1


@pytest.mark.rule("CTL-112", "CTL-T35")
async def test_without_a_server_an_mcp_message_is_an_error() -> None:
    hand = Hand().ready().ask("r1", subtype="mcp_message", server_name="x", message={"id": 0, "method": "ping"})

    assert hand.answers() == ['no server is served here: "x"']


@pytest.mark.rule("CTL-21", "CTL-23", "CTL-T14")
async def test_a_server_is_reached_before_the_greeting_is_answered() -> None:
    hand = Hand(served=("desk",)).begin()
    hand.ask("r1", subtype="mcp_message", server_name="desk", message={"id": 0, "method": "initialize"})
    served, done = hand.served[0]
    assert (served.server, json.loads(bytes(served.message))["id"]) == ("desk", 0)
    done(msgspec.Raw(b"{}"))

    assert hand.answers() == [{}]


# ---- CTL-T15, T16, T42: our own requests


@pytest.mark.rule("CTL-19", "CTL-T15")
@pytest.mark.parametrize(
    "line",
    [
        {"subtype": "success", "request_id": "c-2"},
        {"subtype": "success", "request_id": "c-2", "response": None},
    ],
)
async def test_a_reply_needs_no_body(line: dict[str, Any]) -> None:
    hand = Hand().ready()
    future = hand.do(Aside(question="why"))
    hand.tell({"type": "control_response", "response": line})

    assert getattr(future.result(), "text", None) == ""


@pytest.mark.rule("CTL-19", "CTL-74", "CTL-T15", "CTL-T42")
async def test_an_aside_that_is_refused_fails() -> None:
    hand = Hand().ready()
    future = hand.do(Aside(question="why"))
    hand.refuse("c-2", "not now")
    hand.reply("c-2", {"response": "late"})

    assert getattr(future.result(), "detail", {})["message"] == "not now"


@pytest.mark.rule("CTL-74", "CTL-116", "CTL-T42")
async def test_an_aside_that_is_never_answered_fails_and_is_withdrawn() -> None:
    hand = Hand().ready()
    future = hand.do(Aside(question="why"))
    hand.clock.turn(601)

    assert getattr(future.result(), "detail", {})["class"] == "deadline_exceeded"
    assert hand.sent[-1] == {"type": "control_cancel_request", "request_id": "c-2"}


@pytest.mark.rule("CTL-19", "CTL-T16")
async def test_an_echo_of_our_answer_is_ignored() -> None:
    hand = Hand(policies=ALL).ready().prompted().asks_tool()
    before = len(hand.items)
    hand.tell(hand.lines[-1])

    assert len(hand.items) == before


@pytest.mark.rule("CTL-25")
@pytest.mark.parametrize("answer", ["error", "silence"])
async def test_an_agent_that_does_not_take_the_greeting_works(answer: str) -> None:
    hand = Hand().begin()
    if answer == "error":
        hand.refuse("c-1", "what?")
    else:
        hand.clock.turn(61)

    assert hand.session.view.status == "idle"
    assert len(hand.facts("notice")) == 1
    hand.prompted().result()
    assert hand.of("done")


@pytest.mark.rule("CTL-27", "CTL-72", "CTL-T42", "ENG-114")
async def test_a_steer_in_the_seed_profile_is_refused_and_not_written() -> None:
    """The capability is missing there, so that the session refuses before the provider could say "not taken"."""
    hand = Hand().ready({}).prompted()
    before = len(hand.lines)
    result = hand.do(Steer(text="more")).result()

    assert "steer" not in hand.session.view.info.can
    assert getattr(result, "code", "") == "unsupported"
    assert len(hand.lines) == before


# ---- CTL-T17 … T19: lines


@pytest.mark.rule("CTL-8", "CTL-10", "CTL-T17")
async def test_noise_is_counted_and_ends_nothing() -> None:
    hand = Hand().ready()
    for line in ("Debugger listening on ws://x", "", "[1,2]", "null", "42"):
        hand.tell(line)
    hand.bytes(b'{"type":').eof()

    assert hand.lints()["agent wrote N lines that are not messages"] == 5
    assert hand.session.view.status == "idle"


@pytest.mark.rule("CTL-9", "CTL-T18")
async def test_a_long_line_is_whole_and_one_over_the_cap_is_told() -> None:
    hand = Hand(max_line=4 << 20).ready().prompted()
    hand.assistant(text("x" * (3 << 20)))
    hand.tell(b'{"type":"assistant","x":"' + b"x" * (4 << 20) + b'"}')

    assert [len(event.text) for event in hand.of("text")] == [3 << 20]
    errors = [event.err for event in hand.of("error") if event.err]
    assert errors[0].error_class == "provider"
    assert str(4 << 20) in errors[0].message
    hand.result()
    assert hand.of("done")


@pytest.mark.rule("CTL-8", "CTL-T19")
async def test_lines_are_split_by_newlines_alone() -> None:
    hand = Hand().ready().prompted()
    line = '{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"é\u2028x"}]}}'.encode()
    hand.bytes(line[:76]).bytes(line[76:] + b"\r\n")
    hand.tell('{"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"\\ud800"}]}}')

    assert [event.text for event in hand.of("text")] == ["é\u2028x", "\ufffd"]


# ---- CTL-T20, T21: who is answered, what is interrupted


@pytest.mark.rule("CTL-T20")
async def test_asks_of_two_sub_agents_are_answered_in_any_order() -> None:
    hand = Hand().ready().prompted()
    for task in ("t1", "t2"):
        hand.system("task_started", task_id=task, task_type="local_agent", tool_use_id=f"tool-{task}")
        hand.asks_tool(f"r-{task}", agent_id=task, input={"of": task})
    hand.do(Answer(ask="perm-2", answer=Pick(option="allow")))
    hand.do(Answer(ask="perm-1", answer=Pick(option="reject")))

    inner = [line["response"] for line in hand.sent if line["type"] == "control_response"]
    assert [(each["request_id"], each["response"]["behavior"]) for each in inner] == [
        ("r-t2", "allow"),
        ("r-t1", "deny"),
    ]
    assert [event.agent for event in hand.of("permission")] == ["t1", "t2"]


@pytest.mark.rule("CTL-80", "CTL-T21")
async def test_an_interrupt_is_written_once_a_turn_and_never_when_idle() -> None:
    hand = Hand().ready()
    hand.do(Cancel())
    assert not hand.requests("interrupt")

    hand.prompted().asks_tool()
    hand.do(Cancel())
    hand.do(Cancel())
    hand.reply("c-2")
    hand.tell(
        {"type": "user", "message": {"role": "user", "content": [text("[Request interrupted by user for tool use]")]}}
    )
    hand.result(subtype="error_during_execution", is_error=True, terminal_reason="aborted_tools")

    assert len(hand.requests("interrupt")) == 1
    assert [event.stop_reason for event in hand.of("done")] == ["cancelled"]
    assert not hand.of("error", "user")


async def test_an_interrupt_that_is_refused_is_told() -> None:
    hand = Hand().ready().prompted()
    hand.do(Cancel())
    hand.refuse("c-2", "no")

    assert "the cancel did not reach the agent" in hand.facts("notice")[-1]["text"]


@pytest.mark.rule("CTL-115")
async def test_an_interrupt_that_the_pipe_does_not_take_is_told() -> None:
    hand = Hand().ready().prompted()
    hand.blocked = True
    hand.do(Cancel())
    hand.clock.turn(3)

    assert "does not read" in hand.facts("notice")[-1]["text"]


# ---- CTL-T22 … T25: what the model says


def streamed(hand: Hand, *pieces: str, message: str = "m1") -> Hand:
    def event(**event: Any) -> None:
        hand.tell({"type": "stream_event", "event": event, "parent_tool_use_id": None})

    event(type="message_start", message={"id": message})
    event(type="content_block_start", index=0, content_block={"type": "text", "text": ""})
    for piece in pieces:
        event(type="content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
    return hand


@pytest.mark.rule("CTL-90", "CTL-T22")
@pytest.mark.parametrize(
    ("pieces", "whole", "said"),
    [
        (("Hello ", "you"), "Hello you", ["Hello ", "you"]),
        (("Hel",), "Hello you", ["Hel", "lo you"]),
        ((), "Hello you", ["Hello you"]),
        (("Good",), "Hello you", ["Good", "\n\nHello you"]),
        (("Hello you",), "Hello", ["Hello you"]),
    ],
)
async def test_text_is_said_once(pieces: tuple[str, ...], whole: str, said: list[str]) -> None:
    hand = Hand().ready().prompted()
    streamed(hand, *pieces).assistant(text(whole))

    assert [event.text for event in hand.of("text")] == said


@pytest.mark.rule("CTL-76", "CTL-T23")
async def test_an_error_of_the_api_is_one_error_and_no_text() -> None:
    hand = Hand().ready().prompted()
    hand.assistant(text("API Error: 400 bad"), error="invalid_request")
    hand.result(is_error=True, api_error_status=400, result="API Error: 400 bad")

    assert not hand.of("text")
    assert [(event.err.error_class, event.err.code) for event in hand.of("error") if event.err] == [("provider", 400)]


@pytest.mark.rule("CTL-T23")
async def test_retries_are_notices() -> None:
    hand = Hand().ready().prompted()
    for attempt in (1, 2):
        hand.system("api_retry", attempt=attempt, max_retries=3, retry_delay_ms=600, error_status=529)
    hand.result()

    assert [notice["text"] for notice in hand.facts("notice")] == [
        "model call failed (529), retry 1 of 3 in 0.6 s",
        "model call failed (529), retry 2 of 3 in 0.6 s",
    ]
    assert [event.stop_reason for event in hand.of("done")] == ["end_turn"]


@pytest.mark.rule("CTL-76", "CTL-T24")
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"is_error": True, "result": "no"}, ("provider", 0)),
        ({"is_error": True, "api_error_status": 401}, ("auth", 401)),
        ({"is_error": True, "api_error_status": 404}, ("model_not_found", 404)),
        ({"is_error": True, "terminal_reason": "prompt_too_long"}, ("context_too_large", 0)),
        ({"subtype": "error_max_budget_usd"}, ("provider", 0)),
        ({"terminal_reason": "aborted_streaming", "is_error": True}, "cancelled"),
        ({"stop_reason": "refusal", "is_error": True}, "refusal"),
        ({"subtype": "error_max_turns", "is_error": True}, "max_turn_requests"),
        ({"terminal_reason": "hook_stopped"}, "cancelled"),
        ({"stop_reason": "max_tokens"}, "max_tokens"),
        ({}, "end_turn"),
    ],
)
async def test_a_result_says_how_the_turn_ended(line: dict[str, Any], said: Any) -> None:
    hand = Hand().ready().prompted().result(**line)

    if isinstance(said, str):
        assert [event.stop_reason for event in hand.of("done")] == [said]
    else:
        assert [(event.err.error_class, event.err.code) for event in hand.of("error") if event.err] == [said]


@pytest.mark.rule("CTL-97", "CTL-T25")
async def test_a_failed_compaction_ends_with_its_error() -> None:
    hand = Hand().ready().prompted("/compact")
    hand.system("status", status="compacting")
    hand.system("status", status=None, compact_result="failed", compact_error="too little to compact").result()

    told = [
        (each.compaction.phase, each.compaction.reason, each.compaction.err)
        for each in hand.of("compaction")
        if each.compaction
    ]
    assert told == [("started", "manual", ""), ("ended", "manual", "too little to compact")]


@pytest.mark.rule("CTL-97")
async def test_a_compaction_after_a_call_that_gave_nothing_is_an_overflow() -> None:
    hand = Hand().ready().prompted()
    hand.system("status", status="requesting").system("status", status="compacting")

    assert [each.compaction.reason for each in hand.of("compaction") if each.compaction] == ["overflow"]


@pytest.mark.rule("CTL-100")
async def test_the_context_is_as_large_as_the_last_call_of_the_main_transcript_or_what_a_compaction_left() -> None:
    totals = {"m": {"inputTokens": 1, "outputTokens": 1, "contextWindow": 200_000}}
    spent = {"input_tokens": 100, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 3, "output_tokens": 7}
    delta = {"type": "message_delta", "usage": spent}
    hand = Hand().ready().prompted()
    placeholder = {"id": "m1", "content": [], "usage": spent}

    def told() -> tuple[int, int]:
        usage = hand.facts("usage")[-1]
        return usage["contextTokens"], usage["contextWindow"]

    hand.tell({"type": "assistant", "message": placeholder}).result(modelUsage=totals)
    assert told() == (123, 200_000)
    hand.prompted("more").tell({"type": "stream_event", "event": delta})
    assert told() == (130, 200_000)
    hand.tell({"type": "stream_event", "event": delta, "parent_tool_use_id": "child"})
    assert told() == (130, 200_000)
    hand.system("compact_boundary", compact_metadata={"trigger": "auto", "pre_tokens": 130, "post_tokens": 9})
    assert told() == (9, 200_000)
    assert not hand.requests("get_context_usage")


@pytest.mark.rule("CTL-96")
@pytest.mark.parametrize(
    ("end", "status"),
    [({}, "completed"), ({"terminal_reason": "aborted_tools"}, "cancelled"), ({"is_error": True}, "cancelled")],
)
async def test_a_sub_agent_of_which_only_lines_are_known_ends_with_the_turn(end: dict[str, Any], status: str) -> None:
    hand = Hand().ready().prompted()
    hand.assistant(text("x"), parent_tool_use_id="ghost").result(**end)

    rows = [event.subagent for event in hand.of("subagent") if event.subagent]
    assert [(row.id, row.status) for row in rows] == [("ghost", "running"), ("ghost", status)]


@pytest.mark.rule("CTL-96")
@pytest.mark.parametrize(("background", "ended"), [(False, ["k1", "k2"]), (True, [])])
async def test_a_sub_agent_whose_end_was_lost_ends_with_its_turn_unless_it_may_be_of_one_in_the_background(
    background: bool, ended: list[str]
) -> None:
    hand = Hand().ready().prompted()
    for number, parent in (("1", None), ("2", "t1")):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Task", "input": {"prompt": "p"}}
        told = {"task_id": f"k{number}", "tool_use_id": f"t{number}", "is_backgrounded": background and not parent}
        hand.assistant(call, parent_tool_use_id=parent).system("task_started", task_type="local_agent", **told)
    hand.result()

    rows = [event.subagent for event in hand.of("subagent") if event.subagent_change == "finished"]
    assert [row.id for row in rows if row] == ended


@pytest.mark.rule("CTL-91", "CTL-110")
@pytest.mark.parametrize(
    ("name", "given", "diffs"),
    [
        ("Write", {"content": "one\n"}, [("/w/note.txt", "", "one\n")]),
        ("Edit", {"old_string": "a", "new_string": "b"}, [("/w/note.txt", "a", "b")]),
        (
            "MultiEdit",
            {"edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "c"}]},
            [("/w/note.txt", "a", "b"), ("/w/note.txt", "c", "")],
        ),
        ("MultiEdit", {"edits": "odd"}, []),
        ("Read", {}, []),
    ],
)
async def test_a_request_to_change_a_file_shows_the_change_and_no_name_twice(
    name: str, given: dict[str, Any], diffs: list[tuple[str, str, str]]
) -> None:
    hand = Hand().ready().prompted()
    asked = {"tool_name": name, "display_name": name, "description": "note.txt", "tool_use_id": "t1"}
    hand.ask("r1", subtype="can_use_tool", input={"file_path": "/w/note.txt", **given}, **asked)

    tool = hand.of("tool")[-1].tool
    assert tool
    assert [(diff.path, diff.old_text, diff.new_text) for diff in tool.diffs] == diffs
    assert not hand.facts("details")


@pytest.mark.rule("CTL-97")
async def test_a_compaction_of_a_nearly_full_context_makes_room_for_the_call_that_is_announced() -> None:
    totals = {"m": {"inputTokens": 180_000, "outputTokens": 1, "contextWindow": 200_000}}
    hand = Hand().ready().prompted()
    hand.tell({"type": "assistant", "message": {"id": "m1", "content": [], "usage": {"input_tokens": 180_000}}})
    hand.result(modelUsage=totals).prompted("more")
    hand.system("status", status="requesting").system("status", status="compacting")

    assert [each.compaction.reason for each in hand.of("compaction") if each.compaction] == ["auto"]


@pytest.mark.rule("CTL-97")
@pytest.mark.parametrize(
    ("prompt", "trigger", "tokens", "reason"),
    [
        ("more", "auto", 1_000, "overflow"),
        ("more", "auto", 180_000, "auto"),
        ("more", "manual", 1_000, "manual"),
        ("/compact", "", 1_000, "manual"),
        ("/compact-notes", "auto", 180_000, "auto"),
    ],
)
async def test_a_compaction_of_an_agent_that_announces_no_calls_has_its_reason(
    prompt: str, trigger: str, tokens: int, reason: str
) -> None:
    totals = {"m": {"inputTokens": tokens, "outputTokens": 1, "contextWindow": 200_000}}
    hand = Hand().ready().prompted()
    hand.tell({"type": "assistant", "message": {"id": "m1", "content": [], "usage": {"input_tokens": tokens}}})
    hand.result(modelUsage=totals).prompted(prompt)
    hand.system("compact_boundary", compact_metadata={"trigger": trigger, "pre_tokens": 9, "post_tokens": 3})

    assert [each.compaction.reason for each in hand.of("compaction") if each.compaction] == [reason, reason]


@pytest.mark.rule("CTL-90")
async def test_pieces_of_a_call_whose_start_did_not_come_are_not_said_again_by_its_whole_block() -> None:
    def piece(said: str) -> dict[str, Any]:
        delta = {"type": "text_delta", "text": said}
        return {"type": "stream_event", "event": {"type": "content_block_delta", "index": 0, "delta": delta}}

    hand = Hand().ready().prompted().tell(piece("One, ")).assistant(text("One, two"))
    hand.tell({"type": "stream_event", "event": {"type": "message_stop"}})
    hand.tell(piece("three")).assistant(text("three."), message="m2").result()

    assert [event.text for event in hand.of("text")] == ["One, ", "two", "three", "."]


# ---- CTL-T26, T41: settings


@pytest.mark.rule("CTL-101", "CTL-T26")
async def test_a_mode_that_there_is_not_is_refused_here() -> None:
    hand = Hand().ready()
    before = len(hand.lines)
    for mode in ("nonsense", "bypassPermissions"):
        assert getattr(hand.do(Set(kind="mode", value=mode)).result(), "code", "") == "bad_request"

    assert len(hand.lines) == before


@pytest.mark.rule("CTL-117", "CTL-T41")
@pytest.mark.parametrize("first", ["reply", "status"])
async def test_a_mode_that_we_asked_for_has_our_cause_and_is_said_once(first: str) -> None:
    hand = Hand().ready()
    future = hand.do(Set(kind="mode", value="plan"))
    lines = {
        "reply": lambda: hand.reply("c-2", {"mode": "plan"}),
        "status": lambda: hand.system("status", permissionMode="plan"),
    }
    lines.pop(first)()
    next(iter(lines.values()))()

    metas = [event for event in hand.of("meta") if event.state and event.state.mode == "plan"]
    assert [(event.mode, event.cause) for event in metas] == [("", "c-1/1")]
    assert getattr(future.result(), "code", "") == ""


@pytest.mark.rule("CTL-117", "CTL-T41")
async def test_a_mode_of_the_agents_own_has_no_cause() -> None:
    hand = Hand().ready().system("status", permissionMode="acceptEdits")

    meta = hand.of("meta")[-1]
    assert (meta.mode, meta.cause) == ("acceptEdits", "")


# ---- CTL-T27, T29, T39: dialogs and forms


@pytest.mark.rule("CTL-65", "CTL-67", "CTL-T27")
@pytest.mark.parametrize(
    "kind", [{"dialog_kind": "d"}, {"dialogKind": "d"}, {"dialog_kind": "d", "dialogKind": "e"}, {}]
)
async def test_an_undeclared_dialog_is_left_to_the_agent(kind: dict[str, str]) -> None:
    hand = Hand().ready().prompted().ask("r1", subtype="request_user_dialog", payload={}, **kind)
    hand.clock.turn(60)

    assert not hand.answers()
    assert not hand.of("question")


@pytest.mark.rule("CTL-67", "CTL-T27")
async def test_in_the_seed_profile_an_undeclared_dialog_is_cancelled_after_six_seconds() -> None:
    hand = Hand().ready({}).prompted().ask("r1", subtype="request_user_dialog", dialogKind="d")
    hand.clock.turn(5)
    assert not hand.answers()
    hand.clock.turn(2)
    hand.clock.turn(60)

    assert hand.answers() == [{"behavior": "cancelled"}]


@pytest.mark.rule("CTL-67", "CTL-18")
async def test_the_time_of_a_dialog_that_was_withdrawn_does_not_answer_the_next_request_of_its_id() -> None:
    hand = Hand().ready({}).prompted().ask("r1", subtype="request_user_dialog", dialogKind="d")
    hand.tell({"type": "control_cancel_request", "request_id": "r1"}).asks_tool("r1")
    hand.clock.turn(7)

    assert not hand.answers()
    assert len(hand.session.view.asks) == 1


@pytest.mark.rule("CTL-66", "CTL-T27")
@pytest.mark.parametrize(
    ("profile", "body"),
    [("seed", {"behavior": "ok", "choice": 2}), ("extended", {"behavior": "completed", "result": 2})],
)
async def test_a_declared_dialog_is_answered_by_what_was_chosen(profile: Any, body: dict[str, Any]) -> None:
    hand = Hand(profile=profile, dialog_kinds=("d",)).ready().prompted()
    payload = {"title": "T", "message": "M", "options": [{"label": "one", "value": 1}, {"label": "two", "value": 2}]}
    hand.ask("r1", subtype="request_user_dialog", dialog_kind="d", payload=payload)
    hand.do(Answer(ask=hand.ask_id, answer=Reply(answers={"choice": ("two",)})))

    assert hand.answers() == [body]


@pytest.mark.rule("CTL-60", "CTL-T29")
@pytest.mark.parametrize("spelling", ["requested_schema", "requestedSchema"])
async def test_both_spellings_of_a_schema_give_the_same_form(spelling: str) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    hand = Hand().ready().prompted().ask("r1", subtype="elicitation", message="M", **{spelling: schema})

    question = hand.of("question")[0].question
    assert question
    assert [(item.id, item.prompt) for item in question.questions] == [("n", "M")]


@pytest.mark.rule("CTL-63")
@pytest.mark.parametrize(("choice", "action"), [("open", "accept"), ("decline", "decline")])
async def test_a_link_is_for_the_person_alone(choice: str, action: str) -> None:
    hand = Hand(policies=ALL).ready().prompted()
    hand.ask("r1", subtype="elicitation", message="M", mode="url", url="https://example.org/x?y=1")
    ask = hand.session.view.asks[0]
    assert ask.person_only
    assert ask.body.questions[0].prompt == "https://example.org/x?y=1"  # type: ignore[union-attr]
    hand.do(Answer(ask=ask.id, answer=Reply(answers={"url": (choice,)})))

    assert hand.answers() == [{"action": action}]


@pytest.mark.rule("CTL-35", "CTL-T39")
async def test_cancelled_is_not_denied() -> None:
    hand = Hand(dialog_kinds=("d",)).ready().prompted().asks_tool("r1")
    asked_questions(hand, [CHECKS], "r2").ask("r3", subtype="elicitation", message="M")
    hand.ask("r4", subtype="request_user_dialog", dialog_kind="d").asks_tool("r5", tool_name="ExitPlanMode", input={})
    hand.do(Cancel())

    cancelled = {"behavior": "deny", "message": "The user cancelled."}
    assert hand.answers() == [cancelled, cancelled, {"action": "cancel"}, {"behavior": "cancelled"}, cancelled]


# ---- CTL-T30 … T32: turns, money, ids


@pytest.mark.rule("CTL-78", "CTL-70", "CTL-T30")
async def test_a_prompt_waits_for_a_turn_of_the_agents_own() -> None:
    hand = Hand().ready().system("init", session_id="x").asks_tool()
    hand.prompted("mine")
    assert len(hand.of("permission")) == 1
    assert not [line for line in hand.sent if line["type"] == "user"]
    hand.result(origin={"kind": "task-notification"})

    kinds = [event.type for event in hand.of("foreign_turn", "permission", "queue", "turn")]
    assert kinds == ["foreign_turn", "permission", "queue", "foreign_turn", "queue", "turn"]
    assert [line["message"]["content"] for line in hand.sent if line["type"] == "user"] == ["mine"]


@pytest.mark.rule("CTL-78")
async def test_a_prompt_in_the_gap_runs_behind_the_turn_of_the_agents_own() -> None:
    hand = Hand().ready().prompted("mine")
    hand.assistant(text("theirs")).result(origin={"kind": "task-notification"})
    assert not hand.of("done")
    hand.assistant(text("ours"), message="m2").result()

    assert [event.stop_reason for event in hand.of("done")] == ["end_turn"]


@pytest.mark.rule("CTL-98", "CTL-99", "CTL-T31")
async def test_money_is_counted_over_two_processes() -> None:
    def spent(cost: str) -> dict[str, Any]:
        return {"m": {"inputTokens": 10, "outputTokens": 2, "costUSD": float(cost)}}

    hand = Hand().ready().prompted().result(modelUsage=spent("0.1"))
    hand.prompted().result(modelUsage=spent("0.3"))
    hand.ends(Exit(code=1))
    hand.do(Reconnect())
    for _ in range(20):
        import asyncio

        await asyncio.sleep(0)
    hand.reply("c-1", EXTENDED)
    hand.prompted().result(modelUsage=spent("0.5"), model_usage_since_last_result=spent("0.2"))

    turns = [usage["turn"]["costPicoUsd"] for usage in hand.facts("usage") if "turn" in usage]
    assert turns == [100_000_000_000, 200_000_000_000, 200_000_000_000]
    assert hand.facts("usage")[-1]["cost"] == {"amount": "0.5", "currency": "USD"}


async def test_a_model_without_a_price_is_unpriced() -> None:
    hand = Hand().ready().prompted().result(modelUsage={"m": {"inputTokens": 10, "outputTokens": 2}})

    assert hand.facts("usage")[-1]["turn"]["unpriced"] is True


@pytest.mark.rule("CTL-69", "CTL-T32")
async def test_one_turn_has_one_uuid_for_ever() -> None:
    uuids = []
    for _ in range(2):
        hand = Hand().ready()
        hand.provider.prompt("turn-1", Prompt(text="hello"))
        uuids.append(hand.sent[-1]["uuid"])

    assert uuids[0] == uuids[1]


# ---- CTL-T36, T37: details, the greeting


@pytest.mark.rule("CTL-110", "CTL-T36")
async def test_what_a_request_says_for_the_eye_is_kept_with_its_ask() -> None:
    hand = Hand().ready().prompted()
    hand.asks_tool(decision_reason="a rule", blocked_path="/x", display_name="Shell", mcp_server={"name": "desk"})

    told = {"title": "Shell", "decision_reason": "a rule", "blocked_path": "/x", "mcp_server": "desk"}
    assert hand.facts("details")[-1] == told


@pytest.mark.rule("CTL-T36")
@pytest.mark.parametrize("tool", ["Bash", "AskUserQuestion"])
async def test_what_needs_a_person_is_answered_by_presets_all_the_same(tool: str) -> None:
    hand = Hand(policies=ALL).ready().prompted()
    hand.asks_tool(tool_name=tool, input={"questions": [CHECKS]}, requires_user_interaction=True)

    assert [body["behavior"] for body in hand.answers()] == ["allow"]


@pytest.mark.rule("CTL-22", "CTL-109", "CTL-T37")
def test_the_greeting_says_what_the_declaration_has() -> None:
    texts = Declaration(
        argv=(), append_system_prompt="a", append_subagent_system_prompt="b", tool_aliases={"Bash": "Shell"}
    )
    seed = json.loads(msgspec.json.encode(greeting(texts, "seed")))
    extended = json.loads(msgspec.json.encode(greeting(texts, "extended")))

    assert seed == {"subtype": "initialize", "appendSubagentSystemPrompt": "b", "toolAliases": {"Bash": "Shell"}}
    assert extended["appendSystemPrompt"] == "a"
    assert json.loads(msgspec.json.encode(greeting(Declaration(argv=()), "seed"))) == {"subtype": "initialize"}


# ---- profiles


@pytest.mark.rule("CTL-33", "CTL-34", "CTL-84")
async def test_the_seed_profile_has_three_options_and_stops_by_an_interrupt() -> None:
    rule = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
    hand = Hand().ready({}).prompted().asks_tool(permission_suggestions=[rule])
    options = hand.of("permission")[0].permission
    assert options
    assert [option.option_id for option in options.options] == ["allow", "reject", "reject_stop"]
    hand.do(Answer(ask=hand.ask_id, answer=Pick(option="reject_stop")))

    assert hand.answers() == [{"behavior": "deny", "message": "The user declined this tool call."}]
    assert len(hand.requests("interrupt")) == 1


@pytest.mark.rule("CTL-45")
async def test_in_the_seed_profile_the_mode_is_set_behind_the_plan() -> None:
    hand = Hand(accept_mode="acceptEdits").ready({}).prompted()
    hand.asks_tool(tool_name="ExitPlanMode", input={"plan": "p"})
    hand.do(Answer(ask=hand.ask_id, answer=Judge(accepted=True)))

    assert hand.answers() == [{"behavior": "allow", "updatedInput": {"plan": "p"}}]
    assert hand.sent[-1]["request"] == {"subtype": "set_permission_mode", "mode": "acceptEdits"}


@pytest.mark.rule("CTL-32")
async def test_an_agent_that_wants_no_by_default_gets_its_refusal_first() -> None:
    hand = Hand().ready().prompted().asks_tool(default_to_no=True)

    body = hand.of("permission")[0].permission
    assert body
    assert body.options[0].option_id == "reject"


# ---- CTL-T43: reads of the pipe


@pytest.mark.rule("CTL-2", "CTL-T43")
@pytest.mark.parametrize("size", [1, 7, 1 << 20])
async def test_events_do_not_depend_on_how_the_pipe_is_read(size: int) -> None:
    lines = [
        {"type": "system", "subtype": "init", "session_id": "x", "permissionMode": "default"},
        {
            "type": "assistant",
            "message": {"id": "m1", "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]},
        },
        {
            "type": "control_request",
            "request_id": "r1",
            "request": {"subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "t"},
        },
        {
            "type": "user",
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "done"}]},
        },
        {"type": "result", "subtype": "success", "is_error": False},
    ]
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    hand = Hand(policies=ALL).ready().prompted()
    for at in range(0, len(data), size):
        hand.bytes(data[at : at + size])

    assert [event.type for event in hand.of("tool", "permission", "ask", "done", "turn")] == [
        "turn", "tool", "permission", "ask", "tool", "tool", "done", "turn",
    ]  # fmt: skip
    assert hand.answers() == [{"behavior": "allow", "updatedInput": {}}]


# ---- steers


@pytest.mark.rule("CTL-72", "CTL-73")
@pytest.mark.parametrize("cancelled", [True, False, None])
async def test_a_steer_that_was_not_taken_is_withdrawn_before_the_turn_ends(cancelled: bool | None) -> None:
    hand = Hand().ready().prompted()
    hand.do(Steer(text="and this"))
    frame = hand.sent[-1]
    assert frame["priority"] == "next"
    hand.result()
    assert not hand.of("done")
    assert hand.sent[-1]["request"] == {"subtype": "cancel_async_message", "message_uuid": frame["uuid"]}
    if cancelled is None:
        hand.clock.turn(3)
        assert hand.sent[-1] == {"type": "control_cancel_request", "request_id": "c-2"}
    else:
        hand.reply("c-2", {"cancelled": cancelled})

    assert [event.stop_reason for event in hand.of("done")] == ["end_turn"]
    if cancelled:
        assert [line["message"]["content"] for line in hand.sent if line["type"] == "user"] == [
            "hello",
            "and this",
            "and this",
        ]
    else:
        hand.system("init", session_id="x")
        begun = hand.of("foreign_turn")[-1].foreign_turn
        assert begun
        assert begun.text == "and this"


async def test_a_steer_that_was_taken_ends_with_the_turn() -> None:
    hand = Hand().ready().prompted()
    hand.do(Steer(text="and this"))
    hand.tell(
        {"type": "user", "uuid": hand.sent[-1]["uuid"], "isReplay": True, "message": {"content": "and this"}}
    ).result()

    assert [event.stop_reason for event in hand.of("done")] == ["end_turn"]
    assert [(event.text, event.interjection) for event in hand.of("user")] == [("and this", True)]
