"""The frames of the control channel as its protocol document defines them: one struct a definition.

`schema` writes the document from these. What real agents add to them stands in `types` and is never part of it.
`wire` says of a struct whether it takes further keys (`open`) and whether it stands under a name of its own (`named`).
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from msgspec import UNSET, Meta, Raw, Struct, UnsetType, field

Id: TypeAlias = Annotated[str, Meta(min_length=1)]
Opt: TypeAlias = UnsetType
Anything: TypeAlias = Raw | UnsetType


class Wire(Struct, frozen=True, kw_only=True):
    """An object that takes no further keys and stands under its own name."""

    open: ClassVar[bool] = False
    named: ClassVar[bool] = True


class OpenWire(Wire, frozen=True, kw_only=True):
    """An object with whatever further keys."""

    open: ClassVar[bool] = True


class Inner(OpenWire, frozen=True, kw_only=True):
    """An object that is written where it stands."""

    named: ClassVar[bool] = False


# ---- questions


class QSpecOption(OpenWire, frozen=True, kw_only=True):
    label: str
    description: str | Opt = UNSET


class QSpec(OpenWire, frozen=True, kw_only=True):
    question: str | Opt = UNSET
    header: str | Opt = UNSET
    options: tuple[QSpecOption, ...] | Opt = UNSET
    multi_select: bool | Opt = field(default=UNSET, name="multiSelect")


class AskUserQuestionInput(OpenWire, frozen=True, kw_only=True):
    questions: tuple[QSpec, ...]


Answers: TypeAlias = dict[str, str]


class QuestionAnswerUpdatedInput(OpenWire, frozen=True, kw_only=True):
    """`questions` goes back as it came, unknown keys too."""

    questions: tuple[QSpec, ...]
    answers: Answers


# ---- requests


class Matcher(Inner, frozen=True, kw_only=True):
    matcher: str
    hook_callback_ids: tuple[str, ...] = field(name="hookCallbackIds")


class Hooks(Inner, frozen=True, kw_only=True):
    pre_tool_use: tuple[Matcher, ...] | Opt = field(default=UNSET, name="PreToolUse")


class Initialize(Inner, frozen=True, kw_only=True):
    subtype: Literal["initialize"] = "initialize"
    append_subagent_system_prompt: str | Opt = field(default=UNSET, name="appendSubagentSystemPrompt")
    sdk_mcp_servers: tuple[str, ...] | Opt = field(default=UNSET, name="sdkMcpServers")
    tool_aliases: dict[str, str] | Opt = field(default=UNSET, name="toolAliases")
    hooks: Hooks | Opt = UNSET


class CanUseTool(Inner, frozen=True, kw_only=True):
    subtype: Literal["can_use_tool"] = "can_use_tool"
    tool_name: str
    display_name: str | Opt = UNSET
    input: dict[str, Any]
    tool_use_id: str | Opt = UNSET


class HookCallback(Inner, frozen=True, kw_only=True):
    subtype: Literal["hook_callback"] = "hook_callback"
    callback_id: str
    input: Anything = UNSET
    tool_use_id: str | Opt = UNSET


class McpMessage(Inner, frozen=True, kw_only=True):
    subtype: Literal["mcp_message"] = "mcp_message"
    server_name: str
    message: dict[str, Any]


class UserDialog(Inner, frozen=True, kw_only=True):
    subtype: Literal["request_user_dialog"] = "request_user_dialog"
    dialog_kind_camel: str | Opt = field(default=UNSET, name="dialogKind")
    dialog_kind: str | Opt = UNSET
    payload: Anything = UNSET


class Elicitation(Inner, frozen=True, kw_only=True):
    subtype: Literal["elicitation", "side_question"] = "elicitation"
    mcp_server_name: str | Opt = UNSET
    server: str | Opt = UNSET
    message: str | Opt = UNSET
    prompt: str | Opt = UNSET
    requested_schema_camel: Anything = field(default=UNSET, name="requestedSchema")


class ControlRequestInitialize(Wire, frozen=True, kw_only=True):
    type: Literal["control_request"] = "control_request"
    request_id: Id
    request: Initialize


class ControlRequestCanUseTool(Wire, frozen=True, kw_only=True):
    type: Literal["control_request"] = "control_request"
    request_id: Id
    request: CanUseTool


class ControlRequestHookCallback(Wire, frozen=True, kw_only=True):
    type: Literal["control_request"] = "control_request"
    request_id: Id
    request: HookCallback


class ControlRequestMcpMessage(Wire, frozen=True, kw_only=True):
    type: Literal["control_request"] = "control_request"
    request_id: Id
    request: McpMessage


class ControlRequestUserDialog(Wire, frozen=True, kw_only=True):
    type: Literal["control_request"] = "control_request"
    request_id: Id
    request: UserDialog


class ControlRequestElicitation(Wire, frozen=True, kw_only=True):
    type: Literal["control_request"] = "control_request"
    request_id: Id
    request: Elicitation


# ---- bodies of answers


class AllowBody(Wire, frozen=True, kw_only=True):
    behavior: Literal["allow"] = "allow"
    updated_input: dict[str, Any] = field(name="updatedInput")


class DenyBody(Wire, frozen=True, kw_only=True):
    behavior: Literal["deny"] = "deny"
    message: str


class Empty(Wire, frozen=True, kw_only=True):
    """`{}`."""

    named: ClassVar[bool] = False


class JsonRpc(Inner, frozen=True, kw_only=True):
    jsonrpc: Literal["2.0"] = "2.0"
    id: Raw
    result: Anything = UNSET
    error: dict[str, Any] | Opt = UNSET


class McpResponse(Wire, frozen=True, kw_only=True):
    named: ClassVar[bool] = False
    mcp_response: JsonRpc


class HookBlock(Wire, frozen=True, kw_only=True):
    named: ClassVar[bool] = False
    decision: Literal["block"] = "block"
    reason: str


class DialogResponseBody(OpenWire, frozen=True, kw_only=True):
    behavior: Literal["ok", "cancelled"]
    choice: Anything = UNSET


class ElicitResponseBody(OpenWire, frozen=True, kw_only=True):
    action: Literal["accept", "decline", "cancel"]
    content: Anything = UNSET


# ---- envelopes


class Success(Inner, frozen=True, kw_only=True):
    subtype: Literal["success"] = "success"
    request_id: str
    response: Raw


class ControlResponse(Wire, frozen=True, kw_only=True):
    type: Literal["control_response"] = "control_response"
    response: Success


class Refusal(Inner, frozen=True, kw_only=True):
    subtype: Literal["error"] = "error"
    request_id: str
    error: str


class ControlResponseError(Wire, frozen=True, kw_only=True):
    type: Literal["control_response"] = "control_response"
    response: Refusal


DEFINITIONS: tuple[type[Wire], ...] = (
    QSpecOption,
    QSpec,
    AskUserQuestionInput,
    ControlRequestInitialize,
    ControlRequestCanUseTool,
    ControlRequestHookCallback,
    ControlRequestMcpMessage,
    QuestionAnswerUpdatedInput,
    AllowBody,
    DenyBody,
    ControlResponse,
    ControlRequestUserDialog,
    ControlRequestElicitation,
    DialogResponseBody,
    ElicitResponseBody,
    ControlResponseError,
)

CHOICES: dict[str, tuple[str, tuple[str | type[Wire], ...]]] = {
    "ControlRequest": (
        "oneOf",
        (
            "ControlRequestInitialize",
            "ControlRequestCanUseTool",
            "ControlRequestHookCallback",
            "ControlRequestMcpMessage",
            "ControlRequestUserDialog",
            "ControlRequestElicitation",
        ),
    ),
    "McpResponseBody": ("anyOf", (Empty, McpResponse)),
    "HookOutputBody": ("anyOf", (Empty, HookBlock)),
    "ControlResponseBody": (
        "anyOf",
        ("AllowBody", "DenyBody", "McpResponseBody", "HookOutputBody", "DialogResponseBody", "ElicitResponseBody"),
    ),
    "Message": ("oneOf", ("ControlRequest", "ControlResponse", "ControlResponseError")),
}
"""The definitions that are a choice: which keyword, and what it chooses from."""

REFERS: dict[tuple[type[Wire], str], str] = {
    (QuestionAnswerUpdatedInput, "answers"): "Answers",
    (Success, "response"): "ControlResponseBody",
}
"""Fields whose value has a definition by name, where the struct keeps plain JSON."""
