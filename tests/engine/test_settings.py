"""Settings one at a time, sections as the agent says them, and the title."""

from __future__ import annotations

import pytest

from craze.codec import (
    Catalog,
    CatalogModel,
    CommandInfo,
    Commands,
    Config,
    ConfigOption,
    Event,
    Failure,
    SelectValue,
    State,
)
from craze.engine.facts import details
from craze.engine.intents import Accepted, Reconnect, Refused, Set, Submit
from craze.engine.limits import SET_TIMEOUT
from craze.engine.ports import Gone, Kept, Open, Returned, SaveKept, StartTimer, TurnEnded, WriteSet
from tests.fakes.core import Bench, failed, lines

MODEL, MODE = Set(kind="model", value="m2"), Set(kind="mode", value="plan")


def config(model: str = "m1", mode: str = "code") -> Event:
    def choices(*values: str) -> tuple[SelectValue, ...]:
        return tuple(SelectValue(value=value, name=value.upper()) for value in values)

    options = (
        ConfigOption(id="model", category="model", current=model, select_values=choices("m1", "m2")),
        ConfigOption(id="mode", category="mode", current=mode, select_values=choices("code", "plan")),
        ConfigOption(id="fast", name="Fast", current="false", select_values=choices("true", "false")),
    )
    return Event("meta", state=State(config=Config(options=options)))


def offering(**more) -> Bench:
    bench = Bench(**more)
    bench.give((config(),))
    return bench


def written(bench: Bench) -> list[str]:
    return [effect.setting.value for effect in bench.did if isinstance(effect, WriteSet)]


@pytest.mark.rule("ENG-73", "ENG-132", "ENG-135")
def test_settings_go_to_the_agent_one_after_another() -> None:
    bench = offering()

    assert bench.send(MODEL) is None
    assert bench.last.effects == (
        WriteSet(call="c-1/1", setting=MODEL),
        StartTimer(timer="set-timeout:c-1/1", seconds=SET_TIMEOUT),
    )
    assert bench.send(MODE) is None
    assert written(bench) == ["m2"]

    bench.report(config(model="m2"), Returned(call="c-1/1"))

    assert bench.results["c-1/1"] == Accepted()
    assert written(bench) == ["m2", "plan"]


@pytest.mark.rule("ENG-73")
@pytest.mark.parametrize(
    "wish",
    [
        Set(kind="model", value="m3"),
        Set(kind="mode", value="yolo"),
        Set(kind="config", id="fast", value="maybe"),
        Set(kind="config", id="slow", value="true"),
    ],
)
def test_only_what_is_offered_is_sent(wish: Set) -> None:
    bench = offering()

    result = bench.send(wish)

    assert isinstance(result, Refused)
    assert result.code == "bad_request"
    assert (bench.last.out, bench.last.effects) == ((), ())


@pytest.mark.rule("ENG-73", "ENG-127")
def test_a_model_of_the_catalog_can_be_chosen() -> None:
    bench = Bench()
    models = (CatalogModel(id="m1", name="One"), CatalogModel(id="m2", name="Two"))
    bench.report(Event("meta", state=State(catalog=Catalog(models=models, revision=1))))

    assert bench.send(MODEL) is None
    assert isinstance(bench.send(Set(kind="model", value="m3")), Refused)
    assert bench.view.state.slash is not None
    assert "model" in {item.name for item in bench.view.state.slash.items}


@pytest.mark.rule("ENG-73", "ENG-111", "ENG-72")
def test_a_refused_setting_is_told_to_every_reader_and_the_value_stays() -> None:
    bench = offering()
    bench.send(MODEL)

    step = bench.give((Returned(call="c-1/1", failure=Failure(message="not today", error_class="rpc", code=-32602)),))

    assert lines(step) == ['{"type":"meta","state":{"reason":"set_refused","detail":"not today"}}']
    assert isinstance(step.out[0], Event)
    assert step.out[0].cause == "c-1/1"
    result = bench.results["c-1/1"]
    assert isinstance(result, Refused)
    assert (result.code, result.detail["message"]) == ("failed", "not today")
    assert bench.view.state.config is not None
    assert bench.view.state.config.options[0].current == "m1"


