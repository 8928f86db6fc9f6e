from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craze.config import environment, paths, settings
from craze.config.files import toml_lines
from craze.config.shape import ACCESS
from craze.errors import ConfigError

PLACES = paths.Places(Path("/nowhere/config"), Path("/nowhere/data"), Path("/nowhere/state"), Path("/nowhere/cache"))
NOTHING = environment.read({})


def read(
    home: Path, text: str = "", *, choices: str = "", project: str = "", trusted: bool = False, **variables: str
) -> settings.Settings:
    env = environment.read({"CRAZE_HOME": str(home), **variables})
    (home / "state").mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text(text)
    (home / "state" / "choices.toml").write_text(choices)
    folder = home / "work"
    (folder / ".craze").mkdir(parents=True, exist_ok=True)
    (folder / ".craze" / "config.toml").write_text(project)
    return settings.read(paths.places(env, home), env, folder, trusted=trusted)


@pytest.mark.rule("CLI-45", "CLI-56")
def test_later_layers_win_and_each_value_names_its_place(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        'agent = "user"\n[tui]\ntheme = "a"\nmouse = false\n',
        choices='[tui]\ntheme = "b"\n',
        project='[tui]\n\ntheme = "c"\n',
        CRAZE_AGENT="variable",
    )

    assert (found.config.agent, found.config.tui.theme, found.config.tui.mouse) == ("variable", "c", False)
    assert found.values["agent"].place == "CRAZE_AGENT"
    assert found.values["tui.theme"].place.endswith("work/.craze/config.toml:3")
    assert found.values["tui.mouse"].place.endswith("config.toml:4")


@pytest.mark.rule("CLI-45")
@given(
    st.lists(
        st.tuples(st.sampled_from(["user", "choices", "project", "variable", "flag"]), st.text("abc", min_size=1)),
        max_size=5,
    )
)
def test_the_last_layer_that_speaks_decides(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, str]]
) -> None:
    layers = dict(said)
    text = {name: f'[tui]\ntheme = "{value}"\n' for name, value in layers.items()}
    home = tmp_path_factory.mktemp("home")
    variables = {"CRAZE_THEME": layers["variable"]} if "variable" in layers else {}
    env = environment.read({"CRAZE_HOME": str(home), **variables})
    read(home, text.get("user", ""), choices=text.get("choices", ""), project=text.get("project", ""))

    flags = {"tui.theme": layers["flag"]} if "flag" in layers else {}
    found = settings.read(paths.places(env, home), env, home / "work", flags=flags)

    expected = next(
        (layers[name] for name in ("flag", "variable", "project", "choices", "user") if name in layers), "craze-dark"
    )
    assert found.config.tui.theme == expected


@pytest.mark.rule("STORE-13")
@given(
    value=st.sampled_from(['"yes"', "1", "0", "[]", '"true"', "false", "1.0", "{}"]),
    key=st.sampled_from(sorted(ACCESS)),
)
def test_an_access_switch_that_is_not_plainly_true_is_off(
    tmp_path_factory: pytest.TempPathFactory, value: str, key: str
) -> None:
    table, name = key.split(".")

    found = read(tmp_path_factory.mktemp("home"), f"[{table}]\n{name} = {value}\n")

    assert getattr(getattr(found.config, table), name) is False


@pytest.mark.rule("STORE-13")
@pytest.mark.parametrize("text", ["journal = false", "journal = true", 'journal = "on"'])
def test_a_switch_without_its_table_is_off_too(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text).config.journal.enabled is False


@pytest.mark.rule("STORE-13", "CLI-49")
@pytest.mark.parametrize(
    ("value", "on"),
    [("1", True), ("true", True), ("YES", True), ("on", True), ("", True), ("0", False), ("no", False), ("x", False)],
)
def test_a_variable_can_only_turn_off(tmp_path: Path, value: str, on: bool) -> None:
    assert read(tmp_path, CRAZE_JOURNAL=value).config.journal.enabled is on
    assert read(tmp_path, "[journal]\nenabled = false", CRAZE_JOURNAL=value).config.journal.enabled is False


