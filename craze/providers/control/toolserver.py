"""Tools that craze serves to an agent: the port for them, and the JSON-RPC that the agent speaks with their servers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias, cast

import msgspec
from msgspec import Raw, Struct

from craze import __version__

PARSE, NO_METHOD, BAD_PARAMS, FAILED = -32700, -32601, -32602, -32603
_PROTOCOL: Final = "2025-06-18"

Json: TypeAlias = dict[str, Any]


class ServedTool(Struct, frozen=True):
    """A tool; `schema` is the JSON Schema of its arguments."""

    name: str
    description: str
    schema: Mapping[str, Any]


class ToolResult(Struct, frozen=True):
    """What a call gave, as MCP content blocks; `is_error`: the tool itself failed."""

    content: tuple[Json, ...]
    is_error: bool = False


class ToolServer(Protocol):
    """One server; the parts that have tools fill it."""

    @property
    def name(self) -> str: ...

    def tools(self) -> Sequence[ServedTool]: ...

    async def call(self, name: str, arguments: Mapping[str, Any], cancel: asyncio.Event) -> ToolResult:
        """`cancel` is set when nobody waits any more."""
        ...


class RpcError(Exception):
    """A refusal by JSON-RPC code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class _Message(Struct):
    method: str = ""
    id: Raw | msgspec.UnsetType = msgspec.UNSET
    params: Any = None


async def reply(
    servers: Mapping[str, ToolServer], server: str, message: Raw, seconds: float, cancel: asyncio.Event
) -> Raw:
    """The body of the answer to one `mcp_message`: `{}` for a notification, whose id is absent (0 is one)."""
    try:
        asked = msgspec.json.decode(message, type=_Message)
    except msgspec.DecodeError:
        return _body(Raw(b"null"), error={"code": PARSE, "message": "not a JSON-RPC message"})
    if isinstance(asked.id, msgspec.UnsetType):
        return Raw(b"{}")
    try:
        found = servers.get(server)
        if found is None:
            raise RpcError(NO_METHOD, f'unknown server "{server}"')
        async with asyncio.timeout(seconds or None):
            return _body(asked.id, result=await _result(found, asked, cancel))
    except RpcError as refused:
        return _body(asked.id, error={"code": refused.code, "message": str(refused)})
    except TimeoutError:
        return _body(asked.id, error={"code": FAILED, "message": f"no result in {seconds:g} s"})
    except Exception as failed:  # noqa: BLE001 - the tool is somebody else's code
        return _body(asked.id, error={"code": FAILED, "message": str(failed) or type(failed).__name__})


async def _result(server: ToolServer, asked: _Message, cancel: asyncio.Event) -> Json:
    handler = _METHODS.get(asked.method)
    if handler is None:
        raise RpcError(NO_METHOD, f'unknown method "{asked.method}"')
    params: object = {} if asked.params is None else asked.params
    if not isinstance(params, dict):
        raise RpcError(BAD_PARAMS, "params must be an object")
    return await handler(server, cast("Json", params), cancel)


async def _initialize(server: ToolServer, params: Json, _cancel: asyncio.Event) -> Json:
    return {
        "protocolVersion": params.get("protocolVersion", _PROTOCOL),
        "capabilities": {"tools": {}},
        "serverInfo": {"name": server.name, "version": __version__},
    }


async def _ping(_server: ToolServer, _params: Json, _cancel: asyncio.Event) -> Json:
    return {}


async def _list(server: ToolServer, _params: Json, _cancel: asyncio.Event) -> Json:
    return {
        "tools": [
            {"name": tool.name, "description": tool.description, "inputSchema": dict(tool.schema)}
            for tool in server.tools()
        ]
    }


async def _call(server: ToolServer, params: Json, cancel: asyncio.Event) -> Json:
    name, arguments = params.get("name"), params.get("arguments", {})
    tool = next((tool for tool in server.tools() if tool.name == name), None)
    if tool is None:
        raise RpcError(BAD_PARAMS, f'unknown tool "{name}"')
    if wrong := _wrong(tool, arguments):
        raise RpcError(BAD_PARAMS, wrong)
    result = await server.call(tool.name, arguments, cancel)
    told: Json = {"content": list(result.content)}
    return {**told, "isError": True} if result.is_error else told


def _wrong(tool: ServedTool, arguments: object) -> str:
    """What is wrong with the arguments of a call; "" = nothing."""
    from jsonschema import Draft202012Validator  # heavy: only when a tool is called

    checker: Any = Draft202012Validator(dict(tool.schema))
    found = next(iter(checker.iter_errors(arguments)), None)
    return "" if found is None else str(found.message)[:200]


_METHODS: Final[dict[str, Callable[[ToolServer, Json, asyncio.Event], Awaitable[Json]]]] = {
    "initialize": _initialize,
    "ping": _ping,
    "tools/list": _list,
    "tools/call": _call,
}


def _body(number: Raw, **outcome: object) -> Raw:
    return Raw(msgspec.json.encode({"mcp_response": {"jsonrpc": "2.0", "id": number, **outcome}}))
