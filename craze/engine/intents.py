"""What a person can wish of a session, and what comes back. Every intent has a row in the gate table (`gates`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from craze.engine.answers import AnswerValue
from craze.engine.value import Value

Setting: TypeAlias = Literal["title", "model", "mode", "config"]


class Submit(Value, frozen=True):
    """Send a prompt: it starts a turn, or becomes a row of the queue."""

    text: str
    attachments: tuple[str, ...] = ()


class QueueEdit(Value, frozen=True):
    """Change a waiting row's text, its position, or both; guarded by `version`."""

    row: str
    version: int
    text: str | None = None
    position: int | None = None


class QueueRemove(Value, frozen=True):
    """Take rows out; those that are gone are passed over."""

    rows: tuple[str, ...]


class QueueHold(Value, frozen=True):
    """Pause (`held`) or resume the queue."""

    held: bool


class SendNow(Value, frozen=True):
    """This row first: `text` becomes a row at the head, or `row` is taken where it stands; a running turn is cancelled."""

    text: str = ""
    row: str = ""
    attachments: tuple[str, ...] = ()


class Disarm(Value, frozen=True):
    """Take a pending send-now back; `Accepted.text` is its text."""


class Steer(Value, frozen=True):
    """Fold text into the running turn without ending it."""

    text: str


class Cancel(Value, frozen=True):
    """Cancel what runs; `turn` names it so that a late key press cannot hit the next one."""

    turn: str = ""
    foreign: bool = False


class Answer(Value, frozen=True):
    """Answer an open ask."""

    ask: str
    answer: AnswerValue


class Set(Value, frozen=True):
    """Change a setting; `id` names the option of kind `config`."""

    kind: Setting
    value: str
    id: str = ""


class CancelSubagent(Value, frozen=True):
    """Stop one sub-agent."""

    agent: str


class Aside(Value, frozen=True):
    """Ask a side question that leaves the turn alone."""

    question: str


class Reconnect(Value, frozen=True):
    """Start the agent again and reopen its session; also the way out of a turn that hangs."""


class Authenticate(Value, frozen=True):
    """Sign in by a method; None signs out."""

    method: str | None


Queueing: TypeAlias = Submit | QueueEdit | QueueRemove | QueueHold | SendNow | Disarm
Intent: TypeAlias = Queueing | Steer | Cancel | Answer | Set | CancelSubagent | Aside | Reconnect | Authenticate

Code: TypeAlias = Literal[
    "not_accepting",
    "unsupported",
    "bad_request",
    "bad_answer",
    "foreign_turn",
    "already_submitted",
    "queue_full",
    "text_too_long",
    "unknown_row",
    "stale_version",
    "stale_turn",
    "unknown_ask",
    "already_resolved",
    "unknown_subagent",
    "failed",
]


class Accepted(Value, frozen=True):
    """Done. What happened comes as events; the members save a look-up: the turn started or armed at, the row queued
    as, a disarmed text or an aside's answer."""

    turn: str = ""
    row: str = ""
    text: str = ""


class Refused(Value, frozen=True):
    """Nothing changed; the text stays with the caller. Decide by `code` alone, `detail` is for messages."""

    code: Code
    detail: Mapping[str, str] = {}


Result: TypeAlias = Accepted | Refused
