"""Whatever people, agents and timers do in whatever order: nothing breaks, is lost, comes twice or stays open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from craze.codec import (
    Compaction,
    Config,
    ConfigOption,
    Event,
    Replay,
    SelectValue,
    State,
    Subagent,
    decode,
    encode,
)
from craze.engine.answers import Pick
from craze.engine.facts import Can, Fact, Info, Login, LoginMethod, fact
from craze.engine.intents import (
    Answer,
    Aside,
    Authenticate,
    Cancel,
    CancelSubagent,
    Disarm,
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
from craze.engine.ports import (
    AskWithdrawn,
    Close,
    Foreign,
    Given,
    Gone,
    Opened,
    PromptBack,
    Returned,
    Start,
    StartTimer,
    SteersReturned,
    TimerFired,
    ToolPatch,
    TurnEnded,
    TurnFailed,
    WriteAnswer,
    WriteCancel,
    WritePrompt,
)
from craze.engine.situation import Settings
from craze.engine.tools import TERMINAL
from craze.engine.view import View, fold, fold_fact
from tests.fakes.core import ALL, Bench, failed, permission, text

CAME_BACK = {"prompt_in_flight", "foreign_turn"}


class Play:
    """A bench under random hands; every prompt text is a word of its own, so that each can be followed."""

    def __init__(self, pick: Callable[[list[Any]], Any], make: Callable[[], Bench]) -> None:
        self.pick, self.make, self.bench = pick, make, make()
        self.inputs: list[tuple[Given, str]] = []
        self.texts: list[str] = []
        self.keys = self.sent = self.words = 0

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.inputs))

    def word(self) -> str:
        self.words += 1
        return f"word{self.words}"

    def give(self, given: Given) -> None:
        cause = "" if isinstance(given, tuple | TimerFired | Close) else f"c-1/{self.sent + 1}"
        self.sent += bool(cause)
        self.inputs.append((given, cause))
        self.bench.give(given, cause)
        if cause and isinstance(given, Submit | SendNow) and given.text:
            result = self.bench.results[cause]
            if not isinstance(result, Refused):
                self.texts.append(given.text)
        if isinstance(given, tuple):
            self.texts += [words for report in given if isinstance(report, SteersReturned) for words in report.texts]

    # what a person does

    def row(self) -> str:
        return str(self.pick([*(row.id for row in self.bench.view.queue), "q-99"]))

    def intent(self) -> Given:
        view = self.bench.view
        version = next(iter(row.version for row in view.queue), 0)
        ask = str(self.pick([*(ask.id for ask in view.asks), "perm-1", "perm-9"]))
        return self.pick(
            [
                Submit(text=self.word()),
                Submit(text=self.word()),
                Submit(text=self.word()),
                Submit(text=" "),
                SendNow(text=self.word()),
                SendNow(row=self.row()),
                Disarm(),
                QueueEdit(row=self.row(), version=version, position=self.pick([0, 1, 5])),
                QueueRemove(rows=(self.row(), self.row())),
                QueueHold(held=True),
                QueueHold(held=False),
                Steer(text="steer"),
                Cancel(),
                Cancel(turn=view.turn or "turn-1"),
                Cancel(foreign=True),
                Answer(ask=ask, answer=Pick(option=str(self.pick(["once", "no", "never"])))),
                Set(kind="title", value=str(self.pick(["", "a title"]))),
                Set(kind="model", value=str(self.pick(["m1", "m2"]))),
                CancelSubagent(agent="kid"),
                Aside(question="why?"),
                Reconnect(),
                Authenticate(method=self.pick(["browser", None])),
            ]
        )

    # what an agent says

    def report(self) -> object:
        self.keys += 1
        agent = str(self.pick(["", "", "kid"]))
        call = str(self.pick(["call-1", "call-2"]))
        child = Subagent(id="kid", status=str(self.pick(["running", "completed"])))
        cause = f"c-1/{self.pick([self.sent, max(1, self.sent - 1)])}"
        return self.pick(
            [
                Opened(info=Info(provider_session="p-1", can=self.bench.can)),
                Returned(call="open", failure=failed()),
                Returned(call="cancel", failure=failed()),
                Returned(call=cause),
                Returned(call=cause, failure=failed()),
                TurnEnded(stop_reason=str(self.pick(["end_turn", "max_tokens", "cancelled"]))),
                TurnEnded(stop_reason="end_turn"),
                TurnFailed(failure=failed()),
                PromptBack(reason=self.pick(["prompt_in_flight", "foreign_turn", "prompt_cancelled"])),
                Gone(failure=failed(error_class="agent_exited", code=0)),
                Foreign(running=bool(self.pick([True, False])), reason="cron"),
                permission(
                    key=str(self.pick([f"k{self.keys}", "k1"])), tool=call, of_turn=bool(self.pick([True, False]))
                ),
                AskWithdrawn(key="k1"),
                ToolPatch(
                    id=call, agent=agent, status=str(self.pick(["pending", "in_progress", "completed", "failed"]))
                ),
                ToolPatch(id=call, agent=agent, background=True, title="a title"),
                SteersReturned(texts=(self.word(),)),
                text("hello"),
                Event("text", text="hello", agent=agent),
                Event("user", text="a prompt"),
                Event("subagent", subagent=child, subagent_change=self.pick(["spawned", "progress", "finished"])),
                Event("compaction", agent=agent, compaction=Compaction(phase=str(self.pick(["started", "ended"])))),
                Event("replay", replay=Replay(phase=str(self.pick(["start", "end"])))),
                Event("meta", state=_models(str(self.pick(["m1", "m2"])))),
                Event("meta", state=State(title=str(self.pick(["", "theirs"]))), text="theirs"),
                fact(Login(methods=(LoginMethod(id="browser"),))),
            ]
        )

    def timer(self) -> TimerFired:
        timers: list[object] = [effect.timer for effect in self.bench.did if isinstance(effect, StartTimer)]
        return TimerFired(timer=str(self.pick([*timers, "quiet:turn-9", "nonsense"])))

    def anything(self) -> Given:
        kind = self.pick(["intent", "intent", "report", "report", "report", "line", "timer"])
        if kind == "intent":
            return self.intent()
        if kind == "timer":
            return self.timer()
        return tuple(self.report() for _ in range(1 if kind == "report" else 3))


def _models(current: str) -> State:
    choices = (SelectValue(value="m1", name="One"), SelectValue(value="m2", name="Two"))
    return State(
        config=Config(options=(ConfigOption(id="model", category="model", current=current, select_values=choices),))
    )


@st.composite
def plays(draw: st.DrawFn) -> Play:
    """A session that lived through anything and was closed; reports may come while it closes."""
    make = partial(
        Bench,
        can=draw(st.sampled_from([ALL, frozenset[Can]()])),
        settings=Settings(
            after_cancel=draw(st.sampled_from(["continue", "pause"])),
            after_short=draw(st.sampled_from(["continue", "pause"])),
            turn_timeout=draw(st.sampled_from([None, 60.0])),
        ),
        start=Start(workspace="/work", has_history=draw(st.booleans())),
        ready=draw(st.booleans()),
    )
    seed = Random(draw(st.integers(0, 2**32)))
    play = Play(seed.choice if draw(st.booleans()) else lambda values: draw(st.sampled_from(values)), make)
    for _ in range(draw(st.integers(0, 60))):
        play.give(play.anything())
        agrees(play.bench)
    play.give(Close())
    for _ in range(draw(st.integers(0, 4))):
        play.give((play.report(),))
    play.bench.closed()
    return play


def agrees(bench: Bench) -> None:
    """The view that readers fold is what the core holds."""
    s, view = bench.core._s, bench.view  # pyright: ignore[reportPrivateUsage]
    assert view.status == s.status()
    assert list(view.queue) == s.queue.rows
    assert view.turn == (s.turn.id if s.turn else "")
    assert view.cancelling == (s.turn is not None and s.turn.cancelled)
    assert [ask.id for ask in view.asks] == [waiting.ask.id for waiting in s.asks.all()]
    assert view.send_now == s.queue.armed
    assert view.foreign == s.foreign
    assert view.state == s.state
    if s.queue.rows:
        assert view.paused == s.queue.paused
    if s.promptable() and s.queue.rows:
        assert s.queue.paused or s.again


def events(bench: Bench) -> Iterator[Event]:
    return (item for item in bench.said if isinstance(item, Event))


def ends(event: Event) -> tuple[str, bool] | None:
    """What an event opens (True) or ends (False)."""
    match event:
        case Event(type="turn", turn=turn) if turn:
            return f"turn {turn.id}", turn.phase == "started"
        case Event(type="permission", permission=asked) if asked:
            return f"ask {asked.id}", True
        case Event(type="ask", ask=answered) if answered and not answered.body:
            return f"ask {answered.id}", False
        case Event(type="foreign_turn", foreign_turn=turn) if turn:
            return f"foreign {turn.id}", turn.running
        case Event(type="replay", replay=replay) if replay:
            return "replay", replay.phase == "start"
        case Event(type="compaction", compaction=compaction) if compaction:
            return f"compaction {event.agent}", compaction.phase == "started"
        case Event(type="subagent", subagent=row) if row and event.subagent_change != "progress":
            return f"subagent {row.id}", event.subagent_change == "spawned"
    return None


@given(plays())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.rule("ENG-24", "ENG-60", "ENG-92", "ENG-97", "ENG-112")
def test_what_opens_ends_exactly_once(play: Play) -> None:
    open_now: set[str] = set()
    calls: dict[tuple[str, str], str] = {}
    for event in events(play.bench):
        if event.tool:
            calls[event.agent, event.tool.id] = event.tool.status
        if (told := ends(event)) is None:
            continue
        what, opens = told
        if what.startswith("compaction") and not opens and event.replayed:
            open_now.discard(what)  # an end without a start is legal in a replay
            continue
        assert (what in open_now) != opens, event
        open_now ^= {what}

    assert not open_now
    assert set(calls.values()) <= TERMINAL
    assert play.bench.view.status == "closed"


@given(plays())
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.rule("ENG-40", "ENG-41", "ENG-30")
def test_no_prompt_is_sent_twice_or_lost(play: Play) -> None:
    started: Counter[str] = Counter()
    removed: set[str] = set()
    running = ""
    for event in events(play.bench):
        if event.turn and event.turn.phase == "started":
            running = event.turn.text
            started[running] += 1
        elif event.turn and event.turn.err_class in CAME_BACK:
            started[running] -= 1
        elif event.queue and event.queue_change == "removed":
            removed.add(event.queue.text)
    waiting = {row.text for row in play.bench.view.queue}

    for words in play.texts:
        assert started[words] <= 1
        assert (started[words] == 1) + (words in waiting) <= 1
        assert started[words] or words in waiting or words in removed
    written = [effect.turn for effect in play.bench.did if isinstance(effect, WritePrompt)]
    assert written == [f"turn-{number}" for number in range(1, len(written) + 1)]


@given(plays())
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.rule("ENG-54", "ENG-63", "ENG-107")
def test_the_agent_gets_one_reply_a_request_and_the_person_one_result_a_wish(play: Play) -> None:
    asked = Counter(
        r.key for given, _ in play.inputs if isinstance(given, tuple) for r in given if hasattr(r, "of_turn")
    )
    replied = Counter(effect.key for effect in play.bench.did if isinstance(effect, WriteAnswer))
    turns = sum(isinstance(effect, WritePrompt) for effect in play.bench.did)
    foreign = sum(event.type == "foreign_turn" for event in events(play.bench))
    causes = [cause for _, cause in play.inputs if cause]

    assert all(replied[key] <= asked[key] for key in replied)
    assert sum(isinstance(effect, WriteCancel) for effect in play.bench.did) <= turns + foreign
    assert sorted(play.bench.results) == sorted(causes)


@given(plays())
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.rule("ENG-18", "ENG-17")
def test_a_reader_of_the_written_lines_sees_what_the_live_view_shows(play: Play) -> None:
    view = View()
    for item in play.bench.said:
        if isinstance(item, Fact):
            view = fold_fact(view, msgspec.json.decode(msgspec.json.encode(item), type=Fact))
        else:
            event = decode(encode(item))
            assert event == item
            view = fold(fold(view, event), event)  # twice is once

    assert view == play.bench.view


@given(plays())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.rule("ENG-131")
def test_the_same_inputs_give_the_same_steps(play: Play) -> None:
    again = play.make()
    for inputs, cause in play.inputs:
        again.give(inputs, cause)
    again.closed()

    assert again.said == play.bench.said
    assert again.did == play.bench.did
