"""The wire structs of ACP version 1: what an agent may send, as far as craze reads it.

Unknown keys are allowed everywhere, every optional field may be absent, null or a value, and payloads stay raw. Absent
and null differ for tools and titles alone (UNSET keeps, None clears). What these types refuse is read leniently by
`decode`.
"""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field

# An event holds no wider number.
LEAST: Final = -(1 << 63)
MOST: Final = (1 << 63) - 1

Text: TypeAlias = str | None
Flag: TypeAlias = bool | None
Integer: TypeAlias = Annotated[int, msgspec.Meta(ge=LEAST, le=MOST)]
Number: TypeAlias = Integer | None


class Wire(Struct, frozen=True, kw_only=True, rename="camel", gc=False):
    """The base of every wire struct."""


class Unknown(Struct, frozen=True):
    """A variant that craze does not know, kept as it came."""

    kind: str
    raw: Raw


# ---- _meta


class ClaudeMeta(Wire, frozen=True):
    tool_name: Text = None
    parent_tool_use_id: Text = None
    tool_response: Raw | UnsetType = UNSET


class ChildMeta(Wire, frozen=True):
    agent_id: Text = None


class TerminalMeta(Struct, frozen=True):
    """One of `terminal_info`, `terminal_output`, `terminal_output_delta`, `terminal_exit`."""

    terminal_id: Text = None
    data: Text = None
    exit_code: Number = None
    signal: Text = None


class Meta(Struct, frozen=True):
    """The `_meta` keys that mean something to craze, at any object; `nested` holds what one library wraps once more."""

    claude_code: ClaudeMeta | None = field(default=None, name="claudeCode")
    copilot: ChildMeta | None = field(default=None, name="github.com/copilot")
    tool_name: Text = field(default=None, name="toolName")
    plain_tool_name: Text = field(default=None, name="tool_name")
    terminal_info: TerminalMeta | None = None
    terminal_output: TerminalMeta | None = None
    terminal_output_delta: TerminalMeta | None = None
    terminal_exit: TerminalMeta | None = None
    nested: Meta | None = field(default=None, name="field_meta")


NO_META = Meta()


# ---- content blocks


class Block(Wire, frozen=True, tag_field="type"):
    """The base of content blocks; `type` is the tag."""


class TextBlock(Block, frozen=True, tag="text"):
    text: str = ""


class ImageBlock(Block, frozen=True, tag="image"):
    data: Text = None
    mime_type: Text = None


class AudioBlock(Block, frozen=True, tag="audio"):
    data: Text = None
    mime_type: Text = None


class LinkBlock(Block, frozen=True, tag="resource_link"):
    uri: Text = None
    name: Text = None


class Resource(Wire, frozen=True):
    uri: Text = None
    text: Text = None


class ResourceBlock(Block, frozen=True, tag="resource"):
    resource: Resource | None = None


AnyBlock: TypeAlias = TextBlock | ImageBlock | AudioBlock | LinkBlock | ResourceBlock


class WrappedContent(Block, frozen=True, tag="content"):
    content: AnyBlock | str = ""


class DiffContent(Block, frozen=True, tag="diff"):
    path: str
    new_text: str = ""
    old_text: Text = None


class TerminalContent(Block, frozen=True, tag="terminal"):
    terminal_id: str


ToolItem: TypeAlias = (
    WrappedContent | DiffContent | TerminalContent | TextBlock | ImageBlock | AudioBlock | LinkBlock | ResourceBlock
)


# ---- session/update


class Update(Wire, frozen=True, tag_field="sessionUpdate"):
    """The base of updates; `sessionUpdate` is the tag."""

    meta: Meta | None = field(default=None, name="_meta")


class Chunk(Update, frozen=True):
    content: AnyBlock | tuple[AnyBlock, ...] | str = ""
    message_id: Text = None


class AgentChunk(Chunk, frozen=True, tag="agent_message_chunk"): ...


class ThoughtChunk(Chunk, frozen=True, tag="agent_thought_chunk"): ...


class UserChunk(Chunk, frozen=True, tag="user_message_chunk"): ...


class Location(Wire, frozen=True):
    path: str


class ToolFields(Wire, frozen=True, kw_only=True):
    """What a call, an update of one and a permission request say of a tool; only in a request may the id be missing."""

    meta: Meta | None = field(default=None, name="_meta")
    tool_call_id: str
    name: str | UnsetType | None = UNSET
    title: str | UnsetType | None = UNSET
    kind: str | UnsetType | None = UNSET
    status: str | UnsetType | None = UNSET
    content: tuple[ToolItem, ...] | UnsetType | None = UNSET
    locations: tuple[Location, ...] | UnsetType | None = UNSET
    raw_input: Raw | UnsetType = UNSET
    raw_output: Raw | UnsetType = UNSET


class ToolCall(ToolFields, frozen=True, tag_field="sessionUpdate", tag="tool_call"): ...


