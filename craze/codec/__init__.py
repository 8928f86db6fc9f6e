"""WHAT HAPPENED: the event language of craze, its exact bytes, and the record that carries an event.

Pure: no clock, loop, disk or screen. Everything public is here; the modules behind it are free to change.
"""

from __future__ import annotations

from craze.codec.asks import Ask, AskBody, Permission, PermissionOption, Plan, Question, QuestionItem, QuestionOption
from craze.codec.catalog import fit_catalog
from craze.codec.decode import decode, decode_as, decode_lines
from craze.codec.encode import encode
from craze.codec.event import EVENT_CODEC, TYPES, Event, Leaf
from craze.codec.failures import exception, failure
from craze.codec.lines import Stray, iter_records
from craze.codec.record import Omitted, Record
from craze.codec.roster import Subagent
from craze.codec.schema import event_schema
from craze.codec.slash import Slash, SlashItem, SlashRun, SlashSetting, is_slash_name
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
from craze.codec.times import ZERO_NS, Stamp, canonical, ns, stamp
from craze.codec.tools import Diff, Task, Todo, Tool, ToolOutput
from craze.codec.turns import Command, Compaction, Failure, ForeignTurn, PluginCommand, Queued, Replay, Turn
from craze.errors import (
    AgentClosed,
    AgentExited,
    AgentNotFound,
    AuthRequired,
    BadTime,
    CodecError,
    DecodeError,
    EncodeError,
    ProviderError,
)

__all__ = [
    "EVENT_CODEC",
    "TYPES",
    "ZERO_NS",
    "AgentClosed",
    "AgentExited",
    "AgentNotFound",
    "Ask",
    "AskBody",
    "AuthRequired",
    "BadTime",
    "Catalog",
    "CatalogModel",
    "CodecError",
    "Command",
    "CommandInfo",
    "Commands",
    "Compaction",
    "Config",
    "ConfigOption",
    "DecodeError",
    "Diff",
    "EncodeError",
    "Event",
    "Failure",
    "ForeignTurn",
    "Leaf",
    "Omitted",
    "Permission",
    "PermissionOption",
    "Plan",
    "PluginCommand",
    "Plugins",
    "ProviderError",
    "Question",
    "QuestionItem",
    "QuestionOption",
    "Queued",
    "Record",
    "Replay",
    "SelectValue",
    "SendNow",
    "Slash",
    "SlashItem",
    "SlashRun",
    "SlashSetting",
    "Spend",
    "Stamp",
    "State",
    "Stray",
    "Subagent",
    "Task",
    "Todo",
    "Tool",
    "ToolOutput",
    "Turn",
    "Usage",
    "canonical",
    "decode",
    "decode_as",
    "decode_lines",
    "encode",
    "event_schema",
    "exception",
    "failure",
    "fit_catalog",
    "is_slash_name",
    "iter_records",
    "ns",
    "stamp",
]
