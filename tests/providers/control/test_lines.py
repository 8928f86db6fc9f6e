"""What lines of the channel look like, each way: prompts and receipts, calls by their names, hooks, dialogs, plans."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from craze.engine.answers import Judge, Pick
from craze.engine.intents import Answer, Aside, Cancel, CancelSubagent, Intent, Set, Submit
from craze.engine.ports import Prompt
from craze.providers.control import decode
from craze.providers.control.machine import _with_images as with_images  # pyright: ignore[reportPrivateUsage]
from tests.fakes.control_memory import EXTENDED, Hand, text

PLAN = {"plan": "# Go"}


@pytest.mark.rule("CTL-11")
async def test_the_order_of_keys_means_nothing() -> None:
    line = {"type": "result", "subtype": "success", "is_error": False, "stop_reason": "end_turn", "num_turns": 1}
    turned = dict(reversed(line.items()))

    assert decode.line(json.dumps(turned).encode()) == decode.line(json.dumps(line).encode())
    hand = Hand().ready().prompted().tell(json.dumps(turned))
    assert [event.stop_reason for event in hand.of("done")] == ["end_turn"]


@pytest.mark.rule("CTL-12")
async def test_each_frame_is_one_write_of_one_whole_line() -> None:
    hand = Hand().ready().prompted("two\nlines").asks_tool("r\n1")
    hand.do(Answer(ask=hand.ask_id, answer=Pick(option="reject", feedback="no\r\nno\u2028no")))
    hand.asks_tool("r2").do(Cancel())

    assert [frame["type"] for frame in hand.sent] == [
        *("control_request", "user", "control_response", "control_request", "control_response")
    ]
    assert all(b"\n" not in line.removesuffix(b"\n") for line in hand.lines)


# ---- prompts


@pytest.mark.rule("CTL-68")
async def test_a_prompt_is_a_frame_with_its_text_and_the_session() -> None:
    hand = Hand().ready().prompted("hello")
    hand.system("init", session_id="s-1").result().prompted("/again")
    first, second = (frame for frame in hand.sent if frame["type"] == "user")

    known = {"type": "user", "parent_tool_use_id": None}
    message = {"role": "user", "content": "hello"}
    assert first == {**known, "message": message, "uuid": first["uuid"], "session_id": "default"}
    assert (second["message"]["content"], second["session_id"]) == ("/again", "s-1")


@pytest.mark.rule("CTL-68")
def test_images_stand_behind_the_text_as_blocks(tmp_path: Path) -> None:
    image = tmp_path / "a.jpg"
    image.write_bytes(b"abc")

    assert with_images(Prompt(text="see", attachments=(str(image),))).content == (
        {"type": "text", "text": "see"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "YWJj"}},
    )


@pytest.mark.rule("CTL-71")
@pytest.mark.parametrize("receipts", ["echo", "lifecycle", "both", "none"])
async def test_a_receipt_is_no_message_of_the_user(receipts: str) -> None:
    hand = Hand().ready()
    future = hand.do(Submit(text="hello"))
    uuid = hand.sent[-1]["uuid"]
    if receipts in ("lifecycle", "both"):
        for state in ("queued", "started"):
            hand.tell({"type": "command_lifecycle", "command_uuid": uuid, "state": state})
    if receipts in ("echo", "both"):
        hand.tell({"type": "user", "uuid": uuid, "isReplay": True, "message": {"role": "user", "content": "hello"}})
    hand.assistant(text("hi")).result()

    assert future.done()
    assert not hand.of("user")
    assert [event.stop_reason for event in hand.of("done")] == ["end_turn"]


# ---- calls


@pytest.mark.rule("CTL-92")
@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("Read", {"file_path": "/w/a.py"}, ("read", "a.py", ("/w/a.py",))),
        ("NotebookRead", {"notebook_path": "/w/n.ipynb"}, ("read", "n.ipynb", ("/w/n.ipynb",))),
        ("Write", {"file_path": "/w/a.py", "content": "x"}, ("edit", "a.py", ("/w/a.py",))),
        ("Edit", {"file_path": 7}, ("edit", "Edit", ())),
        ("MultiEdit", {}, ("edit", "MultiEdit", ())),
        ("NotebookEdit", {"notebook_path": "/w/n.ipynb"}, ("edit", "n.ipynb", ("/w/n.ipynb",))),
        ("Bash", {"command": "ls", "description": "list"}, ("execute", "ls", ())),
        ("Monitor", {"command": "tail -f x"}, ("execute", "tail -f x", ())),
        ("Grep", {"pattern": "x+", "path": "/w"}, ("search", "x+", ("/w",))),
        ("Glob", {"pattern": "*.py"}, ("search", "*.py", ())),
        ("ToolSearch", {}, ("search", "ToolSearch", ())),
        ("WebFetch", {"url": "https://example.org"}, ("fetch", "https://example.org", ())),
        ("WebSearch", {"query": "x"}, ("fetch", "WebSearch", ())),
        ("Agent", {"description": "count"}, ("other", "count", ())),
        ("Task", {"description": "count"}, ("other", "count", ())),
        ("Skill", {}, ("other", "Skill", ())),
        ("ExitPlanMode", PLAN, ("switch_mode", "ExitPlanMode", ())),
        ("EnterPlanMode", {}, ("switch_mode", "EnterPlanMode", ())),
        ("mcp__desk__add", {"a": 1}, ("other", "desk: add", ())),
        ("NoSuch", {}, ("other", "NoSuch", ())),
    ],
)
async def test_a_call_is_known_by_its_name_and_input(name: str, given: dict[str, Any], told: Any) -> None:
    hand = Hand().ready().prompted().assistant({"type": "tool_use", "id": "t", "name": name, "input": given})

    tool = hand.of("tool")[0].tool
    assert tool
    assert (tool.kind, tool.title, tuple(tool.locations)) == told


# ---- hooks


@pytest.mark.rule("CTL-53")
async def test_a_hook_that_settles_a_call_takes_its_ask_away() -> None:
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}
    hand = Hand().ready().prompted().assistant(call)
    hand.ask("h1", subtype="hook_callback", callback_id="pre").asks_tool(tool_use_id="t")
    hand.ask("h2", subtype="hook_callback", callback_id="asked").ask("h3", subtype="hook_callback", callback_id="asked")
    assert [frame["response"]["request_id"] for frame in hand.sent[2:]] == ["h1", "h2", "h3"]
    assert hand.session.view.asks
    hand.tell({"type": "control_cancel_request", "request_id": "r1"})
    hand.tell({"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t", "content": "ran"}]}})

    assert [(event.ask.outcome, event.ask.by) for event in hand.of("ask") if event.ask] == [("cancelled", "provider")]
    assert hand.answers() == [{}, {}, {}]
    assert [event.tool.status for event in hand.of("tool") if event.tool][-1] == "completed"


# ---- dialogs


@pytest.mark.rule("CTL-65", "CTL-T27")
@pytest.mark.parametrize(
    "spelled", [{"dialog_kind": "d"}, {"dialogKind": "d"}, {"dialog_kind": "d", "dialogKind": "e"}, {}]
)
async def test_the_kind_of_a_dialog_is_read_in_both_spellings(spelled: dict[str, str]) -> None:
    hand = Hand(dialog_kinds=("d", "unknown") if not spelled else ("d",)).ready().prompted()
    hand.ask("r1", subtype="request_user_dialog", payload={"title": "T"}, **spelled)

    assert len(hand.of("question")) == 1


# ---- plans


@pytest.mark.rule("CTL-47")
async def test_an_approved_plan_changes_no_mode_before_the_agent_says_so() -> None:
    hand = Hand().ready({**EXTENDED, "current_permission_mode": "plan"}).prompted()
    hand.system("init", session_id="s", permissionMode="plan")
    hand.asks_tool(tool_name="ExitPlanMode", input=PLAN).do(Answer(ask=hand.ask_id, answer=Judge(accepted=True)))
    assert hand.session.view.state.mode == "plan"
    hand.system("status", permissionMode="default")

    assert hand.session.view.state.mode == "default"


@pytest.mark.rule("CTL-48")
async def test_a_plan_that_the_person_changed_goes_back_as_it_is_now() -> None:
    hand = Hand().ready().prompted().asks_tool(tool_name="ExitPlanMode", tool_use_id="t", input={**PLAN, "x": 1})
    changed = msgspec.Raw(b'{"plan":"# Stay","x":1}')
    hand.do(Answer(ask=hand.ask_id, answer=Judge(accepted=True, input=changed)))

    assert hand.answers() == [{"behavior": "allow", "updatedInput": {"plan": "# Stay", "x": 1}}]


# ---- requests of our own


@pytest.mark.rule("CTL-T15", "CTL-T42", "CTL-116")
@pytest.mark.parametrize(
    ("intent", "limit"), [(CancelSubagent(agent="t1"), "request"), (Aside(question="why"), "aside")]
)
async def test_a_request_that_is_never_answered_is_over_at_its_limit(intent: Intent, limit: str) -> None:
    hand = Hand().ready().prompted()
    hand.system("task_started", task_id="t1", task_type="local_agent", tool_use_id="tool")
    fired: list[str] = []
    fire = hand.session._fired  # pyright: ignore[reportPrivateUsage]
    hand.clock.bind(lambda timer: (fired.append(timer), fire(timer))[1])
    future = hand.do(intent)
    before = len(hand.lines)
    hand.clock.turn(601)
    hand.reply("c-2", {"response": "late"})

    assert f"provider:{limit}:c-2" in fired
    assert getattr(future.result(), "detail", {})["class"] == "deadline_exceeded"
    withdrawn = [{"type": "control_cancel_request", "request_id": "c-2"}] if limit == "aside" else []
    assert hand.sent[before:] == withdrawn


@pytest.mark.rule("CTL-117", "CTL-T41")
async def test_another_mode_while_ours_is_awaited_is_the_agents_own() -> None:
    hand = Hand().ready()
    future = hand.do(Set(kind="mode", value="plan"))
    hand.system("status", permissionMode="acceptEdits")

    meta = hand.of("meta")[-1]
    assert (meta.mode, meta.cause) == ("acceptEdits", "")
    assert not future.done()


@pytest.mark.rule("CTL-80", "CTL-T21")
@pytest.mark.parametrize("doing", ["streaming", "tool"])
async def test_an_interrupt_ends_whatever_runs_as_cancelled(doing: str) -> None:
    hand = Hand().ready().prompted()
    if doing == "tool":
        hand.assistant({"type": "tool_use", "id": "t", "name": "Bash", "input": {}})
    else:
        hand.tell({"type": "stream_event", "event": {"type": "message_start", "message": {"id": "m1"}}})
    hand.do(Cancel())
    hand.do(Cancel())
    hand.reply("c-2", {"still_queued": [], "cancelled": []})
    hand.result(subtype="error_during_execution", is_error=True, terminal_reason="aborted_tools")

    assert len(hand.requests("interrupt")) == 1
    assert [event.turn.stop_reason for event in hand.of("turn") if event.turn][-1] == "cancelled"
    assert not hand.of("error", "user")
