"""Pickers of models, modes and themes, help, and the palette."""

from __future__ import annotations

from typing import Any

import pytest

from craze.codec import Catalog, CatalogModel, Config, ConfigOption, SelectValue, SlashItem, SlashRun, State
from craze.engine.facts import Info, details
from craze.engine.intents import Set
from craze.engine.view import View, fold_fact
from craze.tui import palette
from craze.tui.dialogs.help import HelpDialog
from craze.tui.dialogs.models import ModelPicker, ModePicker
from craze.tui.dialogs.offers import meant, modes, offers
from craze.tui.dialogs.themes import ThemePicker
from craze.tui.keys import KEYS, remap
from craze.tui.theme import Listed
from tests.fakes.dialogs import Showing, find, text_of

SIZE = (100, 24)


def values(*rows: tuple[str, str]) -> tuple[SelectValue, ...]:
    return tuple(SelectValue(value=value, name=name) for value, name in rows)


MODEL = ConfigOption(
    id="model",
    name="Model",
    category="model",
    type="select",
    current="small-1",
    select_values=values(("small-1", "Small"), ("medium-1", "Medium"), ("large-1", "Large")),
)
EFFORT = ConfigOption(
    id="effort",
    name="Effort",
    category="thought_level",
    type="select",
    current="high",
    select_values=values(("low", "Low"), ("high", "High")),
)
FAST = ConfigOption(
    id="fast", name="Fast", type="boolean", current="false", select_values=values(("true", "on"), ("false", "off"))
)
MODE = ConfigOption(
    id="mode",
    name="Mode",
    category="mode",
    type="select",
    current="code",
    select_values=values(("code", "Code"), ("plan", "Plan")),
)


def view(*options: ConfigOption, **state: Any) -> View:
    return View(info=Info(agent="demo"), state=State(config=Config(options=options), **state))


ALL = view(MODE, MODEL, EFFORT, FAST)


@pytest.mark.rule("TUI-120", "TUI-224", "ACP-110")
async def test_models_stand_current_first_then_recent_then_in_the_agents_order() -> None:
    app = Showing(ModelPicker(offers(ALL, ["large-1"])))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        shown = text_of(app)

    rows = [row.strip(" │▸●") for row in shown.splitlines() if row.count("│") == 2][3:6]
    assert [row.split()[0] for row in rows] == ["Small", "Large", "Medium"]
    assert "[Effort: High]   [Fast: off]" in shown
    assert "Mode" not in shown


@pytest.mark.rule("TUI-120")
def test_a_catalog_is_the_source_of_models_with_its_recents_and_the_effort_of_a_switch() -> None:
    models = (
        CatalogModel(id="a", name="A"),
        CatalogModel(id="b", name="B", recent=1, efforts=("low",), switch_effort="low"),
        CatalogModel(id="c", name="C"),
    )
    found = offers(view(MODEL, model="c", catalog=Catalog(models=models, revision=1)), ["a"])

    assert [model.id for model in found.models] == ["c", "b", "a"]
    assert found.models[1].effort == "low"
    assert found.models[1].recent


@pytest.mark.rule("TUI-120")
def test_descriptions_come_from_the_details_of_the_options() -> None:
    told = details("config", {"options": {"model": {"values": {"small-1": "Fast and cheap"}}}})

    assert offers(fold_fact(ALL, told)).models[0].description == "Fast and cheap"


@pytest.mark.rule("TUI-121")
@pytest.mark.parametrize(
    ("keys", "result"),
    [
        (("enter",), None),
        (("down", "enter"), (Set(kind="model", value="medium-1"),)),
        (("tab", "left", "enter"), (Set(kind="config", id="effort", value="low"),)),
        (
            ("down", "tab", "left", "tab", "right", "enter"),
            (
                Set(kind="model", value="medium-1"),
                Set(kind="config", id="effort", value="low"),
                Set(kind="config", id="fast", value="true"),
            ),
        ),
        (("tab", "left", "right", "enter"), None),
        (("l", "r", "g", "enter"), (Set(kind="model", value="large-1"),)),
        (("down", "tab", "left", "escape"), None),
    ],
)
async def test_enter_applies_the_model_first_and_then_each_changed_option(
    keys: tuple[str, ...], result: object
) -> None:
    app = Showing(ModelPicker(offers(ALL)))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press(*keys)
        await pilot.pause()

    assert app.results == [result]


@pytest.mark.rule("TUI-121")
async def test_a_click_outside_applies_nothing() -> None:
    app = Showing(ModelPicker(offers(ALL)))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press("down")
        await pilot.click(offset=(1, 1))
        await pilot.pause()

    assert app.results == [None]


@pytest.mark.rule("TUI-121")
async def test_the_mouse_alone_chooses_a_model_and_an_option() -> None:
    app = Showing(ModelPicker(offers(ALL)))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        for word in ("Large", "[Effort", "Low ", "enter apply"):
            await pilot.click(offset=find(app, word))
            await pilot.pause()

    assert app.results == [(Set(kind="model", value="large-1"), Set(kind="config", id="effort", value="low"))]