class ToolUpdate(ToolFields, frozen=True, tag_field="sessionUpdate", tag="tool_call_update"): ...


class PlanEntry(Wire, frozen=True):
    content: str = ""
    status: Text = None
    priority: Text = None


class PlanUpdate(Update, frozen=True, tag="plan"):
    entries: tuple[PlanEntry, ...] | None = None


class CommandInput(Wire, frozen=True):
    hint: Text = None


class AdvertisedCommand(Wire, frozen=True):
    name: str
    description: Text = None
    input: CommandInput | None = None


class CommandsUpdate(Update, frozen=True, tag="available_commands_update"):
    available_commands: tuple[AdvertisedCommand, ...] | None = None


class ModeUpdate(Update, frozen=True, tag="current_mode_update"):
    current_mode_id: Text = None
    mode_id: Text = None


class OptionValue(Wire, frozen=True):
    """A value of a select, or (with `options`) a group of them."""

    value: Text = None
    name: Text = None
    description: Text = None
    group: Text = None
    options: tuple[OptionValue, ...] | None = None


class Option(Wire, frozen=True):
    id: str
    name: Text = None
    description: Text = None
    category: Text = None
    type: Text = None
    current_value: str | bool | None = None
    options: tuple[OptionValue, ...] | None = None


class OptionsUpdate(Update, frozen=True, tag="config_option_update"):
    config_options: tuple[Option, ...] | None = None


class SessionInfoUpdate(Update, frozen=True, tag="session_info_update"):
    title: str | UnsetType | None = UNSET
    updated_at: Text = None


class Money(Wire, frozen=True):
    amount: Raw | UnsetType = UNSET
    currency: Text = None


class UsageUpdate(Update, frozen=True, tag="usage_update"):
    used: Number = None
    size: Number = None
    cost: Money | None = None


class NoticeUpdate(Update, frozen=True, tag="notice"):
    severity: Text = None
    title: Text = None
    description: Text = None
    message: Text = None


class CompactionUpdate(Update, frozen=True, kw_only=True, tag="compaction_update"):
    compaction_id: str
    status: Text = None
    error: Raw | UnsetType = UNSET

    @property
    def error_text(self) -> str:
        """The error as a text, whichever form it has."""
        return bytes(self.error).decode("utf-8", "replace").strip('"') if isinstance(self.error, Raw) else ""


class SummaryChunk(Update, frozen=True, tag="compaction_summary_chunk"): ...


class ChildState(Wire, frozen=True):
    state: Text = None
    stop_reason: Text = None
    message: Text = None
    error: Text = None


class ChildCan(Wire, frozen=True):
    cancel: Raw | UnsetType = UNSET


class ChildUpdate(Update, frozen=True, kw_only=True, tag="subagent_update"):
    session_id: str
    title: Text = None
    description: Text = None
    model: Text = None
    capabilities: ChildCan | None = None
    state: ChildState | None = None


class ChildSpawned(Update, frozen=True, kw_only=True, tag="subagent_spawned"):
    session_id: str = field(default="", name="subagentSessionId")
    title: Text = None
    description: Text = None


class ChildStateUpdate(Update, frozen=True, kw_only=True, tag="subagent_state_update"):
    session_id: str = field(default="", name="subagentSessionId")
    state: ChildState | None = None


class SessionMessage(Update, frozen=True, tag="session_message"):
    sender_session_id: Text = None
    recipient_session_id: Text = None
    message_id: Text = None
    content: AnyBlock | tuple[AnyBlock, ...] | str = ""


class SessionMessageChunk(Update, frozen=True, tag="session_message_chunk"):
    sender_session_id: Text = None
    recipient_session_id: Text = None
    message_id: Text = None
    content: AnyBlock | tuple[AnyBlock, ...] | str = ""


AnyUpdate: TypeAlias = (
    AgentChunk
    | ThoughtChunk
    | UserChunk
    | ToolCall
    | ToolUpdate
    | PlanUpdate
    | CommandsUpdate
    | ModeUpdate
    | OptionsUpdate
    | SessionInfoUpdate
    | UsageUpdate
    | NoticeUpdate
    | CompactionUpdate
    | SummaryChunk
    | ChildUpdate
    | ChildSpawned
    | ChildStateUpdate
    | SessionMessage
    | SessionMessageChunk
)


class UpdateParams(Wire, frozen=True):
    update: AnyUpdate
    session_id: Text = None


def text(value: object) -> str:
    """The value, or `""` where there is none."""
    return value if isinstance(value, str) else ""


def supported(mark: Raw | bool | UnsetType | None) -> bool:
    """Whether a support mark says yes: `{…}` or `true`; absent, null, false and anything odd are no."""
    if isinstance(mark, Raw):
        return bytes(mark).lstrip()[:1] == b"{" or bytes(mark).strip() == b"true"
    return mark is True
