"""What each kind of update means: one function a kind, in one table.

Pure. It joins the machines of a session - streams, tools, children, settings, usage - and knows nothing of whose lines
come when: that is `translate`'s.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from msgspec import Struct

from craze.codec import CommandInfo, Commands, Compaction, Event, Stamp, State, Todo
from craze.engine.facts import Activity, Notice, details, fact
from craze.engine.ports import Report, ToolPatch
from craze.providers.acp.chunks import Chunks
from craze.providers.acp.commands import known_commands
from craze.providers.acp.lints import LEVELS
from craze.providers.acp.quirks import NONE, Quirks
from craze.providers.acp.settings import Settings
from craze.providers.acp.subagents import Children
from craze.providers.acp.tools import Tools
from craze.providers.acp.types import (
    AgentChunk,
    ChildSpawned,
    ChildStateUpdate,
    ChildUpdate,
    Chunk,
    CommandsUpdate,
    CompactionUpdate,
    ModeUpdate,
    NoticeUpdate,
    OptionsUpdate,
    PlanUpdate,
    SessionInfoUpdate,
    SessionMessage,
    SessionMessageChunk,
    SummaryChunk,
    ThoughtChunk,
    ToolCall,
    ToolUpdate,
    Unknown,
    UsageUpdate,
    UserChunk,
)
from craze.providers.acp.usage import Usage
from craze.providers.lints import Lints

Act: TypeAlias = Callable[[Any, str, Stamp], list[Report]]
_STATUSES: Final = frozenset({"pending", "in_progress", "completed", "cancelled"})


class OpenPrompt(Struct):
    """The prompt that waits for its answer.

    Attributes:
        heard: Something came that counts as news of the prompt.
        output: Something came that a person sees; an echo of the prompt is none.
    """

    text: str
    heard: bool = False
    output: bool = False
    changed_settings: bool = False
    cancelled: bool = False


class Updates:
    """Everything known of one session; children included."""

    def __init__(self, lints: Lints | None = None, quirks: Quirks = NONE) -> None:
        self.lints = lints or Lints(LEVELS)
        self.session = ""
        self.replaying = False
        self.prompt: OpenPrompt | None = None
        self.tools = Tools(self.lints, quirks)
        self.children = Children(self.tools)
        self.settings = Settings(self.lints)
        self.usage = Usage(totals=quirks.total_usage)
        self.chunks = Chunks()
        self._todos: dict[str, tuple[Todo, ...]] = {}
        self._commands: tuple[CommandInfo, ...] | None = None
        self._title: str | None = None
        self._compactions: dict[str, bool] = {}
        self._busy: set[str] = set()
        self._table: dict[type, Act] = {
            AgentChunk: self._words,
            ThoughtChunk: self._words,
            UserChunk: self._user,
            ToolCall: self._call,
            ToolUpdate: self._call_update,
            PlanUpdate: self._plan,
            CommandsUpdate: self._advertised,
            ModeUpdate: self._mode,
            OptionsUpdate: self._options,
            SessionInfoUpdate: self._info,
            UsageUpdate: self._usage,
            NoticeUpdate: self._notice,
            CompactionUpdate: self._compaction,
            SummaryChunk: self._summary,
            ChildUpdate: self._child,
            ChildSpawned: self._spawned,
            ChildStateUpdate: self._child_state,
            SessionMessage: self._message,
            SessionMessageChunk: self._message_chunk,
        }

    def apply(self, update: Struct, agent: str, at: Stamp) -> list[Report]:
        """The reports of one update; it ends what the agent said that it is doing."""
        act = self._table.get(type(update))
        if act is None:
            return self._unknown(update)
        reports = act(update, agent, at)
        return [*self.idle(agent), *reports] if self._busy else reports

    def asked(self, agent: str) -> None:
        """A request of the agent stands in the transcript here."""
        self._heard()
        self.chunks.boundary(agent)

    # ---- update kinds

    def _words(self, update: Chunk, agent: str, at: Stamp) -> list[Report]:
        events = self.chunks.piece(update, agent, at)
        if events:
            self._heard()
        if isinstance(update.content, tuple):
            return [*self.note("chunk-array"), *events]
        return events

    def _user(self, update: UserChunk, agent: str, at: Stamp) -> list[Report]:
        if self.replaying:
            return [*self.chunks.replayed_user(update, agent, at)]
        events, echo = self.chunks.user(update, agent, at)
        if echo and self.prompt is not None:
            self.prompt.heard = True
        return [*events]

    def _call(self, update: ToolCall, agent: str, at: Stamp) -> list[Report]:
        return self._tool(self.tools.call(update, agent), update.tool_call_id, agent, at)

    def _call_update(self, update: ToolUpdate, agent: str, at: Stamp) -> list[Report]:
        return self._tool(self.tools.update(update, agent), update.tool_call_id, agent, at)

    def _tool(self, reports: list[Report], name: str, agent: str, at: Stamp) -> list[Report]:
        """A call's patch; a child that ends with the call ends before it."""
        self._heard()
        self.chunks.boundary(agent)
        call = self.tools.get(agent, name)
        if call is None or not call.final:
            return reports
        status = next((patch.status for patch in reports if isinstance(patch, ToolPatch)), "completed")
        ended = self.children.call_ends(call, status if isinstance(status, str) else "completed", at)
        over = self.children.quiet(agent, at) if agent and self.prompt is None and not self.replaying else []
        return [*ended, *reports, *over]

    def _plan(self, update: PlanUpdate, agent: str, at: Stamp) -> list[Report]:
        self._heard()
        entries = update.entries or ()
        todos = tuple(
            Todo(id=str(number), content=entry.content, status=_status(entry.status))
            for number, entry in enumerate(entries, 1)
        )
        if todos == self._todos.get(agent, ()):
            return []
        self._todos[agent] = todos
        priorities = {str(number): entry.priority for number, entry in enumerate(entries, 1) if entry.priority}
        told = [details("todos", {"priorities": priorities})] if priorities else []
        return [Event("todos", todos=todos, agent=agent, at=at), *told]

    def _advertised(self, update: CommandsUpdate, agent: str, at: Stamp) -> list[Report]:
        if agent:
            return []
        commands, told, bad = known_commands(update.available_commands or ())
        notes = [note for name in bad for note in self.note("bad-command", name)]
        if commands == self._commands:
            return [*notes]
        self._commands = commands
        state = State(commands=Commands(commands=commands))
        return [*notes, Event("meta", state=state, at=at), details("commands", {"commands": told})]

    def _mode(self, update: ModeUpdate, agent: str, at: Stamp) -> list[Report]:
        mode = update.current_mode_id or update.mode_id
        if agent or not mode:
            return []
        note = [] if update.current_mode_id else self.note("mode-key")
        return [*note, *self._settled(self.settings.mode(mode, at))]

    def _options(self, update: OptionsUpdate, agent: str, at: Stamp) -> list[Report]:
        if agent or update.config_options is None:
            return []
        return self._settled(self.settings.options(update.config_options, at))

    def _settled(self, reports: list[Report]) -> list[Report]:
        if reports and self.prompt is not None:
            self.prompt.changed_settings = True
        return reports

    def _info(self, update: SessionInfoUpdate, agent: str, at: Stamp) -> list[Report]:
        if agent:
            return []
        reports: list[Report] = []
        if update.updated_at:
            reports.append(details("session", {"updatedAt": update.updated_at}))
        if isinstance(update.title, str | None):
            title = update.title or ""
            if title != self._title and (title or self._title is not None):
                reports.insert(0, Event("meta", text=title, state=State(title=title), at=at))
            self._title = title
        return reports

    def _usage(self, update: UsageUpdate, agent: str, at: Stamp) -> list[Report]:
        return [] if agent else [*self.usage.update(update)]

    def _notice(self, update: NoticeUpdate, agent: str, at: Stamp) -> list[Report]:
        said = ": ".join(part for part in (update.title, update.description or update.message) if part)
        if self.replaying or not said:
            return []
        self._heard()
        severity = update.severity if update.severity in ("info", "warning", "error") else "info"
        return [fact(Notice(severity=severity, text=said))]

    def _compaction(self, update: CompactionUpdate, agent: str, at: Stamp) -> list[Report]:
        started = Event("compaction", agent=agent, compaction=Compaction(phase="started", reason="auto"), at=at)
        over = self._compactions.get(update.compaction_id)
        self.chunks.boundary(agent)
        if self.prompt is not None:
            self.prompt.output = True
        if update.status == "in_progress" or not update.status:
            self._compactions.setdefault(update.compaction_id, False)
            return [started] if over is None else []
        if over:
            return []
        self._compactions[update.compaction_id] = True
        why = "" if update.status == "completed" else update.error_text or update.status
        ended = Event("compaction", agent=agent, compaction=Compaction(phase="ended", err=why), at=at)
        return [ended] if over is False else [started, ended]

    def _summary(self, update: SummaryChunk, agent: str, at: Stamp) -> list[Report]:
        return []

    def _child(self, update: ChildUpdate, agent: str, at: Stamp) -> list[Report]:
        if update.session_id == self.session:
            return []  # the session is no child of itself
        return self.children.update(update.session_id, update, agent, at)

    def _spawned(self, update: ChildSpawned, agent: str, at: Stamp) -> list[Report]:
        patch = ChildUpdate(session_id=update.session_id, title=update.title, description=update.description)
        return self._child(patch, agent, at) if update.session_id else []

    def _child_state(self, update: ChildStateUpdate, agent: str, at: Stamp) -> list[Report]:
        patch = ChildUpdate(session_id=update.session_id, state=update.state)
        return self._child(patch, agent, at) if update.session_id else []

    def _message(self, update: SessionMessage, agent: str, at: Stamp) -> list[Report]:
        return self.children.message(update, at)

    def _message_chunk(self, update: SessionMessageChunk, agent: str, at: Stamp) -> list[Report]:
        whole = SessionMessage(
            sender_session_id=update.sender_session_id,
            recipient_session_id=update.recipient_session_id,
            message_id=update.message_id,
            content=update.content,
        )
        return self.children.message(whole, at, more=True)

    def _unknown(self, update: object) -> list[Report]:
        kind = update.kind if isinstance(update, Unknown) else type(update).__name__
        return self.lints.once("unknown-kind", kind)

    # ---- small things

    def note(self, name: str, example: str = "") -> list[Report]:
        return self.lints.note(name, example)

    def _heard(self) -> None:
        if self.prompt is not None:
            self.prompt.heard = self.prompt.output = True

    def busy(self, agent: str, said: str) -> list[Report]:
        """The agent says what it is doing; its next update ends that."""
        self._busy.add(agent)
        return [fact(Activity(text=said), agent)]

    def idle(self, agent: str) -> list[Report]:
        if agent not in self._busy:
            return []
        self._busy.discard(agent)
        return [fact(Activity(), agent)]


def _status(status: str | None) -> str:
    return status if status in _STATUSES else "pending"
