from pathlib import Path

from craze.engine.answers import Pick
from craze.engine.ports import AskOpened, Opened, ToolPatch, TurnEnded
from tests.fakes.acp_bench import PERMISSION_OPTIONS, bench, opened, prompted, request, text, update


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
        test.prompt("go")
        ask = await test.one(AskOpened)
        test.provider.answer(ask.key, Pick(option="once"))
        ended = await test.one(TurnEnded)

    assert info.agent == "fake"
    assert info.provider_session == "s"
    assert ended.stop_reason == "end_turn"
    assert [event.text for event in test.events("text")] == ["hello"]
    assert [patch.id for patch in test.of(ToolPatch)] == ["t", "t", "t"]
    assert test.lints() == {}
