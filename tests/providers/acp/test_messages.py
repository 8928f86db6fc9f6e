"""Text, thoughts, echoes and what stands between messages."""

from __future__ import annotations

from typing import Any

import pytest

from craze.codec import Event, encode
from craze.engine.facts import Fact
from tests.fakes.acp_lines import Lines


@pytest.mark.rule("ACP-61", "ACP-T45")
def test_two_messages_in_a_row_are_parted_by_an_empty_line() -> None:
    lines = Lines()

    lines.text("a", messageId="1")
    lines.say("plan", entries=[{"content": "x"}])
    lines.text("b", messageId="2")

    assert lines.texts() == ["a", "\n\n", "b"]


@pytest.mark.rule("ACP-61", "ACP-T45")
@pytest.mark.parametrize("between", ["tool", "thought", "turn", "newline", "no id", "same id"])
def test_nothing_is_added_where_something_else_parts_the_messages(between: str) -> None:
    lines = Lines()

    lines.text("a\n" if between == "newline" else "a", messageId="1")
    if between == "tool":
        lines.call("t", title="ls")
    if between == "thought":
        lines.say("agent_thought_chunk", content={"type": "text", "text": "hm"})
    if between == "turn":
        lines.state.prompted("again")
    ids: dict[str, Any] = {"no id": {}, "same id": {"messageId": "1"}}
    lines.text("b", **ids.get(between, {"messageId": "2"}))

    assert "\n\n" not in lines.texts()


@pytest.mark.rule("ACP-T52")
def test_an_echo_of_the_prompt_is_dropped_whole_or_in_pieces() -> None:
    lines = Lines("fix the bug")

    for piece in ("fix ", "the bug"):
        lines.say("user_message_chunk", content={"type": "text", "text": piece})

    assert lines.texts("user") == []
    assert lines.state.prompt is not None
    assert lines.state.prompt.heard
    assert not lines.state.prompt.output


@pytest.mark.rule("ACP-T52")
def test_user_text_that_is_no_echo_comes_whole() -> None:
    lines = Lines("fix the bug")

    lines.say("user_message_chunk", content={"type": "text", "text": "fix "})
    lines.say("user_message_chunk", content={"type": "text", "text": "something else"})

    assert lines.texts("user") == ["fix something else"]


@pytest.mark.rule("ACP-60")
@pytest.mark.parametrize(
    ("block", "shown"),
    [
        ({"type": "image", "mimeType": "image/png", "data": "A" * 16384}, "[image image/png, 12 KB]"),
        ({"type": "audio", "mimeType": "audio/wav", "data": "AAAA"}, "[audio audio/wav, 3 B]"),
        ({"type": "resource_link", "name": "a.py", "uri": "file:///a.py"}, "[link a.py file:///a.py]"),
        ({"type": "resource", "resource": {"uri": "file:///a", "text": "inside"}}, "[resource file:///a]\ninside"),
        ({"type": "hologram", "size": 3}, "[hologram]"),
    ],
)
def test_a_block_that_is_no_text_is_shown_as_a_label(block: dict[str, Any], shown: str) -> None:
    lines = Lines()

    lines.say("agent_message_chunk", content=block)

    assert lines.texts() == [shown]


