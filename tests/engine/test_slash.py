"""The rows of the `/` menu."""

from __future__ import annotations

import pytest

from craze.codec import (
    Catalog,
    CatalogModel,
    CommandInfo,
    Commands,
    Config,
    ConfigOption,
    PluginCommand,
    Plugins,
    SelectValue,
    SlashItem,
    SlashRun,
    SlashSetting,
    State,
)
from craze.engine.facts import Info
from craze.engine.slash import mode_kind, slash


def option(category: str, *values: str) -> ConfigOption:
    return ConfigOption(id=category, category=category, select_values=tuple(SelectValue(value=each) for each in values))


def rows(
    state: State | None = None, *can: str, hints: dict[str, str] | None = None, **facts: bool
) -> dict[str, SlashItem]:
    known = {"journaled": False, "login": False, **facts}
    section = slash(state or State(), Info(can=frozenset(can)), hints, **known)  # pyright: ignore[reportArgumentType]
    return {row.name: row for row in section.items}


def builtin(*options: ConfigOption) -> dict[str, SlashItem]:
    return rows(State(config=Config(options=options)))


LOCAL = ["help", "keys", "clear", "tasks", "log", "mouse", "quit", "sessions"]
ARGUED = ["search", "copy", "theme"]


@pytest.mark.rule("ENG-123")
def test_a_session_without_anything_has_the_rows_that_have_no_condition() -> None:
    found = rows()

    assert list(found) == [*LOCAL, *ARGUED, "answers", "editor", "image", "new", "agents", "rename", "btw"]
    assert all(found[name].run == SlashRun(kind="local", local=name) for name in (*LOCAL, "answers", "editor"))
    assert all((run := found[name].run) and (run.local, run.arg) == (name, "optional") for name in ARGUED)
    assert [name for name, row in found.items() if not row.while_working] == ["new", "agents"]


@pytest.mark.rule("ENG-123")
@pytest.mark.parametrize(
    ("name", "with_it", "without"),
    [
        ("export", rows(journaled=True), rows(journaled=False)),
        ("connect", rows(login=True), rows(login=False)),
        ("restart", rows(None, "reopen"), rows()),
        ("model", builtin(option("model", "a", "b")), builtin(option("model", "a"))),
        ("mode", builtin(option("mode", "a", "b")), builtin(option("mode", "a"))),
        ("plan", builtin(option("mode", "a", "plan")), builtin(option("mode", "a", "b"))),
        ("ask", builtin(option("mode", "chat")), builtin(option("mode", "code"))),
        ("agent", builtin(option("mode", "code")), builtin(option("mode", "chat"))),
    ],
)
def test_a_row_whose_condition_does_not_hold_is_left_out(
    name: str, with_it: dict[str, SlashItem], without: dict[str, SlashItem]
) -> None:
    assert name in with_it
    assert name not in without


@pytest.mark.rule("ENG-127")
def test_a_catalog_of_models_offers_the_model_row_too() -> None:
    models = tuple(CatalogModel(id=name, name=name) for name in "ab")
    run = rows(State(catalog=Catalog(models=models, revision=1)))["model"].run

    assert run is not None
    assert (run.kind, run.picker, run.arg) == ("picker", "model", "optional")


@pytest.mark.rule("ENG-123")
def test_a_mode_row_sets_the_first_mode_of_its_kind() -> None:
    found = builtin(option("mode", "agent#ask", "architect", "plan"))

    assert found["plan"].run == SlashRun(
        kind="method", method="session.set", setting=SlashSetting(kind="mode", value="architect")
    )
    assert not found["plan"].while_working


@pytest.mark.rule("ENG-123")
def test_rename_and_btw_take_their_argument() -> None:
    found = rows()

    rename, btw = found["rename"].run, found["btw"].run
    assert rename is not None
    assert btw is not None
    assert (rename.kind, rename.method, rename.param, rename.arg) == ("method", "session.setTitle", "title", "required")
    assert (btw.kind, btw.param, btw.arg, found["btw"].requires) == ("aside", "question", "required", "aside")


@pytest.mark.rule("ENG-123")
def test_after_the_builtin_rows_come_those_of_agent_plugins_and_skills() -> None:
    state = State(
        commands=Commands(commands=(CommandInfo(name="review", description="Look\n at it"), CommandInfo(name="$x"))),
        plugins=Plugins(
            plugins=(
                PluginCommand(plugin="p", bare="s", display="s", kind="skill", description="A skill"),
                PluginCommand(plugin="p", bare="c", display="p:c", qualified="p/c", kind="command"),
            )
        ),
    )

    found = list(rows(state, hints={"review": "branch"}).values())[-4:]

    prompt = SlashRun(kind="prompt", arg="optional")
    assert found == [
        SlashItem(
            name="review",
            description="Look",
            source="agent",
            run=SlashRun(kind="prompt", arg="optional", arg_hint="branch"),
        ),
        SlashItem(name="$x", description="Command of the agent", source="agent", run=SlashRun(kind="prompt")),
        SlashItem(
            name="p:c", description="From the plugin p", source="plugin", plugin="p", qualified="p/c", run=prompt
        ),
        SlashItem(name="s", description="A skill", source="skill", plugin="p", run=prompt),
    ]


@pytest.mark.rule("ACP-179")
def test_a_command_of_several_words_stands_under_its_first() -> None:
    names = ("memory show", "memory add", "tools", "tools list")
    state = State(commands=Commands(commands=tuple(CommandInfo(name=name, description=name) for name in names)))

    agent = [(row.name, row.run and row.run.arg_hint) for row in rows(state).values() if row.source == "agent"]

    assert agent == [("memory", "show | add"), ("tools", "")]


@pytest.mark.rule("ENG-123", "ACP-179")
def test_a_name_that_is_no_token_makes_no_row() -> None:
    state = State(
        commands=Commands(commands=tuple(CommandInfo(name=name) for name in ("", " ", "a\tb", "a\x1bb", "ok")))
    )

    assert [row.name for row in rows(state).values() if row.source == "agent"] == ["ok"]


@pytest.mark.rule("ENG-123")
def test_every_builtin_row_has_a_description_in_one_line() -> None:
    everything = State(config=Config(options=(option("mode", "plan", "ask", "code"), option("model", "a", "b"))))
    found = rows(everything, "reopen", "aside", journaled=True, login=True)

    assert len(found) == 26
    assert all(row.description and "\n" not in row.description for row in found.values())


@pytest.mark.rule("ENG-128")
@pytest.mark.parametrize(
    ("mode", "name", "kind"),
    [
        ("plan", "", "plan"),
        ("Planning", "", "plan"),
        ("architect", "", "plan"),
        ("https://agentclientprotocol.com/modes#plan", "", "plan"),
        ("x/y:code", "", "implement"),
        ("acceptEdits", "", "implement"),
        ("accept_edits", "", "implement"),
        ("default", "", "implement"),
        ("read-only", "", "read-only"),
        ("READ ONLY", "", "read-only"),
        ("ask", "", "read-only"),
        ("m1", "Read Only", "read-only"),
        ("plan", "Code", "plan"),
        ("bypassPermissions", "", ""),
        ("", "", ""),
        ("planner", "", ""),
    ],
)
def test_the_kind_of_a_mode_is_read_from_its_id_and_else_its_name(mode: str, name: str, kind: str) -> None:
    assert mode_kind(mode, name) == kind
