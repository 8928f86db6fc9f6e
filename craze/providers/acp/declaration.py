"""What the declaration of an agent says: how it is started, what it is offered, what it may do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

from craze.transport import MAX_LINE, Command

Fs: TypeAlias = bool | Literal["refuse"]


class McpServer(Struct, frozen=True, kw_only=True):
    """A tool server that the agent is to use: a program, or (`url`) one reached by `http` or `sse`."""

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    type: Literal["stdio", "http", "sse"] = "stdio"
    url: str = ""
    headers: Mapping[str, str] = {}


class Timeouts(Struct, frozen=True, kw_only=True):
    """How long an answer may take, in seconds; 0 = for ever. `prompt` and a change of a setting have none."""

    initialize: float = 120.0
    session: float = 180.0
    authenticate: float = 600.0
    start_setting: float = 15.0
    other: float = 30.0


class Declaration(Struct, frozen=True, kw_only=True):
    """One agent.

    Attributes:
        fs: Offer files; `"refuse"` serves none at all.
        fs_roots: Folders besides the session's own that it may read.
        auth: Sign in by this method before anything else.
        quirks: The name whose flags hold, where the agent's own name is not it.
        writes: `"asked"`: no file is written and no command run before a permission allowed something in this turn.
        preset: The name of the preset that asks for that, for messages.
        screen: A person can be shown a link.
    """

    argv: tuple[str, ...]
    name: str = ""
    env: Mapping[str, str] = {}
    fs: Fs = False
    terminal: bool = True
    subagents: bool = True
    fs_roots: tuple[str, ...] = ()
    auth: str = ""
    quirks: str = ""
    max_line: int = MAX_LINE
    timeouts: Timeouts = Timeouts()
    mcp_servers: tuple[McpServer, ...] = ()
    install_hint: str = ""
    writes: Literal["asked", "always"] = "always"
    preset: str = ""
    screen: bool = False

    def command(self, folder: str) -> Command:
        """What is run for a session in this folder."""
        return Command(self.argv, folder, self.env, self.install_hint)
