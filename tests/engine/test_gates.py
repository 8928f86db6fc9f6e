"""Which wish is possible when: every cell of the table, tried at a core that stands in that column."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from craze.codec import Config, ConfigOption, Event, Replay, SelectValue, State, Subagent
from craze.engine import gates
from craze.engine.answers import Pick
from craze.engine.facts import Can, Login, LoginMethod, fact
from craze.engine.intents import (
    Accepted,
    Answer,
    Aside,
    Authenticate,
    Cancel,
    CancelSubagent,
    Disarm,
    Intent,
    QueueEdit,
    QueueHold,
    QueueRemove,
    Reconnect,
    Refused,
    SendNow,
    Set,
    Steer,
    Submit,
)
from craze.engine.ports import Close, Foreign, Gone, Returned, TurnFailed
from tests.fakes.core import ALL, Bench, failed, permission

MODELS = ConfigOption(
    id="model", category="model", current="m1", select_values=(SelectValue(value="m1"), SelectValue(value="m2"))
)
NA, OK, WAITS, STARTS, QUEUES = "not_accepting", "ok", "waits", "starts", "queues"

# In each cell: a code, or `ok`, `waits` (accepted; its result comes with the agent's answer), `starts`, `queues`.
TABLE = """
verb             | closed           | closing          | stopped     | starting    | replaying   | foreign       | working     | cancelling        | error       | idle
Submit           | not_accepting    | not_accepting    | queues      | queues      | queues      | queues        | queues      | queues            | starts      | starts
SendNow          | not_accepting    | not_accepting    | not_accepting | not_accepting | not_accepting | foreign_turn | ok        | ok                | starts      | starts
SendNow armed    | -                | -                | -           | -           | -           | -             | already_submitted | already_submitted | -     | -
Disarm           | not_accepting    | not_accepting    | not_accepting | not_accepting | not_accepting | not_accepting | not_accepting | not_accepting | not_accepting | not_accepting
Disarm armed     | -                | -                | -           | -           | -           | -             | ok          | ok                | -           | -
Steer            | not_accepting    | not_accepting    | not_accepting | not_accepting | not_accepting | not_accepting | waits     | not_accepting     | not_accepting | not_accepting
Cancel           | not_accepting    | not_accepting    | not_accepting | not_accepting | not_accepting | ok          | ok          | ok                | not_accepting | not_accepting
Cancel ask       | -                | -                | -           | ok          | -           | ok            | ok          | ok                | ok          | ok
QueueEdit        | not_accepting    | not_accepting    | ok          | ok          | ok          | ok            | ok          | ok                | ok          | ok
QueueRemove      | not_accepting    | not_accepting    | ok          | ok          | ok          | ok            | ok          | ok                | ok          | ok
QueueHold        | not_accepting    | not_accepting    | ok          | ok          | ok          | ok            | ok          | ok                | starts      | starts
Answer           | already_resolved | already_resolved | -           | ok          | -           | ok            | ok          | -                 | ok          | ok
Set title        | not_accepting    | not_accepting    | ok          | ok          | not_accepting | ok          | ok          | ok                | ok          | ok
Set model        | not_accepting    | not_accepting    | not_accepting | not_accepting | not_accepting | waits     | waits       | waits             | waits       | waits
CancelSubagent   | not_accepting    | not_accepting    | not_accepting | not_accepting | not_accepting | waits     | waits       | waits             | waits       | waits
Aside            | not_accepting    | not_accepting    | not_accepting | not_accepting | not_accepting | waits     | waits       | waits             | waits       | waits
Reconnect        | not_accepting    | not_accepting    | waits       | waits       | waits       | waits         | waits       | waits             | waits       | waits
Authenticate     | not_accepting    | not_accepting    | waits       | waits       | waits       | not_accepting | not_accepting | not_accepting   | waits       | waits
Authenticate out | not_accepting    | not_accepting    | not_accepting | not_accepting | not_accepting | not_accepting | not_accepting | not_accepting | waits     | waits
"""
_ROWS = [[cell.strip() for cell in line.split("|")] for line in TABLE.strip().splitlines()]
COLUMNS = _ROWS[0][1:]
CELLS = [
    (row[0], column, cell) for row in _ROWS[1:] for column, cell in zip(COLUMNS, row[1:], strict=True) if cell != "-"
]


def starting(bench: Bench) -> None:
    bench.give((Event("meta", state=State(config=Config(options=(MODELS,)))),))
    bench.give((fact(Login(methods=(LoginMethod(id="browser"),))),))


def ready(bench: Bench) -> None:
    starting(bench)
    bench.ready()
    row = Subagent(id="kid", status="running", background=True)
    bench.give((Event("subagent", subagent=row, subagent_change="spawned"),))


def working(bench: Bench) -> None:
    ready(bench)
    bench.send(Submit(text="the turn"))


def error(bench: Bench) -> None:
    working(bench)
    bench.give((TurnFailed(failure=failed()),))


def replaying(bench: Bench) -> None:
    starting(bench)
    bench.give((Event("replay", replay=Replay(phase="start")),))


def then(reach: Callable[[Bench], None], act: Callable[[Bench], object]) -> Callable[[Bench], None]:
    def both(bench: Bench) -> None:
        reach(bench)
        act(bench)

    return both


stopped = then(ready, lambda bench: bench.give((Gone(failure=failed()),)))
foreign = then(ready, lambda bench: bench.give((Foreign(running=True),)))
cancelling = then(working, lambda bench: bench.send(Cancel()))
closing = then(then(ready, lambda bench: an_ask(bench)), lambda bench: bench.give(Close()))
REACH: dict[str, Callable[[Bench], None]] = {
    "closed": then(closing, lambda bench: bench.closed()),
    "closing": closing,
    "stopped": stopped,
    "starting": starting,
    "replaying": replaying,
    "foreign": foreign,
    "working": working,
    "cancelling": cancelling,
    "error": error,
    "idle": ready,
}


def a_row(bench: Bench) -> None:
    """A row that waits: behind what runs, or in a queue that is paused."""
    if bench.core._s.promptable():  # pyright: ignore[reportPrivateUsage]
        bench.give((Foreign(running=True),))
        bench.send(Submit(text="a row"))
        bench.send(QueueHold(held=True))
        bench.give((Foreign(running=False),))
    else:
        bench.send(Submit(text="a row"))


def an_ask(bench: Bench) -> None:
    bench.give((permission(key="7", of_turn=False),))


def armed(bench: Bench) -> None:
    bench.send(SendNow(text="at once"))


def nothing(bench: Bench) -> None:
    pass


WISHES: dict[str, tuple[Callable[[Bench], None], Intent]] = {
    "Submit": (nothing, Submit(text="hello")),
    "SendNow": (nothing, SendNow(text="hello")),
    "SendNow armed": (armed, SendNow(text="hello")),
    "Disarm": (nothing, Disarm()),
    "Disarm armed": (armed, Disarm()),
    "Steer": (nothing, Steer(text="left")),
    "Cancel": (nothing, Cancel()),
    "Cancel ask": (an_ask, Cancel()),
    "QueueEdit": (a_row, QueueEdit(row="q-1", version=0, text="other")),
    "QueueRemove": (a_row, QueueRemove(rows=("q-1",))),
    "QueueHold": (a_row, QueueHold(held=False)),
    "Answer": (an_ask, Answer(ask="perm-1", answer=Pick(option="once"))),
    "Set title": (nothing, Set(kind="title", value="mine")),
    "Set model": (nothing, Set(kind="model", value="m2")),
    "CancelSubagent": (nothing, CancelSubagent(agent="kid")),
    "Aside": (nothing, Aside(question="why?")),
    "Reconnect": (nothing, Reconnect()),
    "Authenticate": (nothing, Authenticate(method="browser")),
    "Authenticate out": (nothing, Authenticate(method=None)),
}


def bench_in(column: str, can: frozenset[Can] = ALL) -> Bench:
    bench = Bench(can=can, ready=False)
    REACH[column](bench)
    return bench


def outcome(bench: Bench, intent: Intent) -> str:
    result = bench.send(intent)
    if isinstance(result, Refused):
        return result.code
    if any(isinstance(item, Event) and item.turn and item.turn.phase == "started" for item in bench.last.out):
        return STARTS
    if isinstance(intent, Submit):
        assert isinstance(result, Accepted)
        assert result.row
        return QUEUES
    return OK if isinstance(result, Accepted) else WAITS


@pytest.mark.rule("ENG-113")
@pytest.mark.parametrize(("verb", "column", "cell"), CELLS)
def test_each_verb_does_in_each_state_what_the_table_says(verb: str, column: str, cell: str) -> None:
    arrange, intent = WISHES[verb]
    bench = bench_in(column)
    if column not in ("closed", "closing"):
        arrange(bench)

    assert outcome(bench, intent) == cell


@pytest.mark.rule("ENG-113")
@pytest.mark.parametrize("column", COLUMNS)
def test_a_core_stands_in_the_column_it_was_put_in(column: str) -> None:
    bench = bench_in(column)

    assert bench.core._s.column() == {"cancelling": "working"}.get(column, column)  # pyright: ignore[reportPrivateUsage]
    assert bench.view.status == {"foreign": "idle", "cancelling": "working"}.get(column, column)


@pytest.mark.rule("ENG-113")
def test_every_verb_is_gated_by_the_one_table() -> None:
    assert {type(intent) for _, intent in WISHES.values()} == set(gates.GATES)
    assert all(len(row) == len(gates.COLUMNS) for row in gates.GATES.values())


@pytest.mark.rule("ENG-107", "ENG-131")
@pytest.mark.parametrize(
    ("verb", "column", "cell"), [cell for cell in CELLS if cell[2] not in (OK, WAITS, STARTS, QUEUES)]
)
def test_a_refusal_says_nothing_and_does_nothing(verb: str, column: str, cell: str) -> None:
    arrange, intent = WISHES[verb]
    bench = bench_in(column)
    if column not in ("closed", "closing"):
        arrange(bench)

    bench.send(intent)

    assert (bench.last.out, bench.last.effects) == ((), ())


@pytest.mark.rule("ENG-114", "ENG-100", "ENG-49")
@pytest.mark.parametrize(
    ("verb", "column"),
    [
        ("Steer", "working"),
        ("CancelSubagent", "foreign"),
        ("CancelSubagent", "working"),
        ("CancelSubagent", "idle"),
        ("Aside", "error"),
        ("Aside", "idle"),
        ("Reconnect", "stopped"),
        ("Reconnect", "idle"),
        ("Reconnect", "working"),
        ("Cancel", "foreign"),
        ("Authenticate out", "idle"),
    ],
)
def test_what_the_agent_cannot_do_is_unsupported(verb: str, column: str) -> None:
    bench = bench_in(column, can=frozenset())

    assert outcome(bench, WISHES[verb][1]) == "unsupported"
    assert (bench.last.out, bench.last.effects) == ((), ())


@pytest.mark.rule("ENG-114")
def test_the_state_is_asked_before_the_capability() -> None:
    assert outcome(bench_in("idle", can=frozenset()), Steer(text="left")) == NA


@pytest.mark.rule("ENG-114", "ENG-23")
def test_an_agent_that_never_came_up_can_always_be_tried_again() -> None:
    bench = bench_in("starting", can=frozenset())
    bench.give((Returned(call="open", failure=failed()),))

    assert outcome(bench, Reconnect()) == WAITS
    assert bench.effects() == ["Open"]


@pytest.mark.rule("ENG-113", "ENG-37")
@pytest.mark.parametrize("column", ["stopped", "starting", "replaying", "foreign", "working", "cancelling"])
def test_a_resume_starts_nothing_while_nothing_can_be_sent(column: str) -> None:
    bench = bench_in(column)
    a_row(bench)
    bench.send(QueueHold(held=True))

    assert outcome(bench, QueueHold(held=False)) == OK
    assert "WritePrompt" not in bench.effects()


@pytest.mark.rule("ENG-113", "ENG-23")
def test_a_prompt_to_a_stopped_session_starts_the_agent_again() -> None:
    bench = bench_in("stopped")

    assert outcome(bench, Submit(text="hello")) == QUEUES
    assert "Open" in bench.effects()
