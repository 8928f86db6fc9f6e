"""From the start of the process to a session that is ready, and everything that may go wrong on the way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from craze.codec import Event
from craze.engine.facts import Fact
from craze.engine.intents import Authenticate, Set, Submit
from craze.engine.ports import Opened, Returned, Start, TurnEnded
from craze.providers.acp.declaration import McpServer
from tests.fakes.acp_bench import bench, initialized, opened, prompted, text, update
from tests.fakes.acp_session import stage

NEW = {"expect": {"method": "session/new"}}
OPTIONS = [
    {
        "id": "model",
        "category": "model",
        "type": "select",
        "name": "Model",
        "currentValue": "a",
        "options": [{"value": "a", "name": "Alpha"}, {"value": "b", "name": "Beta"}],
    },
    {
        "id": "mode",
        "category": "mode",
        "type": "select",
        "currentValue": "x",
        "options": [{"value": "x"}, {"value": "y"}],
    },
]


def changed(option: int, value: str) -> list[dict[str, Any]]:
    return [{**held, "currentValue": value} if at == option else held for at, held in enumerate(OPTIONS)]


@pytest.mark.rule("ACP-27", "ACP-T64")
@pytest.mark.parametrize("fs", [False, True])
async def test_initialize_offers_files_only_when_declared(tmp_path: Path, fs: bool) -> None:
    async with bench(tmp_path, *opened(), fs=fs) as test:
        test.open()
        await test.one(Opened)

        params = test.sent("initialize")[0]["params"]
        offered = params["clientCapabilities"]
        assert offered.pop("fs", None) == ({"readTextFile": True, "writeTextFile": True} if fs else None)
        assert params["protocolVersion"] == 1
        assert offered == {
            "terminal": True,
            "session": {"configOptions": {"boolean": {}}, "compaction": {}, "notices": {}},
            "subagents": {},
            "auth": {"terminal": True},
            "elicitation": {"form": {}},
            "_meta": {"terminal_output": True, "terminal_output_delta": True, "terminal-auth": True},
        }


@pytest.mark.rule("CLI-41")
async def test_an_agent_that_is_only_greeted_says_what_it_is_and_gets_no_session(tmp_path: Path) -> None:
    start = Start(workspace=str(tmp_path), greets_only=True, settings=(Set(kind="model", value="b"),))
    greeted = initialized(
        agentInfo={"name": "a", "version": "2"},
        agentCapabilities={"loadSession": True},
        authMethods=[{"id": "key", "name": "Key"}],
    )
    async with bench(tmp_path, *greeted, start=start, auth="key") as test:
        test.open()
        ready = await test.one(Opened)
        await test.provider.close(1.0)

        assert (ready.info.agent, ready.info.version, ready.info.provider_session) == ("a", "2", "")
        assert "reopen" in ready.info.can
        assert [row["id"] for row in test.facts("login")[0]["methods"]] == ["key"]
        assert [line["method"] for line in test.sent()] == ["initialize"]


@pytest.mark.rule("ACP-25")
async def test_each_session_has_a_process_of_its_own(tmp_path: Path) -> None:
    places = [tmp_path / name for name in ("one", "two")]
    for place in places:
        place.mkdir()
    steps = [*opened(), *prompted(text("hi"))]
    async with bench(places[0], *steps) as one, bench(places[1], *steps) as two:
        for test in (one, two):
            test.open()
            await test.one(Opened)
        await one.provider.close(1.0)
        two.prompt("go on")

        assert (await two.one(TurnEnded)).stop_reason == "end_turn"
        assert [len(test.sent("initialize")) for test in (one, two)] == [1, 1]


@pytest.mark.rule("ACP-27")
async def test_what_is_switched_off_is_not_offered(tmp_path: Path) -> None:
    start = Start(workspace=str(tmp_path), answers_questions=False)
    async with bench(tmp_path, *opened(), start=start, terminal=False, subagents=False) as test:
        test.open()
        await test.one(Opened)

        offered = test.sent("initialize")[0]["params"]["clientCapabilities"]
        assert {"terminal", "subagents", "elicitation", "fs"} & offered.keys() == set()


@pytest.mark.rule("ACP-4", "ACP-T1")
async def test_a_printed_line_before_the_answer_is_noise(tmp_path: Path) -> None:
    async with bench(tmp_path, {"raw": "Loaded cached credentials.\nhello\n"}, *opened()) as test:
        test.open()
        await test.one(Opened)

        assert test.lints() == {"noise": 1}


@pytest.mark.rule("ACP-13", "ACP-T7")
async def test_an_answer_with_its_id_as_text_counts(tmp_path: Path) -> None:
    steps = [*initialized(), NEW, {"send": {"jsonrpc": "2.0", "id": "2", "result": {"sessionId": "s"}}}]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Opened)

        assert test.lints() == {"id-as-string": 1}


@pytest.mark.rule("ACP-29", "ACP-T13")
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            {"error": {"code": -32602, "message": "Invalid", "data": {"errors": [{"loc": ["info"]}]}}},
            "speaks only ACP v2",
        ),
        ({"error": {"code": -32022, "message": "version"}}, "speaks only ACP v2"),
        ({"result": {"protocolVersion": 2}}, "speaks ACP version 2, craze speaks version 1"),
        ({"error": {"code": -32603, "message": "broken"}}, "broken"),
    ],
)
async def test_an_agent_of_another_version_is_named_and_stopped(tmp_path: Path, answer: Any, words: str) -> None:
    async with bench(tmp_path, {"expect": {"method": "initialize"}}, {"reply": answer}) as test:
        test.open()
        returned = await test.one(Returned)
        await test.until(lambda: [row for row in test.rows if row[0] == "exit"])

        assert returned.call == "open"
        assert words in returned.failure.message
        assert test.of(Opened) == []


@pytest.mark.rule("ACP-29")
@pytest.mark.parametrize("version", ["1", None])
async def test_a_version_that_is_not_quite_told_counts_as_one(tmp_path: Path, version: Any) -> None:
    steps = [*initialized(protocolVersion=version), NEW, {"reply": {"result": {"sessionId": "s"}}}]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Opened)

        assert test.lints() == {"protocol-version": 1}


@pytest.mark.rule("ACP-30", "ACP-24", "ACP-T78")
@pytest.mark.parametrize(
    ("steps", "error_class", "words"),
    [
        (
            [{"raw": "no longer maintained\n"}, {"exit": 0}],
            "agent_exited",
            ["before it answered", "no longer maintained"],
        ),
        ([{"stderr": "oh\nno\n"}, {"exit": 1}], "agent_exit_status", ["status 1 before it answered", "oh\nno"]),
        ([{"kill": "SIGKILL"}], "agent_exit_status", ["killed by SIGKILL"]),
    ],
)
async def test_an_agent_that_ends_at_once_is_shown_with_what_it_said(
    tmp_path: Path, steps: Any, error_class: str, words: list[str]
) -> None:
    async with stage(tmp_path, *steps) as test:
        (error,) = await test.until(lambda: test.of("error"))

        assert error.err.error_class == error_class
        assert all(word in error.err.message for word in [*words, "command:"])
        assert test.session.view.status == "stopped"


@pytest.mark.rule("ACP-20", "ACP-T95")
async def test_a_missing_program_is_a_row_and_one_error(tmp_path: Path) -> None:
    async with stage(tmp_path, argv=("no-such-agent",), install_hint="install it") as test:
        (error,) = await test.until(lambda: test.of("error"))

        assert "cannot start no-such-agent" in error.err.message
        assert [json.loads(line).keys() for row, line, _ in test.rows if row == "exit"] == [{"error"}]
        assert test.session.view.status == "stopped"


@pytest.mark.rule("ACP-38", "ACP-39", "ACP-T14")
async def test_tool_servers_have_all_keys_and_no_type_when_local(tmp_path: Path) -> None:
    servers = (
        McpServer(name="local", command="sh", env={"A": "b"}),
        McpServer(name="far", type="http", url="https://x.org"),
        McpServer(name="farther", type="sse", url="https://y.org"),
    )
    steps = opened({"mcpCapabilities": {"http": True}})
    async with bench(tmp_path, *steps, mcp_servers=servers) as test:
        test.open()
        await test.one(Opened)

        local, far = test.sent("session/new")[0]["params"]["mcpServers"]
        assert local.pop("command").endswith("/sh")
        assert local == {"name": "local", "args": [], "env": [{"name": "A", "value": "b"}]}
        assert far == {"type": "http", "name": "far", "url": "https://x.org", "headers": []}
        assert ["farther" in notice["text"] for notice in test.facts("notice")] == [True]


@pytest.mark.rule("ACP-38")
async def test_no_tool_servers_are_an_empty_list(tmp_path: Path) -> None:
    async with bench(tmp_path, *opened()) as test:
        test.open()
        await test.one(Opened)

        assert test.sent("session/new")[0]["params"] == {"cwd": str(test.folder), "mcpServers": []}


@pytest.mark.rule("ACP-31", "ACP-121", "ACP-T15", "ENG-22")
async def test_what_came_early_is_applied_before_the_session_is_ready(tmp_path: Path) -> None:
    steps = [
        *initialized(),
        NEW,
        update("available_commands_update", availableCommands=[{"name": "x", "description": "d"}]),
        text("early"),
        {"sleep_ms": 50},
        {"reply": {"result": {"sessionId": "$sid", "configOptions": OPTIONS}}},
        *prompted(text("late")),
    ]
    async with stage(tmp_path, *steps) as test:
        await test.send(Submit(text="go"))
        await test.ended()

        order = [
            "commands"
            if event.state and event.state.commands
            else "model"
            if event.state and event.state.model
            else (event.turn.phase if event.turn else event.text)
            for event in test.events
            if event.type in ("text", "turn") or (event.state and (event.state.commands or event.state.model))
        ]
        assert order == ["commands", "early", "model", "started", "late", "ended"]


@pytest.mark.rule("ACP-194", "ACP-T83")
async def test_further_folders_go_with_every_opening(tmp_path: Path) -> None:
    can = {"loadSession": True, "sessionCapabilities": {"additionalDirectories": {}}}
    steps = [
        *initialized(agentCapabilities=can),
        {"expect": {"method": "session/load", "params": {"sessionId": "old", "additionalDirectories": ["/lib"]}}},
        {"reply": {"result": None}},
    ]
    start = Start(workspace=str(tmp_path), dirs=("/lib", str(tmp_path), "/lib"), reopen="old")
    async with bench(tmp_path, *steps, start=start) as test:
        test.open()
        info = (await test.one(Opened)).info

        assert info.provider_session == "old"


@pytest.mark.rule("ACP-38", "ACP-T83")
async def test_further_folders_without_the_capability_end_the_start(tmp_path: Path) -> None:
    start = Start(workspace=str(tmp_path), dirs=("/lib",))
    async with bench(tmp_path, *initialized(), start=start) as test:
        test.open()
        returned = await test.one(Returned)

        assert "fake takes no further folders" in returned.failure.message
        assert test.sent("session/new") == []


@pytest.mark.rule("ACP-197", "ACP-28", "ACP-T87")
@pytest.mark.parametrize(
    ("can", "names"),
    [
        ({}, {"cancel_subagent"}),
        ({"loadSession": True}, {"cancel_subagent", "reopen"}),
        (
            {
                "promptCapabilities": {"image": True},
                "auth": {"logout": {}},
                "sessionCapabilities": {"resume": {}, "list": {}, "delete": True},
            },
            {"cancel_subagent", "reopen", "images", "logout", "list", "delete"},
        ),
        (
            {"loadSession": "yes", "sessionCapabilities": {"resume": None, "list": False}, "auth": 7},
            {"cancel_subagent"},
        ),
    ],
)
async def test_capabilities_are_read_in_both_forms(tmp_path: Path, can: Any, names: set[str]) -> None:
    async with bench(tmp_path, *opened(can)) as test:
        test.open()
        info = (await test.one(Opened)).info

        assert info.can == names


@pytest.mark.rule("ACP-32", "ACP-33", "ACP-34", "ACP-35", "ACP-T12")
async def test_a_sign_in_is_offered_and_the_opening_goes_on(tmp_path: Path) -> None:
    methods = [
        {"id": "oauth", "name": "Account"},
        {"id": "cli", "type": "terminal", "args": ["login"], "env": {"A": "b"}},
        {"id": "full", "_meta": {"terminal-auth": {"command": "/bin/login", "args": ["-x"]}}},
        {"id": "odd", "type": "quantum", "description": "what"},
    ]
    steps = [
        *initialized(authMethods=methods),
        NEW,
        {"reply": {"error": {"code": -32000, "message": "Authentication required"}}},
        {"expect": {"method": "authenticate", "params": {"methodId": "oauth"}}},
        {"reply": {"result": {}}},
        NEW,
        {"reply": {"result": {"sessionId": "$sid"}}},
    ]
    async with stage(tmp_path, *steps) as test:
        (login,) = await test.until(lambda: test.facts("login"))
        assert login["required"]
        assert test.session.view.status == "starting"
        await test.send(Authenticate(method="oauth"))
        await test.ready()

        kinds = {method["id"]: (method.get("kind", "agent"), method.get("command", [])) for method in login["methods"]}
        assert kinds["oauth"] == ("agent", [])
        assert kinds["cli"][0] == "terminal"
        assert kinds["cli"][1][-1] == "login"
        assert kinds["full"] == ("terminal", ["/bin/login", "-x"])
        assert kinds["odd"] == ("quantum", [])
        assert [line["params"] for line in test.sent("authenticate")] == [{"methodId": "oauth"}]
        assert test.of("error") == []


@pytest.mark.rule("ACP-33", "ACP-35")
async def test_a_terminal_method_is_never_sent_to_authenticate(tmp_path: Path) -> None:
    steps = [
        *initialized(authMethods=[{"id": "cli", "type": "terminal"}]),
        NEW,
        {"reply": {"error": {"code": -32603, "message": "authentication required, please"}}},
        NEW,
        {"reply": {"result": {"sessionId": "$sid"}}},
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.until(lambda: test.facts("login"))
        test.provider.authenticate("c-1/1", "cli")
        await test.one(Opened)

        assert test.of(Returned) == [Returned(call="c-1/1")]
        assert test.sent("authenticate") == []


@pytest.mark.rule("ACP-32")
async def test_a_declared_method_signs_in_before_anything_else(tmp_path: Path) -> None:
    steps = [
        *initialized(authMethods=[{"id": "key"}]),
        {"expect": {"method": "authenticate", "params": {"methodId": "key"}}},
        {"reply": {"result": None}},
        NEW,
        {"reply": {"result": {"sessionId": "$sid"}}},
    ]
    async with bench(tmp_path, *steps, auth="key") as test:
        test.open()
        await test.one(Opened)


@pytest.mark.rule("ACP-41")
@pytest.mark.parametrize(
    ("can", "history", "answers", "methods"),
    [
        ({"loadSession": True, "sessionCapabilities": {"resume": {}}}, True, [None], ["session/resume"]),
        ({"loadSession": True, "sessionCapabilities": {"resume": {}}}, False, [None], ["session/load"]),
        (
            {"loadSession": True, "sessionCapabilities": {"resume": {}}},
            True,
            [-32601, None],
            ["session/resume", "session/load"],
        ),
        ({"sessionCapabilities": {"resume": {}}}, False, [None], ["session/resume"]),
    ],
)
async def test_a_session_is_reopened_by_what_the_agent_offers(
    tmp_path: Path, can: Any, history: bool, answers: list[Any], methods: list[str]
) -> None:
    replies: list[Any] = []
    for method, code in zip(methods, answers, strict=True):
        answer = {"error": {"code": code, "message": "no"}} if code else {"result": {}}
        replies += [{"expect": {"method": method, "params": {"sessionId": "old"}}}, {"reply": answer}]
    start = Start(workspace=str(tmp_path), reopen="old", has_history=history)
    async with bench(tmp_path, *initialized(agentCapabilities=can), *replies, start=start) as test:
        test.open()
        await test.one(Opened)

        assert [line["method"] for line in test.sent()][1:] == methods


@pytest.mark.rule("ACP-41", "ACP-174")
@pytest.mark.parametrize(
    ("can", "answer", "words"),
    [
        ({}, None, "this agent cannot reopen sessions"),
        ({"loadSession": True}, {"error": {"code": -32002, "message": "x"}}, "the agent no longer has this session"),
        ({"loadSession": True}, {"error": {"code": -32603, "message": "odd"}}, "could not reopen: odd"),
        ({"loadSession": True}, {"result": {"stopReason": "refusal"}}, "could not reopen"),
    ],
)
async def test_a_session_that_cannot_be_reopened_is_never_silently_a_fresh_one(
    tmp_path: Path, can: Any, answer: Any, words: str
) -> None:
    replies = [{"expect": {"method": "session/load"}}, {"reply": answer}] if answer else []
    start = Start(workspace=str(tmp_path), reopen="old")
    async with bench(tmp_path, *initialized(agentCapabilities=can), *replies, start=start) as test:
        test.open()
        returned = await test.one(Returned)

        assert words in returned.failure.message
        assert test.sent("session/new") == []


@pytest.mark.rule("ACP-111")
async def test_start_settings_are_written_one_after_another_before_ready(tmp_path: Path) -> None:
    steps = [
        *opened(configOptions=OPTIONS),
        {"expect": {"method": "session/set_config_option", "params": {"configId": "model", "value": "b"}}},
        {"reply": {"result": {"configOptions": changed(0, "b")}}},
        {"expect": {"method": "session/set_config_option", "params": {"configId": "mode", "value": "y"}}},
        {"reply": {"error": {"code": -32603, "message": "no"}}},
    ]
    settings = (Set(kind="mode", value="Y"), Set(kind="model", value="be"))
    start = Start(workspace=str(tmp_path), settings=settings)
    async with bench(tmp_path, *steps, start=start) as test:
        test.open()
        await test.one(Opened)

        assert [event.state.model for event in test.events("meta") if event.state] == ["a", "b"]
        assert {event.cause for event in test.events("meta")} == {""}
        assert ["y was refused: no; x holds" in notice["text"] for notice in test.facts("notice")] == [True]
        assert isinstance(test.reports[-1], Opened)


@pytest.mark.rule("ACP-111")
async def test_a_start_setting_that_is_not_offered_ends_the_start(tmp_path: Path) -> None:
    start = Start(workspace=str(tmp_path), settings=(Set(kind="model", value="zeta"),))
    async with bench(tmp_path, *opened(configOptions=OPTIONS), start=start) as test:
        test.open()
        returned = await test.one(Returned)

        assert "no Model zeta; there is: a, b" in returned.failure.message


@pytest.mark.rule("ACP-178")
async def test_the_mode_is_the_agents_unless_one_is_asked_for(tmp_path: Path) -> None:
    async with bench(tmp_path, *opened(configOptions=OPTIONS)) as test:
        test.open()
        await test.one(Opened)

        assert [line["method"] for line in test.sent()] == ["initialize", "session/new"]
        assert [event.state.mode for event in test.events("meta") if event.state] == ["x"]


@pytest.mark.rule("ACP-107")
async def test_a_config_option_wins_over_the_older_form(tmp_path: Path) -> None:
    models = {"currentModelId": "old", "availableModels": [{"modelId": "old"}]}
    async with bench(tmp_path, *opened(configOptions=OPTIONS, models=models)) as test:
        test.open()
        await test.one(Opened)

        (state,) = [event.state for event in test.events("meta") if event.state]
        assert state.model == "a"
        assert state.config is not None
        assert [option.id for option in state.config.options] == ["model", "mode"]


@pytest.mark.rule("ACP-17")
async def test_a_session_that_comes_too_late_is_closed(tmp_path: Path) -> None:
    steps = [
        *initialized(agentCapabilities={"sessionCapabilities": {"close": {}}}),
        NEW,
        {"expect": {"method": "$/cancel_request"}},
        {"send": {"jsonrpc": "2.0", "id": 2, "result": {"sessionId": "late"}}},
        {"expect": {"method": "session/close", "params": {"sessionId": "late"}}},
        {"ignore_eof": True},
        {"sleep_ms": 60_000},
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.until(lambda: test.sent("session/new"))
        test.provider.fired("provider:request:2", test.clock.now())
        await test.until(lambda: test.sent("session/close"))

        assert test.lints() == {"late-response": 1}


@pytest.mark.rule("ACP-87")
async def test_a_form_before_the_session_exists_belongs_to_no_turn(tmp_path: Path) -> None:
    from craze.engine.answers import Skip
    from craze.engine.ports import AskOpened

    params = {"requestId": 2, "message": "Trust?", "requestedSchema": {"properties": {"yes": {"type": "boolean"}}}}
    steps = [
        *initialized(),
        NEW,
        {"send": {"jsonrpc": "2.0", "id": 9, "method": "elicitation/create", "params": params}},
        {"expect": {"id": 9, "result": {"action": "decline"}}},
        {"send": {"jsonrpc": "2.0", "id": 2, "result": {"sessionId": "s"}}},
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        opening = await test.one(AskOpened)
        test.provider.answer(opening.key, Skip())
        await test.one(Opened)

        assert not opening.of_turn


@pytest.mark.rule("ACP-201", "ACP-17")
async def test_an_initialize_without_an_answer_ends_by_its_timer(tmp_path: Path) -> None:
    async with bench(tmp_path, {"expect": {"method": "initialize"}}) as test:
        test.open()
        await test.until(lambda: test.sent("initialize"))
        assert (120.0, "provider:request:1") in test.clock.timers
        test.provider.fired("provider:request:1", test.clock.now())

        returned = await test.one(Returned)
        assert "no answer to initialize" in returned.failure.message
        assert test.sent("$/cancel_request")[0]["params"] == {"requestId": 1}


@pytest.mark.rule("ACP-35")
async def test_a_second_refusal_after_signing_in_restarts_the_process_once(tmp_path: Path) -> None:
    steps = [
        *initialized(authMethods=[{"id": "key"}]),
        NEW,
        {"reply": {"error": {"code": -32000, "message": "no"}}},
        {"expect": {"method": "authenticate"}},
        {"reply": {"result": {}}},
        NEW,
        {"reply": {"error": {"code": -32000, "message": "no"}}},
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.until(lambda: test.facts("login"))
        test.provider.authenticate("c-1/1", "key")
        failed = await test.one(Returned, 2)

        assert failed.failure.error_class == "auth"
        assert len(test.sent("initialize")) == 2


@pytest.mark.rule("ENG-104")
async def test_the_provider_writes_no_event_that_is_the_engines(tmp_path: Path) -> None:
    async with bench(tmp_path, *opened(configOptions=OPTIONS), *prompted(text("x"))) as test:
        test.open()
        await test.one(Opened)
        test.prompt("go")
        await test.until(lambda: len(test.events("text")) == 1)

        engines = {"turn", "queue", "ask", "done", "foreign_turn", "tool", "permission", "question", "plan"}
        assert not engines & {report.type for report in test.reports if isinstance(report, Event)}
        assert {report.kind for report in test.reports if isinstance(report, Fact)} <= {"details", "usage", "notice"}
