"""Recordings of real agents come out whole: nothing raises, everything that opens ends, no fact of the wire is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Golden
from tests.providers.replay.derive import CAPTURES, GOLDEN, Line, derive, wire

NAMES = sorted(path.stem for path in CAPTURES.glob("*.jsonl"))
UNHEARD = ("claude-v2",)
"""Their agent speaks a version that craze leaves, and goes on talking to the client that recorded it."""
HEARD = [name for name in NAMES if name not in UNHEARD]
pytestmark = pytest.mark.skipif(not NAMES, reason="the captures stand beside the checkout")


def capture(name: str) -> Path:
    return CAPTURES / f"{name}.jsonl"


@pytest.mark.rule("ACP-T55", "ACP-59", "STORE-35", "STORE-36", "STORE-37")
@pytest.mark.parametrize("name", NAMES)
def test_what_opens_ends_once_and_every_event_is_valid_and_canonical(name: str) -> None:
    found = derive(capture(name))

    assert found.faults == []
    assert found.facts("info")[-1]["status"] == "closed"


@pytest.mark.rule("ACP-T55")
def test_what_comes_out_is_what_came_out_before(golden: Golden) -> None:
    told = (json.dumps({"name": name, **derive(capture(name)).summary}) for name in NAMES)

    golden(GOLDEN / "captures.jsonl", "".join(f"{line}\n" for line in told).encode())


@pytest.mark.rule("STORE-31", "ACP-59")
@pytest.mark.parametrize("name", NAMES)
def test_deriving_twice_gives_the_same_bytes(name: str) -> None:
    assert derive(capture(name)) == derive(capture(name))


@pytest.mark.rule("ACP-59", "ACP-60")
@pytest.mark.parametrize("name", HEARD)
def test_all_text_of_a_live_session_is_there_in_order(name: str) -> None:
    found = derive(capture(name))

    for kind, update in (("text", "agent_message_chunk"), ("thought", "agent_thought_chunk")):
        said = [text for line in live(name) if (text := chunk(line, update))]
        shown = [event.text for event in found.of(kind)]
        assert without_breaks(shown, said) == said


@pytest.mark.rule("ACP-75", "ACP-76", "ACP-83")
@pytest.mark.parametrize("name", HEARD)
def test_each_request_of_the_agent_for_a_word_is_one_ask_in_its_order(name: str) -> None:
    asked = [
        "permission" if line.message["method"] == "session/request_permission" else "question"
        for line in live(name)
        if line.dir == "in" and line.message.get("method") in ("session/request_permission", "elicitation/create")
    ]
    found = derive(capture(name))

    shown = [event.type.replace("plan", "permission") for event in found.of("permission", "question", "plan")]
    ended = [event.ask.id for event in found.of("ask") if event.ask and not event.ask.body]
    assert shown == asked
    assert sorted(ended) == sorted(set(ended))
    assert len(ended) == len(asked)


@pytest.mark.rule("ACP-64", "ACP-65", "ACP-78")
@pytest.mark.parametrize("name", HEARD)
def test_each_tool_of_the_wire_has_its_events_with_the_last_words_said_of_it(name: str) -> None:
    found = derive(capture(name))

    tools = {event.tool.id: event.tool for event in found.of("tool") if event.tool}
    assert set(tools) == {line_tool["toolCallId"] for line_tool in tool_lines(name)}
    for id_, tool in tools.items():
        said = [each for each in tool_lines(name) if each["toolCallId"] == id_]
        titles = [each["title"] for each in said if each.get("title")]
        ends = [each["status"] for each in said if each.get("status") in ("completed", "failed")]
        assert tool.status in (ends[-1:] or ["completed", "cancelled", "failed"])
        assert tool.title in (titles or [""])


@pytest.mark.rule("ACP-T46", "ACP-120", "ENG-98", "ENG-99", "STORE-37")
@pytest.mark.parametrize("agent", ["claude", "copilot", "kimicode", "vibe"])
def test_a_session_loaded_without_a_history_shows_what_its_agent_replays(agent: str) -> None:
    first, loaded = derive(capture(f"{agent}-load"), 1), derive(capture(f"{agent}-load"), 2)

    phases = [event.replay.phase for event in loaded.of("replay") if event.replay]
    users = [event for event in loaded.of("user") if event.replayed]
    texts = "".join(event.text for event in loaded.of("text") if event.replayed).replace("\n\n", "")
    assert phases == ["start", "end"]
    prompts = [event.turn.text for event in first.of("turn") if event.turn and event.turn.phase == "started"]
    assert all(user.text.startswith(prompt) for user, prompt in zip(users, prompts, strict=True))
    assert texts == "".join(event.text for event in first.of("text")).replace("\n\n", "")
    assert [event.turn.id for event in loaded.of("turn") if event.turn] == ["turn-1", "turn-1"]
    assert loaded.faults == []


@pytest.mark.rule("ACP-T46", "ACP-T47", "ACP-122", "ENG-98")
@pytest.mark.parametrize("agent", ["claude", "copilot", "kimicode", "vibe"])
def test_a_session_that_goes_on_in_another_process_shows_nothing_twice(agent: str) -> None:
    found = derive(capture(f"{agent}-load"))

    assert found.of("replay", "user") == []
    assert not [event for event in found.events if event.replayed]
    assert "replay-differs" not in found.lints


@pytest.mark.rule("ACP-50", "STORE-36")
@pytest.mark.parametrize("name", HEARD)
def test_each_prompt_is_a_turn_but_for_those_that_were_answered_inside_another(name: str) -> None:
    prompts = [
        line.message["params"]["prompt"][0]["text"]
        for line in wire(capture(name))
        if line.dir == "out" and line.message.get("method") == "session/prompt"
    ]
    found = derive(capture(name))

    started = [event.turn.text for event in found.of("turn") if event.turn and event.turn.phase == "started"]
    rest = iter(prompts)
    assert all(text in rest for text in started)
    assert len(started) == len(prompts) - found.lints.get("overlapping-prompt", 0)


@pytest.mark.rule("ACP-T78", "ACP-29", "ACP-30")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("kimi-init", "the agent exited before it answered\nkimi-cli is no longer maintained."),
        ("crow2-init", "this agent speaks only ACP v2"),
        ("copilot-v99", "the agent exited with status 1 before it answered"),
    ],
)
def test_an_agent_that_cannot_be_opened_says_why(name: str, said: str) -> None:
    found = derive(capture(name))

    (error,) = found.of("error")
    assert error.err
    assert error.err.message.startswith(said)
    assert [info["status"] for info in found.facts("info") if "status" in info] == ["stopped", "closing", "closed"]


@pytest.mark.rule("ACP-T78", "ACP-32")
def test_an_agent_that_wants_a_sign_in_says_how() -> None:
    found = derive(capture("cline-init"))

    assert found.events == []
    assert found.facts("login")[-1]["required"]


@pytest.mark.rule("ACP-T80", "ACP-191", "ACP-68")
def test_arguments_that_are_typed_are_no_content_and_the_output_is_that_of_our_terminal() -> None:
    tools = [event.tool for event in derive(capture("kimicode-shell")).of("tool") if event.tool]

    assert not [tool for tool in tools if tool.content_text.lstrip().startswith("{")]
    ended = [tool.output for tool in tools if tool.output and tool.status in ("completed", "failed")]
    assert [output.exit_code for output in ended] == [0, 0, 3]
    assert any(tool.output and tool.output.stdout for tool in tools)


@pytest.mark.rule("ACP-T85", "ENG-83")
@pytest.mark.parametrize("name", ["copilot-text", "vibe-text"])
def test_totals_are_told_by_turn(name: str) -> None:
    outputs = [usage["turn"]["output"] for usage in derive(capture(name)).facts("usage") if "turn" in usage]

    assert [output for at, output in enumerate(outputs) if outputs[at - 1 : at] != [output]] == [12, 163, 29]


@pytest.mark.rule("ACP-T86", "ACP-78")
def test_a_tool_keeps_its_own_input_whatever_the_permission_says() -> None:
    tools = [event.tool for event in derive(capture("copilot-always")).of("tool") if event.tool]

    assert {"commands" in json.loads(tool.raw_input) for tool in tools} == {False}


@pytest.mark.rule("ACP-T87", "ACP-197")
@pytest.mark.parametrize(
    ("agent", "can"),
    [
        ("claude", {"delete", "images", "list", "logout", "reopen"}),
        ("copilot", {"images", "list", "logout", "reopen"}),
        ("kimicode", {"delete", "images", "list", "logout", "reopen"}),
        ("vibe", {"images", "list", "reopen"}),
    ],
)
def test_what_a_session_can_is_what_its_agent_says(agent: str, can: set[str]) -> None:
    told = derive(capture(f"{agent}-text")).facts("info")[-1]["can"]

    assert set(told) - {"cancel_subagent"} == can


def live(name: str) -> list[Line]:
    """Its lines but for what a loaded session is told of its past, and for sessions that craze never opened."""
    away = set(forked(name))
    return [line for line in wire(capture(name)) if line.live and session(line) not in away]


def forked(name: str) -> Iterator[str]:
    forks: set[Any] = set()
    for line in wire(capture(name)):
        if line.dir == "out" and line.message.get("method") == "session/fork":
            forks.add(line.message["id"])
        elif line.dir == "in" and "method" not in line.message and line.message.get("id") in forks:
            result: dict[str, Any] = line.message.get("result") or {}
            yield str(result.get("sessionId", ""))


def session(line: Line) -> str:
    params: dict[str, Any] = line.message.get("params") or {}
    return str(params.get("sessionId", ""))


def chunk(line: Line, kind: str) -> str:
    content: dict[str, Any] = line.update.get("content", {}) if line.update.get("sessionUpdate") == kind else {}
    return str(content.get("text", ""))


def without_breaks(shown: list[str], said: list[str]) -> list[str]:
    """The texts but for the blank lines that part two messages."""
    kept: list[str] = []
    for text in shown:
        if text != "\n\n" or (len(kept) < len(said) and said[len(kept)] == text):
            kept.append(text)
    return kept


def tool_lines(name: str) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = []
    for line in live(name):
        update = line.update
        if update.get("sessionUpdate") in ("tool_call", "tool_call_update"):
            told.append(update)
        elif line.message.get("method") == "session/request_permission":
            told.append(line.message["params"]["toolCall"])
    return told
