"""Facts: what is worth showing or keeping but has no key in the event schema.

A fact has no seq and is no event. It is whole for its kind and key, so the newest replaces the older. The structs
below are the `data` of each kind; a reader ignores kinds it does not know.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec
from msgspec import Raw

from craze.engine.answers import Form
from craze.engine.value import Value

Can: TypeAlias = Literal[
    "steer",
    "cancel_foreign",
    "cancel_subagent",
    "aside",
    "images",
    "edit_input",
    "feedback",
    "reopen",
    "logout",
    "list",
    "delete",
]
Status: TypeAlias = Literal["starting", "replaying", "idle", "working", "error", "stopped", "closing", "closed"]
Severity: TypeAlias = Literal["info", "warning", "error"]


class Fact(Value, frozen=True):
    """One fact. `data` is the JSON of the kind's struct; the newest of (`kind`, `key`) holds."""

    kind: str
    data: Raw
    key: str = ""


class Data(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The base of the kinds' data."""


class Info(Data, frozen=True):
    """`info`: whole at start, ready, reconnect, sign-in and end. `can` holds only what some rule asks for."""

    session: str = ""
    workspace: str = ""
    agent: str = ""
    version: str = ""
    provider_session: str = ""
    status: Status = "starting"
    can: frozenset[Can] = frozenset()


class AskFact(Data, frozen=True):
    """`ask`, keyed by ask id: what an opening has no key for. `form` is the agent's own JSON Schema and its items
    that take free text."""

    tool: str = ""
    form: Form | None = None
    person_only: bool = False


class Cancelling(Data, frozen=True):
    """`cancelling`: a cancel is pending for `turn` or `foreign`; both empty = over."""

    turn: str = ""
    foreign: str = ""
    since: str = ""


class Notice(Data, frozen=True):
    """`notice`: a line for the person."""

    severity: Severity
    text: str
    code: str = ""


class Lint(Data, frozen=True):
    """`lint`, keyed by its name: something the agent or a recording did that it should not."""

    name: str
    count: int
    example: str = ""


class Activity(Data, frozen=True):
    """`activity`, keyed by child id or nothing: what the agent says it is doing; empty = over."""

    text: str = ""


class LoginMethod(Data, frozen=True):
    """One way to sign in. `kind` is `agent`, `terminal` or what the agent says; `command` is the program of a
    `terminal` one with its `env`."""

    id: str
    name: str = ""
    description: str = ""
    kind: str = "agent"
    command: tuple[str, ...] = ()
    env: dict[str, str] = {}


class Login(Data, frozen=True):
    """`login`: whether a sign-in is required, by which methods, and who is signed in (`label`)."""

    required: bool = False
    methods: tuple[LoginMethod, ...] = ()
    label: str = ""


class Attachment(Data, frozen=True):
    """An image of a prompt; `path` is the copy in the session's folder, `bytes` its size (0 = not known)."""

    path: str
    mime: str
    bytes: int = 0
    kind: str = "image"


class Attachments(Data, frozen=True):
    """`attachments`, keyed by turn id."""

    attachments: tuple[Attachment, ...]


class Policies(Data, frozen=True):
    """`policies`: which preset answers each kind of ask, and whether rules stand in front."""

    permission: str = "ask"
    question: str = "ask"
    plan: str = "ask"
    rules: bool = False


class AgentStderr(Data, frozen=True):
    """`agent_stderr`: the last lines of the agent's stderr."""

    lines: tuple[str, ...]


class Cost(Data, frozen=True):
    """Money as exact decimal text and an ISO currency code."""

    amount: str
    currency: str


class SpendPart(Data, frozen=True, rename="camel"):
    """Tokens (and picodollars) as far as known; None = not reported."""

    input: int | None = None
    output: int | None = None
    reasoning: int | None = None
    cache_read: int | None = None
    cache_creation: int | None = None
    cost_pico_usd: int | None = None
    unpriced: bool | None = None


class UsageFact(Data, frozen=True, rename="camel"):
    """`usage`: what a front end shows for every provider; a missing field means "not reported", never 0."""

    source: Literal["native", "agent"]
    context_tokens: int | None = None
    context_window: int | None = None
    turn: SpendPart | None = None
    session: SpendPart | None = None
    cost: Cost | None = None


_KINDS: dict[type[Data], str] = {
    Info: "info",
    AskFact: "ask",
    Cancelling: "cancelling",
    Notice: "notice",
    Lint: "lint",
    Activity: "activity",
    Login: "login",
    Attachments: "attachments",
    Policies: "policies",
    AgentStderr: "agent_stderr",
    UsageFact: "usage",
}


def fact(data: Data, key: str = "") -> Fact:
    """The fact that says `data`; its kind follows from the struct."""
    return Fact(kind=_KINDS[type(data)], data=Raw(_encode(data)), key=key)


def details(key: str, data: dict[str, object]) -> Fact:
    """The fact `details` for a section (`config`, `mode`, `commands`, `todos`, `session`) or an ask id: free-form."""
    return Fact(kind="details", data=Raw(_encode(data)), key=key)


_encode = msgspec.json.Encoder(order="deterministic").encode
