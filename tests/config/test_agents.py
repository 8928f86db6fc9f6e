from __future__ import annotations

from pathlib import Path

import pytest

from craze.config import agents, environment, imports, paths, settings
from craze.config.agents import Declaration
from craze.errors import ConfigError, UsageError


def roster(home: Path, text: str = "", **files: str) -> tuple[agents.Roster, settings.Settings]:
    env = environment.read({"CRAZE_HOME": str(home)})
    (home / "agents").mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text(text)
    for name, content in files.items():
        (home / "agents" / f"{name}.toml").write_text(content)
    places = paths.places(env, home)
    found = settings.read(places, env)
    return agents.roster(found, places), found


@pytest.mark.rule("CLI-38", "CLI-61")
def test_a_file_wins_over_the_table_and_both_over_a_built_in_as_a_whole(tmp_path: Path) -> None:
    text = (
        '[agents.codex]\nprovider = "acp"\ncommand = ["mine"]\n[agents.demo]\nprovider = "acp"\ncommand = ["table"]\n'
    )

    known, _ = roster(tmp_path, text, demo='provider = "acp"\ncommand = ["file"]\n')

    assert known.get("codex").declaration == Declaration(provider="acp", command=("mine",))
    assert known.get("demo").declaration.command == ("file",)
    assert known.get("gemini").built_in


@pytest.mark.rule("CLI-38")
def test_a_wrong_declaration_is_told_and_unusable_but_stops_no_other(tmp_path: Path) -> None:
    known, _ = roster(
        tmp_path, x='provider = "acp"\ncomand = ["a"]\n', y='command = ["b"]\n', Z='provider = "acp"\ncommand = ["c"]\n'
    )

    assert "did you mean command?" in known.warnings[0]
    for name, why in (("x", "command is missing"), ("y", "provider is missing"), ("Z", "a name is made of")):
        with pytest.raises(ConfigError, match=why):
            known.get(name)
    assert known.get("demo")


@pytest.mark.rule("CLI-39")
def test_which_agent_follows_the_order_flag_variable_session_setting_last_demo(tmp_path: Path) -> None:
    names = "abcde"
    text = "".join(f'[agents.{name}]\nprovider = "acp"\ncommand = ["{name}"]\n' for name in names)
    known, plain = roster(tmp_path, text)
    _, configured = roster(tmp_path, 'agent = "d"\n' + text)
    env = environment.read({"CRAZE_HOME": str(tmp_path), "CRAZE_AGENT": "b"})
    variable = settings.read(paths.places(env, tmp_path), env)

    def chosen(found: settings.Settings, **given: str) -> str:
        return agents.choose(known, found, **given).agent.name

    assert chosen(variable, flag="a", stored="c", last="e") == "a"
    assert chosen(variable, stored="c", last="e") == "b"
    assert chosen(configured, stored="c", last="e") == "c"
    assert chosen(configured, last="e") == "d"
    assert chosen(plain, last="e") == "e"
    assert agents.choose(known, plain).fallback
    assert agents.choose(known, plain, command="x --acp 'a b'").agent.declaration.command == ("x", "--acp", "a b")


@pytest.mark.rule("CLI-39")
def test_an_unknown_name_is_refused_with_near_ones(tmp_path: Path) -> None:
    known, found = roster(tmp_path)

    with pytest.raises(UsageError) as caught:
        agents.choose(known, found, flag="codx")

    assert caught.value.hint == "did you mean codex?"
    for wrong in (
        {"flag": "demo", "command": "x"},
        {"provider": "acp"},
        {"command": "'"},
        {"command": "x", "provider": "native"},
    ):
        with pytest.raises(UsageError):
            agents.choose(known, found, **wrong)


@pytest.mark.rule("CLI-40")
def test_the_state_says_what_is_missing(tmp_path: Path) -> None:
    env = environment.read({"PATH": "/usr/bin:/bin", "HOME": "/home/me"})

    def state(**keys: object) -> tuple[str, str]:
        agent = agents.Agent("x", Declaration(provider="acp", **keys), "here")  # type: ignore[arg-type]
        found = agents.state(agent, env, ("x",) if keys.get("login") else ())
        return found.word, found.reason

    assert state(command=("sh",)) == ("ready", "")
    assert state(command=("no-such-program",))[0] == "not found"
    assert state(command=("sh",), env={"A": "${MISSING}"}) == ("needs setup", "MISSING is not set")
    assert state(command=("sh",), login="sh login")[0] == "needs sign-in"


@pytest.mark.rule("CLI-38")
def test_home_and_variables_are_expanded_without_a_shell() -> None:
    variables = {"HOME": "/home/me", "A": "1 $(x)"}

    assert agents.expand("~/bin/${A}", variables) == "/home/me/bin/1 $(x)"
    with pytest.raises(agents.UnsetError):
        agents.expand("${B}", variables)


@pytest.mark.rule("CLI-43")
def test_an_import_takes_what_it_can_and_names_the_rest(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(
        """{ // of another editor
        "agent_servers": {
            "My Agent": {"command": "x", "args": ["//a", "b,]"], "env": {"K": "v"}, "extra": 1,},
            "listed": {"type": "registry", "env": {"T": "1"}},
            "broken": 3,
        },}"""
    )
    (tmp_path / "r.json").write_text(
        """{"version": "1", "agents": [
            {"id": "listed", "distribution": {"npx": {"package": "p@1", "args": ["--acp"], "env": {"T": "0"}}}},
            {"id": "py", "distribution": {"uvx": {"package": "q"}}},
            {"id": "bin", "distribution": {"binary": {"PLATFORM": {"archive": "a.tgz", "cmd": "./b", "args": ["c"]}}}},
            {"id": "none", "distribution": {"binary": {"amiga": {"cmd": "x"}}}}, {"id": 5}]}""".replace(
            "PLATFORM", imports.here()
        )
    )

    found = imports.read(tmp_path / "s.json", tmp_path / "r.json")
    listed = imports.read(tmp_path / "r.json")

    assert found.agents["my-agent"] == Declaration(provider="acp", command=("x", "//a", "b,]"), env={"K": "v"})
    assert found.agents["listed"] == Declaration(provider="acp", command=("npx", "-y", "p@1", "--acp"), env={"T": "1"})
    assert any("extra" in note for note in found.notes)
    assert any(note.startswith("broken") for note in found.notes)
    assert listed.agents["py"].command == ("uvx", "q")
    assert (listed.agents["bin"].command, listed.agents["bin"].install) == (("./b", "c"), "get a.tgz")
    assert "none" not in listed.agents


@pytest.mark.rule("CLI-42")
def test_a_written_declaration_reads_back_the_same(tmp_path: Path) -> None:
    declared = Declaration(
        provider="control",
        command=("a b", 'c"d'),
        env={"K": "v\n", "odd key": "x"},
        fs="refuse",
        terminal=False,
        options={"o": True},
    )

    path = imports.write(tmp_path, "mine", declared)

    warnings: list[str] = []
    source = agents.files.load(path)
    assert source
    assert agents.read("mine", source.data, "", warnings).declaration == declared
    assert not warnings
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(UsageError, match="exists"):
        imports.write(tmp_path, "mine", declared)