@pytest.mark.rule("ENG-74", "ENG-135")
def test_a_setting_without_an_answer_has_an_unknown_outcome_and_the_next_goes_on() -> None:
    bench = offering()
    bench.send(MODEL)
    bench.send(MODE)

    assert bench.fire("set-timeout:c-1/1") == []
    assert bench.results["c-1/1"] == Refused(code="failed", detail={"message": "outcome_unknown"})
    assert written(bench) == ["m2", "plan"]
    assert bench.report(Returned(call="c-1/1", failure=failed())) == []
    bench.report(Returned(call="c-1/2"))
    assert bench.fire("set-timeout:c-1/2") == []
    assert bench.results["c-1/2"] == Accepted()


@pytest.mark.rule("ENG-74", "ENG-71")
def test_the_view_is_what_the_agent_last_said_whoever_asked() -> None:
    bench = offering()
    bench.send(MODEL)

    bench.report(config(model="m2"))
    bench.report(config(model="m1"))
    bench.report(Returned(call="c-1/1"))

    assert bench.view.state.config is not None
    assert bench.view.state.config.options[0].current == "m1"


@pytest.mark.rule("ENG-72", "ENG-71")
def test_a_section_that_is_held_already_is_not_published_again() -> None:
    bench = offering()

    assert bench.report(config()) == []
    again = Event("meta", state=State(config=config().state.config, title="new"), text="new")  # type: ignore[union-attr]
    assert bench.report(again) == ['{"type":"meta","text":"new","state":{"title":"new"}}']
    assert bench.report(Event("meta")) == ['{"type":"meta"}']


@pytest.mark.rule("ENG-72")
def test_what_the_provider_marked_as_ours_keeps_its_cause() -> None:
    bench = offering()
    bench.send(MODEL)

    step = bench.give((Event("meta", state=State(model="m2"), cause="c-1/1"), Returned(call="c-1/1")))

    assert [event.cause for event in step.out if isinstance(event, Event)] == ["c-1/1"]


@pytest.mark.rule("ENG-77", "ENG-123")
def test_a_list_of_commands_restates_the_slash_section_beside_it() -> None:
    bench = offering()
    bench.report(details("commands", {"commands": [{"name": "review", "hint": "[file]"}]}))

    said = bench.give((_commands("review"),))

    delta = said.out[0].state  # type: ignore[union-attr]
    assert delta is not None
    assert delta.slash is not None
    assert [item.name for item in delta.slash.items if item.source == "agent"] == ["review"]
    later = bench.give((_commands(),)).out[0].state  # type: ignore[union-attr]
    assert later is not None
    assert later.slash is not None
    assert not [item for item in later.slash.items if item.source == "agent"]


def test_argument_hints_that_make_no_sense_are_passed_over() -> None:
    bench = offering()
    bench.report(details("commands", {"commands": [{"name": 7}]}))

    assert bench.give((_commands("review"),)).out


def _commands(*names: str) -> Event:
    return Event("meta", state=State(commands=Commands(commands=tuple(CommandInfo(name=name) for name in names))))


@pytest.mark.rule("ENG-123", "ENG-127")
def test_the_slash_section_is_said_at_ready_and_when_it_changes() -> None:
    bench = Bench()
    names = [item.name for item in bench.view.state.slash.items] if bench.view.state.slash else []
    assert "quit" in names
    assert "model" not in names

    bench.report(config())

    assert bench.view.state.slash is not None
    assert {"model", "mode", "plan"} <= {item.name for item in bench.view.state.slash.items}


# ---- the title


def title(bench: Bench) -> tuple[str, bool]:
    kept = [effect.kept for effect in bench.did if isinstance(effect, SaveKept)][-1]
    return kept.title, kept.pinned


@pytest.mark.rule("ENG-76", "ENG-43")
def test_the_first_prompt_names_the_session_on_disk_alone() -> None:
    bench = offering()
    bench.send(Submit(text="\n  fix the bug\nand more"))

    assert title(bench) == ("fix the bug", False)
    assert bench.view.state.title is None


