"""Tool calls: patches of the wire, merged by the engine's tools."""

from __future__ import annotations

import json
from typing import Any

import pytest

from craze.codec import ToolOutput, encode
from craze.engine.ports import ToolPatch
from craze.providers.acp.quirks import Quirks
from tests.fakes.acp_lines import Lines


def content(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "content", "content": {"type": "text", "text": text}} for text in texts]


@pytest.mark.rule("ACP-65", "ACP-T17")
def test_a_call_without_more_is_pending_and_of_kind_other() -> None:
    lines = Lines()

    lines.call("t", title="ls")

    assert encode(lines.tool()) == b'{"id":"t","name":"ls","status":"pending","kind":"other","title":"ls"}'


@pytest.mark.rule("ACP-62", "ACP-T18")
def test_null_clears_but_a_title_stays() -> None:
    lines = Lines()

    lines.call("t", title="ls", content=content("out"), locations=[{"path": "/a"}, {"path": "/a"}])
    before = lines.tool()
    lines.update("t", status="completed", content=None, title=None, locations=[])

    assert (before.content_text, before.locations) == ("out", ("/a",))
    assert (lines.tool().title, lines.tool().content_text, lines.tool().locations) == ("ls", "", ())
    assert lines.tool().status == "completed"


@pytest.mark.rule("ACP-161", "ACP-T19")
def test_a_bad_item_costs_itself_alone() -> None:
    lines = Lines()

    lines.call("t", title="ls", content=[7, *content("good")], kind={"odd": 1})

    assert lines.tool().content_text == "good"
    assert lines.lints == {"bad-field": 2}


@pytest.mark.rule("ACP-64", "ACP-T20")
def test_an_unannounced_update_creates_a_call_only_when_it_says_what_it_is() -> None:
    lines = Lines()

    lines.update("quiet", status="in_progress")
    lines.update("loud", title="ls")
    lines.update("quiet", title="late")

    assert [event.tool.id for event in lines.events("tool") if event.tool] == ["loud", "quiet"]
    assert (lines.tool("quiet").status, lines.tool("quiet").title) == ("in_progress", "late")
    assert lines.lints == {"update-before-call": 2}


@pytest.mark.rule("ACP-64")
def test_a_call_sent_twice_merges() -> None:
    lines = Lines()

    lines.call("t", title="ls", kind="execute")
    lines.call("t", title="ls -l")

    assert (lines.tool().title, lines.tool().kind) == ("ls -l", "execute")
    assert lines.lints == {"repeated-tool-call": 1}


@pytest.mark.rule("ACP-67", "ACP-T22", "ACP-T74")
def test_a_later_list_of_diffs_replaces_the_earlier_one() -> None:
    lines = Lines()
    diff = {"type": "diff", "path": "/w/n", "oldText": None, "newText": "a\nb\n"}

    lines.call("t", title="write", content=[diff])
    new = lines.tool().diffs[0]
    lines.update("t", content=[{**diff, "oldText": "", "newText": "a\n"}])
    empty = lines.tool().diffs[0]
    lines.update("t", content=[{**diff, "oldText": "x\na\n", "newText": "x\nb\nc\n"}])

    assert encode(new) == b'{"path":"/w/n","newText":"a\\nb\\n","added":2}'
    assert encode(empty) == b'{"path":"/w/n","newText":"a\\n","added":1}'
    assert [(diff.added, diff.removed) for diff in lines.tool().diffs] == [(2, 1)]


@pytest.mark.rule("ACP-68", "ACP-70", "ACP-T23")
def test_a_display_terminal_is_fed_by_deltas_and_ends_with_a_code() -> None:
    lines = Lines()

    lines.call(
        "t",
        title="ls",
        content=[{"type": "terminal", "terminalId": "x"}],
        _meta={"terminal_info": {"terminal_id": "x"}},
    )
    for piece in ("one\n", "two\n"):
        lines.update("t", _meta={"terminal_output_delta": {"terminal_id": "x", "data": piece}})
    lines.update("t", status="completed", _meta={"terminal_exit": {"terminal_id": "x", "exit_code": 0, "signal": None}})

    assert lines.tool().output == ToolOutput(stdout="one\ntwo\n", exit_code=0)
    assert lines.lints == {}


