"""Asks and their answers as values; the machine that opens and ends them is `asks`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from msgspec import UNSET, Raw, UnsetType

from craze.codec import Permission, Plan, Question, Tool
from craze.engine.value import Value


class Form(Value, frozen=True):
    """The agent's own JSON Schema, untouched, and the items that take free text beside their options."""

    schema: Raw | UnsetType = UNSET
    custom: tuple[str, ...] = ()


class OpenAsk(Value, frozen=True):
    """A permission, question or plan that waits.

    `tool` is the id of the call it is about, never a title. `person_only` marks sign-in links and URL forms: only
    `deny`, `fail` or a rule that says so answers those. `id` and `turn` are given by the engine.
    """

    body: Permission | Question | Plan
    id: str = ""
    tool: str = ""
    form: Form | None = None
    person_only: bool = False
    agent: str = ""
    turn: str = ""


class Pick(Value, frozen=True):
    """Answer to a permission: the exact option id. `input` is the changed tool input (JSON object, with an allow
    option), `feedback` goes with a reject option."""

    option: str
    input: Raw | UnsetType = UNSET
    feedback: str = ""


class Reply(Value, frozen=True):
    """Answer to a question: item id to option ids or, where the form allows, free text."""

    answers: Mapping[str, tuple[str, ...]]


class Skip(Value, frozen=True):
    """The person does not answer a question; the agent is told so and goes on."""


class Judge(Value, frozen=True):
    """Answer to a plan."""

    accepted: bool
    input: Raw | UnsetType = UNSET
    feedback: str = ""


AnswerValue: TypeAlias = Pick | Reply | Skip | Judge


class Verdict(Value, frozen=True):
    """What rules and presets say of an ask. `answer` None: nothing valid to pick. `rules`: numbers of the rules that
    answered, counted by the core for `times`. `end_run`: cancel the turn, the run is over; `misses`: because a rule's answer is none
    that the ask takes."""

    answer: AnswerValue | None
    by: Literal["client", "policy"]
    end_run: bool = False
    misses: bool = False
    rules: tuple[int, ...] = ()


Used: TypeAlias = Mapping[int, int]
"""Rule number to times used up."""

Decider: TypeAlias = Callable[[OpenAsk, Tool | None, Used], Verdict | None]
"""Pure, asked before an opening; None = wait for a person."""
