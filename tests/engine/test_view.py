"""The view is folded from the stream and from nothing else."""

from __future__ import annotations

import msgspec
import pytest
from msgspec import Raw

from craze.codec import (
    Ask,
    Commands,
    Compaction,
    Config,
    Event,
    ForeignTurn,
    Permission,
    Queued,
    Replay,
    Spend,
    State,
    Subagent,
    Todo,
    Tool,
    Turn,
    Usage,
)
from craze.engine.facts import AskFact, Cancelling, Fact, Info, Notice, Status, UsageFact, fact
from craze.engine.limits import FINISHED_CHILDREN
from craze.engine.view import View, fold, fold_fact


def folded(*items: Event | Fact, view: View | None = None) -> View:
    view = view or View()
    for item in items:
        view = fold_fact(view, item) if isinstance(item, Fact) else fold(view, item)
    return view


def info(status: Status) -> Fact:
    return fact(Info(session="s-1", status=status))


def queued(row_id: str, at: int = 0, text: str = "", version: int = 0, change: str = "queued") -> Event:
    row = Queued(id=row_id, text=text or row_id, version=version)
    return Event("queue", queue=row, queue_change=change, queue_pos=at)


STARTED = Event("turn", turn=Turn(id="turn-1", phase="started", text="go", origin="submit"))
ENDED = Event("turn", turn=Turn(id="turn-1", phase="ended", stop_reason="end_turn"))
FAILED = Event("turn", turn=Turn(id="turn-1", phase="ended", err_class="rpc", err="boom"))
BEGINS, ENDS = (Event("replay", replay=Replay(phase=phase)) for phase in ("start", "end"))


@pytest.mark.rule("ENG-19", "ENG-20", "ENG-18")
@pytest.mark.parametrize(
    ("items", "status"),
    [
        ((), "starting"),
        ((info("idle"),), "idle"),
        ((info("idle"), STARTED), "working"),
        ((info("idle"), STARTED, ENDED), "idle"),
        ((info("idle"), STARTED, FAILED), "error"),
        ((info("idle"), STARTED, FAILED, STARTED), "working"),
        ((BEGINS,), "replaying"),
        ((BEGINS, ENDS), "starting"),
        ((BEGINS, ENDS, info("idle")), "idle"),
        ((info("idle"), STARTED, info("idle")), "working"),
        ((info("idle"), STARTED, FAILED, info("idle")), "error"),
        ((info("idle"), STARTED, FAILED, info("stopped")), "stopped"),
        ((info("idle"), info("stopped"), info("starting")), "starting"),
        ((info("idle"), STARTED, info("closing"), ENDED), "closing"),
        ((info("closing"), info("closed")), "closed"),
    ],
)
def test_there_is_one_status_at_a_time(items: tuple[Event | Fact, ...], status: str) -> None:
    assert folded(*items).status == status


@pytest.mark.rule("ENG-19", "ENG-30")
@pytest.mark.parametrize("came_back", ["prompt_in_flight", "foreign_turn", "prompt_cancelled"])
def test_a_prompt_that_came_back_is_no_failure(came_back: str) -> None:
    back = Event("turn", turn=Turn(id="turn-1", phase="ended", err_class=came_back, synthetic=True))

    assert folded(info("idle"), STARTED, back).status == "idle"


@pytest.mark.rule("ENG-18")
def test_a_turn_is_seen_while_it_runs_and_its_ending_after() -> None:
    view = folded(info("idle"), STARTED)
    assert (view.turn, view.turn_text, view.last) == ("turn-1", "go", None)

    view = folded(ENDED, view=view)

    assert (view.turn, view.turn_text, view.last) == ("", "", ENDED)


