"""The event: what happened, as one flat struct whose key order is the order of the written line."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from msgspec import Meta

from craze.codec.asks import Ask, AskBody, Permission, PermissionOption, Plan, Question, QuestionItem, QuestionOption
from craze.codec.kinds import NO_TIME, Count, Shape, Time, bound, says
from craze.codec.roster import Subagent
from craze.codec.slash import Slash, SlashItem, SlashRun, SlashSetting
from craze.codec.state import (
    Catalog,
    CatalogModel,
    CommandInfo,
    Commands,
    Config,
    ConfigOption,
    Plugins,
    SelectValue,
    SendNow,
    Spend,
    State,
    Usage,
)
from craze.codec.tools import Diff, Task, Todo, Tool, ToolOutput
from craze.codec.turns import Command, Compaction, Failure, ForeignTurn, PluginCommand, Queued, Replay, Turn

EVENT_CODEC: Final = 1
TYPES: Final[tuple[str, ...]] = (
    "text",
    "thought",
    "tool",
    "todos",
    "permission",
    "question",
    "plan",
    "done",
    "error",
    "meta",
    "user",
    "subagent",
    "queue",
    "command",
    "foreign_turn",
    "replay",
    "turn",
    "ask",
    "compaction",
)


class Typed(Shape, frozen=True):
    """What an event cannot be without; the only argument that may be positional."""

    type: Annotated[
        str,
        Meta(min_length=1),
        bound(enum=[*TYPES]),
        says("What happened. A reader passes over one that it does not know."),
    ]


class Event(Typed, frozen=True, kw_only=True):
    """One event of the event log, codec version 1. Keys other than `type` are not written at their zero; an object may be
    there and empty, which says something else than its absence. Times are RFC 3339 in UTC, to the nanosecond. A reader
    passes over keys and types that it does not know.
    """

    text: Annotated[str, says("A piece of text, or the title that the agent set.")] = ""
    mode: Annotated[str, says("The mode that the agent set.")] = ""
    agent: Annotated[str, says("The sub-agent it belongs to; absent for the main transcript.")] = ""
    tool: Tool | None = None
    todos: tuple[Todo, ...] = ()
    permission: Permission | None = None
    question: Question | None = None
    plan: Plan | None = None
    subagent: Subagent | None = None
    subagent_change: Annotated[str, says("`spawned`, `progress` or `finished`.")] = ""
    queue: Queued | None = None
    queue_change: Annotated[str, says("`queued`, `edited`, `removed` or `sent`.")] = ""
    queue_pos: Annotated[Count, says("The row's place at the moment of the change.")] = 0
    command: Command | None = None
    interjection: Annotated[bool, says("The agent saw this text in the middle of a turn.")] = False
    foreign_turn: ForeignTurn | None = None
    turn: Turn | None = None
    ask: Ask | None = None
    state: State | None = None
    replay: Replay | None = None
    replayed: Annotated[bool, says("It belongs to a loaded history.")] = False
    compaction: Compaction | None = None
    cause: Annotated[str, says("The command that caused it: `clientId/commandId`.")] = ""
    err: Failure | None = None
    stop_reason: str = ""
    at: Time = NO_TIME


Leaf: TypeAlias = (
    Tool
    | ToolOutput
    | Diff
    | Task
    | Todo
    | Permission
    | PermissionOption
    | Question
    | QuestionItem
    | QuestionOption
    | Plan
    | Subagent
    | Queued
    | Command
    | PluginCommand
    | ForeignTurn
    | Turn
    | Ask
    | AskBody
    | State
    | Config
    | ConfigOption
    | SelectValue
    | Commands
    | CommandInfo
    | Plugins
    | Slash
    | SlashItem
    | SlashRun
    | SlashSetting
    | SendNow
    | Usage
    | Spend
    | Catalog
    | CatalogModel
    | Replay
    | Compaction
    | Failure
)