@pytest.mark.rule("TUI-122")
@pytest.mark.parametrize(
    ("arg", "result"),
    [
        ("large-1", (Set(kind="model", value="large-1"),)),
        ("LARGE high", (Set(kind="model", value="large-1"), Set(kind="config", id="effort", value="high"))),
        ("small-1 low", (Set(kind="config", id="effort", value="low"),)),
        ("huge", "model huge: not offered"),
        ("large-1 extreme", "Effort extreme: not offered"),
    ],
)
def test_a_typed_model_and_effort_must_match_exactly_one(arg: str, result: object) -> None:
    assert meant(offers(ALL), arg) == result


def test_an_ambiguous_name_is_not_guessed() -> None:
    two = ConfigOption(id="model", category="model", type="select", select_values=values(("a", "Same"), ("b", "same")))

    assert meant(offers(view(two)), "same") == "model same: several have that name"


async def test_the_mode_picker_returns_the_id() -> None:
    current, offered = modes(ALL)
    app = Showing(ModePicker(current, offered))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press("down", "enter")
        await pilot.pause()

    assert app.results == ["plan"]


# ---- themes

THEMES = (
    Listed("ansi"),
    Listed("craze-dark"),
    Listed("craze-light", dark=False),
    Listed("mine", broken="mine.toml:7: acccent"),
)


def themes(shown: list[str]) -> Showing:
    return Showing(ThemePicker(THEMES, "craze-dark", shown.append))


@pytest.mark.rule("TUI-182", "TUI-181")
async def test_moving_previews_and_a_broken_theme_is_listed_with_its_place() -> None:
    shown: list[str] = []
    app = themes(shown)

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press("down", "down", "enter")
        await pilot.pause()
        text = text_of(app)

    assert shown == ["craze-light"]
    assert "broken: mine.toml:7: acccent" in text
    assert app.results == []


@pytest.mark.rule("TUI-182")
async def test_escape_brings_the_theme_back_that_was_in_use() -> None:
    shown: list[str] = []
    app = themes(shown)

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press("up", "escape")
        await pilot.pause()

    assert shown == ["ansi", "craze-dark"]
    assert app.results == [None]


@pytest.mark.rule("TUI-182")
async def test_enter_keeps_the_previewed_theme() -> None:
    app = themes([])

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press("up", "enter")
        await pilot.pause()

    assert app.results == ["ansi"]


# ---- help and palette


@pytest.mark.rule("TUI-160")
async def test_help_has_every_key_as_it_holds_now_the_commands_and_the_places() -> None:
    keys = remap({"queue.remove": "ctrl+x", "transcript.wrap": "none"})
    slash = (SlashItem(name="model", description="Choose the model", source="builtin", run=SlashRun(kind="picker")),)
    dialog = HelpDialog(keys.keys, slash, {"craze": "1.0", "sessions": "~/.local/state/craze"})
    app = Showing(dialog)

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press(*"remove the prompt")
        await pilot.pause()
        filtered = text_of(app)

    ids = {item.id for item in dialog.box.items}  # type: ignore[attr-defined]
    assert {key.id for key in KEYS if key.id != "transcript.wrap"} <= ids
    assert "transcript.wrap" not in ids
    assert {"/model", "fact:craze", "fact:sessions"} <= ids
    assert "ctrl+x" in filtered


ITEMS = (
    *palette.actions(["todos.cycle", "app.help"], {"todos.cycle": "ctrl+t", "app.help": "f1"}),
    *palette.commands((SlashItem(name="theme", description="Pick", run=SlashRun(kind="local")),)),
    *palette.themes(["nord"]),
    *palette.files(["src/theme.py"]),
    *palette.prompts(["first prompt", "theme it"]),
)


@pytest.mark.rule("TUI-159")
@pytest.mark.parametrize(
    ("typed", "deed"),
    [
        ("todos", palette.Deed("action", "todos.cycle")),
        ("nord", palette.Deed("theme", "nord")),
        ("/th", palette.Deed("command", "theme")),
        ("@th", palette.Deed("file", "src/theme.py")),
        ("#", palette.Deed("prompt", "1")),
        ("#first", palette.Deed("prompt", "0")),
        (">help", palette.Deed("action", "app.help")),
    ],
)
async def test_a_prefix_narrows_the_palette_to_one_kind(typed: str, deed: palette.Deed) -> None:
    app = Showing(palette.PaletteDialog(ITEMS))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press(*typed, "enter")
        await pilot.pause()

    assert app.results == [deed]


@pytest.mark.rule("TUI-159")
def test_what_was_run_last_comes_first() -> None:
    ids = [item.id for item in palette.ordered(ITEMS, ["theme:nord", "action:app.help"])]

    assert ids[:3] == ["theme:nord", "action:app.help", "action:todos.cycle"]


@pytest.mark.rule("TUI-155")
async def test_what_fits_nothing_says_so_and_enter_does_nothing() -> None:
    app = Showing(palette.PaletteDialog(ITEMS))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press(*"zzz", "enter")
        await pilot.pause()
        assert "nothing fits" in text_of(app)

    assert app.results == []
