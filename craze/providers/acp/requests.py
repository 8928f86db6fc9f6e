"""The wire structs of what an agent asks and tells besides updates; read by the rules of `types`."""

from __future__ import annotations

from msgspec import UNSET, Raw, UnsetType, field

from craze.providers.acp.types import Number, Text, ToolFields, Wire


class Choice(Wire, frozen=True):
    option_id: str
    name: Text = None
    kind: Text = None
    meta: Raw | UnsetType = field(default=UNSET, name="_meta")


class AskedTool(ToolFields, frozen=True, kw_only=True):
    """The call of a permission request."""

    tool_call_id: str = ""


class PermissionParams(Wire, frozen=True):
    session_id: Text = None
    title: Text = None
    description: Text = None
    tool_call: AskedTool | None = None
    options: tuple[Choice, ...] | None = None


class ElicitationParams(Wire, frozen=True):
    session_id: Text = None
    tool_call_id: Text = None
    mode: Text = None
    message: Text = None
    requested_schema: Raw | UnsetType = UNSET
    url: Text = None
    elicitation_id: Text = None


class ReadParams(Wire, frozen=True):
    path: str
    session_id: Text = None
    line: Number = None
    limit: Number = None


class WriteParams(Wire, frozen=True):
    path: str
    content: str
    session_id: Text = None


class EnvVariable(Wire, frozen=True):
    name: str
    value: str = ""


class CreateParams(Wire, frozen=True):
    command: str
    session_id: Text = None
    args: tuple[str, ...] | None = None
    env: tuple[EnvVariable, ...] | None = None
    cwd: Text = None
    output_byte_limit: Number = None


class TerminalParams(Wire, frozen=True):
    terminal_id: str
    session_id: Text = None


class CancelRequestParams(Wire, frozen=True):
    request_id: Raw


class CompleteParams(Wire, frozen=True):
    elicitation_id: str


class Account(Wire, frozen=True):
    label: Text = None


class AccountParams(Wire, frozen=True):
    auth_status: Account | None = None


class RetryParams(Wire, frozen=True):
    session_id: Text = None
    category: Text = None
    detail: Text = None
