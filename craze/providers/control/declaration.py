"""What the declaration of an agent says: how it is started, what it is told, how long it may take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from craze.transport import MAX_LINE


class Timeouts(Struct, frozen=True, kw_only=True):
    """Limits in seconds, 0 = none. `set` is one of the start alone."""

    initialize: float = 60.0
    set: float = 15.0
    request: float = 60.0
    withdraw: float = 2.0
    cancel: float = 2.0
    aside: float = 600.0
    title: float = 600.0
    dialog: float = 6.0
    tool_call: float = 120.0
    close: float = 2.0
    term: float = 3.0


class Declaration(Struct, frozen=True, kw_only=True):
    """One agent.

    Attributes:
        argv: The command; with `line` `append` its further words come last.
        line: `as_is`: `argv` is the whole line, for a peer that is not the CLI.
        mcp_servers: Servers that the agent runs itself, as the JSON of `--mcp-config`.
        served: Names of the servers that live in craze.
        dialog_kinds: Dialogs that can be shown.
        accept_mode: The mode to switch to when a plan is accepted; "" = none.
        session, incarnation: Of craze; every turn has one id for ever by them.
        spent: What the session had spent before, by the names of its usage facts.
    """

    argv: tuple[str, ...]
    name: str = ""
    env: Mapping[str, str] = {}
    line: Literal["append", "as_is"] = "append"
    max_turns: int = 0
    append_system_prompt: str = ""
    append_subagent_system_prompt: str = ""
    tool_aliases: Mapping[str, str] = {}
    mcp_servers: Mapping[str, dict[str, Any]] = {}
    served: tuple[str, ...] = ()
    dialog_kinds: tuple[str, ...] = ()
    accept_mode: str = ""
    login: str = ""
    install_hint: str = ""
    max_line: int = MAX_LINE
    timeouts: Timeouts = Timeouts()
    session: str = ""
    incarnation: str = ""
    spent: Mapping[str, int] = {}
