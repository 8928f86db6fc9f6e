"""Which agents there are, what state each is in, and which one is meant.

A declaration is an entry `[agents.NAME]` of `config.toml`, a file `agents/NAME.toml`, or built in; the file wins over
the table and both over a built-in of that name, as a whole. Nothing here starts, fetches or prefers an agent.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, cast, get_type_hints

import msgspec
from msgspec import Meta

from craze.config import files
from craze.config.environment import Environment
from craze.config.files import Table
from craze.config.misfit import misfit
from craze.config.near import meant, nearest
from craze.config.paths import Places
from craze.config.settings import Settings
from craze.errors import ConfigError, UsageError

ProviderName: TypeAlias = Literal["acp", "control", "native"]
NAME = re.compile(r"[a-z][a-z0-9-]*")
FETCHERS = frozenset({"npx", "uvx"})


class Declaration(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How an agent is started and what craze offers it; the keys of a declaration."""

    provider: ProviderName
    command: tuple[str, ...] = ()
    env: dict[str, str] = {}
    secret: tuple[str, ...] = ()
    cwd: str = ""
    title: str = ""
    model: str = ""
    mode: str = ""
    effort: str = ""
    options: dict[str, str | bool | int] = {}
    quirks: str = ""
    fs: bool | Literal["refuse"] = False
    terminal: bool = True
    subagents: bool = True
    fs_roots: tuple[str, ...] = ()
    auth: str = ""
    line: Literal["append", "as_is"] = "append"
    max_line: Annotated[int, Meta(ge=4096)] | None = None
    timeouts: dict[str, float | str] = {}
    install: str = ""
    login: str = ""
    dirs: tuple[str, ...] = ()
    append_system_prompt: str = ""
    append_subagent_system_prompt: str = ""
    tool_aliases: dict[str, str] = {}
    mcp: tuple[str, ...] = ()

    @property
    def fetches(self) -> bool:
        """Whether starting it may fetch a package."""
        first = Path(self.command[0]).name if self.command else ""
        return first in FETCHERS or (first == "pipx" and "run" in self.command[1:2])


class Agent(msgspec.Struct, frozen=True):
    """A declaration under its name. `place` is where it stands, `problem` why it cannot be used at all."""

    name: str
    declaration: Declaration
    place: str = "built in"
    problem: str = ""

    @property
    def built_in(self) -> bool:
        return self.place == "built in"


class State(msgspec.Struct, frozen=True):
    """Whether an agent can be started; `reason` says why not, `remedy` what to do."""

    word: Literal["ready", "needs setup", "needs sign-in", "not found"]
    reason: str = ""
    remedy: str = ""


class UnsetError(Exception):
    """A declaration uses a variable that is not set."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is not set")
        self.name = name


def _npm(package: str, *command: str) -> Declaration:
    return Declaration(provider="acp", command=command, install=f"npm install -g {package}")


BUILT_IN: Mapping[str, Declaration] = {
    "demo": Declaration(provider="acp", command=(sys.executable, "-m", "craze", "demo-agent")),
    "claude": Declaration(provider="control", command=("claude",), install="npm install -g @anthropic-ai/claude-code"),
    "claude-acp": _npm("@agentclientprotocol/claude-agent-acp", "claude-agent-acp"),
    "codex": _npm("@agentclientprotocol/codex-acp", "codex-acp"),
    "copilot": _npm("@github/copilot", "copilot", "--acp"),
    "gemini": _npm("@google/gemini-cli", "gemini", "--acp"),
    "kimi": _npm("@moonshot-ai/kimi-code", "kimi", "acp"),
    "opencode": _npm("opencode-ai", "opencode", "acp"),
    "qwen": _npm("@qwen-code/qwen-code", "qwen", "--acp"),
    "vibe": Declaration(provider="acp", command=("vibe-acp",), install="uv tool install mistral-vibe"),
}


class Roster(msgspec.Struct, frozen=True):
    """Every agent by name, and what was wrong with the declarations."""

    agents: dict[str, Agent]
    warnings: tuple[str, ...] = ()

    def get(self, name: str) -> Agent:
        """
        Raises:
            UsageError: There is no such agent.
            ConfigError: Its declaration cannot be used.
        """
        if not (agent := self.agents.get(name)):
            raise UsageError(f"no agent is called {name!r}", hint=meant(name, self.agents))
        if agent.problem:
            raise ConfigError(f"{agent.place}: agent {name}: {agent.problem}")
        return agent


def roster(settings: Settings, places: Places) -> Roster:
    """
    Raises:
        ConfigError: A file under `agents/` cannot be read or parsed.
    """
    warnings: list[str] = []
    agents = {name: Agent(name, declaration) for name, declaration in BUILT_IN.items()}
    for name, table in settings.config.agents.items():
        agents[name] = read(name, table, settings.values[f"agents.{name}"].place, warnings)
    for path in sorted(places.agents.glob("*.toml")):
        if source := files.load(path):
            agents[path.stem] = read(path.stem, source.data, source.at(()), warnings)
    return Roster(agents, tuple(warnings))


def read(name: str, table: Table, place: str, warnings: list[str]) -> Agent:
    """One declaration: unknown keys and wrong values are told and left out, a missing one makes it unusable."""
    kept: Table = {}
    hints: dict[str, object] = get_type_hints(Declaration, include_extras=True)
    for key, value in table.items():
        if key not in hints:
            near = nearest(key, hints)
            warnings.append(f"{place}: agent {name}: unknown key {key}" + (f", did you mean {near}?" if near else ""))
            continue
        try:
            kept[key] = cast(object, msgspec.convert(value, type=hints[key]))
        except msgspec.ValidationError as error:
            warnings.append(f"{place}: agent {name}: {key}: {misfit(error, hints[key])}")
    problem = _problem(name, kept)
    return Agent(name, msgspec.convert({"provider": "acp"} | kept, type=Declaration), place, problem)


def _problem(name: str, table: Table) -> str:
    if not NAME.fullmatch(name):
        return "a name is made of a-z, 0-9 and -, and starts with a letter"
    if "provider" not in table:
        return "provider is missing: acp, control or native"
    return "command is missing" if table["provider"] != "native" and not table.get("command") else ""


def from_command(text: str, provider: str = "acp") -> Agent:
    """The agent of `--agent-command 'CMD ARGS'`.

    Raises:
        UsageError: The words cannot be split, there are none, or the provider is not one of a command.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"--agent-command {text!r}: {str(error).lower()}") from error
    if not words:
        raise UsageError("--agent-command is empty")
    if provider not in ("acp", "control"):
        raise UsageError(f"--provider {provider}: a command speaks acp or control")
    return from_words(tuple(words), provider)