@pytest.mark.rule("CLI-46")
def test_an_unknown_key_is_a_warning_that_knows_the_nearest_one(tmp_path: Path) -> None:
    found = read(tmp_path, '[tui]\nthme = "x"\n')

    (warning,) = found.warnings
    assert "config.toml:2" in warning
    assert "did you mean tui.theme?" in warning


@pytest.mark.rule("CLI-46")
def test_a_wrong_value_is_a_warning_and_the_default_but_an_error_under_asks(tmp_path: Path) -> None:
    found = read(tmp_path, "[tui]\nfps = 900\n")

    assert found.config.tui.fps == 30
    assert len(found.warnings) == 1
    with pytest.raises(ConfigError, match=r"config.toml:2: asks.plan"):
        read(tmp_path, '[asks]\nplan = "maybe"\n')
    with pytest.raises(ConfigError, match="asks"):
        read(tmp_path, 'asks = "all"\n')


@pytest.mark.rule("CLI-46")
@pytest.mark.parametrize(("text", "place"), [("agent = \n", ":1:"), ("[tui]\nfps == 3\n", ":2:"), ('a = "b\n', ":1:")])
def test_a_file_that_cannot_be_parsed_names_line_and_column(tmp_path: Path, text: str, place: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, text)

    assert place in str(caught.value)


@pytest.mark.rule("CLI-47", "CLI-48")
def test_a_project_sets_what_trust_guards_only_when_it_is_trusted(tmp_path: Path) -> None:
    project = 'agent = "x"\n[asks]\nplan = "all"\n[run]\nanswers = "all"\n[agents.evil]\nprovider = "acp"\n[retention]\nkeep_days = 1\n'

    careful, trusting = read(tmp_path, project=project), read(tmp_path, project=project, trusted=True)

    assert (careful.config.agent, careful.config.asks.plan, careful.config.run.answers) == ("x", "ask", "deny")
    assert set(careful.untrusted) == {"asks.plan", "run.answers", "agents.evil"}
    assert (trusting.config.asks.plan, trusting.config.run.answers, list(trusting.config.agents)) == (
        "all",
        "all",
        ["evil"],
    )
    assert trusting.config.retention.keep_days == 0


@pytest.mark.rule("CLI-47")
def test_a_project_can_turn_the_journal_off_but_not_on(tmp_path: Path) -> None:
    off, on = "[journal]\nenabled = false\n", "[journal]\nenabled = true\n"

    assert read(tmp_path, project=off).config.journal.enabled is False
    assert read(tmp_path, off, project=on).config.journal.enabled is False


@pytest.mark.rule("STORE-1")
def test_one_variable_moves_everything_and_a_relative_one_is_ignored(tmp_path: Path) -> None:
    moved = paths.places(environment.read({"CRAZE_HOME": "/x", "XDG_CONFIG_HOME": "/y"}), tmp_path)
    spread = paths.places(
        environment.read({"CRAZE_HOME": "x", "XDG_CONFIG_HOME": "/y", "XDG_STATE_HOME": "z"}), tmp_path
    )

    assert (str(moved.config), str(moved.sessions), str(moved.state)) == ("/x", "/x/sessions", "/x/state")
    assert str(spread.config) == "/y/craze"
    assert spread.state == tmp_path / ".local/state/craze"
    assert len(spread.warnings) == 2


@pytest.mark.rule("STORE-1", "STORE-2")
def test_folders_are_made_for_their_owner_alone_and_only_when_asked(tmp_path: Path) -> None:
    read(tmp_path)
    folder = paths.make(tmp_path / "a" / "b")

    assert [path.stat().st_mode & 0o777 for path in (folder, folder.parent)] == [0o700, 0o700]
    assert not (tmp_path / "sessions").exists()


def test_lines_of_keys_are_found_behind_values_that_span_lines() -> None:
    text = 'a = """\nb = 1\n"""\nc = [\n  "x = 1",\n]\n[t."u.v"]\nd.e = 1\n[[r]]\nf = 1\n[[r]]\nf = 2\n'

    lines = toml_lines(text)

    assert lines[("c",)] == 4
    assert lines[("t", "u.v", "d", "e")] == 8
    assert lines[("r", 1, "f")] == 12
    assert ("b",) not in lines
