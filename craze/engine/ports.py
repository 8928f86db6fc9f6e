"""What the engine calls and what it is told.

Ports are small Protocols or callables that others fill: `Provider` (an agent), `Log`, `Keep`, `Capture` (disk),
`Clock`. `Signal`s and `Effect`s are the two closed vocabularies between the core and the provider: a provider reports
signals, the session performs effects.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import UNSET, UnsetType

from craze.codec import Diff, Event, Failure, Queued, Record, Stamp, Task, ToolOutput
from craze.engine.answers import AnswerValue, OpenAsk
from craze.engine.facts import Fact, Info
from craze.engine.intents import Accepted, Intent, Refused, Set
from craze.engine.value import Value

# ---- what a provider reports


class TurnEnded(Value, frozen=True):
    """The agent ended the turn; its own word, raw."""

    stop_reason: str


class TurnFailed(Value, frozen=True):
    """The agent failed the turn, or its prompt could not be written."""

    failure: Failure


class PromptBack(Value, frozen=True):
    """The prompt was refused or withdrawn before it ran."""

    reason: Literal["prompt_in_flight", "foreign_turn", "prompt_cancelled"]


class Gone(Value, frozen=True):
    """The agent is gone, after `Opened` and not by us."""

    failure: Failure


class Foreign(Value, frozen=True):
    """A turn that the agent runs on its own begins or ends."""

    running: bool
    reason: str = ""
    text: str = ""


class AskOpened(Value, frozen=True):
    """A request of the agent. `key` is the provider's own; id, turn and the opening event are the engine's."""

    key: str
    ask: OpenAsk
    of_turn: bool = True


class AskWithdrawn(Value, frozen=True):
    """The agent took its request back."""

    key: str


class SteersReturned(Value, frozen=True):
    """Steered texts that no step consumed."""

    texts: tuple[str, ...]


class Opened(Value, frozen=True):
    """The agent is ready, start settings applied; again when its `Info` changes."""

    info: Info


class Returned(Value, frozen=True):
    """A call is over. `call` is the intent's cause, or `open`, or `cancel` (only when it failed)."""

    call: str
    text: str = ""
    failure: Failure | None = None


class ToolPatch(Value, frozen=True):
    """What a line says about one call: UNSET keeps, None clears, a list replaces; `tools` merges, cuts and closes.

    `output` is merged field by field (zero keeps), `stdout_add` is put behind `stdout`. `background`: outlives its
    turn. `from_ask`: out of a permission request.
    """

    id: str
    agent: str = ""
    background: bool = False
    from_ask: bool = False
    name: str | UnsetType = UNSET
    status: str | UnsetType = UNSET
    kind: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    tool_name: str | UnsetType = UNSET
    raw_input: str | UnsetType | None = UNSET
    content_text: str | UnsetType | None = UNSET
    locations: tuple[str, ...] | UnsetType | None = UNSET
    output: ToolOutput | UnsetType | None = UNSET
    stdout_add: str = ""
    diffs: tuple[Diff, ...] | UnsetType | None = UNSET
    task: Task | UnsetType | None = UNSET


Ending: TypeAlias = TurnEnded | TurnFailed | PromptBack | Gone
Signal: TypeAlias = Ending | Opened | Returned | Foreign | AskOpened | AskWithdrawn | ToolPatch | SteersReturned
Report: TypeAlias = Event | Fact | Signal


class Sink(Protocol):
    """Where a provider reports to."""

    def report(self, at: Stamp, *reports: Report) -> None:
        """What one line said, in wire order; also called with none. `at` is the line's time, "" the step's."""
        ...

    def may_wake(self) -> bool:
        """Whether the agent may start a turn of its own now."""
        ...


# ---- what a provider is asked


class Prompt(Value, frozen=True):
    """A prompt as typed; attachments are paths of the session's copies."""

    text: str
    attachments: tuple[str, ...] = ()


class Start(Value, frozen=True):
    """How a session is opened. `reopen` is the provider's session id, "" for a fresh one; `has_history`: our journals
    hold the transcript, so a replay by the agent is not published; `greets_only`: the agent says what it is, and no
    session is opened."""

    workspace: str
    dirs: tuple[str, ...] = ()
    reopen: str = ""
    has_history: bool = False
    greets_only: bool = False
    answers_questions: bool = True
    settings: tuple[Set, ...] = ()


Row: TypeAlias = Literal["in", "out", "err", "exit", "do", "timer"]
Mark: TypeAlias = Literal["", "eof", "undelivered", "long"]