@pytest.mark.rule("ENG-18", "ENG-52")
def test_a_cancel_is_seen_while_its_turn_runs() -> None:
    view = folded(STARTED, fact(Cancelling(turn="turn-1")))
    assert view.cancelling

    assert not folded(fact(Cancelling()), view=view).cancelling
    assert not folded(ENDED, view=view).cancelling
    assert not folded(STARTED, fact(Cancelling(turn="turn-0"))).cancelling


@pytest.mark.rule("ENG-17", "ENG-18", "ENG-38", "ENG-39")
def test_rows_stand_in_the_order_that_the_events_say() -> None:
    view = folded(queued("a"), queued("b", 1), queued("c", 0))
    assert [row.id for row in view.queue] == ["c", "a", "b"]

    view = folded(queued("a", 2), view=view)
    assert [row.id for row in view.queue] == ["c", "b", "a"]
    view = folded(queued("b", text="other", version=1, change="edited"), queued("c", change="sent"), view=view)

    assert [(row.id, row.text, row.version) for row in view.queue] == [("b", "other", 1), ("a", "a", 0)]


@pytest.mark.rule("ENG-17", "ENG-71")
@pytest.mark.parametrize(
    "event",
    [
        STARTED,
        queued("a", 0),
        Event("tool", tool=Tool(id="call-1", status="pending")),
        Event("todos", todos=(Todo(id="1", content="x"),)),
        Event("subagent", subagent=Subagent(id="kid", status="running"), subagent_change="spawned"),
        Event("meta", state=State(title="t", config=Config())),
        Event("permission", permission=Permission(id="perm-1")),
        Event("foreign_turn", foreign_turn=ForeignTurn(id="wake-1", running=True)),
        Event("compaction", compaction=Compaction(phase="started")),
        BEGINS,
    ],
    ids=lambda event: event.type,
)
def test_folding_an_event_twice_is_folding_it_once(event: Event) -> None:
    once = fold(folded(queued("z")), event)

    assert fold(once, event) == once


@pytest.mark.rule("ENG-71", "ENG-18")
def test_a_delta_replaces_whole_sections_and_leaves_the_others() -> None:
    view = folded(Event("meta", state=State(title="t", commands=Commands(), model="m")))

    view = folded(Event("meta", state=State(title="")), Event("meta"), view=view)

    assert (view.state.title, view.state.commands, view.state.model) == ("", Commands(), "m")


@pytest.mark.rule("ENG-18", "ENG-42", "ENG-73")
def test_reasons_are_read_once_and_not_held() -> None:
    view = folded(Event("meta", state=State(reason="queue_paused", detail="turn_failed")))
    assert view.paused == "turn_failed"
    assert view.state == State()

    assert folded(Event("meta", state=State(reason="queue_resumed")), view=view).paused == ""
    assert folded(Event("meta", state=State(reason="set_refused", detail="no")), view=view).paused == "turn_failed"


@pytest.mark.rule("ENG-18", "ENG-106")
def test_a_log_that_fails_is_seen_until_it_works_again() -> None:
    view = folded(Event("meta", state=State(index_err="disk full")))
    assert view.state.index_err == "disk full"
    assert folded(Event("meta", state=State(title="t")), view=view).state.index_err == "disk full"

    assert not folded(Event("meta", state=State(reason="index_ok")), view=view).state.index_err


@pytest.mark.rule("ENG-18", "ENG-118", "ENG-57")
def test_an_ask_is_seen_with_what_its_fact_adds_until_it_ends() -> None:
    opening = Event("permission", permission=Permission(id="perm-1", tool="call-1"))
    more = fact(AskFact(tool="call-1", person_only=True, form=Raw(b'{"type":"Form","custom":["a"]}')), "perm-1")
    other = Event("permission", permission=Permission(id="perm-2"))

    view = folded(STARTED, opening, more, other)
    first = view.asks[0]
    assert first.form is not None
    assert (first.id, first.tool, first.person_only, first.form.custom) == ("perm-1", "call-1", True, ("a",))
    view = folded(Event("ask", ask=Ask(id="perm-1", kind="permission", outcome="answered", by="client")), view=view)

    assert [ask.id for ask in view.asks] == ["perm-2"]