@pytest.mark.rule("ACP-68")
def test_a_call_that_shows_a_display_terminal_later_has_all_of_it() -> None:
    lines = Lines()
    shows = [{"type": "terminal", "terminalId": "x"}]

    lines.call("a", title="a", content=shows, _meta={"terminal_output": {"terminal_id": "x", "data": "one "}})
    lines.call("b", title="b", content=shows)
    lines.update("a", _meta={"terminal_output": {"terminal_id": "x", "data": "two"}})

    assert [lines.tool(name).output for name in "ab"] == [ToolOutput(stdout="one two")] * 2


@pytest.mark.rule("ACP-69", "ACP-70", "ACP-T24")
@pytest.mark.parametrize(
    ("raw", "output"),
    [
        ({"output": "x", "metadata": {"exit": 3}}, ToolOutput(content="x", exit_code=3)),
        ("plain", ToolOutput(content="plain")),
        (
            [{"type": "text", "text": "a"}, {"type": "content", "content": {"type": "text", "text": "b"}}],
            ToolOutput(content="a\nb"),
        ),
        ({"stdout": "o", "stderr": "e", "exitCode": 0}, ToolOutput(stdout="o", stderr="e", exit_code=0)),
        ({"aggregated_output": "all", "exit_code": None}, ToolOutput(content="all")),
        ({"contents": [{"type": "shell_exit", "exitCode": 4}], "content": "c"}, ToolOutput(content="c", exit_code=4)),
        ({"content": {"odd": 1}}, None),
        (True, None),
    ],
)
def test_raw_output_is_read_in_all_its_forms(raw: Any, output: ToolOutput | None) -> None:
    lines = Lines()

    lines.call("t", title="run", rawOutput=raw)

    assert lines.tool().output == output


@pytest.mark.rule("ACP-69")
def test_raw_output_does_not_repeat_shown_content_but_its_code_counts() -> None:
    lines = Lines()

    lines.call("t", title="run", content=content("shown"), rawOutput={"output": "shown", "exit_code": 1})

    assert lines.tool().output == ToolOutput(exit_code=1)


@pytest.mark.rule("ACP-69")
def test_a_tool_response_is_the_last_resort() -> None:
    lines = Lines()
    meta = {"claudeCode": {"toolResponse": {"stdout": "out", "stderr": "err"}}}

    lines.call("t", title="run", _meta=meta)
    lines.call("u", title="run", content=[{"type": "terminal", "terminalId": "x"}], _meta=meta)

    assert lines.tool("t").output == ToolOutput(stdout="out", stderr="err")
    assert lines.tool("u").output is None


