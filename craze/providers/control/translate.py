"""Lines of the event stream to reports: one function a type, in a table. Pure and total.

The translator is told of both directions - the prompts and answers that went out, too - so that the same rows always
give the same reports. Requests and replies are the business of `provider` and its parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec import Raw, Struct

from craze.codec import Event, Stamp, State
from craze.engine.ports import Foreign, Report, TurnEnded, TurnFailed
from craze.providers.control.blocks import Blocks, Said
from craze.providers.control.calls import Calls
from craze.providers.control.children import AGENT, Children
from craze.providers.control.compacting import Compacting, Reason
from craze.providers.control.endings import ending, stopped_by_hook
from craze.providers.control.notices import informs, local_output, notice, rate_limit, retry, synthetic
from craze.providers.control.settings import Settings
from craze.providers.control.types import (
    QUIET,
    Assistant,
    CommandLifecycle,
    ConversationReset,
    Known,
    Other,
    RateLimitEvent,
    Result,
    StreamEvent,
    System,
    User,
)
from craze.providers.control.usage import Usage
from craze.providers.lints import Lints

_INTERRUPTED: Final = "[Request interrupted by user"
_CONTINUED: Final = "This session is being continued"
_SYNTHETIC: Final = "<synthetic>"
_TRANSCRIPTS: Final = 65  # the main one, and those of as many sub-agents as are shown


class Own(Struct):
    """The turn of ours that runs. `call_silent`: a model call was begun and nothing came of it yet; `echoed`: the agent
    said that it took the prompt."""

    uuid: str
    text: str
    call_silent: bool = False
    echoed: bool = False


class Translator:
    """What is known of one session with one process."""

    def __init__(self, lints: Lints, usage: Usage, *, bypass: bool = False) -> None:
        self.lints, self.usage = lints, usage
        self.settings = Settings(bypass=bypass)
        self.children = Children()
        self.calls = Calls(self.children)
        self.own: Own | None = None
        self.foreign = False
        self.private = False
        self.session = ""
        self.version = ""
        self.capabilities: frozenset[str] = frozenset()
        self.steers: dict[str, str] = {}
        self.left_steers: list[str] = []
        self.failed_last = False
        self._uuids: set[str] = set()
        self._main = Blocks()
        self._blocks: dict[str, Blocks] = {"": self._main}
        self._compacting = Compacting()
        self._title = ""

    # ---- what went out

    def prompted(self, uuid: str, text: str) -> None:
        # Not every agent announces its calls; one that has room compacts only because a call came back.
        self.own = Own(uuid, text, call_silent=self.usage.has_room)
        self._uuids.add(uuid)

    def steered(self, uuid: str, text: str, at: Stamp) -> list[Report]:
        self._uuids.add(uuid)
        self.steers[uuid] = text
        return [Event("user", text=text, interjection=True, at=at)]

    # ---- lines

    def line(self, line: Known | Other, at: Stamp) -> list[Report]:
        handler = _LINES.get(type(line))
        due: list[Report] = [*self.children.due(line, at)] if self.children.running else []
        if self.private and _is_talk(line):
            return due
        if handler is None:
            name = line.type if isinstance(line, Other) else ""
            return due if name in QUIET else [*due, *self.lints.once("unknown-type", name)]
        return [*due, *handler(self, line, at)] if due else handler(self, line, at)

    def assistant(self, line: Assistant, at: Stamp) -> list[Report]:
        agent, reports = self._agent(line.parent_tool_use_id, line.agent_id, at)
        if not line.parent_tool_use_id:
            reports += self._awake()
            self._heard()
            if line.message.usage is not None and line.message.model != _SYNTHETIC:
                reports += self.usage.call(line.message.usage, whole=False)
        if line.error:
            return reports
        if line.message.model == _SYNTHETIC:
            return [*reports, *synthetic(line.message.blocks)]
        blocks = self._of(agent)
        for block in line.message.blocks:
            said = blocks.whole(line.message.id, block, aborted=line.aborted)
            if said is not None:
                reports.append(_chunk(said, agent, at))
            elif block.type == "tool_use" and block.id:
                reports += self.calls.whole(block.id, block.name, agent, block.input)
        return reports

    def piece(self, line: StreamEvent, at: Stamp) -> Event | None:
        """The short way for nearly every line: a piece of what the model says, beside which nothing goes on; else None."""
        own, delta = self.own, line.event.delta
        if own is None or delta is None or line.parent_tool_use_id or self.private or self.children.running:
            return None
        text, thought = delta.text or delta.thinking, not delta.text
        if not text:
            return None
        own.call_silent = False
        self._main.said(line.event.index, "thinking" if thought else "text", text)
        return Event("thought" if thought else "text", text=text, at=at)

    def streamed(self, line: StreamEvent, at: Stamp) -> list[Report]:
        event, parent, own = line.event, line.parent_tool_use_id, self.own
        reports: list[Report] = []
        agent = ""
        if parent:
            agent, reports = self._agent(parent, None, at)
        else:
            if own is None:
                reports = self._awake()
            else:
                own.call_silent = False
            if event.type == "message_delta" and event.usage is not None:
                return [*reports, *self.usage.call(event.usage, whole=True)]
        came = (self._blocks.get(agent) or self._of(agent)).streamed(event)
        if came is None:
            return reports
        if isinstance(came, Said):
            reports.append(_chunk(came, agent, at))
        elif came.input:
            reports += self.calls.whole(came.id, came.name, agent, Raw(came.input.encode("utf-8", "replace")))
        else:
            reports += self.calls.begun(came.id, came.name, agent)
        return reports

    def user(self, line: User, at: Stamp) -> list[Report]:
        agent, reports = self._agent(line.parent_tool_use_id, line.agent_id, at)
        texts: list[str] = []
        for block in line.message.blocks:
            if block.type == "tool_result" and block.tool_use_id:
                reports += self.calls.result(block, agent, line.tool_use_result, at)
            elif block.type == "text":
                texts.append(block.text)
        text = "\n".join(texts)
        return [*reports, *self._user_text(line, agent, text, at)] if text else reports

    def _user_text(self, line: User, agent: str, text: str, at: Stamp) -> list[Report]:
        if self._is_receipt(line, text):
            self.steers.pop(line.uuid, None)
            return []
        if line.is_synthetic or text.startswith((_INTERRUPTED, _CONTINUED, "<command-", "<task-notification")):
            return []
        if said := local_output(text):
            return [] if said.startswith("Set model to ") else [notice("info", said)]
        if agent:
            return [*self.children.prompted(agent, text, at)]
        return [Event("user", text=text, at=at)]

    def _is_receipt(self, line: User, text: str) -> bool:
        """The agent says back what was written to it: by its uuid, or as the first echo of the prompt's own words."""
        own = self.own
        if line.uuid in self._uuids:
            return True
        if own is None or own.echoed or not line.is_replay or own.text != text:
            return False
        own.echoed = True
        return True

    def lifecycle(self, line: CommandLifecycle, at: Stamp) -> list[Report]:
        if line.state in ("started", "completed"):
            self.steers.pop(line.command_uuid, None)
        return []

    def rate_limit(self, line: RateLimitEvent, at: Stamp) -> list[Report]:
        return rate_limit(line.info)

    def reset(self, line: ConversationReset, at: Stamp) -> list[Report]:
        return [notice("info", line.message or "the agent began a fresh conversation")]

    # ---- the end of a turn

    def result(self, line: Result, at: Stamp) -> list[Report]:
        """Usage, then the ending of the turn that it belongs to; of a private one, nothing."""
        told: list[Report] = [*self.usage.result(line, self.settings.model)]
        self.failed_last = line.is_error
        background, self.children.finished_in_background = self.children.finished_in_background, False
        if self.private:
            return told
        end = ending(line)
        if self.foreign:
            self.foreign = False
            return [
                *told,
                *self._rows_over(end, at),
                Foreign(running=False, reason=_reason(line, background=background)),
            ]
        strange = line.origin is not None and line.origin.kind not in ("", "human")
        if self.own is None or strange:
            return told
        self.own = None
        if stopped_by_hook(line):
            told.append(notice("info", "a hook stopped the turn"))
        return [*told, *self._rows_over(end, at), end]

    def _rows_over(self, end: TurnEnded | TurnFailed, at: Stamp) -> list[Event]:
        done = isinstance(end, TurnEnded) and end.stop_reason != "cancelled"
        return self.children.turn_ended("completed" if done else "cancelled", at)

    def gone(self) -> None:
        self.own, self.foreign, self.private = None, False, False

    def _awake(self) -> list[Report]:
        """A line of the main transcript while no turn runs begins one of the agent's own."""
        if self.own is not None or self.foreign or self.private:
            return []
        self.foreign = True
        text = self.left_steers.pop(0) if self.left_steers else ""
        woken = "subagent_wake" if self.children.finished_in_background and not text else ""
        return [Foreign(running=True, reason=woken, text=text)]

    def _heard(self) -> None:
        if self.own is not None:
            self.own.call_silent = False

    # ---- system lines

    def system(self, line: System, at: Stamp) -> list[Report]:
        handler = _SYSTEM.get(line.subtype)
        if handler is not None:
            return handler(self, line, at)
        if line.subtype in _SILENT:
            return []
        if line.subtype in _NOTICES or line.subtype.startswith("model_refusal_"):
            return informs(line)
        return self.lints.once("unknown-type", f"system/{line.subtype}")

    def init(self, line: System, at: Stamp) -> list[Report]:
        """Every turn begins with one; what it repeats is not said again."""
        reports = self._awake()
        self.session = line.session_id or self.session
        self.version = line.version or self.version
        self.capabilities = frozenset(line.capabilities)
        reports += self.settings.hide(line.terminal_commands, at)
        return [*reports, *self.settings.changed(at, mode=line.mode or "", model=line.model)]

    def status(self, line: System, at: Stamp) -> list[Report]:
        reports: list[Report] = []
        if line.status == "requesting" and not line.parent_tool_use_id:
            reports += self._awake()
            if self.own is not None:
                self.own.call_silent = True
        if line.mode:
            reports += self.settings.changed(at, mode=line.mode)
        if line.status == "compacting":
            reports += self._compacting.began(self._compaction_reason(), at)
        elif line.compact_result == "failed":
            reports += self._compacting.failed(line.compact_error, at)
        return reports

    def boundary(self, line: System, at: Stamp) -> list[Report]:
        numbers = line.compact_metadata
        return [
            *self._compacting.done(numbers, "manual" if numbers.trigger == "manual" else self._compaction_reason(), at),
            *self.usage.compacted(numbers.post_tokens),
        ]

    def _compaction_reason(self) -> Reason:
        own = self.own
        if own is not None and own.text.split(maxsplit=1)[:1] == ["/compact"]:
            return "manual"
        # Agents announce the call before both: to make room for it, and after it came back as too long.
        return "overflow" if own is not None and own.call_silent and not self.usage.nearly_full else "auto"

    def title(self, line: System, at: Stamp) -> list[Report]:
        asked = self.settings.asked
        ours = asked is not None and asked.setting.kind == "title" and asked.setting.value == line.title
        if line.title == self._title:
            return []
        self._title = line.title
        cause = asked.call if ours and asked else ""
        return [Event("meta", text="" if cause else line.title, state=State(title=line.title), cause=cause, at=at)]

    def retry(self, line: System, at: Stamp) -> list[Report]:
        return retry(line)

    def commands(self, line: System, at: Stamp) -> list[Report]:
        return self.settings.commands(line.commands, at)

    def task_started(self, line: System, at: Stamp) -> list[Report]:
        return [*self.children.started(line, at)] if line.task_type == AGENT and line.task_id else []

    def task_progress(self, line: System, at: Stamp) -> list[Report]:
        return [*self.children.progress(line, at)]

    def task_updated(self, line: System, at: Stamp) -> list[Report]:
        return [*self.children.updated(line, at)]

    def task_notified(self, line: System, at: Stamp) -> list[Report]:
        return [*self.children.notified(line, at)]

    # ---- who speaks

    def _agent(self, parent: str | None, agent_id: str | None, at: Stamp) -> tuple[str, list[Report]]:
        """The row that a line belongs to, "" for the main transcript."""
        if not parent:
            return "", []
        row, events = self.children.of_tool(parent, agent_id or "", at)
        return row, [*events]

    def _of(self, agent: str) -> Blocks:
        blocks = self._blocks.get(agent)
        if blocks is None:
            blocks = self._blocks[agent] = Blocks()
            if len(self._blocks) > _TRANSCRIPTS:
                del self._blocks[next(each for each in self._blocks if each)]
        return blocks


