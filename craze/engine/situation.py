"""Everything that is true in a session while one input is taken: the machines, and what the step says and does.

The core's handlers (`opening`, `turns`, `queueing`, `asking`, `settings`, `reports`) are functions over a `Situation`;
it has no rule of its own beyond stamping what is said.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec.structs import replace

from craze.codec import Event, ForeignTurn, Queued, Slash, Stamp, State
from craze.engine.answers import Decider
from craze.engine.asks import Asks
from craze.engine.facts import (
    Can,
    Cancelling,
    Data,
    Fact,
    Info,
    Lint,
    LoginMethod,
    Notice,
    Policies,
    Severity,
    Status,
    fact,
)
from craze.engine.gates import Column
from craze.engine.intents import Code, Intent, Refused, Result, Set
from craze.engine.limits import QUIET_AFTER
from craze.engine.ports import Effect, Kept, SaveKept, Start, Step
from craze.engine.queue import Queue
from craze.engine.roster import Roster, Said
from craze.engine.rules import Rule
from craze.engine.slash import slash
from craze.engine.tools import Tools
from craze.engine.value import Value
from craze.engine.view import merge

_EXAMPLE = 200  # characters of what an agent did wrong; its whole line is in the wire capture

Policy = Literal["continue", "pause"]


class Settings(Value, frozen=True):
    """What a session is built with, and all that its capture needs to be derived again.

    Seconds; `turn_timeout` None = no deadline. `decide`, `rules`, `policies`, `alone`: who answers asks (`rules`).
    """

    decide: tuple[Rule, ...] = ()
    rules: tuple[Rule, ...] = ()
    alone: bool = False
    after_cancel: Policy = "continue"
    after_short: Policy = "continue"
    turn_timeout: float | None = None
    quiet_after: float = QUIET_AFTER
    policies: Policies = Policies()
    journaled: bool = True


class Running:
    """The current turn of ours."""

    def __init__(self, turn_id: str, text: str, row: Queued | None, attachments: tuple[str, ...], lifts: str) -> None:
        self.id, self.text, self.row, self.attachments = turn_id, text, row, attachments
        self.lifts = lifts  # the pause that a clean ending of this turn takes away
        self.cancelled = False


class Situation:
    """The state of one session and the step under way."""

    def __init__(
        self,
        settings: Settings,
        *,
        session: str,
        start: Start,
        decider: Decider,
        kept: Kept,
        numbers: dict[str, int],
    ) -> None:
        self.settings, self.start, self.decide = settings, start, decider
        self.kept: Kept = kept
        self.saved: Kept = kept
        self.numbers = numbers
        self.phase: Literal["starting", "ready", "stopped", "closing", "closed"] = "starting"
        self.ever_ready = False
        self.info = Info(session=session, workspace=start.workspace)
        self.state = State()
        self.turn: Running | None = None
        self.foreign: ForeignTurn | None = None
        self.foreign_cancelled = False
        self.cancelling_since: Stamp = Stamp("")
        self.last_failed = False
        self.queue, self.asks, self.tools, self.roster = Queue(), Asks(), Tools(), Roster()
        self.used: dict[int, int] = {}
        self.steers: list[str] = []
        self.wanted: list[str] = []  # rows that go as soon as the agent is ready, paused or not
        self.again = ""  # the refused row that is tried once more
        self.tried_again: set[str] = set()
        self.calls: dict[str, Intent] = {}  # by cause: what still waits for its `Returned`
        self.sets: list[tuple[str, Set]] = []  # the first one is with the provider
        self.chosen: dict[tuple[str, str], Set] = {}
        self.first_prompt = self.agent_title = ""  # what names the session when no person does
        self.reconnecting = ""
        self.methods: tuple[LoginMethod, ...] = ()
        self.command_hints: dict[str, str] = {}
        self.compacting: dict[str, str] = {}
        self.replaying = False
        self.replayed_prompts = 0
        self.lints: dict[str, int] = {}
        self.heard: Stamp = Stamp("")
        self.at: Stamp = Stamp("")
        self.cause = ""
        self._begin_step()

    # ---- the step

    def begin_step(self, at: Stamp, cause: str) -> None:
        self.at, self.cause = at, cause
        self._begin_step()

    def _begin_step(self) -> None:
        self.out: list[Event | Fact] = []
        self.effects: list[Effect] = []
        self.results: list[tuple[str, Result]] = []

    def end_step(self) -> Step:
        kept = replace(
            self.kept,
            queue=tuple(self.queue.rows),
            attachments=dict(self.queue.attachments),
            paused=self.queue.paused if self.queue.rows else "",
            provider_session=self.info.provider_session,
        )
        if kept != self.saved:
            self.kept = self.saved = kept
            self.effects.insert(self._before_close(), SaveKept(kept=kept))
        return Step(results=tuple(self.results), out=tuple(self.out), effects=tuple(self.effects))

    def _before_close(self) -> int:
        last = self.effects[-1] if self.effects else None
        return len(self.effects) - (1 if type(last).__name__ == "CloseAgent" else 0)

    def say(self, event: Event, *, own: bool = True) -> None:
        """Publish: stamped with the step's time where it has none, and with its cause if the step brought it about."""
        at = event.at or self.at
        cause = event.cause or (self.cause if own else "")
        if at != event.at or cause != event.cause:
            event = replace(event, at=at, cause=cause)
        if event.state is not None:
            self.state = merge(self.state, event.state)
        self.out.append(event)

    def say_all(self, events: Iterable[Event]) -> None:
        for event in events:
            self.say(event)

    def tell(self, data: Data, key: str = "") -> None:
        self.out.append(fact(data, key))

    def notice(self, severity: Severity, text: str, code: str = "") -> None:
        self.tell(Notice(severity=severity, text=text, code=code))

    def lint(self, name: str, example: str = "", count: int = 1) -> None:
        self.lints[name] = self.lints.get(name, 0) + count
        self.tell(Lint(name=name, count=self.lints[name], example=example[:_EXAMPLE]), name)

    def do(self, effect: Effect) -> None:
        self.effects.append(effect)

    def result(self, cause: str, result: Result) -> None:
        self.results.append((cause, result))

    def refuse(self, code: Code, **detail: str) -> None:
        self.result(self.cause, Refused(code=code, detail=detail))

    # ---- identities and what follows from the rest

    def next_id(self, prefix: str) -> str:
        number = self.numbers[prefix] = self.numbers.get(prefix, 0) + 1
        return f"{prefix}{number}" if prefix.endswith("-x") else f"{prefix}-{number}"

    def can(self, capability: Can) -> bool:
        return capability in self.info.can

    def promptable(self) -> bool:
        return self.phase == "ready" and self.turn is None and self.foreign is None and not self.replaying

    def column(self) -> Column:
        """The column of the gate table that the session is in."""
        if self.phase != "ready":
            return "replaying" if self.phase == "starting" and self.replaying else self.phase
        if self.replaying:
            return "replaying"
        if self.foreign:
            return "foreign"
        if self.turn:
            return "working"
        return "error" if self.last_failed else "idle"

    def status(self) -> Status:
        """What `View.status` is; a replay that is not published and a foreign turn have no status of their own."""
        column = self.column()
        if column == "replaying" and self.start.has_history:
            column = "starting" if self.phase == "starting" else "foreign"
        if column == "foreign":
            return "working" if self.turn else "error" if self.last_failed else "idle"
        return column

    def say_info(self) -> None:
        self.info = replace(self.info, status=self.status())
        self.tell(self.info)

    def say_cancelling(self) -> None:
        """What is being cancelled now; nothing when that is over."""
        turn = self.turn.id if self.turn and self.turn.cancelled else ""
        foreign = self.foreign.id if self.foreign and self.foreign_cancelled else ""
        self.cancelling_since = (self.cancelling_since or self.at) if turn or foreign else Stamp("")
        self.tell(Cancelling(turn=turn, foreign=foreign, since=self.cancelling_since))

    def say_slash(self) -> None:
        """Restate the section `slash` if what it is made of has changed."""
        section = self.slash()
        if section != self.state.slash:
            self.say_state(State(slash=section))

    def slash(self, state: State | None = None) -> Slash:
        """The section as it would be said of `state`."""
        return slash(
            state or self.state,
            self.info,
            journaled=self.settings.journaled,
            login=bool(self.methods),
            hints=self.command_hints,
        )

    def say_state(self, delta: State) -> None:
        self.say(Event("meta", state=delta))

    def note(self, said: Said) -> None:
        """Publish what the roster made of a report."""
        self.say_all(said.events)
        for name in said.lints:
            self.lint(name)

    def pause(self, detail: str) -> list[Event]:
        """Nothing is sent until the queue is resumed, not even what was to go as soon as the agent is ready."""
        self.wanted = []
        return self.queue.pause(detail)

    def retitle(self, title: str, *, pinned: bool) -> None:
        self.kept = replace(self.kept, title=title, pinned=pinned)
