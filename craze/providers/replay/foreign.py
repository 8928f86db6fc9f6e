"""Recordings made elsewhere: no head, no decisions of ours. The inputs that the file lacks are made from its rows.

Each `out` row stands for an intent, and its answer is given to the line that our provider writes for that intent. What
another client did and craze would not - a second prompt at once, a cancel while idle, a request of its own - is passed
over with its answer, and a lint says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol

import msgspec

from craze.codec import Record, Stamp
from craze.engine.answers import AnswerValue
from craze.engine.facts import Fact, Lint, fact
from craze.engine.intents import Accepted, Answer, Cancel, Intent, QueueRemove, Reconnect, Refused, Result
from craze.engine.ports import Close
from craze.providers.replay.capture import Built, Fed, Replayer
from craze.providers.replay.script import Script
from craze.store.capture import BadRow, Row

_STEPS = 8
"""Waits of a stop that the recording does not show: for the turn, for the session, for the process."""


class Meaning(Protocol):
    """What an `out` row of another client stands for."""

    @property
    def kind(self) -> str:
        """`start` begins a process; `opening` is a step of it that our provider makes by itself; `prompt` and
        `intent` are wishes; `answer` belongs to a request of the agent; `other` is passed over; or `ignored`."""
        ...

    @property
    def request(self) -> str:
        """The id of the request, as its JSON text; "" for what has none."""
        ...

    @property
    def intent(self) -> Intent | None: ...

    @property
    def answers(self) -> str:
        """The id of the agent's request that an `answer` belongs to."""
        ...


class Dialect(Fed, Protocol):
    """What the lines of one kind of agent mean."""

    def means(self, row: Row) -> Meaning: ...

    def answered(self, row: Row) -> str:
        """The id of the recorded request that an `in` row answers, "" if it answers none."""
        ...

    def value(self, key: str, row: Row) -> AnswerValue | None:
        """What an answer to an ask says; None: cancelled."""
        ...


class Owed(msgspec.Struct, frozen=True):
    """A prompt of the recording that waits in our queue."""

    row: Row
    queued: str


class Foreign(Replayer):
    """Plays a recording that knows nothing of craze."""

    def __init__(
        self,
        script: Script,
        feed: Callable[..., Dialect],
        built: Built,
        *,
        emit: Callable[[Record | Fact], None],
    ) -> None:
        super().__init__(script, feed, built, emit=emit)
        self._dialect: Dialect = self.fed  # pyright: ignore[reportAttributeAccessIssue]
        self._passed: set[str] = set()
        self._owed: dict[str, Owed] = {}
        self._lints: dict[str, int] = {}

    async def play(self, row: Row) -> None:
        match row.dir:
            case "in":
                self._hear(row)
            case "out":
                await self._stands_for(row)
            case "err" if (end := _driver(row)) is not None:
                if end.exit is not None:
                    await super().play(end.exit)
            case "note":
                pass
            case _:
                await super().play(row)

    async def end(self) -> None:
        """Whoever recorded it ended the last process: the session closes."""
        self.fed.let_go()
        self.session.give(Close(), self.script.now)
        await self.session.close()

    def _hear(self, row: Row) -> None:
        request = self._dialect.answered(row)
        if request in self._passed:
            self._passed.discard(request)
            return
        owed = self._owed.pop(request, None) if request else None
        if owed is not None and not self.script.is_taken(owed.row):
            self.script.settle(owed.row)
            self._lint("overlapping-prompt", owed.row)
            self._give(QueueRemove(rows=(owed.queued,)))
            return
        self.fed.hear(row)

    async def _stands_for(self, row: Row) -> None:
        meaning = self._dialect.means(row)
        match meaning.kind:
            case "start":
                await self._start(row)
            case "prompt":
                self._prompt(row, meaning)
            case "intent" if meaning.intent is not None:
                self._wish(row, meaning, meaning.intent)
            case "answer":
                await self._answer(row, meaning)
            case "opening" | "other":
                self._pass_over(row, meaning)
            case _:
                pass

    async def _start(self, row: Row) -> None:
        """Another process of the same session; the first one was written by `Open`."""
        refused = self._give(Reconnect())
        for _ in range(_STEPS):
            if refused or self.script.is_taken(row):
                break
            self.fed.let_go()
            await self.settle()
        if not self.script.is_taken(row):
            self._pass_over(row, self._dialect.means(row))

    def _prompt(self, row: Row, meaning: Meaning) -> None:
        assert meaning.intent is not None
        result = self._submit(meaning.intent)
        if isinstance(result, Accepted) and result.row:
            self._owed[meaning.request] = Owed(row, result.row)
            self.script.owe(row)
        elif not self.script.is_taken(row):
            self._pass_over(row, meaning)

    def _wish(self, row: Row, meaning: Meaning, intent: Intent) -> None:
        if isinstance(self._submit(intent), Refused) or not self.script.is_taken(row):
            self._pass_over(row, meaning)

    async def _answer(self, row: Row, meaning: Meaning) -> None:
        ask = self.core.ask_of(meaning.answers)
        waiting = {open_.id for open_ in self.session.view.asks}
        if not ask:
            self.fed.due(row)
        elif ask in waiting:
            value = self._dialect.value(meaning.answers, row)
            if value is not None:
                self._give(Answer(ask=ask, answer=value))
            elif self.session.view.turn:
                self._give(Cancel())
            else:
                self._lint("cancelled-alone", row)

    def _pass_over(self, row: Row, meaning: Meaning) -> None:
        if meaning.request:
            self._passed.add(meaning.request)
        self._lint("foreign-request", row)

    def _submit(self, intent: Intent) -> Result | None:
        """The result where the step has one, None while it waits for the agent."""
        future = self.session.submit(intent)
        return future.result() if future.done() else None

    def _give(self, intent: Intent) -> bool:
        """Whether the wish was refused."""
        return isinstance(self._submit(intent), Refused)

    def _lint(self, name: str, row: Row) -> None:
        count = self._lints[name] = self._lints.get(name, 0) + 1
        example = row.payload[:80].decode("utf-8", "replace")
        self.session.report(Stamp(row.at), fact(Lint(name=name, count=count, example=example), name))


class _Note(msgspec.Struct):
    """A remark of the recorder; `exit` when it says that the process ended by itself."""

    exit: Row | None = None


_REMARK: Final = b"driver: "
_EXIT: Final = re.compile(rb"driver: exit by (\S+) rc=(-?\d+|None) after ([0-9.]+) ?s")


def _driver(row: Row) -> _Note | None:
    if not row.payload.startswith(_REMARK):
        return None
    found = _EXIT.match(row.payload)
    if found is None or float(found[3]) > 0:
        return _Note()
    code = b"null" if found[2] == b"None" else found[2]
    return _Note(msgspec.structs.replace(row, dir="exit", payload=b'{"code":%b}' % code))


def part(rows: Iterable[Row | BadRow], number: int, starts: Callable[[Row], bool]) -> Iterator[Row | BadRow]:
    """The rows of the process `number`, from 1."""
    process = 0
    for row in rows:
        if isinstance(row, Row) and row.dir == "out" and starts(row):
            process += 1
        if process == number or (process == 0 and number == 1):
            yield row