@pytest.mark.rule("ENG-18", "ENG-92", "ENG-93")
def test_running_children_and_the_newest_finished_ones_are_seen() -> None:
    def child(number: int, status: str) -> Event:
        return Event("subagent", subagent=Subagent(id=f"kid-{number}", status=status), subagent_change="progress")

    count = FINISHED_CHILDREN + 5
    view = folded(*[child(number, "running") for number in range(count + 1)])
    view = folded(*[child(number, "completed") for number in range(count)], view=view)

    assert [row.id for row in view.roster] == [*(f"kid-{number}" for number in range(5, count)), f"kid-{count}"]


@pytest.mark.rule("ENG-18", "ENG-91", "ENG-97")
def test_open_calls_todos_and_compactions_are_current() -> None:
    view = folded(
        Event("tool", tool=Tool(id="a", status="pending")),
        Event("tool", tool=Tool(id="b", status="in_progress")),
        Event("tool", tool=Tool(id="a", status="completed")),
        Event("todos", todos=(Todo(id="1", content="x"),)),
        Event("compaction", compaction=Compaction(phase="started")),
        Event("compaction", agent="kid", compaction=Compaction(phase="ended")),
    )
    assert [tool.id for tool in view.tools_open] == ["b"]
    assert view.compacting

    view = folded(Event("todos"), Event("compaction", compaction=Compaction(phase="ended")), view=view)

    assert (view.todos, view.compacting) == ((), False)


@pytest.mark.rule("ENG-9", "ENG-18")
def test_the_newest_fact_of_each_kind_and_key_holds_of_unknown_kinds_too() -> None:
    first, second = (fact(Notice(severity="info", text=text)) for text in "ab")
    strange = Fact(kind="from the future", key="k", data=Raw(b"[1]"))

    view = folded(first, strange, second)

    assert view.facts == {("notice", ""): second, ("from the future", "k"): strange}


SPEND = Spend(
    input=1, output=2, reasoning=0, cache_read=3, cache_creation=0, cost_pico_usd=114_280_000_000, unpriced=False
)


@pytest.mark.rule("ENG-80", "ENG-79", "ENG-84")
def test_usage_has_one_form_whoever_reports_it() -> None:
    assert View().usage is None

    told = fact(UsageFact(source="agent", context_tokens=12))
    assert folded(told).usage == told.data
    native = folded(
        told, Event("meta", state=State(usage=Usage(context_tokens=5, context_window=0, turn=SPEND, session=SPEND)))
    )

    assert native.usage is not None
    usage = msgspec.json.decode(native.usage, type=UsageFact)
    assert (usage.source, usage.context_tokens, usage.context_window) == ("native", 5, None)
    assert usage.cost is not None
    assert (usage.cost.amount, usage.cost.currency) == ("0.11428", "USD")


@pytest.mark.rule("ENG-80", "ENG-84")
@pytest.mark.parametrize(
    ("pico", "amount"),
    [(0, "0"), (1, "0.000000000001"), (10**12, "1"), (123_456_789_012_345_678_901, "123456789.012345678901")],
)
def test_money_is_exact(pico: int, amount: str) -> None:
    spend = msgspec.structs.replace(SPEND, cost_pico_usd=pico)
    view = folded(
        Event("meta", state=State(usage=Usage(context_tokens=1, context_window=1, turn=spend, session=spend)))
    )

    assert view.usage is not None
    usage = msgspec.json.decode(view.usage, type=UsageFact)
    assert usage.cost is not None
    assert usage.cost.amount == amount


@pytest.mark.rule("ENG-18")
def test_a_piece_of_text_changes_nothing() -> None:
    view = folded(STARTED)

    assert fold(view, Event("text", text="hello")) is view
    assert fold(view, Event("from the future")) is view
