"""What is written to open a session, and what the agent's answers mean. Pure; the order of steps is `connect`'s."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

from msgspec import Raw, Struct

import craze
from craze.codec import Failure
from craze.engine.facts import Can, Info, Login, LoginMethod
from craze.engine.ports import Start
from craze.providers.acp.connection import Reply
from craze.providers.acp.declaration import Declaration, McpServer
from craze.providers.acp.decode import read, value_of
from craze.providers.acp.failures import other
from craze.providers.acp.results import AuthMethod, Capabilities, ImageLimits, InitializeResult
from craze.providers.acp.types import supported, text
from craze.transport.jsonrpc import AUTH_REQUIRED, INVALID_PARAMS, METHOD_NOT_FOUND, NOT_FOUND

Way: TypeAlias = Literal["session/new", "session/load", "session/resume"]
VERSION: Final = 1
_WRONG_VERSION: Final = -32022


class Agent(Struct, frozen=True):
    """What an agent said of itself."""

    name: str = ""
    version: str = ""
    load: bool = False
    resume: bool = False
    close: bool = False
    listing: bool = False
    delete: bool = False
    dirs: bool = False
    logout: bool = False
    images: bool = False
    embeds: bool = False
    http: bool = False
    sse: bool = False
    image_limits: ImageLimits = ImageLimits()
    methods: tuple[AuthMethod, ...] = ()

    def can(self, *, subagents: bool) -> frozenset[Can]:
        marks: dict[Can, bool] = {
            "reopen": self.load or self.resume,
            "images": self.images,
            "logout": self.logout,
            "cancel_subagent": subagents,
            "list": self.listing,
            "delete": self.delete,
        }
        return frozenset(name for name, has in marks.items() if has)

    def info(self, session: str, *, subagents: bool) -> Info:
        return Info(agent=self.name, version=self.version, provider_session=session, can=self.can(subagents=subagents))


# ---- initialize


def initialize_params(declaration: Declaration, *, answers_questions: bool) -> dict[str, object]:
    elicitation: dict[str, object] = {}
    if answers_questions:
        elicitation["form"] = {}
    if declaration.screen:
        elicitation["url"] = {}
    offered: dict[str, object] = {
        "fs": {"readTextFile": True, "writeTextFile": True} if declaration.fs is True else None,
        "terminal": declaration.terminal or None,
        "session": {"configOptions": {"boolean": {}}, "compaction": {}, "notices": {}},
        "subagents": {} if declaration.subagents else None,
        "auth": {"terminal": True},
        "elicitation": elicitation or None,
        "_meta": {"terminal_output": True, "terminal_output_delta": True, "terminal-auth": True},
    }
    return {
        "protocolVersion": VERSION,
        "clientInfo": {"name": "craze", "title": "craze", "version": craze.__version__},
        "clientCapabilities": {name: value for name, value in offered.items() if value is not None},
    }


def agent_of(result: InitializeResult) -> Agent:
    """Support marks are booleans or objects; what is absent or malformed is off."""
    can = result.agent_capabilities or Capabilities()
    prompt, mcp, session, auth = (
        can.prompt_capabilities,
        can.mcp_capabilities,
        can.session_capabilities,
        can.auth,
    )
    limits = [meta.image_capability for meta in (can.meta, result.meta) if meta and meta.image_capability]
    return Agent(
        name=text(result.agent_info and result.agent_info.name),
        version=text(result.agent_info and result.agent_info.version),
        load=supported(can.load_session),
        resume=bool(session and supported(session.resume)),
        close=bool(session and supported(session.close)),
        listing=bool(session and supported(session.list)),
        delete=bool(session and supported(session.delete)),
        dirs=bool(session and supported(session.additional_directories)),
        logout=bool(auth and supported(auth.logout)),
        images=bool(prompt and supported(prompt.image)),
        embeds=bool(prompt and supported(prompt.embedded_context)),
        http=bool(mcp and supported(mcp.http)),
        sse=bool(mcp and supported(mcp.sse)),
        image_limits=limits[0] if limits else ImageLimits(),
        methods=result.auth_methods or (),
    )


def version_problem(result: InitializeResult) -> Failure | None:
    """Only version 1 is spoken; one that is not told counts as 1."""
    version = result.protocol_version
    if version is None or str(version) == str(VERSION):
        return None
    return other(f"the agent speaks ACP version {version}, craze speaks version {VERSION}")


def initialize_problem(reply: Reply) -> Failure:
    """Why `initialize` failed, in words a person can use."""
    error = reply.error
    if error is not None and (
        error.code == _WRONG_VERSION or (error.code == INVALID_PARAMS and _names_info(error.data))
    ):
        return other("this agent speaks only ACP v2")
    return reply.failed or other("initialize failed")


def _names_info(data: Raw | None) -> bool:
    """The client's name stands in `info` in version 2 alone."""
    return data is not None and '"info"' in bytes(data).decode("utf-8", "replace").replace(" ", "")