@pytest.mark.rule("ENG-76")
@pytest.mark.parametrize(("words", "cells"), [("x" * 200, "x" * 80), ("漢" * 60, "漢" * 40)])
def test_a_long_first_line_is_cut_by_cells(words: str, cells: str) -> None:
    bench = offering()
    bench.send(Submit(text=words))

    assert title(bench) == (cells, False)


@pytest.mark.rule("ENG-76", "ENG-73")
def test_a_title_of_the_person_is_pinned_and_wins() -> None:
    bench = offering()
    bench.send(Submit(text="fix the bug"))
    bench.report(Event("meta", state=State(title="theirs"), text="theirs"))

    assert bench.send(Set(kind="title", value="mine")) == Accepted()
    assert lines(bench.last) == ['{"type":"meta","state":{"title":"mine"}}']
    assert bench.report(Event("meta", state=State(title="theirs again"), text="theirs again")) == []

    assert (title(bench), bench.view.state.title) == (("mine", True), "mine")


@pytest.mark.rule("ENG-76")
def test_without_a_pin_the_agents_title_is_back_and_else_the_first_prompt() -> None:
    bench = offering()
    bench.send(Submit(text="fix the bug"))
    bench.send(Set(kind="title", value="mine"))
    bench.send(Set(kind="title", value=""))
    assert (title(bench), bench.view.state.title) == (("fix the bug", False), "")

    bench.report(Event("meta", state=State(title="theirs"), text="theirs"))
    bench.send(Set(kind="title", value="mine"))
    bench.send(Set(kind="title", value=" "))

    assert (title(bench), bench.view.state.title) == (("theirs", False), "theirs")


@pytest.mark.rule("ENG-76")
def test_a_pinned_title_is_back_when_the_session_is_opened_again() -> None:
    bench = Bench(kept=Kept(title="mine", pinned=True), ready=False)

    assert bench.view.state.title == "mine"


@pytest.mark.rule("ENG-76", "ENG-73")
def test_a_title_goes_to_the_agent_in_line_with_other_settings_and_nobody_waits_for_it() -> None:
    bench = offering()
    bench.send(MODEL)
    assert bench.send(Set(kind="title", value="mine")) == Accepted()
    assert written(bench) == ["m2"]

    bench.report(Returned(call="c-1/1"))
    assert written(bench) == ["m2", "mine"]
    bench.send(MODE)
    bench.report(Returned(call="c-1/2", failure=failed()))

    assert written(bench) == ["m2", "mine", "plan"]
    assert bench.view.state.title == "mine"


# ---- across a restart


@pytest.mark.rule("ENG-75", "ENG-23")
def test_what_was_chosen_is_a_start_setting_of_the_next_start() -> None:
    bench = offering()
    bench.send(MODEL)
    bench.report(config(model="m2"), Returned(call="c-1/1"))
    bench.report(Gone(failure=failed()))

    bench.send(Reconnect())

    opened = [effect.start for effect in bench.last.effects if isinstance(effect, Open)]
    assert [start.settings for start in opened] == [(MODEL,)]


@pytest.mark.rule("ENG-107", "ENG-73")
def test_settings_that_wait_when_the_agent_goes_have_failed() -> None:
    bench = offering()
    bench.send(MODEL)
    bench.send(MODE)

    bench.report(Gone(failure=failed()))

    assert {cause: getattr(result, "code", "") for cause, result in bench.results.items()} == {
        "c-1/1": "failed",
        "c-1/2": "failed",
    }
    assert bench.fire("set-timeout:c-1/1") == []


@pytest.mark.rule("ENG-76", "ENG-43")
def test_the_agents_title_is_kept_and_an_empty_one_gives_way_to_the_first_prompt() -> None:
    bench = offering()
    bench.send(Submit(text="fix the bug"))
    bench.send(Submit(text="then this"))
    bench.report(Event("meta", state=State(title="theirs"), text="theirs"))
    assert title(bench) == ("theirs", False)

    bench.report(TurnEnded(stop_reason="end_turn"))
    bench.report(Event("meta", state=State(title="")))

    assert title(bench) == ("fix the bug", False)
