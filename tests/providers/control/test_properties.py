"""Whatever an agent writes: nothing is raised, the lane goes on, each request is answered at most once."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from craze.providers.control import decode
from craze.providers.control.types import QUIET
from tests.fakes.control_memory import Hand

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
TYPES = (
    *("assistant", "user", "system", "result", "stream_event", "control_request", "control_response"),
    *("control_cancel_request", "command_lifecycle", "rate_limit_event", "conversation_reset", "nonsense"),
    *sorted(QUIET),
)
SUBTYPES = (
    *("init", "status", "task_started", "task_progress", "task_updated", "task_notification", "compact_boundary"),
    *("api_retry", "session_title_changed", "commands_changed", "informational", "success", "error", "no_such"),
    *("can_use_tool", "hook_callback", "mcp_message", "elicitation", "request_user_dialog", "initialize"),
)
KEYS = (
    *("message", "content", "event", "delta", "content_block", "request", "response", "request_id", "uuid", "usage"),
    *("tool_name", "input", "questions", "tool_use_id", "parent_tool_use_id", "tool_use_result", "modelUsage"),
    *("status", "permissionMode", "model", "task_id", "task_type", "patch", "index", "id", "name", "text", "type"),
    *("is_error", "origin", "payload", "requested_schema", "options", "permission_suggestions", "compact_metadata"),
)
NAMED = st.recursive(
    JSON,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@st.composite
def lines(draw: st.DrawFn) -> dict[str, Any]:
    """An object with a known or unknown type and whatever in it."""
    line: dict[str, Any] = draw(st.dictionaries(st.sampled_from(KEYS), NAMED, max_size=5))
    line["type"] = draw(st.sampled_from(TYPES) | JSON)
    if draw(st.booleans()):
        line["subtype"] = draw(st.sampled_from(SUBTYPES) | JSON)
    if line["type"] == "control_request" and draw(st.booleans()):
        request: dict[str, Any] = draw(st.dictionaries(st.sampled_from(KEYS), NAMED, max_size=5))
        line["request"] = {**request, "subtype": draw(st.sampled_from(SUBTYPES))}
        line["request_id"] = draw(st.sampled_from(["r1", "r2", "r3"]))
    return line


@pytest.mark.rule("CTL-1", "CTL-T34")
@settings(deadline=None)
@given(st.lists(lines(), max_size=8), st.booleans())
def test_any_line_is_taken(told: list[dict[str, Any]], running: bool) -> None:
    async def play() -> Hand:
        hand = Hand().ready()
        if running:
            hand.prompted()
        for line in told:
            hand.tell(json.dumps(line))
        return hand

    hand = asyncio.run(play())

    assert not [
        event for event in hand.of("error") if event.err and event.err.message.startswith("craze failed inside")
    ]
    assert hand.session.view.status in ("idle", "working", "error")
    requests = [line.get("request_id") for line in told if line["type"] == "control_request"]
    answers = [line["response"]["request_id"] for line in hand.sent if line["type"] == "control_response"]
    assert all(answers.count(each) <= requests.count(each) for each in answers)


@given(st.binary(max_size=60) | st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_a_line_or_noise(data: bytes) -> None:
    decode.line(data)


@given(JSON)
def test_only_objects_are_lines(value: Any) -> None:
    assert (decode.line(json.dumps(value).encode()) is not None) == isinstance(value, dict)


@st.composite
def calls(draw: st.DrawFn, agent: str) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """What a transcript says and thinks in two model calls, and lines that bring it: each block streamed so far, then
    whole. Some calls have no start; those stream something of their first block."""
    said, told = {"text": "", "thinking": ""}, []
    for call in "12":
        name = f"{agent}{call}"
        started = draw(st.booleans())
        events: list[dict[str, Any]] = [{"type": "message_start", "message": {"id": name}}] if started else []
        for index, text in enumerate(draw(st.lists(st.text("ab ", min_size=1, max_size=5), max_size=3))):
            streamed = text[: draw(st.integers(0 if started or index else 1, len(text)))]
            kind = draw(st.sampled_from(sorted(said)))
            deltas = [{"type": f"{kind}_delta", kind: each} for each in streamed]
            events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
            events.append({"id": name, "content": [{"type": kind, kind: text}]})
            said[kind] += text
        told += [*events, {"type": "message_stop"}]
    return said, [_told(event, agent) for event in told]


def _told(event: dict[str, Any], agent: str) -> dict[str, Any]:
    kind = {"type": "stream_event", "event": event} if "type" in event else {"type": "assistant", "message": event}
    return {**kind, "parent_tool_use_id": agent or None}


@pytest.mark.rule("CTL-90", "CTL-96", "CTL-T22")
@settings(deadline=None)
@given(calls(""), calls("p1"), st.data())
async def test_each_transcript_says_each_block_once_however_much_of_it_was_streamed(
    main: tuple[dict[str, str], list[dict[str, Any]]],
    child: tuple[dict[str, str], list[dict[str, Any]]],
    data: st.DataObject,
) -> None:
    hand = Hand().ready().prompted()
    waiting = [list(main[1]), list(child[1])]
    while left := [lines for lines in waiting if lines]:
        hand.tell(data.draw(st.sampled_from(left)).pop(0))
    hand.result()

    for agent, (said, _) in (("", main), ("p1", child)):
        for kind, type_ in (("text", "text"), ("thinking", "thought")):
            assert "".join(event.text for event in hand.of(type_) if event.agent == agent) == said[kind]