# ---- the session


def way_of(start: Start, agent: Agent, *, reopen: str, has_history: bool) -> Way | None:
    """How the session is opened; None when it cannot be reopened."""
    if not reopen:
        return "session/new"
    if has_history and agent.resume:
        return "session/resume"
    if agent.load:
        return "session/load"
    return "session/resume" if agent.resume else None


def session_params(
    start: Start, declaration: Declaration, agent: Agent, session: str, program: Callable[[str], str]
) -> tuple[dict[str, object], list[str]]:
    """The params of new, load and resume, and the names of tool servers that the agent cannot use."""
    usable = {"stdio": True, "http": agent.http, "sse": agent.sse}
    servers = [_server(server, program) for server in declaration.mcp_servers if usable[server.type]]
    dropped = [server.name for server in declaration.mcp_servers if not usable[server.type]]
    params: dict[str, object] = {"sessionId": session} if session else {}
    params |= {"cwd": start.workspace, "mcpServers": servers}
    if dirs := further_dirs(start):
        params["additionalDirectories"] = dirs
    return params, dropped


def further_dirs(start: Start) -> list[str]:
    return [folder for folder in dict.fromkeys(start.dirs) if folder != start.workspace]


def reopen_problem(reply: Reply) -> Failure:
    """Why a session could not be reopened."""
    failure = reply.failed or other("the answer is no session")
    if reply.code == NOT_FOUND:
        return Failure(message="the agent no longer has this session", error_class="rpc", code=reply.code)
    return Failure(message=f"could not reopen: {failure.message}", error_class=failure.error_class, code=failure.code)


def falls_back(reply: Reply) -> bool:
    """A resume that the agent does not know, or not in this form."""
    return reply.code in (METHOD_NOT_FOUND, INVALID_PARAMS)


def _server(server: McpServer, program: Callable[[str], str]) -> dict[str, object]:
    if server.type != "stdio":
        return {"type": server.type, "name": server.name, "url": server.url, "headers": _pairs(server.headers)}
    return {
        "name": server.name,
        "command": program(server.command),
        "args": list(server.args),
        "env": _pairs(server.env),
    }


def _pairs(table: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in table.items()]


# ---- sign-in


def wants_login(reply: Reply) -> bool:
    if reply.error is None:
        return False
    return reply.code == AUTH_REQUIRED or "authentication required" in reply.error.message.casefold()


def login(agent: Agent, argv: tuple[str, ...], *, required: bool, label: str = "") -> Login:
    return Login(required=required, methods=tuple(_method(method, argv) for method in agent.methods), label=label)


def is_terminal(method: AuthMethod) -> bool:
    """A method that runs a program, and is never sent to `authenticate`."""
    return method.type == "terminal" or bool(method.meta and method.meta.terminal)


def is_sent(method: AuthMethod) -> bool:
    """A method that `authenticate` is for; of a type that craze does not know nothing can be done."""
    return not is_terminal(method) and method.type in (None, "", "agent")


def _method(method: AuthMethod, argv: tuple[str, ...]) -> LoginMethod:
    name = LoginMethod(
        id=method.id, name=text(method.name) or method.id, description=text(method.description), kind="agent"
    )
    if is_terminal(method):
        return _program(name, method, argv)
    if not is_sent(method):
        return LoginMethod(id=name.id, name=name.name, description=name.description, kind=method.type or "")
    return name


def _program(name: LoginMethod, method: AuthMethod, argv: tuple[str, ...]) -> LoginMethod:
    """The full form where it names a command, else the agent's own with the method's arguments."""
    full = method.meta.terminal if method.meta else None
    if full and full.command:
        command, env = (full.command, *(full.args or ())), full.env
    else:
        command, env = (*argv, *(method.args or ())), method.env
    return LoginMethod(
        id=name.id,
        name=name.name,
        description=name.description,
        kind="terminal",
        command=command,
        env=_environment(env),
    )


class _Variable(Struct, frozen=True):
    name: str
    value: str = ""


class _Variables(Struct, frozen=True):
    rows: tuple[_Variable, ...] = ()


def _environment(raw: object) -> dict[str, str]:
    """Variables given as an object or as a list of names and values."""
    if not isinstance(raw, Raw):
        return {}
    rows = read(_Variables, b'{"rows":' + bytes(raw) + b"}").value
    if rows and rows.rows:
        return {row.name: row.value for row in rows.rows}
    value = value_of(raw)
    return {str(k): str(v) for k, v in value.items()} if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