def from_words(words: tuple[str, ...], provider: Literal["acp", "control"]) -> Agent:
    """The agent of a command without a declaration, named as its program."""
    return Agent(Path(words[0]).name, Declaration(provider=provider, command=words), "--agent-command")


def expand(text: str, variables: Mapping[str, str]) -> str:
    """`text` with `~` and `${VAR}` replaced.

    Raises:
        UnsetError: A variable is not set.
    """

    def value(match: re.Match[str]) -> str:
        if match[1] not in variables:
            raise UnsetError(match[1])
        return variables[match[1]]

    expanded = re.sub(r"\$\{(\w+)\}", value, text)
    home = variables.get("HOME", "")
    return home + expanded[1:] if home and (expanded == "~" or expanded.startswith("~/")) else expanded


def environment_of(declaration: Declaration, environment: Environment) -> dict[str, str]:
    """The variables the agent is started with.

    Raises:
        UnsetError: A variable that the declaration uses is not set.
    """
    own = {name: expand(value, environment.values) for name, value in declaration.env.items()}
    return environment.values | own


def command_of(declaration: Declaration, environment: Environment) -> tuple[str, ...]:
    """The command line, expanded.

    Raises:
        UnsetError: A variable that it uses is not set.
    """
    return tuple(expand(word, environment.values) for word in declaration.command)


def state(agent: Agent, environment: Environment, needs_sign_in: Iterable[str] = ()) -> State:
    """Whether it can be started, as far as one sees without starting it."""
    declaration = agent.declaration
    if agent.problem:
        return State("needs setup", agent.problem, f"correct {agent.place}")
    if declaration.provider == "native":
        return State("not found", "this craze has no native agent")
    try:
        variables, command = environment_of(declaration, environment), command_of(declaration, environment)
    except UnsetError as unset:
        return State("needs setup", str(unset), f"set {unset.name}")
    if not shutil.which(command[0], path=variables.get("PATH")):
        return State("not found", f"{command[0]} is not installed", declaration.install)
    if agent.name in needs_sign_in:
        return State(
            "needs sign-in",
            "its last start asked for a sign-in",
            declaration.login or f"craze agents check {agent.name}",
        )
    return State("ready")


class Chosen(msgspec.Struct, frozen=True):
    """The agent that is meant; `fallback`: nobody named one, so it is the demo, and that is said."""

    agent: Agent
    fallback: bool = False


def choose(
    known: Roster,
    settings: Settings,
    *,
    flag: str = "",
    command: str = "",
    provider: str = "",
    stored: str = "",
    begun: Agent | None = None,
    last: str = "",
) -> Chosen:
    """Which agent a session starts.

    Args:
        flag: `--agent`; command: `--agent-command`; provider: `--provider`.
        stored: The agent of the session that is reopened; begun: the same, where it is a command's and not declared.
        last: The last agent that started.

    Raises:
        UsageError: The named one does not exist, or two are named.
    """
    if flag and command:
        raise UsageError("--agent and --agent-command exclude each other")
    if command:
        return Chosen(from_command(command, provider or "acp"))
    if provider:
        raise UsageError("--provider goes with --agent-command")
    configured = settings.values.get("agent")
    named = settings.config.agent or ""
    from_variable = named if configured and configured.place == "CRAZE_AGENT" else ""
    if begun and not (flag or from_variable):
        return Chosen(begun)
    if name := flag or from_variable or stored or named:
        return Chosen(known.get(name))
    return Chosen(known.get(last)) if last in known.agents else Chosen(known.get("demo"), fallback=True)
