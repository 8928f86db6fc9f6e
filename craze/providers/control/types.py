"""What an agent writes: control frames and the lines of its event stream, as far as craze reads them.

Every key has a default: a line of another build misses some. Keys that are not named here stay in the wire capture.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal, TypeAlias

from msgspec import UNSET, Raw, Struct, UnsetType, field

Profile: TypeAlias = Literal["seed", "extended"]
Json: TypeAlias = Raw | UnsetType


class Part(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A piece of a line; it holds nothing that could hold it."""


class Line(Part, frozen=True, kw_only=True, tag_field="type"):
    """A line by its `type`."""


class Other(Struct, frozen=True):
    """A line of a type that is not known here."""

    type: str


# ---- control frames


class ControlRequest(Line, frozen=True, tag="control_request"):
    request_id: Json = UNSET
    request: Json = UNSET


class Replied(Part, frozen=True):
    """The inside of a `control_response`; `pending_*`: asks that were open before the client came."""

    subtype: str = ""
    request_id: Json = UNSET
    response: Json = UNSET
    error: str = ""
    pending_permission_requests: tuple[Raw, ...] = ()
    pending_user_dialog_requests: tuple[Raw, ...] = ()


class ControlResponse(Line, frozen=True, tag="control_response"):
    response: Replied = Replied()


class ControlCancel(Line, frozen=True, tag="control_cancel_request"):
    request_id: Json = UNSET


# ---- model output


class Tokens(Part, frozen=True):
    """The usage of one model call."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class Source(Part, frozen=True):
    """The data of an image."""

    media_type: str = ""
    data: str = ""


class Block(Part, frozen=True):
    """A content block of any kind."""

    type: str = ""
    text: str = ""
    thinking: str = ""
    id: str = ""
    name: str = ""
    input: Json = UNSET
    tool_use_id: str = ""
    content: str | tuple[Block, ...] | None = None
    is_error: bool | None = None
    source: Source | None = None


class Message(Part, frozen=True):
    """A message of the model or the user."""

    id: str = ""
    model: str = ""
    content: str | tuple[Block, ...] = ()
    usage: Tokens | None = None

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (Block(type="text", text=self.content),) if isinstance(self.content, str) else self.content


class Assistant(Line, frozen=True, tag="assistant"):
    message: Message = Message()
    parent_tool_use_id: str | None = None
    agent_id: str | None = None
    error: str | None = None
    aborted: bool = False


class User(Line, frozen=True, tag="user"):
    message: Message = Message()
    parent_tool_use_id: str | None = None
    agent_id: str | None = None
    uuid: str = ""
    is_replay: bool = field(default=False, name="isReplay")
    is_synthetic: bool = field(default=False, name="isSynthetic")
    tool_use_result: Json = UNSET


class Delta(Part, frozen=True):
    """What came of a block."""

    text: str = ""
    thinking: str = ""
    partial_json: str = ""


class Streamed(Part, frozen=True):
    """One event of a model's stream."""

    type: str = ""
    index: int = 0
    delta: Delta | None = None
    content_block: Block | None = None
    message: Message | None = None
    usage: Tokens | None = None


class StreamEvent(Line, frozen=True, tag="stream_event"):
    event: Streamed = Streamed()
    parent_tool_use_id: str | None = None


# ---- the session


class CommandOffer(Part, frozen=True):
    """A slash command."""

    name: str = ""
    description: str = ""
    hint: str = field(default="", name="argumentHint")


class ModelOffer(Part, frozen=True):
    """A model that can be chosen."""

    value: str = ""
    resolved: str = field(default="", name="resolvedModel")
    name: str = field(default="", name="displayName")
    description: str = ""
    efforts: tuple[str, ...] = field(default=(), name="supportedEffortLevels")


class Catalogs(Part, frozen=True):
    """The reply to `initialize`."""

    commands: tuple[CommandOffer, ...] | None = None
    models: tuple[ModelOffer, ...] | None = None
    output_style: str = ""
    output_styles: tuple[str, ...] = field(default=(), name="available_output_styles")
    version: str = field(default="", name="claude_code_version")
    mode: str = field(default="", name="current_permission_mode")
    capabilities: tuple[str, ...] = ()


class TaskUsage(Part, frozen=True):
    total_tokens: int = 0
    tool_uses: int = 0
    duration_ms: int = 0


class TaskPatch(Part, frozen=True):
    status: str = ""
    error: str = ""


class CompactNumbers(Part, frozen=True):
    trigger: str = ""
    pre_tokens: int = 0
    post_tokens: int = 0


