"""Lines of the agent, and ours that matter to it, as an ordered list of reports.

Pure and total: the same lines give the same reports, and no line makes it raise. What an update of each kind means is
`updates`; what is written to the agent, and when, is `connect`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from msgspec import DecodeError, Raw, Struct, json
from msgspec.structs import replace

from craze.codec import Event, Failure, Replay, Stamp
from craze.engine.facts import Notice, fact
from craze.engine.ports import Report, TurnEnded, TurnFailed
from craze.providers.acp.calls import meta_of
from craze.providers.acp.chunks import Chunks
from craze.providers.acp.decode import read
from craze.providers.acp.quirks import NONE, Quirks
from craze.providers.acp.requests import AskedTool
from craze.providers.acp.results import PromptResult, SessionResult
from craze.providers.acp.types import ToolCall, ToolUpdate, UpdateParams, UserChunk, text
from craze.providers.acp.updates import OpenPrompt, Updates
from craze.providers.lints import Lints

_SILENT = "the agent ended the turn without any output"


@cache
def _strictly() -> Callable[[Raw], UpdateParams]:
    """Made with the agent's first update, since it takes milliseconds: until then the agent only waits to be started."""
    return json.Decoder(UpdateParams).decode


class Translator(Updates):
    """The lines of one connection, in order."""

    def __init__(self, lints: Lints | None = None, quirks: Quirks = NONE) -> None:
        super().__init__(lints, quirks)
        self.opening = False
        self.replayed = False
        self._early: list[tuple[UpdateParams, Stamp]] = []

    def quirks(self, quirks: Quirks) -> None:
        """Which agent this is, once it has said so."""
        self.tools.quirks = quirks
        self.usage.totals = quirks.total_usage
        self.settings.lasting = quirks.lasting_model

    # ---- lines of the agent

    def update(self, raw: Raw, at: Stamp) -> list[Report]:
        """A `session/update`; nearly all are what they should be."""
        try:
            params = _strictly()(raw)
        except (DecodeError, RecursionError):
            return self._leniently(raw, at)
        if params.session_id is None:
            return self._leniently(raw, at)
        return self._routed(params, at)

    def _leniently(self, raw: Raw, at: Stamp) -> list[Report]:
        params, bad, rescued = read(UpdateParams, raw)
        notes: list[Report] = self.note("repaired-line") if rescued else []
        for path in bad if params is not None else ():
            notes += self.note("bad-field", path)
        if params is None:
            return [*notes, *self.note("unusable-update", bytes(raw)[:200].decode("utf-8", "replace"))]
        if params.session_id is None:
            notes += self.note("envelope", "session/update without sessionId")
        return [*notes, *self._routed(params, at)]

    def retrying(self, session: str, said: str, at: Stamp) -> list[Report]:
        """The agent says that it tries something again."""
        agent = session if session != self.session and self.children.get(session) else ""
        return self.busy(agent, said)

    def _routed(self, params: UpdateParams, at: Stamp) -> list[Report]:
        session = params.session_id or self.session
        if session == self.session and session:
            return self._applied(params, "", at)
        if self.children.get(session):
            return self._applied(params, session, at)
        if self.opening or not self.session:
            self._early.append((params, at))
            return []
        notes = self.note("unknown-session", session)
        reports = [*notes, *self.children.strange(session, at), *self._applied(params, session, at)]
        return reports if self.prompt is not None else [*reports, *self.children.quiet(session, at)]

    def _applied(self, params: UpdateParams, child: str, at: Stamp) -> list[Report]:
        """The reports of one update; in a replay a message that is whole now stands first."""
        update = params.update
        agent, first = (child, []) if child else self._agent_of(update, at)
        if not self.replaying:
            reports = self.apply(update, agent, at)
            return [*first, *reports] if first else reports
        self.replayed |= isinstance(update, UserChunk)
        before = [] if isinstance(update, UserChunk) else self.chunks.flush()
        return [_as_replayed(report) for report in (*before, *first, *self.apply(update, agent, at))]

    def _agent_of(self, update: Struct, at: Stamp) -> tuple[str, list[Report]]:
        if getattr(update, "meta", None) is not None:
            meta = meta_of(update)
            if meta.claude_code or meta.copilot:
                agent, first = self.children.tagged(meta, at)
                if agent:
                    return agent, first
        if type(update) is ToolCall or type(update) is ToolUpdate:
            return self.tools.owner(update.tool_call_id) or "", []
        return "", []

    def agent_of(self, session: str, call: AskedTool | None) -> str:
        """Whose request this is: a child's id, or "" for the session itself."""
        if session != self.session and self.children.get(session):
            return session
        if call is None:
            return ""
        owner = self.tools.owner(call.tool_call_id)
        return owner if owner is not None else text(_parent(call))

    def belongs_to_turn(self, agent: str) -> bool:
        """Whether what this agent asks ends with the open prompt."""
        child = self.children.get(agent)
        return self.prompt is not None and not (child is not None and child.row.background)

    # ---- opening

    def begin(self, session: str, at: Stamp, *, replay: bool) -> list[Report]:
        """A session is being opened; with a known id everything until the answer is its history."""
        self.opening, self.replaying, self.replayed = True, replay, False
        self.session = session
        self._early.clear()
        if not replay:
            return []
        self.settings.quiet = True
        return [Event("replay", replay=Replay(phase="start"), at=at)]

    def opened(self, session: str, result: SessionResult, at: Stamp) -> list[Report]:
        """The answer that names the session: held updates, its settings, the end of the replay."""
        self.session, self.opening = session, False
        reports: list[Report] = []
        early, self._early = self._early, []
        for params, since in early:
            reports += self._routed(params, since)
        if self.replaying:
            reports += [_as_replayed(event) for event in self.chunks.flush()]
        reports += self.settings.result(result, at)
        return [*reports, *self._replay_ends(at)]

    def failed_to_open(self, at: Stamp) -> list[Report]:
        self.opening = False
        return self._replay_ends(at)

    def _replay_ends(self, at: Stamp) -> list[Report]:
        if not self.replaying:
            return []
        self.tools.end_turn(spare=frozenset())
        reports = [_as_replayed(report) for report in (*self.chunks.flush(), *self.settings.everything(at))]
        self.replaying = self.settings.quiet = False
        self.chunks.prompt(None)
        return [*reports, Event("replay", replay=Replay(phase="end"), at=at)]

    def renew(self) -> None:
        """Another process of the agent: its ids begin anew, what it said of the session holds until it says more."""
        self.prompt, self.opening, self.replaying = None, False, False
        self.settings.forget()
        self.chunks = Chunks()
        self._compactions.clear()
        self.tools.renew()
        self.children.renew()

    # ---- our own prompt

    def prompted(self, said: str) -> None:
        """A prompt was written."""
        self.prompt = OpenPrompt(said)
        self.chunks.prompt(said)

    def cancelled(self) -> None:
        if self.prompt is not None:
            self.prompt.cancelled = True

    def ended(self, result: PromptResult, at: Stamp) -> list[Report]:
        """The prompt was answered."""
        prompt = self.prompt or OpenPrompt("")
        reports = self._turn_over(at)
        stop = text(result.stop_reason)
        if not stop:
            reports += self.note("stop-reason", stop)
        if prompt.cancelled and stop != "cancelled":
            reports += self.note("cancel-end-turn", stop)
        reports += self.usage.turn(result.usage)
        exempt = prompt.changed_settings and prompt.text.startswith("/")
        if (stop or "end_turn") == "end_turn" and not (prompt.output or exempt or prompt.cancelled):
            reports.append(fact(Notice(severity="warning", text=_SILENT)))
        return [*reports, TurnEnded(stop_reason=stop or "end_turn")]

    def failed(self, failure: Failure, at: Stamp) -> list[Report]:
        """The prompt was answered with an error."""
        cancelled = self.prompt is not None and self.prompt.cancelled
        reports = self._turn_over(at)
        if cancelled:
            reports += self.note("cancel-error", failure.message)
        return [*reports, TurnFailed(failure=failure)]

    def back(self, at: Stamp) -> list[Report]:
        """The prompt never ran."""
        return self._turn_over(at)

    def _turn_over(self, at: Stamp) -> list[Report]:
        cancelled = self.prompt is not None and self.prompt.cancelled
        self.prompt = None
        self.chunks.prompt(None)
        ends = [] if cancelled else self.children.outlive(at)
        ends += self.tools.end_turn(spare=self.children.spared())
        return [*self.idle(""), *ends, *self.children.turn_ended(at)]


def _parent(call: AskedTool) -> str | None:
    claude = meta_of(call).claude_code
    return claude.parent_tool_use_id if claude else None


def _as_replayed(report: Report) -> Report:
    return replace(report, replayed=True) if isinstance(report, Event) else report
