"""Prompts, their answers, and cancels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from craze.engine.answers import Pick
from craze.engine.intents import Cancel, Submit
from craze.engine.ports import AskOpened, Opened, PromptBack, Returned, ToolPatch, TurnEnded, TurnFailed
from tests.fakes.acp_bench import (
    PERMISSION_OPTIONS,
    bench,
    initialized,
    opened,
    prompted,
    request,
    text,
    update,
    updated,
)
from tests.fakes.acp_session import stage

CANCELLED = {"reply": {"result": {"stopReason": "cancelled"}}}


@pytest.mark.rule("ACP-45", "ACP-50", "ACP-75")
async def test_a_turn_with_text_a_tool_and_a_permission(tmp_path: Path) -> None:
    steps = [
        *opened(),
        *prompted(
            text("hello"),
            update("tool_call", toolCallId="t", title="ls", kind="execute"),
            request(0, "session/request_permission", toolCall={"toolCallId": "t"}, options=PERMISSION_OPTIONS),
            {"expect": {"id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "once"}}}},
            update("tool_call_update", toolCallId="t", status="completed"),
        ),
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        info = (await test.one(Opened)).info
        test.prompt(" go\n")
        ask = await test.one(AskOpened)
        test.provider.answer(ask.key, Pick(option="once"))
        ended = await test.one(TurnEnded)

        assert (info.agent, info.provider_session) == ("fake", "s")
        assert ended.stop_reason == "end_turn"
        assert test.sent("session/prompt")[0]["params"] == {
            "sessionId": "s",
            "prompt": [{"type": "text", "text": " go\n"}],
        }
        assert [event.text for event in test.events("text")] == ["hello"]
        assert [patch.from_ask for patch in test.of(ToolPatch)] == [False, True, False]
        assert test.lints() == {}


@pytest.mark.rule("ACP-14", "ACP-T9", "ACP-173")
async def test_chunks_and_answer_of_one_read_keep_their_order(tmp_path: Path) -> None:
    one_write = [updated("agent_message_chunk", content={"type": "text", "text": said}) for said in ("a", "b")]
    steps = [
        *opened(),
        {"expect": {"method": "session/prompt"}},
        {"batch": [*one_write, {"reply": {"result": {"stopReason": "end_turn"}}}]},
    ]
    async with stage(tmp_path, *steps) as test:
        await test.ready()
        await test.turn("go")

        said = [event for event in test.events if event.type in ("text", "done", "turn")]
        assert [event.text or event.type for event in said] == ["turn", "a", "b", "done", "turn"]


@pytest.mark.rule("ACP-54", "ACP-T29")
async def test_a_cancel_goes_before_the_answers_to_open_asks(tmp_path: Path) -> None:
    steps = [
        *opened(),
        {"expect": {"method": "session/prompt"}},
        update("tool_call", toolCallId="t", title="rm", kind="execute"),
        request(0, "session/request_permission", toolCall={"toolCallId": "t"}, options=PERMISSION_OPTIONS),
        {"expect": {"method": "session/cancel"}},
        {"expect": {"id": 0, "result": {"outcome": {"outcome": "cancelled"}}}},
        {"send": {"jsonrpc": "2.0", "id": 3, "result": {"stopReason": "cancelled"}}},
    ]
    async with stage(tmp_path, *steps) as test:
        await test.ready()
        await test.send(Submit(text="go"))
        await test.opened("permission")
        await test.send(Cancel())
        await test.ended()

        assert [line.get("method") or line["result"] for line in test.sent()][-2:] == [
            "session/cancel",
            {"outcome": {"outcome": "cancelled"}},
        ]
        (ask,) = test.keys("ask")
        assert (ask["ask"]["outcome"], ask["ask"]["by"]) == ("cancelled", "cancel")
        assert test.keys("tool")[-1]["tool"]["status"] == "cancelled"


@pytest.mark.rule("ACP-55", "ACP-T30")
@pytest.mark.parametrize(
    ("answer", "lint"),
    [
        ({"result": {"stopReason": "end_turn"}}, "cancel-end-turn"),
        ({"error": {"code": -32603, "message": "aborted"}}, "cancel-error"),
        ({"error": {"code": -32800, "message": "Request cancelled"}}, "cancel-error"),
    ],
)
async def test_every_answer_after_a_cancel_is_a_cancelled_turn(tmp_path: Path, answer: Any, lint: str) -> None:
    steps = [
        *opened(),
        {"expect": {"method": "session/prompt"}},
        text("working"),
        {"expect": {"method": "session/cancel", "params": {"sessionId": "s"}}},
        {"reply": answer},
    ]
    async with stage(tmp_path, *steps) as test:
        await test.ready()
        await test.send(Submit(text="go"))
        await test.until(lambda: test.of("text"))
        await test.send(Cancel())
        ended = await test.ended()

        assert ended.turn is not None
        assert ended.turn.stop_reason == "cancelled"
        assert [event.stop_reason for event in test.of("done")] == ["cancelled"]
        assert test.of("error") == []
        assert test.lints() == {lint: 1}


@pytest.mark.rule("ACP-57", "ACP-T61")
async def test_a_cancel_is_written_once_and_only_while_a_prompt_is_open(tmp_path: Path) -> None:
    steps = [
        *opened(),
        *prompted(text("first")),
        text("uninvited"),
        {"expect": {"method": "session/prompt"}},
        text("second"),
        {"expect": {"method": "session/cancel"}},
        CANCELLED,
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Opened)
        test.provider.cancel()
        test.prompt("one")
        await test.one(TurnEnded)
        test.provider.cancel()
        await test.until(lambda: len(test.events("text")) == 2)
        test.provider.cancel()
        test.prompt("two", "turn-2")
        await test.until(lambda: len(test.events("text")) == 3)
        test.provider.cancel()
        test.provider.cancel()
        await test.one(TurnEnded, 2)

        assert len(test.sent("session/cancel")) == 1


@pytest.mark.rule("ACP-46", "ACP-T49", "ACP-T69")
@pytest.mark.parametrize(
    ("error", "heard", "back"),
    [
        ({"code": -32003, "message": "nope"}, True, True),
        ({"code": -32603, "message": "A turn is already running"}, False, True),
        ({"code": -32600, "message": "no"}, False, True),
        ({"code": -32603, "message": "x", "data": {"reason": "Busy"}}, False, True),
        ({"code": -32603, "message": "A turn is already running"}, True, False),
        ({"code": -32603, "message": "out of memory"}, False, False),
    ],
)
async def test_a_busy_agent_gives_the_prompt_back(tmp_path: Path, error: Any, heard: bool, back: bool) -> None:
    said = [text("a")] if heard else [update("usage_update", used=1, size=2)]
    steps = [*opened(), {"expect": {"method": "session/prompt"}}, *said, {"reply": {"error": error}}]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Opened)
        test.prompt("go")
        await test.until(lambda: test.of(PromptBack) or test.of(TurnFailed))

        assert [report.reason for report in test.of(PromptBack)] == (["prompt_in_flight"] if back else [])


@pytest.mark.rule("ACP-51", "ACP-19", "ACP-36", "ACP-174", "ACP-181")
@pytest.mark.parametrize(
    ("error", "message", "error_class"),
    [
        (
            {"code": 529, "message": "Overloaded", "data": {"errorKind": "overloaded_error"}},
            "Overloaded: overloaded_error",
            "rpc",
        ),
        ({"code": -32000, "message": "Authentication required"}, "Authentication required", "auth"),
        *(({"code": code, "message": "no such model"}, "no such model", "rpc") for code in (-32002, -32602, -32603)),
        ("boom", "boom", "rpc"),
        ({"code": -32603, "message": "Internal error", "data": "no key"}, "Internal error: no key", "rpc"),
        ({"code": -32603, "message": "Internal error", "data": ["no key"]}, "Internal error", "rpc"),
        ({"message": ""}, "the agent answered with error 0 and no words", "rpc"),
    ],
)
async def test_an_error_answer_fails_the_turn(tmp_path: Path, error: Any, message: str, error_class: str) -> None:
    steps = [*opened(), {"expect": {"method": "session/prompt"}}, {"reply": {"error": error}}]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Opened)
        test.prompt("go")
        failure = (await test.one(TurnFailed)).failure

        assert (failure.message, failure.error_class) == (message, error_class)


@pytest.mark.rule("ACP-181")
async def test_a_text_about_an_error_is_a_text_and_a_normal_end_a_normal_end(tmp_path: Path) -> None:
    said = "API Error: 529 overloaded_error"
    async with stage(tmp_path, *opened(), *prompted(text(said))) as test:
        await test.ready()
        await test.turn("go")

        assert [event.text for event in test.of("text")] == [said]
        assert [event.stop_reason for event in test.of("done")] == ["end_turn"]
        assert test.of("error") == []


@pytest.mark.rule("ACP-180", "ACP-T62", "ACP-181")
async def test_a_turn_without_output_is_told(tmp_path: Path) -> None:
    steps = [*opened(), *prompted(), *prompted(update("usage_update", used=5, size=10)), *prompted(text("x"))]
    async with stage(tmp_path, *steps) as test:
        await test.ready()
        for number in (1, 2, 3):
            await test.turn("go", number)

        assert [notice["text"] for notice in test.facts("notice")] == [
            "the agent ended the turn without any output"
        ] * 2
        assert [event.stop_reason for event in test.of("done")] == ["end_turn"] * 3


@pytest.mark.rule("ACP-180")
async def test_a_compaction_is_output_enough(tmp_path: Path) -> None:
    steps = [*opened(), *prompted(update("compaction_update", compactionId="c", status="completed"))]
    async with stage(tmp_path, *steps) as test:
        await test.ready()
        await test.turn("/compact")

        assert test.facts("notice") == []


@pytest.mark.rule("ACP-50")
@pytest.mark.parametrize(("sent", "word", "lint"), [("weird", "weird", {}), ("", "end_turn", {"stop-reason": 1})])
async def test_a_stop_reason_is_the_agents_own_word(tmp_path: Path, sent: str, word: str, lint: Any) -> None:
    async with bench(tmp_path, *opened(), *prompted(text("x"), stop=sent)) as test:
        test.open()
        await test.one(Opened)
        test.prompt("go")

        assert (await test.one(TurnEnded)).stop_reason == word
        assert test.lints() == lint


@pytest.mark.rule("ACP-58", "ACP-T63")
async def test_a_tool_left_open_is_closed_with_its_turn(tmp_path: Path) -> None:
    steps = [
        *opened(),
        *prompted(
            update("tool_call", toolCallId="t", title="ls"),
            update("tool_call_update", toolCallId="t", content=[]),
        ),
    ]
    async with stage(tmp_path, *steps) as test:
        await test.ready()
        await test.turn("go")

        assert test.keys("tool")[-1]["tool"]["status"] == "completed"
        assert [lint["name"] for lint in test.facts("lint")] == ["tool-left-open"]


@pytest.mark.rule("ACP-52", "ACP-T21", "ACP-T68")
async def test_updates_outside_a_turn_are_shown_and_start_none(tmp_path: Path) -> None:
    steps = [
        *opened(),
        text("banner"),
        *prompted(update("tool_call", toolCallId="t", title="ls")),
        update(
            "tool_call_update",
            toolCallId="t",
            content=[{"type": "content", "content": {"type": "text", "text": "late"}}],
        ),
        text("after"),
        *prompted(text("second")),
    ]
    async with stage(tmp_path, *steps) as test:
        await test.until(lambda: test.of("text"))
        assert test.of("turn") == []
        await test.turn("go")
        await test.until(lambda: len(test.of("text")) == 2)
        await test.turn("again", 2)

        assert test.of("foreign_turn") == []
        assert test.keys("tool")[-1]["tool"]["contentText"] == "late"
        assert test.lints() == {"update-after-stop": 1}


@pytest.mark.rule("ACP-54")
async def test_a_prompt_whose_files_are_still_read_is_withdrawn(tmp_path: Path) -> None:
    async with bench(tmp_path, *opened()) as test:
        (test.folder / "a.py").write_text("x")
        test.open()
        await test.one(Opened)
        test.prompt("see @a.py")
        test.provider.cancel()

        assert (await test.one(PromptBack)).reason == "prompt_cancelled"
        assert test.sent("session/prompt") == []


@pytest.mark.rule("ACP-200")
async def test_steers_asides_and_titles_come_back_at_once(tmp_path: Path) -> None:
    from craze.engine.intents import Set

    async with bench(tmp_path, *opened()) as test:
        test.open()
        await test.one(Opened)
        test.provider.steer("c-1/1", "left")
        test.provider.aside("c-1/2", "why")
        test.provider.set("c-1/3", Set(kind="title", value="x"))

        returned = {report.call: report.failure is None for report in test.of(Returned)}
        assert returned == {"c-1/1": False, "c-1/2": False, "c-1/3": True}
        assert [line["method"] for line in test.sent()] == ["initialize", "session/new"]


@pytest.mark.rule("ACP-8", "ACP-T6", "ACP-T2")
async def test_odd_separators_pass_in_both_directions(tmp_path: Path) -> None:
    said = "a\u2028b\u0085c"
    line = updated("agent_message_chunk", content={"type": "text", "text": said})
    import json

    raw = json.dumps(line, ensure_ascii=False).replace("$sid", "s") + "\n"
    steps = [*initialized(), {"expect": {"method": "session/new"}}, {"reply": {"result": {"sessionId": "$sid"}}}]
    async with bench(tmp_path, *steps, *prompted({"raw": raw})) as test:
        test.open()
        await test.one(Opened)
        test.prompt("x\u2028y")
        await test.one(TurnEnded)

        assert [event.text for event in test.events("text")] == [said]
        written = next(line for row, line, _ in test.rows if row == "out" and b"session/prompt" in line)
        assert b"x\\u2028y" in written
        assert b"\xe2\x80\xa8" not in written
