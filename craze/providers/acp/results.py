"""The wire structs of what an agent answers to our requests; read by the rules of `types`."""

from __future__ import annotations

from msgspec import UNSET, Raw, UnsetType, field

from craze.providers.acp.types import Flag, Number, Option, Text, Wire


class AgentInfo(Wire, frozen=True):
    name: Text = None
    title: Text = None
    version: Text = None


class PromptCan(Wire, frozen=True):
    image: Flag = None
    embedded_context: Flag = None


class McpCan(Wire, frozen=True):
    http: Flag = None
    sse: Flag = None


class SessionCan(Wire, frozen=True):
    list: Raw | UnsetType = UNSET
    delete: Raw | UnsetType = UNSET
    close: Raw | UnsetType = UNSET
    resume: Raw | UnsetType = UNSET
    fork: Raw | UnsetType = UNSET
    additional_directories: Raw | UnsetType = UNSET


class AuthCan(Wire, frozen=True):
    logout: Raw | UnsetType = UNSET


class ImageLimits(Wire, frozen=True):
    max_bytes: Number = None
    max_images_per_turn: Number = None


class AgentMeta(Wire, frozen=True):
    image_capability: ImageLimits | None = None


class Capabilities(Wire, frozen=True):
    load_session: Flag = None
    prompt_capabilities: PromptCan | None = None
    mcp_capabilities: McpCan | None = None
    session_capabilities: SessionCan | None = None
    auth: AuthCan | None = None
    meta: AgentMeta | None = field(default=None, name="_meta")


class TerminalLogin(Wire, frozen=True):
    command: Text = None
    args: tuple[str, ...] | None = None
    env: Raw | UnsetType = UNSET


class AuthMeta(Wire, frozen=True):
    terminal: TerminalLogin | None = field(default=None, name="terminal-auth")


class AuthMethod(Wire, frozen=True):
    id: str
    name: Text = None
    description: Text = None
    type: Text = None
    args: tuple[str, ...] | None = None
    env: Raw | UnsetType = UNSET
    meta: AuthMeta | None = field(default=None, name="_meta")


class InitializeResult(Wire, frozen=True):
    protocol_version: int | str | None = None
    agent_info: AgentInfo | None = None
    agent_capabilities: Capabilities | None = None
    auth_methods: tuple[AuthMethod, ...] | None = None
    meta: AgentMeta | None = field(default=None, name="_meta")


class Mode(Wire, frozen=True):
    id: str
    name: Text = None
    description: Text = None


class Modes(Wire, frozen=True):
    available_modes: tuple[Mode, ...] | None = None
    current_mode_id: Text = None


class Model(Wire, frozen=True):
    model_id: str
    name: Text = None
    description: Text = None


class Models(Wire, frozen=True):
    available_models: tuple[Model, ...] | None = None
    current_model_id: Text = None


class SessionResult(Wire, frozen=True):
    """The answer to new, load, resume and fork; `stopReason` in it means that it is none."""

    session_id: Text = None
    config_options: tuple[Option, ...] | None = None
    modes: Modes | None = None
    models: Models | None = None
    stop_reason: Text = None


class Tokens(Wire, frozen=True):
    input_tokens: Number = None
    output_tokens: Number = None
    thought_tokens: Number = None
    cached_read_tokens: Number = None
    cached_write_tokens: Number = None


class PromptResult(Wire, frozen=True):
    stop_reason: Text = None
    usage: Tokens | None = None


class ErrorData(Wire, frozen=True):
    """What the data of an error may add to its message."""

    message: Text = None
    details: Text = None
    error_kind: Text = None
    startup_failure_reason: Text = None


class SetResult(Wire, frozen=True):
    config_options: tuple[Option, ...] | None = None


class ListedSession(Wire, frozen=True):
    session_id: str
    cwd: Text = None
    title: Text = None
    updated_at: Text = None


class ListResult(Wire, frozen=True):
    sessions: tuple[ListedSession, ...] | None = None
    next_cursor: Text = None
