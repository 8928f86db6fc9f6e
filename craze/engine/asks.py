"""The open asks: each opened once, each ended once, whoever ends it.

Pure. An ask is known by our id to front ends and by the provider's `key` to the provider. The newest ended ones are
remembered one by one, older ones count as resolved.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import replace

from craze.codec import Ask, AskBody, Event, Permission, Plan, Question
from craze.engine.answers import AnswerValue, Judge, OpenAsk, Pick, Reply, Skip
from craze.engine.limits import ENDED_ASKS

KIND: Mapping[type, str] = {Permission: "permission", Question: "question", Plan: "plan"}
PREFIX: Mapping[type, str] = {Permission: "perm", Question: "ask", Plan: "plan"}


class Waiting(msgspec.Struct, frozen=True):
    """An open ask and the provider's key for it."""

    key: str
    ask: OpenAsk


class Asks:
    """The registry, in opening order."""

    def __init__(self) -> None:
        self._open: dict[str, Waiting] = {}
        self._keys: OrderedDict[str, str] = OrderedDict()
        self._ended: OrderedDict[str, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._open)

    def open_key(self, key: str) -> bool:
        return self._keys.get(key, "") in self._open

    def get(self, ask_id: str) -> Waiting | None:
        return self._open.get(ask_id)

    def by_key(self, key: str) -> Waiting | None:
        return self._open.get(self._keys.get(key, ""))

    def id_of(self, key: str) -> str:
        """Our id of a provider's key, of ended asks too; "" when it never asked."""
        return self._keys.get(key, "")

    def remembers(self, ask_id: str) -> bool:
        return ask_id in self._ended

    def all(self) -> list[Waiting]:
        return list(self._open.values())

    def of_turn(self, turn: str) -> Iterator[Waiting]:
        return (waiting for waiting in self.all() if waiting.ask.turn == turn)

    def open(self, key: str, ask: OpenAsk) -> tuple[Waiting, Event]:
        """Registers the ask and gives its opening event."""
        self._name(key, ask.id)
        waiting = self._open[ask.id] = Waiting(key, ask)
        body = ask.body
        return waiting, Event(
            KIND[type(body)],
            agent=ask.agent,
            permission=body if isinstance(body, Permission) else None,
            question=body if isinstance(body, Question) else None,
            plan=body if isinstance(body, Plan) else None,
        )

    def end(self, waiting: Waiting, outcome: str, by: str, answer: AnswerValue | None = None) -> Event:
        """Takes an open ask out and gives its one ending."""
        del self._open[waiting.ask.id]
        self._remember(waiting.ask.id)
        return Event("ask", agent=waiting.ask.agent, ask=ending(waiting.ask, outcome, by, answer))

    def settle_unopened(self, key: str, ask: OpenAsk, outcome: str, by: str) -> Event:
        """The ending of an ask that was settled before anybody saw it: it carries the opening as its `body`."""
        self._name(key, ask.id)
        self._remember(ask.id)
        told = replace(ending(ask, outcome, by, None), body=_body(ask))
        return Event("ask", agent=ask.agent, ask=told)

    def _name(self, key: str, ask_id: str) -> None:
        """The newest keys are known, and those of open asks however old."""
        self._keys[key] = ask_id
        self._keys.move_to_end(key)
        if len(self._keys) > 4 * ENDED_ASKS:
            over = next((old for old, ask in self._keys.items() if ask not in self._open), key)
            del self._keys[over]

    def _remember(self, ask_id: str) -> None:
        self._ended[ask_id] = None
        while len(self._ended) > ENDED_ASKS:
            self._ended.popitem(last=False)


def ending(ask: OpenAsk, outcome: str, by: str, answer: AnswerValue | None) -> Ask:
    """What an `ask` event says of an answer."""
    told = Ask(id=ask.id, kind=KIND[type(ask.body)], outcome=outcome, by=by)
    match answer:
        case Pick(option=option):
            return replace(told, option_id=option, label=option_name(ask, option))
        case Reply(answers=answers):
            return replace(told, answers=dict(answers))
        case Skip():
            return replace(told, skip=True)
        case Judge(accepted=accepted):
            return replace(told, accepted=accepted)
        case None:
            return told


def option_name(ask: OpenAsk, option_id: str) -> str:
    options = ask.body.options if isinstance(ask.body, Permission) else ()
    return next((option.name for option in options if option.option_id == option_id), "")


def rejects(ask: OpenAsk, answer: AnswerValue | None) -> bool:
    """Whether the answer refuses a permission (by the kind of the picked option)."""
    if not isinstance(answer, Pick) or not isinstance(ask.body, Permission):
        return False
    return any(option.option_id == answer.option and option.kind.startswith("reject") for option in ask.body.options)


def settled_body(body: Permission | Question | Plan, answer: AnswerValue | None) -> Permission | Question | Plan:
    """An opening that was settled without a person says so, with what it was settled by."""
    match body:
        case Permission():
            return body
        case Question():
            return replace(body, auto=True, answers=dict(answer.answers) if isinstance(answer, Reply) else {})
        case Plan():
            return replace(body, auto=True, accepted=isinstance(answer, Judge) and answer.accepted)


def _body(ask: OpenAsk) -> AskBody:
    match ask.body:
        case Permission() as permission:
            return AskBody(permission=permission)
        case Question() as question:
            return AskBody(question=question)
        case Plan() as plan:
            return AskBody(plan=plan)