class Capture(Protocol):
    """Takes one row of the wire capture. The provider gives `in`, `out`, `err`, `exit`, the session `do`, `timer`.

    `exit` payloads are JSON objects (`{"code":0}`, `{"signal":"SIGKILL"}`, `{"error":"…"}`), a `do` payload is
    `{"cause":…,"intent":…}`, a `timer` payload the timer's name. `size` is the full length of a line marked `long`.
    """

    def __call__(self, row: Row, payload: bytes, at: Stamp, mark: Mark = "", size: int = 0) -> None: ...


class Provider(Protocol):
    """An agent behind its protocol. All methods but `close` are plain functions that return and raise nothing: what
    became of a call is reported."""

    def open(self, start: Start, sink: Sink, capture: Capture) -> None: ...
    def prompt(self, turn: str, prompt: Prompt) -> None: ...
    def cancel(self) -> None: ...
    def steer(self, call: str, text: str) -> None: ...
    def set(self, call: str, setting: Set) -> None: ...
    def answer(self, key: str, answer: AnswerValue | None) -> None: ...
    def cancel_subagent(self, call: str, agent: str) -> None: ...
    def aside(self, call: str, question: str) -> None: ...
    def authenticate(self, call: str, method: str | None) -> None: ...
    def fired(self, timer: str, at: Stamp) -> None: ...
    def hold(self, holding: bool) -> None: ...
    def close(self, grace: float) -> Coroutine[Any, Any, None]:
        """What is said to the agent is said at once, in the step that closes; the rest is waited for."""
        ...


# ---- disk and time


class Missing(Value, frozen=True):
    """A range of the history that is not there."""

    first: int
    last: int


class Log(Protocol):
    """Where events and facts are kept: the journal, or the newest of them in memory."""

    @property
    def last(self) -> Mapping[str, int]:
        """The last number given of each prefix (`seq`, `turn`, `wake`, `q`, `perm`, …): numbering goes on there."""
        ...

    def append(self, line: Record | Fact) -> None:
        """Never blocks, never raises."""
        ...

    def read(self, first: int, last: int) -> AsyncIterator[Record | Fact | Missing]: ...
    async def close(self, timeout: float) -> None: ...


class Kept(Value, frozen=True):
    """What survives the process beside the journal: list row, queue and draft. `attachments`: row id to paths."""

    title: str = ""
    pinned: bool = False
    turns: int = 0
    queue: tuple[Queued, ...] = ()
    attachments: Mapping[str, tuple[str, ...]] = {}
    paused: str = ""
    draft: str = ""
    provider_session: str = ""


Keep: TypeAlias = Callable[[Kept], None]


class Clock(Protocol):
    """The only source of times."""

    def now(self) -> Stamp: ...

    def later(self, seconds: float, timer: str) -> None:
        """Fires once; cannot be taken back. `provider:…` comes back by `Provider.fired`, others as `TimerFired`."""
        ...


# ---- what the session does for the core, in order, inside the step


class Open(Value, frozen=True):
    start: Start


class WritePrompt(Value, frozen=True):
    turn: str
    prompt: Prompt


class WriteCancel(Value, frozen=True): ...


class WriteSteer(Value, frozen=True):
    call: str
    text: str


class WriteAnswer(Value, frozen=True):
    key: str
    answer: AnswerValue | None


class WriteSet(Value, frozen=True):
    call: str
    setting: Set


class WriteAside(Value, frozen=True):
    call: str
    question: str


class SignIn(Value, frozen=True):
    call: str
    method: str | None


class StopChild(Value, frozen=True):
    call: str
    agent: str


class CloseAgent(Value, frozen=True):
    grace: float


class StartTimer(Value, frozen=True):
    timer: str
    seconds: float


class SaveKept(Value, frozen=True):
    kept: Kept


Effect: TypeAlias = (
    Open
    | WritePrompt
    | WriteCancel
    | WriteSteer
    | WriteAnswer
    | WriteSet
    | WriteAside
    | SignIn
    | StopChild
    | CloseAgent
    | StartTimer
    | SaveKept
)


# ---- the core's door


class Begin(Value, frozen=True):
    """The first input."""


class Close(Value, frozen=True):
    """The session closes."""


class TimerFired(Value, frozen=True):
    timer: str


Given: TypeAlias = Begin | Intent | Close | TimerFired | tuple[Report, ...]


class Step(Value, frozen=True):
    """What one input brought: results by cause, what to publish, what to do."""

    results: tuple[tuple[str, Accepted | Refused], ...] = ()
    out: tuple[Event | Fact, ...] = ()
    effects: tuple[Effect, ...] = ()