@pytest.mark.rule("ACP-72", "ACP-T25")
def test_output_that_is_sent_again_and_again_stays_small_until_the_end() -> None:
    lines = Lines()
    whole = "".join(f"line {number:06d} {'x' * 50}\n" for number in range(16_000))
    lines.call("t", title="make", status="in_progress")

    for end in range(len(whole) // 200, len(whole) + 1, len(whole) // 200):
        lines.update("t", content=content(whole[:end]))
    count = len(lines.events("tool"))
    lines.update("t", content=content(whole[:end]))
    lines.update("t", status="completed")

    running, last = lines.events("tool")[:-1], lines.events("tool")[-1]
    assert count == len(running) == 201
    assert max(len(encode(event)) for event in running) < 9 * 1024
    assert last.tool is not None
    assert last.tool.content_text == whole[:end][-len(last.tool.content_text) :]
    assert len(last.tool.content_text) > 200_000
    assert lines.lints == {"cumulative-output": 1}


@pytest.mark.rule("ACP-68", "ACP-T26")
def test_an_unknown_terminal_is_empty_and_the_rest_is_shown() -> None:
    lines = Lines()

    lines.call("t", title="run", content=[{"type": "terminal", "terminalId": "nobody"}, *content("text")])

    assert lines.tool().content_text == "text"
    assert lines.lints == {"unknown-terminal": 1}


@pytest.mark.rule("ACP-66")
def test_a_bare_block_is_content_too() -> None:
    lines = Lines()

    lines.call("t", title="run", content=[{"type": "text", "text": "bare"}])

    assert lines.tool().content_text == "bare"
    assert lines.lints == {"bare-block": 1}


@pytest.mark.rule("ACP-176", "ACP-T70")
def test_nested_meta_is_read() -> None:
    lines = Lines()

    lines.call("t", title="run", _meta={"field_meta": {"toolName": "x"}})
    lines.call("u", title="run", _meta={"toolName": "mine", "field_meta": {"toolName": "x"}})

    assert (lines.tool("t").tool_name, lines.tool("u").tool_name) == ("x", "mine")


@pytest.mark.rule("ACP-65", "ACP-183", "ACP-T92")
def test_a_name_comes_from_the_tool_or_else_from_the_first_title() -> None:
    lines = Lines()

    lines.call("t", title="Bash")
    names = [lines.tool().name]
    lines.update("t", title="Running: ls")
    names.append(lines.tool().name)
    lines.update("t", _meta={"tool_name": "Shell"})
    names.append(lines.tool().name)

    assert names == ["Bash", "Bash", "Shell"]
    assert lines.tool().title == "Running: ls"


@pytest.mark.rule("ACP-65")
def test_the_input_is_kept_as_it_was_written() -> None:
    lines = Lines()
    raw = b'{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","rawInput":{"a" :  1.0}}}'

    lines.take(lines.state.update(json_raw(raw), lines.state.session))  # pyright: ignore[reportArgumentType]

    assert lines.tool().raw_input == '{"a" :  1.0}'


@pytest.mark.rule("ACP-73")
def test_meta_alone_publishes_nothing() -> None:
    lines = Lines()

    lines.call("t", title="run")
    lines.update("t", _meta={"claudeCode": {"odd": 1}})

    assert len(lines.events("tool")) == 1


@pytest.mark.rule("ACP-74")
def test_a_call_that_starts_a_child_is_a_task() -> None:
    lines = Lines()
    given = {"description": "d", "prompt": "p", "subagent_type": "coder", "model": "m"}

    lines.call("t", title="Task", rawInput=given)
    lines.update("t", _meta={"claudeCode": {"toolName": "Agent", "toolResponse": {"agentId": "a1", "isAsync": True}}})

    task = lines.tool().task
    assert task is not None
    assert (task.description, task.prompt, task.subagent_type, task.model) == ("d", "p", "coder", "m")
    assert (task.agent_id, task.background) == ("a1", True)


@pytest.mark.rule("ACP-153", "ACP-T86")
def test_with_own_input_a_permission_never_replaces_the_input() -> None:
    lines = Lines(quirks=Quirks(own_input=True))

    lines.call("t", title="run", rawInput={"mine": 1})
    patch = lines.state.tools.asked(asked_tool(toolCallId="t", rawInput={"other": 2}), "", "")

    assert patch.raw_input is not None
    lines.take([patch])
    assert lines.tool().raw_input == '{"mine": 1}'


@pytest.mark.rule("ACP-191")
def test_typed_arguments_are_no_content() -> None:
    lines = Lines(quirks=Quirks(typed_arguments=True))

    lines.call("t", title="Shell", status="pending", content=content(""))
    lines.update("t", content=content('{"command":'))
    lines.update("t", content=content('{"command":"ls"}'))
    lines.update("t", rawInput={"command": "ls"}, content=content("really"))

    assert [event.tool.content_text for event in lines.events("tool") if event.tool] == ["", "really"]


@pytest.mark.rule("ACP-191", "ACP-75")
@pytest.mark.parametrize(
    ("typed", "raw_input"), [('{"command":"ls"}', '{"command":"ls"}'), ('{"command":"l', ""), ('"ls"', "")]
)
def test_a_person_is_asked_with_the_arguments_that_were_typed(typed: str, raw_input: str) -> None:
    lines = Lines(quirks=Quirks(typed_arguments=True))
    lines.call("t", title="Shell", content=content(""))
    lines.update("t", content=content(typed))

    lines.take([lines.state.tools.asked(asked_tool(toolCallId="t", content=content("May I?")), "", "")])

    assert (lines.tool().raw_input, lines.tool().content_text) == (raw_input, "May I?")


@pytest.mark.rule("ACP-68", "ACP-T91")
def test_ten_thousand_deltas_are_ten_thousand_small_patches() -> None:
    lines = Lines()
    lines.call(
        "t",
        title="run",
        content=[{"type": "terminal", "terminalId": "x"}],
        _meta={"terminal_info": {"terminal_id": "x"}},
    )

    patches = [
        report
        for _ in range(10_000)
        for report in lines.state.update(
            json_raw(
                b'{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t",'
                b'"_meta":{"terminal_output_delta":{"terminal_id":"x","data":"' + b"x" * 100 + b'"}}}}'
            ),
            lines.state.session,  # pyright: ignore[reportArgumentType]
        )
    ]

    assert {len(patch.stdout_add) for patch in patches if isinstance(patch, ToolPatch)} == {100}
    assert len(patches) == 10_000


@pytest.mark.rule("ACP-184")
def test_an_empty_text_is_no_content_and_a_call_may_begin_running() -> None:
    lines = Lines()

    lines.call("t", title="run", status="in_progress", content=content(""))

    assert (lines.tool().status, lines.tool().content_text) == ("in_progress", "")
    assert lines.lints == {}


@pytest.mark.rule("ACP-58")
def test_a_call_whose_command_still_runs_outlives_the_turn() -> None:
    from craze.providers.acp.results import PromptResult
    from tests.fakes.acp_lines import AT

    lines = Lines()
    lines.state.tools.ours("term-1", live=True)
    lines.state.tools.ours("term-2", live=True)
    lines.call("runs", title="run", content=[{"type": "terminal", "terminalId": "term-1"}])
    lines.call("ended", title="run", content=[{"type": "terminal", "terminalId": "term-2"}])
    lines.state.tools.ours("term-2", live=False)

    reports = lines.state.ended(PromptResult(stop_reason="end_turn"), AT)

    assert [report.id for report in reports if isinstance(report, ToolPatch) and report.background] == ["runs"]


def json_raw(raw: bytes) -> Any:
    from msgspec import Raw

    return Raw(raw)


def asked_tool(**fields: Any) -> Any:
    import msgspec

    from craze.providers.acp.requests import AskedTool

    return msgspec.json.decode(json.dumps(fields).encode(), type=AskedTool)


@pytest.mark.rule("ACP-70")
@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"rawOutput": {"exit_code": 1 << 63}}, None),
        ({"rawOutput": {"exit_code": 10**30, "exitCode": 3.0}}, 3),
        ({"_meta": {"terminal_exit": {"exit_code": 1 << 70}}}, None),
        ({"rawOutput": {"exit_code": (1 << 63) - 1}}, (1 << 63) - 1),
    ],
)
def test_an_exit_code_that_no_event_can_hold_is_none(fields: dict[str, Any], code: int | None) -> None:
    lines = Lines()

    lines.call("t", title="x", **fields)

    output = lines.tool().output
    assert (output.exit_code if output else None) == code
