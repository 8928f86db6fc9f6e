"""Whether answers took effect: told by the results of their tools, and by nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from craze.providers.control.effects import effects, told
from craze.store.capture import Mark, Row, rows

CAPTURES = Path(__file__).resolve().parents[4] / "shared" / "captures" / "control"
Json = dict[str, Any]


def row(number: int, way: str, line: Json, mark: Mark = "") -> Row:
    payload = json.dumps(line).encode()
    return Row(number, way, None, "", payload, mark, 0, payload)


def capture(body: Json, result: Json | None, mark: Mark = "") -> list[Row]:
    """A request, its answer, and what the tool gave."""
    asked = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "t1"}
    answer = {"type": "control_response", "response": {"subtype": "success", "request_id": "r1", "response": body}}
    found = [
        row(1, "in", {"type": "control_request", "request_id": "r1", "request": asked}),
        row(2, "out", answer),
        row(3, "in", answer),  # agents echo what they were answered
    ]
    if mark:
        found.append(row(4, "out", answer, mark))
    if result is not None:
        block = {"type": "tool_result", "tool_use_id": "t1", **result}
        found.append(row(5, "in", {"type": "user", "message": {"role": "user", "content": [block]}}))
    return found


ALLOW: Json = {"behavior": "allow", "updatedInput": {}}
DENY: Json = {"behavior": "deny", "message": "no"}
NOT_READ = {"content": "Tool permission request failed: Error: what?", "is_error": True}


@pytest.mark.rule("CTL-106")
@pytest.mark.parametrize(
    ("body", "result", "effect"),
    [
        (ALLOW, {"content": "made"}, "true"),
        (ALLOW, {"content": "exit code 1", "is_error": True}, "true"),
        (ALLOW, NOT_READ, "false"),
        (ALLOW, None, "unobserved"),
        (DENY, {"content": "no", "is_error": True}, "true"),
        (DENY, {"content": "made"}, "false"),
        (DENY, NOT_READ, "false"),
        (DENY, None, "unobserved"),
    ],
)
def test_the_result_of_the_tool_says_whether_an_answer_was_followed(
    body: Json, result: Json | None, effect: str
) -> None:
    assert effects(capture(body, result)) == {'"r1"': effect}


@pytest.mark.rule("CTL-93", "CTL-106")
@pytest.mark.parametrize("result", [None, {"content": "made"}])
def test_an_answer_that_did_not_reach_the_agent_counts_as_none(result: Json | None) -> None:
    found = effects(capture(ALLOW, result, "undelivered"))

    assert found == {'"r1"': "undelivered"}
    assert told(found) == "of 1 answers 1 undelivered and so not given"


@pytest.mark.rule("CTL-106")
@pytest.mark.skipif(not CAPTURES.is_dir(), reason="the captures are not beside this checkout")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tool_allow.a", ""),
        ("tool_deny.b", ""),
        ("bad_answers.a", "of 6 answers 6 without effect"),
        ("bad_answers.b", "of 6 answers 5 without effect"),
        ("interrupt_ask.b", "of 1 answers 1 unobserved"),
    ],
)
def test_captures_tell_which_answers_were_not_followed(name: str, words: str) -> None:
    found = effects(each for each in rows(CAPTURES / f"{name}.jsonl") if isinstance(each, Row))

    assert told(found) == words
