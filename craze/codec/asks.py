"""What an agent asks a person - permissions, questions, plans - and how each ask ended."""

from __future__ import annotations

from typing import Annotated

from msgspec import field
from msgspec.structs import force_setattr

from craze.codec.kinds import Answers, Shape, in_order, says
from craze.codec.tools import Todo


class PermissionOption(Shape, frozen=True, kw_only=True):
    """One way to settle a permission; `kind` is `allow_once`, `allow_always`, `reject_once` or `reject_always`."""

    option_id: str = ""
    name: str = ""
    kind: str = ""


class Permission(Shape, frozen=True, kw_only=True):
    """A call that waits for leave, with every option as offered; several may be of one kind. It is answered by `optionId`."""

    id: str = ""
    tool: str = ""
    options: tuple[PermissionOption, ...] = ()


class QuestionOption(Shape, frozen=True, kw_only=True):
    """One choice of a question."""

    id: str = ""
    label: str = ""
    description: str = ""


class QuestionItem(Shape, frozen=True, kw_only=True):
    """One question of a form."""

    id: str = ""
    prompt: str = ""
    options: tuple[QuestionOption, ...] = ()
    allow_multiple: bool = False


class Question(Shape, frozen=True, kw_only=True):
    """A form of one or more questions; `auto` says that it was settled without a person, with these `answers`."""

    id: str = ""
    title: str = ""
    questions: tuple[QuestionItem, ...] = ()
    auto: bool = False
    answers: Answers = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.answers) > 1:
            force_setattr(self, "answers", in_order(self.answers))


class Plan(Shape, frozen=True, kw_only=True):
    """A plan to accept or reject; `auto` says that it was settled without a person."""

    id: str = ""
    name: str = ""
    overview: str = ""
    plan: Annotated[str, says("The plan itself, Markdown.")] = ""
    todos: tuple[Todo, ...] = ()
    auto: bool = False
    accepted: bool = False


class AskBody(Shape, frozen=True, kw_only=True):
    """The opening of an ask as it was offered: one of the three."""

    permission: Permission | None = None
    question: Question | None = None
    plan: Plan | None = None


class Ask(Shape, frozen=True, kw_only=True):
    """The one ending of an ask."""

    id: str = ""
    kind: Annotated[str, says("`permission`, `question` or `plan`.")] = ""
    outcome: Annotated[str, says("`answered`, `cancelled`, `turn_ended`, `closing` or `automatic`.")] = ""
    by: Annotated[
        str, says("Who ended it: `client`, `call`, `cancel`, `turn`, `close`, `policy`, `provider` or `unavailable`.")
    ] = ""
    option_id: str = ""
    answers: Answers = field(default_factory=dict)
    skip: bool = False
    accepted: Annotated[bool, says("A plan was accepted; a rejected one has no such key.")] = False
    label: str = ""
    body: Annotated[AskBody | None, says("Only where the opening was never published.")] = None

    def __post_init__(self) -> None:
        if len(self.answers) > 1:
            force_setattr(self, "answers", in_order(self.answers))
