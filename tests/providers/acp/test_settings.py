"""Options, models and modes, and our changes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from craze.codec import encode
from craze.engine.intents import Set
from craze.engine.ports import Opened, Returned
from craze.providers.acp.settings import match
from tests.fakes.acp_bench import bench, opened, text, update
from tests.fakes.acp_lines import Lines
from tests.fakes.acp_session import stage

MODEL: dict[str, Any] = {
    "id": "m",
    "category": "model",
    "type": "select",
    "currentValue": "a",
    "options": [{"value": "a"}, {"value": "b"}],
}
SWITCH: dict[str, Any] = {"id": "fast", "type": "boolean", "name": "Fast", "currentValue": False}
MODES = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "plan", "name": "Plan"}]}


@pytest.mark.rule("ACP-106", "ENG-78")
def test_options_of_every_form_become_selects() -> None:
    lines = Lines(None)
    grouped = {
        "id": "g",
        "options": [
            {"group": "one", "name": "One", "options": [{"value": "x", "description": "d"}]},
            {"value": "y"},
            {"name": "no value"},
        ],
        "currentValue": "x",
    }

    lines.say("config_option_update", configOptions=[MODEL, SWITCH, grouped, {"id": "odd", "type": "slider"}])

    (event,) = lines.events("meta")
    assert event.state is not None
    assert event.state.config is not None
    options = {option.id: option for option in event.state.config.options}
    assert list(options) == ["m", "fast", "g"]
    assert (options["fast"].type, options["fast"].current) == ("boolean", "false")
    assert [value.value for value in options["fast"].select_values] == ["true", "false"]
    assert [value.value for value in options["g"].select_values] == ["x", "y"]
    assert event.state.model == "a"
    assert lines.lints == {"unknown-option-type": 1}


@pytest.mark.rule("ACP-T42", "ENG-72")
def test_a_mode_of_the_agent_is_marked_as_its_own() -> None:
    lines = Lines(None)

    lines.say("current_mode_update", modeId="plan")

    assert [encode(event) for event in lines.events("meta")] == [
        b'{"type":"meta","mode":"plan","state":{"mode":"plan"},"at":"2026-01-01T00:00:00Z"}'
    ]
    assert lines.lints == {"mode-key": 1}


@pytest.mark.rule("ACP-109")
def test_an_equal_list_says_nothing() -> None:
    lines = Lines(None)

    lines.say("config_option_update", configOptions=[MODEL])
    lines.say("config_option_update", configOptions=[MODEL])

    assert len(lines.events("meta")) == 1


@pytest.mark.rule("ACP-190")
def test_an_option_named_mode_counts_when_there_is_no_other() -> None:
    lines = Lines(None)

    lines.say(
        "config_option_update",
        configOptions=[{"id": "mode", "type": "select", "currentValue": "x", "options": [{"value": "x"}]}],
    )

    (event,) = lines.events("meta")
    assert event.state is not None
    assert event.state.mode == "x"


@pytest.mark.rule("ACP-108", "ACP-109", "ACP-T40")
async def test_a_switch_is_set_by_its_type_and_its_news_carries_the_cause(tmp_path: Path) -> None:
    on = {**SWITCH, "currentValue": True}
    steps = [
        *opened(configOptions=[SWITCH]),
        {"expect": {"method": "session/set_config_option"}},
        {"batch": [{"reply": {"result": {"configOptions": [on]}}}, text("after")["send"]]},
    ]
    async with stage(tmp_path, *steps) as test:
        await test.ready()
        await test.send(Set(kind="config", id="fast", value="true"))
        await test.until(lambda: test.of("text"))

        assert test.sent("session/set_config_option")[0]["params"] == {
            "sessionId": "s",
            "configId": "fast",
            "type": "boolean",
            "value": True,
        }
        news = test.keys("meta", "text")[-2:]
        assert (news[0].get("cause"), news[1]["type"]) == ("c-1/1", "text")
        assert news[0]["state"]["config"]["options"][0]["current"] == "true"


@pytest.mark.rule("ACP-107", "ACP-108", "ACP-T41")
async def test_models_and_modes_of_the_older_form_are_options_that_craze_makes(tmp_path: Path) -> None:
    models = {"currentModelId": "a", "availableModels": [{"modelId": "a", "name": "A"}, {"modelId": "b", "name": "B"}]}
    steps = [
        *opened(models=models, modes=MODES),
        {"expect": {"method": "session/set_model", "params": {"modelId": "b"}}},
        {"reply": {"result": {}}},
        {"expect": {"method": "session/set_mode", "params": {"modeId": "plan"}}},
        {"reply": {"result": None}},
    ]
    async with stage(tmp_path, *steps) as test:
        await test.ready()
        await test.send(Set(kind="model", value="b"))
        await test.send(Set(kind="mode", value="plan"))

        metas = [event for event in test.of("meta") if event.state and event.state.config]
        assert [(event.state.model, event.state.mode, event.cause, event.mode) for event in metas if event.state] == [
            ("a", "ask", "", "ask"),
            ("b", None, "c-1/1", ""),
            (None, "plan", "c-1/2", ""),
        ]


@pytest.mark.rule("ACP-109", "ACP-T90")
@pytest.mark.parametrize(
    ("pushed", "expected"), [("plan", [("plan", "c-1/1", "")]), ("ask2", [("ask2", "", "ask2"), ("plan", "c-1/1", "")])]
)
async def test_a_value_pushed_before_the_answer_is_ours_only_when_it_was_asked_for(
    tmp_path: Path, pushed: str, expected: Any
) -> None:
    option = {
        "id": "mode",
        "category": "mode",
        "type": "select",
        "currentValue": "ask",
        "options": [{"value": "ask"}, {"value": "plan"}, {"value": "ask2"}],
    }
    steps = [
        *opened(configOptions=[option]),
        {"expect": {"method": "session/set_config_option"}},
        update("current_mode_update", currentModeId=pushed),
        {"reply": {"result": {"configOptions": [{**option, "currentValue": "plan"}]}}},
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Opened)
        test.provider.set("c-1/1", Set(kind="mode", value="plan"))
        await test.one(Returned)

        said = [(event.state.mode, event.cause, event.mode) for event in test.events("meta") if event.state]
        assert said[1:] == expected


@pytest.mark.rule("ACP-108")
async def test_an_answer_without_a_list_does_not_undo_what_an_update_said(tmp_path: Path) -> None:
    steps = [
        *opened(modes=MODES),
        {"expect": {"method": "session/set_mode"}},
        update("current_mode_update", currentModeId="auto"),
        {"reply": {"result": {}}},
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Opened)
        test.provider.set("c-1/1", Set(kind="mode", value="plan"))
        await test.one(Returned)

        assert [event.state.mode for event in test.events("meta") if event.state] == ["ask", "auto"]


@pytest.mark.rule("ACP-T96", "ACP-175", "ACP-108")
async def test_a_refused_change_keeps_the_old_value_and_may_lose_its_gate(tmp_path: Path) -> None:
    steps = [
        *opened(modes=MODES),
        {"expect": {"method": "session/set_mode"}},
        {"reply": {"error": {"code": -32603, "message": "not now"}}},
        {"expect": {"method": "session/set_mode"}},
        {"reply": {"error": {"code": -32601, "message": "Method not found"}}},
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Opened)
        test.provider.set("c-1/1", Set(kind="mode", value="plan"))
        refused = await test.one(Returned)
        test.provider.set("c-1/2", Set(kind="mode", value="plan"))
        await test.one(Returned, 2)

        assert refused.failure.message == "not now"
        last = test.events("meta")[-1].state
        assert last is not None
        assert last.config is not None
        assert [value.value for value in last.config.options[0].select_values] == ["ask"]
        assert {event.state.mode for event in test.events("meta") if event.state} == {"ask", None}
        assert test.lints() == {"gate-lied": 1}


@pytest.mark.rule("ACP-111")
@pytest.mark.parametrize(
    ("wanted", "value"), [("b1", "b1"), ("Beta One", "b1"), ("beta t", "b2"), ("beta", None), ("", None), ("zz", None)]
)
def test_a_value_is_found_by_id_name_or_a_prefix_of_its_own(wanted: str, value: str | None) -> None:
    from craze.codec import ConfigOption, SelectValue

    rows = (SelectValue(value="b1", name="beta one"), SelectValue(value="b2", name="Beta Two"))

    assert match(ConfigOption(id="m", select_values=rows), wanted) == value
