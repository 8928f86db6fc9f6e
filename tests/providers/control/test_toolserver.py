"""The JSON-RPC of servers that live in craze."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from craze.providers.control.toolserver import ServedTool, ToolResult, reply

ADD = {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]}


class Desk:
    """A server whose tools do what their names say."""

    name = "desk"

    def tools(self) -> list[ServedTool]:
        return [ServedTool(name, f"to {name}", ADD) for name in ("add", "fail", "raise", "hang")]

    async def call(self, name: str, arguments: Mapping[str, Any], cancel: asyncio.Event) -> ToolResult:
        if name == "raise":
            raise RuntimeError("broken")
        if name == "hang":
            await cancel.wait()
        return ToolResult(({"type": "text", "text": str(arguments["a"])},), is_error=name == "fail")


async def asked(method: str, server: str = "desk", number: Any = 0, seconds: float = 5, **params: Any) -> Any:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        message["id"] = number
    body = await reply({"desk": Desk()}, server, msgspec.Raw(msgspec.json.encode(message)), seconds, asyncio.Event())
    return msgspec.json.decode(body)


@pytest.mark.rule("CTL-56", "CTL-57")
async def test_a_server_greets_with_the_version_that_was_asked_for() -> None:
    told = await asked("initialize", protocolVersion="2030-01-01")

    result = told["mcp_response"]["result"]
    assert told["mcp_response"]["id"] == 0
    assert (result["protocolVersion"], result["capabilities"], result["serverInfo"]["name"]) == (
        "2030-01-01",
        {"tools": {}},
        "desk",
    )


@pytest.mark.rule("CTL-56", "CTL-T14")
async def test_a_notification_is_answered_by_nothing() -> None:
    assert await asked("notifications/initialized", number=None) == {}


@pytest.mark.rule("CTL-57")
async def test_a_call_gives_content() -> None:
    told = await asked("tools/call", name="add", arguments={"a": 2}, number="x")

    assert told == {
        "mcp_response": {"jsonrpc": "2.0", "id": "x", "result": {"content": [{"type": "text", "text": "2"}]}}
    }
    failed = await asked("tools/call", name="fail", arguments={"a": 2})
    assert failed["mcp_response"]["result"]["isError"] is True


@pytest.mark.rule("CTL-58", "CTL-T13", "CTL-T35")
@pytest.mark.parametrize(
    ("server", "method", "params", "code"),
    [
        ("x", "tools/list", {}, -32601),
        ("desk", "no/such", {}, -32601),
        ("desk", "tools/call", {"name": "no"}, -32602),
        ("desk", "tools/call", {"name": "add", "arguments": {}}, -32602),
        ("desk", "tools/call", {"name": "raise", "arguments": {"a": 1}}, -32603),
    ],
)
async def test_what_cannot_be_done_is_an_error_of_the_protocol(
    server: str, method: str, params: dict[str, Any], code: int
) -> None:
    told = await asked(method, server, **params)

    assert told["mcp_response"]["error"]["code"] == code
    if server == "x":
        error = {"code": -32601, "message": 'unknown server "x"'}
        assert told == {"mcp_response": {"jsonrpc": "2.0", "id": 0, "error": error}}


async def test_a_call_that_takes_too_long_is_over() -> None:
    told = await asked("tools/call", name="hang", arguments={"a": 1}, seconds=0.01)

    assert told["mcp_response"]["error"]["code"] == -32603
