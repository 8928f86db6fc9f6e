"""Sessions that outlive their process, settings, sign-in, odd starts, and scripts of one's own."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from craze.transport import Exit
from tests.demo.client import Client, Json, Refused


async def told_again(cwd: Path, session: str, method: str) -> list[Json]:
    """What another process tells of a session."""
    async with Client(cwd) as client:
        await client.initialize()
        client.session = session
        await client.call(method, {"sessionId": session, "cwd": str(cwd), "mcpServers": []})
        assert await client.play("silent") == "end_turn"
    return [update for update in client.updates if update["sessionUpdate"] != "available_commands_update"]


async def make(cwd: Path, *prompts: str) -> Client:
    async with Client(cwd) as client:
        await client.open()
        for prompt in prompts:
            await client.play(prompt)
    return client


@pytest.mark.rule("ACP-171")
async def test_another_process_tells_a_session_as_it_was(tmp_path: Path) -> None:
    made = await make(tmp_path, "thought", "edit")

    told = await told_again(tmp_path, made.session, "session/load")

    users = [update["content"]["text"] for update in told if update["sessionUpdate"] == "user_message_chunk"]
    rest = [update for update in told if update["sessionUpdate"] != "user_message_chunk"]
    assert users == ["thought", "edit"]
    assert rest == [row for row in made.updates if row["sessionUpdate"] != "available_commands_update"]
    assert await told_again(tmp_path, made.session, "session/resume") == []


async def test_a_session_chooses_how_it_is_told(tmp_path: Path) -> None:
    empty = await make(tmp_path, "text", "emptyreplay")
    resumed = await make(tmp_path, "text", "replayresume")
    thin = await make(tmp_path, "thought", "read", "replaythin")

    assert await told_again(tmp_path, empty.session, "session/load") == []
    assert await told_again(tmp_path, resumed.session, "session/resume") != []
    kinds = [row["sessionUpdate"] for row in await told_again(tmp_path, thin.session, "session/load")]
    assert set(kinds) == {"user_message_chunk", "agent_message_chunk", "tool_call"}
    assert kinds.count("tool_call") == 1


@pytest.mark.rule("ACP-171")
async def test_sessions_are_listed_and_deleted_across_processes(tmp_path: Path) -> None:
    first, second = await make(tmp_path, "text"), await make(tmp_path, "title A fine name")

    async with Client(tmp_path) as client:
        await client.initialize()
        rows = (await client.call("session/list", {"cwd": str(tmp_path)}))["sessions"]
        await client.call("session/delete", {"sessionId": first.session})
        left = (await client.call("session/list", {"cwd": str(tmp_path)}))["sessions"]
        with pytest.raises(Refused) as missing:
            await client.call("session/load", {"sessionId": first.session, "cwd": str(tmp_path), "mcpServers": []})

    assert {row["sessionId"]: row["title"] for row in rows} == {first.session: "text", second.session: "A fine name"}
    assert [row["sessionId"] for row in left] == [second.session]
    assert missing.value.code == -32002


async def test_long_lists_come_in_pages(tmp_path: Path) -> None:
    async with Client(tmp_path) as client:
        await client.initialize()
        for _ in range(25):
            await client.call("session/new", {"cwd": str(tmp_path), "mcpServers": []})
        first = await client.call("session/list", {"cwd": str(tmp_path)})
        second = await client.call("session/list", {"cwd": str(tmp_path), "cursor": first["nextCursor"]})

    assert len({row["sessionId"] for row in first["sessions"] + second["sessions"]}) == 25
    assert "nextCursor" not in second


async def test_a_closed_session_is_unknown(tmp_path: Path) -> None:
    async with Client(tmp_path) as client:
        await client.open()
        answer = client.prompt("slow")
        await client.until(lambda: bool(client.of("agent_message_chunk")))
        await client.call("session/close", {"sessionId": client.session})
        assert (await asyncio.wait_for(answer, 20))["stopReason"] in ("cancelled", "end_turn")
        with pytest.raises(Refused) as unknown:
            await client.play("text")

    assert unknown.value.code == -32002


@pytest.mark.rule("ACP-171")
async def test_settings_are_offered_chosen_and_kept(tmp_path: Path) -> None:
    async with Client(tmp_path) as client:
        opened = await client.open()
        for option, value in (("model", "large-1[1m]"), ("effort", "low"), ("web", True)):
            params: Json = {"sessionId": client.session, "configId": option, "value": value}
            rows = (await client.call("session/set_config_option", params))["configOptions"]
        await client.call("session/set_mode", {"sessionId": client.session, "modeId": "plan"})
        with pytest.raises(Refused) as refused:
            await client.call("session/set_mode", {"sessionId": client.session, "modeId": "none"})

    async with Client(tmp_path) as again:
        await again.initialize()
        params = {"sessionId": client.session, "cwd": str(tmp_path), "mcpServers": []}
        kept = await again.call("session/load", params)

    assert [(row["category"], len(row.get("options", ()))) for row in opened["configOptions"]] == [
        ("mode", 3),
        ("model", 4),
        ("thought_level", 3),
        ("model_config", 0),
    ]
    assert [row["currentValue"] for row in rows] == ["code", "large-1[1m]", "low", True]
    assert [row["currentValue"] for row in kept["configOptions"]] == ["plan", "large-1[1m]", "low", True]
    assert refused.value.code == -32602


async def test_a_client_without_switches_gets_a_choice_of_two(tmp_path: Path) -> None:
    async with Client(tmp_path, offers={}) as client:
        opened = await client.open()

    assert opened["configOptions"][-1]["type"] == "select"


async def test_a_gate_may_lie(tmp_path: Path) -> None:
    async with Client(tmp_path) as client:
        await client.open()
        await client.play("gatelie")
        with pytest.raises(Refused) as refused:
            await client.call("session/list", {})

    assert refused.value.code == -32601


async def test_a_sign_in_is_wanted_and_works_both_ways(tmp_path: Path) -> None:
    async with Client(tmp_path, "--script", "login") as client:
        hello = await client.initialize()
        with pytest.raises(Refused) as refused:
            await client.open()
        await client.call("authenticate", {"methodId": "browser"})
        await client.open()
        await client.call("logout", {})
        with pytest.raises(Refused):
            await client.open()

        terminal = next(row for row in hello["authMethods"] if row.get("type") == "terminal")
        async with Client(tmp_path, *terminal["args"]) as signing_in:
            await signing_in.process.wait()
        await client.open()

    assert refused.value.code == -32000


async def test_what_may_come_before_the_first_prompt(tmp_path: Path) -> None:
    async with Client(tmp_path, "--script", "early", "--script", "banner", "--script", "noise") as client:
        await client.open()
        await client.until(lambda: len(client.texts("agent_message_chunk")) == 2)

    first = next(at for at, line in enumerate(client.lines) if b"session/update" in line)
    named = next(at for at, line in enumerate(client.lines) if b'"result":{"sessionId"' in line)
    assert first < named
    assert client.lines[0] == b"Loaded cached credentials."


async def test_an_older_agent_has_modes_and_models_alone(tmp_path: Path) -> None:
    async with Client(tmp_path, "--script", "legacy") as client:
        opened = await client.open()
        await client.call("session/set_model", {"sessionId": client.session, "modelId": "medium-1"})

    assert opened.keys() == {"sessionId", "modes", "models"}


@pytest.mark.parametrize(("name", "end"), [("crashstart", Exit(code=1)), ("exit0", Exit(code=0))])
async def test_an_agent_that_ends_before_it_answers(name: str, end: Exit, tmp_path: Path) -> None:
    async with Client(tmp_path, "--script", name) as client:
        with pytest.raises(Refused, match="the agent ended"):
            await client.initialize()
        await client.process.wait()

    assert client.end == end


async def test_an_agent_of_another_version_says_so(tmp_path: Path) -> None:
    async with Client(tmp_path, "--script", "v2only") as client:
        with pytest.raises(Refused) as refused:
            await client.initialize()

    assert refused.value.code == -32602


def played(script: list[Json], said: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    path = tmp_path / "script.jsonl"
    path.write_text("\n".join(json.dumps(step) for step in script))
    argv = [sys.executable, "-m", "craze.demo", "--play", str(path)]
    return subprocess.run(argv, input=said, capture_output=True, text=True, timeout=60, cwd=Path(__file__).parents[2])


@pytest.mark.rule("ACP-172")
def test_a_script_of_ones_own_is_played_step_by_step(tmp_path: Path) -> None:
    script: list[Json] = [
        {"expect": {"method": "session/new"}},
        {"reply": {"result": {"sessionId": "$sid"}}},
        {"expect": {"params": {"sessionId": "$sid", "prompt": [{"text": "hi"}]}}},
        {"repeat": 2, "send": {"method": "session/update", "params": {"sessionId": "$sid"}}},
        {"raw": "noise\n"},
        {"raw_b64": "/w=="},
        {"sleep_ms": 1},
        {"stderr": "a word"},
        {"exit": 3},
    ]
    said = '{"id":1,"method":"session/new"}\n{"id":2,"method":"session/prompt","params":{"sessionId":"demo-play","prompt":[{"text":"hi","x":1}]}}\n'
    path = tmp_path / "script.jsonl"
    path.write_text("\n".join(json.dumps(step) for step in script))
    argv = [sys.executable, "-m", "craze.demo", "--play", str(path)]
    run = subprocess.run(argv, input=said.encode(), capture_output=True, timeout=60, cwd=Path(__file__).parents[2])

    update = b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"demo-play"}}\n'
    assert run.stdout == b'{"jsonrpc":"2.0","id":1,"result":{"sessionId":"demo-play"}}\n' + update * 2 + b"noise\n\xff"
    assert (run.returncode, run.stderr) == (3, b"a word\n")


@pytest.mark.rule("ACP-172")
def test_a_script_ends_where_the_client_does_something_else(tmp_path: Path) -> None:
    run = played(
        [{"expect": {"method": "initialize", "params": {"a": {"b": 1}}}}],
        '{"id":1,"method":"initialize","params":{"a":{"b":2}}}\n',
        tmp_path,
    )

    assert run.returncode == 97
    assert run.stderr.startswith("line 1: $.params.a.b is 2, not 1 in")


@pytest.mark.rule("ACP-172")
def test_a_script_may_end_by_a_signal(tmp_path: Path) -> None:
    assert played([{"kill": "SIGKILL"}], "", tmp_path).returncode == -9


@pytest.mark.rule("ACP-172")
def test_a_step_that_nobody_knows_is_named(tmp_path: Path) -> None:
    run = played([{"dance": 1}], "", tmp_path)

    assert (run.returncode, run.stderr) == (2, "line 1: no step has the name dance\n")