class System(Line, frozen=True, tag="system"):
    """A `system` line of any subtype; each key belongs to those that have it."""

    subtype: str = ""
    session_id: str = ""
    model: str = ""
    mode: str | None = field(default=None, name="permissionMode")
    version: str = field(default="", name="claude_code_version")
    terminal_commands: tuple[str, ...] = field(default=(), name="terminal_slash_commands")
    capabilities: tuple[str, ...] = ()
    commands: tuple[CommandOffer, ...] = ()
    parent_tool_use_id: str | None = None
    status: str | None = None
    state: str = ""
    title: str = ""
    compact_result: str = ""
    compact_error: str = ""
    compact_metadata: CompactNumbers = CompactNumbers()
    task_id: str = ""
    task_type: str = ""
    tool_use_id: str = ""
    parent_task_id: str = ""
    description: str = ""
    subagent_type: str = ""
    prompt: str = ""
    is_backgrounded: bool = False
    patch: TaskPatch = TaskPatch()
    summary: str = ""
    usage: TaskUsage = TaskUsage()
    attempt: int = 0
    max_retries: int = 0
    retry_delay_ms: float = 0
    error_status: int | None = None
    error: str = ""
    content: str = ""
    message: str = ""
    text: str = ""
    level: str = ""
    tool_name: str = ""


class ModelSpend(Part, frozen=True, rename="camel"):
    """What one model cost so far, or since the last result."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0
    thinking_tokens: int = 0
    cost: Decimal | None = field(default=None, name="costUSD")
    cost_basis: str = ""
    context_window: int = 0


class Origin(Part, frozen=True):
    kind: str = ""


class Result(Line, frozen=True, tag="result"):
    """The end of a turn."""

    subtype: str = ""
    is_error: bool = False
    api_error_status: int | None = None
    stop_reason: str | None = None
    terminal_reason: str = ""
    result: str = ""
    errors: tuple[str, ...] = ()
    session_id: str = ""
    model_usage: dict[str, ModelSpend] | None = field(default=None, name="modelUsage")
    since_last: dict[str, ModelSpend] | None = field(default=None, name="model_usage_since_last_result")
    origin: Origin | None = None


class CommandLifecycle(Line, frozen=True, tag="command_lifecycle"):
    command_uuid: str = ""
    state: str = ""


class RateLimit(Part, frozen=True):
    status: str = ""
    kind: str = field(default="", name="rateLimitType")
    resets_at: float | None = field(default=None, name="resetsAt")


class RateLimitEvent(Line, frozen=True, tag="rate_limit_event"):
    info: RateLimit = field(default=RateLimit(), name="rate_limit_info")


class ConversationReset(Line, frozen=True, tag="conversation_reset"):
    message: str = ""


Known: TypeAlias = (
    StreamEvent
    | Assistant
    | User
    | System
    | Result
    | ControlRequest
    | ControlResponse
    | ControlCancel
    | CommandLifecycle
    | RateLimitEvent
    | ConversationReset
)

QUIET = frozenset({"keep_alive", "tool_progress", "auth_status", "prompt_suggestion", "streamlined_text"})
"""Types that say nothing craze shows."""


# ---- requests of the agent, with what real ones add


class Suggestion(Part, frozen=True):
    """A change of the permission rules that an allow may carry."""

    type: str = ""
    rules: tuple[dict[str, Any], ...] = ()
    behavior: str = ""
    destination: str = ""
    directories: tuple[str, ...] = ()
    mode: str = ""


class ServerName(Part, frozen=True):
    name: str = ""


class AskedTool(Part, frozen=True):
    """`can_use_tool`."""

    tool_name: str | UnsetType = UNSET
    input: Json = UNSET
    tool_use_id: str = ""
    display_name: str = ""
    title: str = ""
    description: str = ""
    permission_suggestions: tuple[Raw, ...] = ()
    blocked_path: str = ""
    decision_reason: str = ""
    agent_id: str = ""
    mcp_server: ServerName | str | None = None
    suppress_always_allow_rule: bool = False
    default_to_no: bool = False


class AskedHook(Part, frozen=True):
    callback_id: str | UnsetType = UNSET


class AskedServer(Part, frozen=True):
    """`mcp_message`."""

    server_name: str | UnsetType = UNSET
    message: Json = UNSET


class AskedForm(Part, frozen=True):
    """`elicitation`; both spellings."""

    mcp_server_name: str | UnsetType = UNSET
    server: str | UnsetType = UNSET
    message: str | UnsetType = UNSET
    prompt: str | UnsetType = UNSET
    requested_schema: Json = UNSET
    requested_schema_camel: Json = field(default=UNSET, name="requestedSchema")
    mode: str = "form"
    url: str = ""
    property_order: tuple[str, ...] = ()


class AskedDialog(Part, frozen=True):
    dialog_kind: str | UnsetType = UNSET
    dialog_kind_camel: str | UnsetType = field(default=UNSET, name="dialogKind")
    payload: Json = UNSET

    @property
    def kind(self) -> str:
        return next((k for k in (self.dialog_kind, self.dialog_kind_camel) if isinstance(k, str)), "unknown")
