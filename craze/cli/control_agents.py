"""What a declared agent of the control kind is started with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from craze.config.agents import Agent
from craze.config.duration import seconds
from craze.config.settings import Settings
from craze.errors import ConfigError
from craze.providers.control.declaration import Declaration, Timeouts


def control_declaration(
    agent: Agent,
    settings: Settings,
    *,
    command: tuple[str, ...],
    environment: Mapping[str, str],
    session: str = "",
    incarnation: str = "",
    spent: Mapping[str, int] | None = None,
    served: tuple[str, ...] = (),
) -> Declaration:
    """
    Args:
        session, incarnation: Ids of craze's own, by which an agent knows a prompt that comes twice.
        spent: What the session has spent so far, by the names of its usage facts.
        served: The names of the servers that live in craze.

    Raises:
        ConfigError: The declaration names a limit or a server that there is not.
    """
    declared, config = agent.declaration, settings.config
    return Declaration(
        name=agent.name,
        argv=command,
        env=environment,
        line=declared.line,
        append_system_prompt=declared.append_system_prompt,
        append_subagent_system_prompt=declared.append_subagent_system_prompt,
        tool_aliases=declared.tool_aliases,
        mcp_servers={name: _server(name, settings) for name in declared.mcp},
        served=served,
        accept_mode=_accept_mode(config.control),
        login=declared.login,
        install_hint=declared.install,
        max_line=declared.max_line or config.transport.max_line,
        timeouts=_timeouts(agent, config.control),
        session=session,
        incarnation=incarnation,
        spent=spent or {},
    )


def _accept_mode(table: dict[str, object]) -> str:
    plan = table.get("plan")
    mode = cast("dict[str, object]", plan).get("accept_mode") if isinstance(plan, dict) else None
    return mode if isinstance(mode, str) else ""


def _timeouts(agent: Agent, table: dict[str, object]) -> Timeouts:
    """The person's own limits for all agents, and over them the declaration's."""
    known = {field.name for field in msgspec.structs.fields(Timeouts)}
    general = table.get("timeouts")
    wanted = {**(cast("dict[str, Any]", general) if isinstance(general, dict) else {}), **agent.declaration.timeouts}
    if unknown := set(wanted) - known:
        raise ConfigError(f"{agent.place}: agent {agent.name}: timeouts: unknown {', '.join(sorted(unknown))}")
    lengths = {name: seconds(each) if isinstance(each, str) else each for name, each in wanted.items()}
    try:
        return msgspec.convert(lengths, type=Timeouts)
    except msgspec.ValidationError as error:
        raise ConfigError(f"control.timeouts: {str(error).replace('`', '')}") from error


def _server(name: str, settings: Settings) -> dict[str, Any]:
    table = settings.config.mcp.get(name)
    if table is None:
        raise ConfigError(f"MCP server {name!r} is not declared", hint=f"[mcp.{name}] in config.toml")
    kind = {"type": "http"} if "url" in table and "type" not in table else {}
    return {**table, **kind}
