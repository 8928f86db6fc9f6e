"""How an agent is started: its line, its environment, start settings, what it says of itself; and how it starts again."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from craze.engine.intents import Reconnect, Set
from craze.engine.ports import Start
from craze.providers.control.opening import NESTED
from craze.transport import Exit
from tests.fakes.control_memory import EXTENDED, Hand
from tests.fakes.control_session import GREET, PROMPT, control

LINE = (
    *("-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"),
    *("--permission-prompt-tool", "stdio", "--include-partial-messages", "--replay-user-messages"),
)


def started(*settings: Set, **more: object) -> Start:
    return Start(workspace="/w", settings=settings, **more)  # type: ignore[arg-type]


@pytest.mark.rule("CTL-3", "CTL-113", "CTL-118")
def test_the_line_has_what_is_set_in_its_order() -> None:
    start = started(
        Set(kind="mode", value="plan"), Set(kind="model", value="opus"), dirs=("/w", "/other"), reopen="s-1"
    )
    hand = Hand(argv=("agent", "--own", "x"), start=start, max_turns=3, mcp_servers={"form": {"command": "f"}})
    hand.begin()

    assert hand.command.argv == (
        *("agent", *LINE, "--permission-mode", "plan", "--model", "opus", "--max-turns", "3", "--resume", "s-1"),
        *("--add-dir", "/other", "--mcp-config", "/private/mcp.json", "--own", "x"),
    )


def test_a_script_and_a_module_belong_to_the_program() -> None:
    script = Hand(argv=("python3", "agent.py", "capture.jsonl", "--strict")).begin()
    module = Hand(argv=("python3", "-m", "agent", "--strict")).begin()

    assert script.command.argv == ("python3", "agent.py", "capture.jsonl", *LINE, "--strict")
    assert module.command.argv == ("python3", "-m", "agent", *LINE, "--strict")


@pytest.mark.rule("CTL-4")
def test_a_line_as_it_is_stays_so_and_its_lack_is_told() -> None:
    hand = Hand(argv=("peer", "--x"), line="as_is").ready()

    assert hand.command.argv == ("peer", "--x")
    assert "--permission-prompt-tool stdio" in hand.facts("notice")[0]["text"]
    assert hand.sent[0]["request"] == {"subtype": "initialize"}


@pytest.mark.rule("CTL-113")
async def test_further_folders_are_refused_where_the_line_stays_as_it_is() -> None:
    hand = Hand(argv=("peer",), line="as_is", start=started(dirs=("/other",))).begin()

    assert not hand.lines
    assert next(event.err.message for event in hand.of("error") if event.err).endswith("its line is as it is")


@pytest.mark.rule("CTL-118")
async def test_start_settings_that_the_line_does_not_say_are_written_one_after_another() -> None:
    start = started(Set(kind="mode", value="plan"), Set(kind="model", value="opus"))
    hand = Hand(argv=("peer", "--permission-prompt-tool"), line="as_is", start=start).ready()
    assert hand.session.view.status == "starting"
    assert hand.sent[-1]["request"] == {"subtype": "set_model", "model": "opus"}
    hand.refuse("c-2", "no such model")
    hand.reply("c-3", {"mode": "plan"})

    assert hand.session.view.status == "idle"
    assert hand.session.view.state.mode == "plan"
    assert hand.facts("notice")[-1]["text"] == "model opus was refused: no such model"


@pytest.mark.rule("CLI-41")
async def test_an_agent_that_is_only_greeted_is_ready_without_its_start_settings() -> None:
    start = started(Set(kind="mode", value="plan"), greets_only=True)
    hand = Hand(argv=("peer", "--permission-prompt-tool"), line="as_is", start=start).ready()

    assert hand.session.view.status == "idle"
    assert [line["request"]["subtype"] for line in hand.sent] == ["initialize"]


@pytest.mark.rule("CTL-118")
async def test_a_start_setting_that_is_never_answered_fails_the_start() -> None:
    hand = Hand(argv=("peer", "--permission-prompt-tool"), line="as_is", start=started(Set(kind="mode", value="plan")))
    hand.ready().clock.turn(16)

    assert hand.session.view.status == "stopped"
    assert [event.err.message for event in hand.of("error") if event.err] == ["no answer to setting mode plan"]


@pytest.mark.rule("CTL-24")
async def test_the_greeting_brings_the_catalogs() -> None:
    body = {
        **EXTENDED,
        "commands": [
            {"name": "compact", "description": "shorter", "argumentHint": "[how]"},
            {"name": "__hidden", "description": "x"},
            {"name": "doctor", "description": "x"},
        ],
        "models": [{"value": "default", "resolvedModel": "m-1", "displayName": "Default"}, {"value": "opus"}],
    }
    hand = Hand().ready(body).system("init", session_id="s-1", model="m-1", terminal_slash_commands=["doctor"])

    state = hand.session.view.state
    assert state.commands
    assert [command.name for command in state.commands.commands] == ["compact"]
    assert state.config
    models = next(option for option in state.config.options if option.category == "model")
    assert ([each.value for each in models.select_values], models.current) == (["default", "opus"], "default")
    assert hand.session.view.info.provider_session == "s-1"
    assert hand.session.view.info.version == "9"


@pytest.mark.rule("CTL-24", "CTL-21")
async def test_asks_that_were_open_before_are_opened() -> None:
    hand = Hand().begin()
    request = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {}}
    inner = {"subtype": "success", "request_id": "c-1", "response": EXTENDED}
    pending = {"pending_permission_requests": [{"type": "control_request", "request_id": "r9", "request": request}]}
    hand.tell({"type": "control_response", "response": {**inner, **pending}})

    assert [ask.id for ask in hand.session.view.asks] == ["perm-1"]


@pytest.mark.rule("CTL-32", "CTL-103", "CTL-69", "CTL-T32")
async def test_a_prompt_is_not_written_again_by_another_process() -> None:
    hand = Hand().ready().prompted().ends(Exit(signal="SIGKILL"))
    hand.do(Reconnect())
    for _ in range(20):
        await asyncio.sleep(0)
    hand.reply(hand.sent[-1]["request_id"], EXTENDED)

    assert hand.session.view.status == "error"
    assert len([line for line in hand.sent if line["type"] == "user"]) == 1
    assert hand.command.argv[0] == "agent"


@pytest.mark.rule("CTL-5")
async def test_an_agent_does_not_think_that_it_runs_inside_of_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NESTED, "1")
    program = tmp_path / "agent.py"
    program.write_text(
        "import json, os, sys\n"
        "line = json.loads(sys.stdin.readline())\n"
        "told = {k: os.environ.get(k) for k in ('CLAUDECODE', 'CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS')}\n"
        "inner = {'subtype': 'error', 'request_id': line['request_id'], 'error': json.dumps(told)}\n"
        "print(json.dumps({'type': 'control_response', 'response': inner}), flush=True)\n"
        "sys.stdin.read()\n"
    )
    async with control(tmp_path, argv=(sys.executable, str(program))) as stage:
        notices = await stage.until(lambda: stage.facts("notice"))

    said = notices[0]["text"].partition(": ")[2]

    assert json.loads(said) == {"CLAUDECODE": None, "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1"}
    assert os.environ[NESTED] == "1"


@pytest.mark.rule("CTL-6", "CTL-T28")
async def test_a_flood_on_stderr_hurts_nothing(tmp_path: Path) -> None:
    flood = {"stderr": ("x" * 100_000 + "\n") * 20}
    async with control(tmp_path, GREET, PROMPT, flood, {"say": "here"}, {"end": {}}) as stage:
        await stage.turn("hello")

        assert [event.text for event in stage.of("text")] == ["here"]
        assert sum(len(line) for line in stage.facts("agent_stderr")[-1]["lines"]) <= 64 << 10


@pytest.mark.rule("CTL-83")
async def test_an_agent_that_does_not_go_is_ended(tmp_path: Path) -> None:
    program = tmp_path / "agent.py"
    program.write_text(
        "import json, signal, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "line = json.loads(sys.stdin.readline())\n"
        "inner = {'subtype': 'success', 'request_id': line['request_id']}\n"
        "print(json.dumps({'type': 'control_response', 'response': inner}), flush=True)\n"
        "time.sleep(600)\n"
    )
    from craze.providers.control.declaration import Timeouts

    async with control(tmp_path, argv=(sys.executable, str(program)), timeouts=Timeouts(term=0.2)) as stage:
        await stage.ready()

    assert [json.loads(payload) for row, payload, _ in stage.rows if row == "exit"] == [{"signal": "SIGKILL"}]