def _is_talk(line: Known | Other) -> bool:
    """What is said in a turn that nobody asked for."""
    if isinstance(line, System):
        return line.subtype == "local_command_output"
    return isinstance(line, Assistant | User | StreamEvent) and not line.parent_tool_use_id


def _chunk(said: Said, agent: str, at: Stamp) -> Event:
    kind = "thought" if said.thought else "text"
    return Event(kind, text=said.text, agent=agent, at=at)


def _reason(line: Result, *, background: bool) -> str:
    woken = background or (line.origin is not None and line.origin.kind == "task-notification")
    return "subagent_wake" if woken else ""


def is_ending(report: Report) -> bool:
    """Whether a report ends a turn of ours."""
    return isinstance(report, TurnEnded | TurnFailed)


_NOTICES: Final = frozenset({"permission_denied", "informational", "notification", "local_command_output"})
_SILENT: Final = frozenset(
    {
        "session_state_changed",
        "control_request_progress",
        "thinking_tokens",
        "hook_started",
        "hook_progress",
        "hook_response",
        "plugin_install",
        "files_persisted",
        "memory_recall",
        "elicitation_complete",
        "background_tasks_changed",
    }
)
_Handler = Callable[[Translator, Any, Stamp], list[Report]]
_LINES: Final[dict[type, _Handler]] = {
    StreamEvent: Translator.streamed,
    Assistant: Translator.assistant,
    User: Translator.user,
    System: Translator.system,
    Result: Translator.result,
    CommandLifecycle: Translator.lifecycle,
    RateLimitEvent: Translator.rate_limit,
    ConversationReset: Translator.reset,
}
_SYSTEM: Final[dict[str, _Handler]] = {
    "init": Translator.init,
    "status": Translator.status,
    "compact_boundary": Translator.boundary,
    "session_title_changed": Translator.title,
    "api_retry": Translator.retry,
    "commands_changed": Translator.commands,
    "task_started": Translator.task_started,
    "task_progress": Translator.task_progress,
    "task_updated": Translator.task_updated,
    "task_notification": Translator.task_notified,
}
