"""Turns and what stands around them: waiting prompts, expanded commands, foreign turns, replays, compactions, failures."""

from __future__ import annotations

from typing import Annotated

from msgspec import field
from msgspec.structs import force_setattr

from craze.codec.kinds import NO_TIME, Count, Int, Shape, Time, says


class Turn(Shape, frozen=True, kw_only=True):
    """A turn of ours begins or is over."""

    id: str = ""
    phase: Annotated[str, says("`started`, with `text` and `origin`, or `ended`, with what remains.")] = ""
    text: str = ""
    origin: Annotated[str, says("`submit`, `drain` or `send_now`.")] = ""
    stop_reason: str = ""
    err_class: Annotated[str, says("Of a failed turn: the class of its failure, as in `error`.")] = ""
    err: str = ""
    synthetic: Annotated[bool, says("craze ended the turn; the agent did not.")] = False
    next: Annotated[str, says("The turn that this ending started.")] = ""
    pending: Annotated[Count, says("Prompts that still wait.")] = 0


class ForeignTurn(Shape, frozen=True, kw_only=True):
    """A turn that the agent runs unasked begins (`running`) or is over."""

    id: str = ""
    text: str = ""
    reason: Annotated[str, says("Why the agent started it, an open string; on both ends when it is known.")] = ""
    running: bool = False


class Queued(Shape, frozen=True, kw_only=True):
    """One prompt that waits for its turn; each edit raises `version`."""

    id: str = ""
    text: str = ""
    queued_at: Time = NO_TIME
    version: Count = 0


class PluginCommand(Shape, frozen=True, kw_only=True):
    """A command, skill or agent of a plugin, as `kind` says, with its names by length."""

    plugin: str = ""
    bare: str = ""
    display: str = ""
    qualified: str = ""
    description: str = ""
    kind: str = ""


class Command(Shape, frozen=True, kw_only=True):
    """What a plugin's command or skill became: the text that goes into the next prompt."""

    plugin_command: PluginCommand | None = None
    path: str = ""
    text: str = ""

    def __post_init__(self) -> None:
        # A wholly zero one is the same as none: equal events compare equal.
        if self.plugin_command == PluginCommand():
            force_setattr(self, "plugin_command", None)


class Replay(Shape, frozen=True, kw_only=True):
    """A bracket around a loaded history; `phase` is `start` or `end`."""

    phase: str = ""


class Compaction(Shape, frozen=True, kw_only=True):
    """A shortening of the context begins (`started`) or is over (`ended`, with its sizes or with `err`)."""

    phase: str = ""
    reason: Annotated[str, says("`auto`, `manual` or `overflow`, an open string.")] = ""
    tokens_before: Count = 0
    tokens_after: Count = 0
    err: str = ""


class Failure(Shape, frozen=True, kw_only=True):
    """Why a provider failed: `class` is one of a known set that may grow, `code` an HTTP, JSON-RPC or exit status, else 0."""

    message: str
    error_class: str = field(name="class")
    code: Int