@pytest.mark.rule("ACP-63", "ACP-162")
def test_content_may_be_a_list_or_a_bare_string() -> None:
    lines = Lines()

    lines.say("agent_message_chunk", content=[{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])
    lines.say("agent_message_chunk", content="c")
    lines.text("")

    assert lines.texts() == ["a", "b", "c"]
    assert lines.lints == {"chunk-array": 1}


@pytest.mark.rule("ACP-59", "ACP-T48")
def test_an_unknown_kind_costs_nothing_but_a_lint() -> None:
    lines = Lines()

    lines.say("hologram", size=3)
    lines.say("hologram", size=4)
    lines.text("after")

    assert lines.texts() == ["after"]
    assert lines.lints == {"unknown-kind": 1}


@pytest.mark.rule("ACP-T73", "ENG-91")
def test_an_equal_plan_says_nothing_and_an_empty_one_clears() -> None:
    lines = Lines()
    entries = [{"content": "a", "status": "completed", "priority": "high"}, {"content": "b"}]

    for sent in (entries, entries, []):
        lines.say("plan", entries=sent)

    first, second = lines.events("todos")
    assert [(todo.id, todo.content, todo.status) for todo in first.todos] == [
        ("1", "a", "completed"),
        ("2", "b", "pending"),
    ]
    assert second.todos == ()


@pytest.mark.rule("ACP-179", "ACP-T67", "ACP-T73")
def test_commands_are_one_word_and_equal_lists_say_nothing() -> None:
    lines = Lines(None)
    names = ["memory", "/memory show", "$skill", "", "bad\x00one"]
    advertised = [{"name": name, "description": name} for name in names]

    lines.say("available_commands_update", availableCommands=advertised)
    lines.say("available_commands_update", availableCommands=advertised)

    (event,) = lines.events("meta")
    assert event.state is not None
    assert event.state.commands is not None
    assert [command.name for command in event.state.commands.commands] == ["memory", "$skill"]
    (told,) = [report for report in lines.reports if isinstance(report, Fact) and report.kind == "details"]
    assert b'"hint":"show","name":"memory"' in bytes(told.data)
    assert lines.lints == {"bad-command": 4}


@pytest.mark.rule("ACP-T43", "ACP-182")
def test_a_title_is_said_once_and_can_be_cleared() -> None:
    lines = Lines(None)

    for title in ("x", "x", None):
        lines.say("session_info_update", title=title)
    lines.say("session_info_update")

    assert [encode(event).decode() for event in lines.events("meta")] == [
        '{"type":"meta","text":"x","state":{"title":"x"},"at":"2026-01-01T00:00:00Z"}',
        '{"type":"meta","state":{"title":""},"at":"2026-01-01T00:00:00Z"}',
    ]


@pytest.mark.rule("ACP-T53")
def test_a_compaction_has_both_ends_and_only_once() -> None:
    lines = Lines()

    lines.say("compaction_update", compactionId="1", status="completed")
    lines.say("compaction_update", compactionId="1", status="completed")
    lines.say("compaction_update", compactionId="2", status="in_progress")
    lines.say("compaction_update", compactionId="2", status="failed", error="too large")

    said = [event.compaction for event in lines.events("compaction")]
    assert [(end.phase, end.err) for end in said if end] == [
        ("started", ""),
        ("ended", ""),
        ("started", ""),
        ("ended", "too large"),
    ]


@pytest.mark.rule("ACP-113")
def test_what_the_agent_says_it_is_doing_ends_with_its_next_update() -> None:
    lines = Lines()

    lines.take(lines.state.retrying("s", "retrying server_error", "2026-01-01T00:00:00Z"))  # pyright: ignore[reportArgumentType]
    lines.text("there")

    facts = [bytes(report.data) for report in lines.reports if isinstance(report, Fact)]
    assert facts == [b'{"text":"retrying server_error"}', b"{}"]


@pytest.mark.rule("ACP-163", "ACP-T54")
def test_only_the_session_of_the_line_counts_and_a_missing_one_is_the_only_one() -> None:
    lines = Lines()
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}

    lines.raw({"sessionId": "s", "_meta": {"sessionId": "evil", "session_id": "evil"}, "update": update})
    lines.raw({"update": update})

    assert [event.agent for event in lines.events("text")] == ["", ""]
    assert lines.lints == {"envelope": 1}


@pytest.mark.rule("ACP-124")
def test_an_unknown_session_becomes_a_child() -> None:
    lines = Lines()

    lines.say("agent_message_chunk", session="other", content={"type": "text", "text": "x"})

    spawned, text = lines.events("subagent", "text")
    assert spawned.subagent is not None
    assert (spawned.subagent.id, text.agent) == ("other", "other")
    assert lines.lints == {"unknown-session": 1}


def test_reports_carry_the_time_of_their_line() -> None:
    lines = Lines()

    reports = lines.text("x")

    assert [report.at for report in reports if isinstance(report, Event)] == ["2026-01-01T00:00:00Z"]
