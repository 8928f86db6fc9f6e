"""Whatever an agent sends, nothing is raised and the rest of it counts."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw, inspect

from craze.codec import Event, encode
from craze.providers.acp.decode import read
from craze.providers.acp.results import Capabilities
from craze.providers.acp.types import PlanUpdate, UpdateParams
from tests.fakes.acp_lines import Lines

TEXT = {"type": "text", "text": "x"}
UPDATES: list[dict[str, Any]] = [
    {
        "sessionUpdate": "agent_message_chunk",
        "content": TEXT,
        "messageId": "1",
        "_meta": {"claudeCode": {"parentToolUseId": "t"}},
    },
    {
        "sessionUpdate": "agent_thought_chunk",
        "content": [TEXT, {"type": "image", "data": "AA==", "mimeType": "image/png"}],
    },
    {"sessionUpdate": "user_message_chunk", "content": TEXT},
    {
        "sessionUpdate": "tool_call",
        "toolCallId": "t",
        "title": "ls",
        "kind": "execute",
        "status": "pending",
        "content": [
            {"type": "content", "content": TEXT},
            {"type": "diff", "path": "/a", "oldText": None, "newText": "b"},
        ],
        "locations": [{"path": "/a", "line": 3}],
        "rawInput": {"command": "ls", "prompt": "p", "subagent_type": "s"},
        "rawOutput": {"output": "x", "metadata": {"exit": 1}},
        "_meta": {"terminal_output": {"terminal_id": "x", "data": "d"}, "terminal_exit": {"exit_code": 0}},
    },
    {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "t",
        "status": "completed",
        "content": [{"type": "terminal", "terminalId": "x"}],
        "_meta": {"claudeCode": {"toolName": "Agent", "toolResponse": {"agentId": "a", "isAsync": True}}},
    },
    {"sessionUpdate": "plan", "entries": [{"content": "a", "status": "pending", "priority": "high"}]},
    {
        "sessionUpdate": "available_commands_update",
        "availableCommands": [{"name": "a b", "description": "d", "input": {"hint": "h"}}],
    },
    {"sessionUpdate": "current_mode_update", "currentModeId": "m"},
    {
        "sessionUpdate": "config_option_update",
        "configOptions": [
            {"id": "m", "category": "mode", "type": "select", "currentValue": "a", "options": [{"value": "a"}]}
        ],
    },
    {"sessionUpdate": "session_info_update", "title": "t", "updatedAt": "2026-01-01T00:00:00Z"},
    {"sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": {"amount": 0.1, "currency": "USD"}},
    {"sessionUpdate": "notice", "severity": "info", "title": "t", "description": "d"},
    {"sessionUpdate": "compaction_update", "compactionId": "c", "status": "completed", "error": {"message": "m"}},
    {
        "sessionUpdate": "subagent_update",
        "sessionId": "c",
        "title": "t",
        "capabilities": {"cancel": {}},
        "state": {"state": "idle"},
    },
    {
        "sessionUpdate": "session_message",
        "messageId": "t",
        "senderSessionId": "s",
        "recipientSessionId": "c",
        "content": [TEXT],
    },
]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value inside."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, held in inside for place in places(held, (*path, key)))]


def with_value(value: Any, path: tuple[Any, ...], replaced: Any) -> Any:
    if not path:
        return replaced
    changed = copy.deepcopy(value)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = replaced
    return changed


@pytest.mark.rule("ACP-161", "ACP-163", "ACP-T57", "ACP-59")
@settings(max_examples=400, deadline=None)
@given(st.data())
def test_one_field_replaced_by_anything_costs_no_more_than_that_update(data: st.DataObject) -> None:
    update = data.draw(st.sampled_from(UPDATES))
    params = {"sessionId": "s", "update": update}
    changed = with_value(params, data.draw(st.sampled_from(places(params)[1:])), data.draw(ANYTHING))
    lines = Lines()

    line = json.dumps(changed).encode()
    for report in lines.take(lines.state.update(Raw(line), lines.state.session)):  # pyright: ignore[reportArgumentType]
        if isinstance(report, Event):
            encode(report)
    lines.text("later")

    assert lines.texts()[-1] == "later"


@pytest.mark.rule("ACP-59")
@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(UPDATES), max_size=12))
def test_the_same_lines_give_the_same_reports(updates: list[dict[str, Any]]) -> None:
    first, second = Lines(), Lines()

    for update in updates:
        for lines in (first, second):
            lines.raw({"sessionId": "s", "update": update})

    assert first.reports == second.reports


@pytest.mark.rule("ACP-59")
@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60))
def test_bytes_of_any_kind_are_an_unusable_update_at_worst(junk: bytes) -> None:
    lines = Lines()

    lines.state.update(Raw(junk), lines.state.session)  # pyright: ignore[reportArgumentType]
    lines.text("later")

    assert lines.texts() == ["later"]


def test_what_a_struct_looks_like_is_found_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It costs more than reading a hundred lines, and some agents have an odd field in each."""
    lines = Lines()
    lines.say("hologram")

    def forbidden(_kind: type) -> inspect.Type:
        raise AssertionError

    monkeypatch.setattr(inspect, "type_info", forbidden)
    lines.say("hologram again")
    lines.text("x", messageId=7)

    assert lines.texts() == ["x"]


@pytest.mark.rule("ACP-162")
def test_small_repairs() -> None:
    numbers = read(UpdateParams, b'{"sessionId":7,"update":{"sessionUpdate":"tool_call","toolCallId":12,"title":3}}')
    usage = read(UpdateParams, b'{"update":{"sessionUpdate":"usage_update","used":12.0,"size":1.5}}')
    plan = read(UpdateParams, b'{"update":{"sessionUpdate":"plan","entries":[{"content":"a"},7]}}')

    assert numbers.value is not None
    assert (numbers.value.session_id, numbers.value.update.tool_call_id) == ("7", "12")  # pyright: ignore[reportAttributeAccessIssue]
    assert usage.bad == ("$.update.size",)
    assert plan.value is not None
    assert isinstance(plan.value.update, PlanUpdate)
    assert plan.bad == ("$.update.entries[1]",)


@pytest.mark.rule("ACP-163")
@pytest.mark.parametrize(
    "update",
    [
        7,
        None,
        {"sessionUpdate": "tool_call"},
        {"sessionUpdate": "compaction_update"},
        {"sessionUpdate": "subagent_update"},
    ],
)
def test_an_update_without_its_one_needed_field_is_unusable(update: Any) -> None:
    lines = Lines()

    lines.raw({"sessionId": "s", "update": update})

    assert lines.lints["unusable-update"] == 1
    assert lines.events() == []


@pytest.mark.rule("ACP-28")
@pytest.mark.parametrize("raw", [b'{"loadSession":"yes"}', b'{"sessionCapabilities":[]}', b"[]"])
def test_malformed_capabilities_are_off(raw: bytes) -> None:
    value = read(Capabilities, raw).value or Capabilities()

    assert value.load_session is None
    assert value.session_capabilities is None
