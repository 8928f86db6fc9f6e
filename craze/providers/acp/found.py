"""How a recorded client started its agent: read ahead, so that ours can be started alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from craze.engine.ports import Start
from craze.providers.acp.declaration import Declaration, McpServer
from craze.providers.acp.spoken import OPENING, Camel, message_of, tolerant
from craze.store.capture import Row
from craze.transport import Request


class Found(NamedTuple):
    """How the recorded client started its agent."""

    start: Start
    declaration: Declaration


def found_in(rows: Iterable[Row]) -> Found:
    """The start and the offers of the first process, from its `initialize` and the request that opens a session."""
    offers, opened, way = _Offers(), _Opened(), ""
    for row in rows:
        message = message_of(row.payload) if row.dir == "out" else None
        if not isinstance(message, Request):
            continue
        if message.method == "initialize":
            offers = tolerant(message.params, _Initialize, _Initialize()).client_capabilities
        elif message.method in OPENING:
            opened, way = tolerant(message.params, _Opened, opened), message.method
            break
    elicitation = offers.elicitation or {}
    start = Start(
        workspace=opened.cwd,
        dirs=tuple(opened.additional_directories),
        reopen=opened.session_id if way != "session/new" else "",
        answers_questions="form" in elicitation,
    )
    declaration = Declaration(
        argv=(),
        fs=offers.fs.read_text_file or offers.fs.write_text_file,
        terminal=offers.terminal,
        subagents=offers.subagents is not UNSET,
        screen="url" in elicitation,
        mcp_servers=tuple(_server(server) for server in opened.mcp_servers),
    )
    return Found(start, declaration)


def _server(server: _Server) -> McpServer:
    kind = server.type if server.type in ("http", "sse") else "stdio"
    return McpServer(
        name=server.name,
        command=server.command,
        args=server.args,
        env={pair.name: pair.value for pair in server.env},
        type=kind,  # pyright: ignore[reportArgumentType]
        url=server.url,
        headers={pair.name: pair.value for pair in server.headers},
    )


class _Files(Camel):
    read_text_file: bool = False
    write_text_file: bool = False


class _Offers(Camel):
    fs: _Files = msgspec.field(default_factory=_Files)
    terminal: bool = False
    subagents: Raw | UnsetType = UNSET  # msgspec reads `Raw | None` as null alone
    elicitation: dict[str, Raw] | None = None


class _Initialize(Camel):
    client_capabilities: _Offers = msgspec.field(default_factory=_Offers)


class _Pair(Struct):
    name: str
    value: str = ""


class _Server(Struct):
    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: tuple[_Pair, ...] = ()
    type: str = "stdio"
    url: str = ""
    headers: tuple[_Pair, ...] = ()


class _Opened(Camel):
    cwd: str = "/"
    session_id: str = ""
    additional_directories: tuple[str, ...] = ()
    mcp_servers: tuple[_Server, ...] = ()
