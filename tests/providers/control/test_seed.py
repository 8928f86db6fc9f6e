"""The seed profile: every line that craze writes is valid against the protocol's own document, and nothing more is."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from craze.engine.answers import AnswerValue, Judge, Pick, Reply, Skip
from craze.engine.intents import Answer
from craze.providers.acp import asks as acp
from craze.providers.acp.lints import LEVELS as ACP_LEVELS
from craze.providers.acp.requests import ElicitationParams
from craze.providers.acp.translate import Translator as AcpTranslator
from craze.providers.control import answers, frames
from craze.providers.control.schema import problems
from craze.providers.control.types import AskedForm
from craze.providers.lints import Lints
from tests.fakes.control_memory import Hand

QUESTIONS = {"questions": [{"question": "Q", "options": [{"label": "A"}], "x": 1}]}
RULES = [{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]
DIALOG: dict[str, Any] = {"subtype": "request_user_dialog", "dialog_kind": "d"}
FORM = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 3}}, "required": ["n"]}


@pytest.mark.rule("CTL-84", "CTL-88", "CTL-14")
@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        ({"tool_name": "Bash", "input": {}, "permission_suggestions": RULES}, Pick(option="allow")),
        ({"tool_name": "Bash", "input": {}}, Pick(option="reject")),
        ({"tool_name": "Bash", "input": {}}, Pick(option="reject_stop")),
        ({"tool_name": "AskUserQuestion", "input": QUESTIONS}, Reply(answers={"q0": ("A",)})),
        ({"tool_name": "AskUserQuestion", "input": QUESTIONS}, Skip()),
        ({"tool_name": "ExitPlanMode", "input": {"plan": "p"}}, Judge(accepted=True)),
        ({"tool_name": "ExitPlanMode", "input": {"plan": "p"}}, Judge(accepted=False)),
        ({"subtype": "elicitation", "message": "M", "requested_schema": FORM}, Reply(answers={"n": ("2",)})),
        ({"subtype": "elicitation", "message": "M"}, Skip()),
        (DIALOG, Reply(answers={"choice": ("ok",)})),
        (DIALOG, Skip()),
        ({"subtype": "hook_callback", "callback_id": "h"}, None),
        ({"subtype": "mcp_message", "server_name": "x", "message": {}}, None),
        ({"subtype": "no_such"}, None),
        ({"tool_name": "Bash"}, None),
    ],
)
async def test_every_written_line_is_valid(request_: dict[str, Any], answer: AnswerValue | None) -> None:
    hand = Hand(profile="seed", dialog_kinds=("d",), accept_mode="acceptEdits", served=(), tool_aliases={"a": "b"})
    hand.ready().prompted().ask("r1", **{"subtype": "can_use_tool", **request_})
    if answer is not None:
        hand.do(Answer(ask=hand.ask_id, answer=answer))

    assert len(hand.answers()) == 1
    covered = [line for line in hand.lines if b'"control_response"' in line or b'"initialize"' in line]
    assert [list(problems(line)) for line in covered] == [[], []]


@pytest.mark.rule("CTL-85")
@pytest.mark.parametrize(
    "body",
    [
        frames.AllowWithRules(updated_input={}, updated_permissions=()),
        frames.DenyAndStop(message="m"),
        frames.DialogCompleted(),
    ],
)
def test_more_than_the_document_has_is_a_bug_in_the_seed_profile(body: msgspec.Struct) -> None:
    assert frames.success(b'"r"', body, "extended")
    with pytest.raises(TypeError):
        frames.success(b'"r"', body, "seed")


@pytest.mark.rule("CTL-62", "CTL-T40")
async def test_a_value_that_misses_the_form_leaves_the_ask_open() -> None:
    hand = Hand().ready().prompted().ask("r1", subtype="elicitation", message="M", requested_schema=FORM)
    missed = hand.do(Answer(ask=hand.ask_id, answer=Reply(answers={"n": ("7",)}))).result()
    assert getattr(missed, "code", "") == "bad_answer"
    hand.do(Answer(ask=hand.ask_id, answer=Reply(answers={"n": ("2",)})))

    assert hand.answers() == [{"action": "accept", "content": {"n": 2}}]


@pytest.mark.rule("CTL-T40")
def test_both_kinds_of_agents_give_the_same_form() -> None:
    schema = msgspec.Raw(msgspec.json.encode(FORM))
    control = answers.elicitation(b'"r"', AskedForm(message="M", requested_schema=schema))
    params = msgspec.json.decode(
        b'{"mode":"form","message":"M","requestedSchema":%b}' % bytes(schema), type=ElicitationParams
    )
    taken = acp.elicitation(b'"r"', params, AcpTranslator(Lints(ACP_LEVELS)), url=False, form=True)
    opened = next(report for report in taken.reports if hasattr(report, "ask"))

    assert control.ask
    assert control.open
    assert opened.ask.body == control.ask.body  # type: ignore[union-attr]
    reply = Reply(answers={"n": ("2",)})
    assert taken.open
    ours = msgspec.json.decode(msgspec.json.encode(answers.answer(control.open, reply, "seed").body))
    assert ours == msgspec.json.decode(msgspec.json.encode(acp.answer(taken.open, reply)))
