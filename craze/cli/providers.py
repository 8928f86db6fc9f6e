"""Builds the provider of a declared agent. A provider's package is imported when an agent of its kind is, and where its
command needs no more than the declaration, the agent boots while that is done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec import Raw

from craze.config.agents import Agent
from craze.config.agents import Declaration as Declared
from craze.config.duration import seconds
from craze.config.settings import Settings
from craze.engine.ports import Clock, Provider
from craze.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from craze.providers.acp.declaration import Declaration, McpServer, Timeouts
    from craze.providers.control.toolserver import ToolServer
    from craze.transport import Ahead


class LintRow(Protocol):
    """One lint, as a provider counts them."""

    @property
    def name(self) -> str: ...
    @property
    def level(self) -> str: ...
    @property
    def count(self) -> int: ...
    @property
    def example(self) -> str: ...


class Started(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent is started with, besides its declaration. `preset`: who answers its permissions; `session` and
    `incarnation`: the ids of craze's own, by which an agent knows a prompt that comes twice; `spent`: what the session
    has spent so far; `served`: tools that craze serves itself."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    preset: str
    screen: bool
    workspace: str = ""
    session: str = ""
    incarnation: str = ""
    spent: Mapping[str, int] = {}
    served: tuple[ToolServer, ...] = ()


class Built(msgspec.Struct, frozen=True):
    """The provider and its declaration as a capture keeps it, what ends its processes at once, and what its agent did
    that it should not."""

    provider: Provider
    declaration: Raw
    kill: Kill
    lints: Callable[[], tuple[LintRow, ...]]


def provider_of(agent: Agent, settings: Settings, started: Started, clock: Clock, ahead: Ahead) -> Built:
    """
    Args:
        ahead: Starts the agent before its provider is there; the caller's to drop.

    Raises:
        UsageError: No provider of that kind is part of this craze.
        ConfigError: The declaration names something that is not declared.
    """
    build = _BUILDERS.get(agent.declaration.provider)
    if build is None:
        raise UsageError(f"agent {agent.name}: this craze has no provider {agent.declaration.provider!r}")
    return build(agent, settings, started, clock, ahead)


def _acp(agent: Agent, settings: Settings, started: Started, clock: Clock, ahead: Ahead) -> Built:
    declaration = acp_declaration(agent, settings, started)
    ahead.start(declaration.command(started.workspace))
    from craze.providers.acp.connect import AcpProvider
    from craze.providers.acp.machine import Machine

    provider = AcpProvider(declaration, clock, lambda: Machine(ahead))
    return Built(provider, _kept(declaration), Kill(provider), lambda: provider.lints)


def _control(agent: Agent, settings: Settings, started: Started, clock: Clock, _ahead: Ahead) -> Built:
    from craze.cli.control_agents import control_declaration
    from craze.providers.control.machine import Machine
    from craze.providers.control.provider import ControlProvider

    declaration = control_declaration(
        agent,
        settings,
        command=started.command,
        environment=started.environment,
        session=started.session,
        incarnation=started.incarnation,
        spent=started.spent,
        served=tuple(server.name for server in started.served),
    )
    provider = ControlProvider(declaration, clock, lambda: Machine(started.served))
    return Built(provider, _kept(declaration), Kill(provider), lambda: provider.lints)


_BUILDERS: Mapping[str, Callable[[Agent, Settings, Started, Clock, Ahead], Built]] = {"acp": _acp, "control": _control}


def _kept(declaration: msgspec.Struct) -> Raw:
    """As a capture keeps it. The environment's values are no part of one: it may be shared."""
    return Raw(msgspec.json.encode(msgspec.structs.replace(declaration, env={})))


def acp_declaration(agent: Agent, settings: Settings, started: Started) -> Declaration:
    from craze.providers.acp.declaration import Declaration

    declared = agent.declaration
    return Declaration(
        name=agent.name,
        argv=started.command,
        env=started.environment,
        fs=declared.fs,
        terminal=declared.terminal,
        subagents=declared.subagents,
        fs_roots=tuple(str(Path(root).expanduser()) for root in declared.fs_roots),
        auth=declared.auth,
        quirks=declared.quirks,
        max_line=declared.max_line or settings.config.transport.max_line,
        timeouts=_timeouts(agent, declared),
        mcp_servers=tuple(_mcp(name, settings) for name in declared.mcp),
        install_hint=declared.install,
        writes="asked" if started.preset in ("deny", "reads", "fail") else "always",
        preset=started.preset,
        screen=started.screen,
    )


def _timeouts(agent: Agent, declared: Declared) -> Timeouts:
    from craze.providers.acp.declaration import Timeouts

    if unknown := set(declared.timeouts).difference(Timeouts.__struct_fields__):
        raise ConfigError(f"{agent.place}: agent {agent.name}: timeouts: unknown {', '.join(sorted(unknown))}")
    lengths = {name: seconds(each) if isinstance(each, str) else each for name, each in declared.timeouts.items()}
    return msgspec.convert(lengths, type=Timeouts)


def _mcp(name: str, settings: Settings) -> McpServer:
    from craze.providers.acp.declaration import McpServer

    table = settings.config.mcp.get(name)
    if table is None:
        raise ConfigError(f"MCP server {name!r} is not declared", hint=f"[mcp.{name}] in config.toml")
    kind = {"type": "http"} if "url" in table and "type" not in table else {}
    try:
        return msgspec.convert({**table, **kind, "name": name}, type=McpServer)
    except msgspec.ValidationError as error:
        raise ConfigError(f"mcp.{name}: {str(error).replace('`', '')}") from error


class Kill:
    """Ends an agent's processes at once: a second close of a provider that closes kills what it runs."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._tasks: list[asyncio.Task[None]] = []

    def __call__(self) -> None:
        loop = asyncio.get_running_loop()
        self._tasks += [loop.create_task(self._provider.close(0.0)) for _ in range(2)]

    async def settled(self, seconds: float) -> None:
        """Until what was killed is gone, so that its end is captured."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)
