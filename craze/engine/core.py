"""The one door to what is true: `Core.take(given, at, cause) -> Step`.

Pure: no loop, clock, disk or await. With what it was built from and the same inputs it gives the same steps, which is
what lets a capture be derived again. The rules themselves are the handlers of the modules it joins; this file only
says which handler takes which input, and gates the intents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeGuard

from craze.codec import Event, Stamp, failure, ns
from craze.engine import asking, cancel, gates, opening, queueing, reports, rules, setting, settlement, turns
from craze.engine.answers import Decider
from craze.engine.facts import Fact
from craze.engine.intents import (
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
    SendNow,
    Set,
    Steer,
    Submit,
)
from craze.engine.limits import DEADLINE_TO_RESTART
from craze.engine.ports import (
    AskOpened,
    AskWithdrawn,
    Begin,
    Close,
    Foreign,
    Given,
    Gone,
    Kept,
    Opened,
    PromptBack,
    Report,
    Returned,
    Start,
    StartTimer,
    SteersReturned,
    Step,
    StopChild,
    TimerFired,
    ToolPatch,
    TurnEnded,
    TurnFailed,
    WriteAside,
    WriteSteer,
)
from craze.engine.situation import Settings, Situation
from craze.errors import ProviderError

_PLAIN: Final = frozenset({"text", "thought"})


class Core:
    """Joins the machines behind one door.

    Args:
        decider: What rules and presets say of an ask; built from the settings where it is not given.
        kept: What was stored of the session beside its journal.
        numbers: The last number given of each id prefix.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        session: str,
        start: Start,
        decider: Decider | None = None,
        kept: Kept | None = None,
        numbers: Mapping[str, int] | None = None,
    ) -> None:
        who = settings.decide, settings.rules, settings.policies, start.workspace
        self._s = Situation(
            settings,
            session=session,
            start=start,
            decider=decider or rules.decider(*who, alone=settings.alone),
            kept=kept or Kept(),
            numbers={prefix: last for prefix, last in (numbers or {}).items() if prefix != "seq"},
        )

    def take(self, given: Given, at: Stamp, cause: str = "") -> Step:
        """Take one input: `Begin`, an intent with its cause, `Close`, a timer, or the reports of one line."""
        s = self._s
        s.begin_step(at, cause)
        if type(given) is tuple:
            s.heard = at
            for report in given:
                _REPORTS[type(report)](s, report)
        elif type(given) in gates.GATES:
            _intent(s, given)  # pyright: ignore[reportArgumentType]
        else:
            _INPUTS[type(given)](s, given)
        return s.end_step()

    def passes(self, report: Report, at: Stamp) -> TypeGuard[Event]:
        """Whether the only report of a line is a piece of the answer: it moves no machine and is published as it is."""
        s = self._s
        if s.replaying or not isinstance(report, Event) or report.type not in _PLAIN or report.agent:
            return False
        s.heard = at
        return report.at == at

    def closed(self, at: Stamp) -> Step:
        """The provider is closed: the last thing that is said. It has the time of the last input, which a capture knows
        too; `at` where there was none."""
        last = max((each for each in (self._s.at, self._s.heard) if each), key=ns, default=at)
        self._s.begin_step(last, "")
        opening.closed(self._s)
        return self._s.end_step()

    def ask_of(self, key: str) -> str:
        """The ask id of a provider's key, "" if it never asked."""
        return self._s.asks.id_of(key)

    def may_wake(self) -> bool:
        """Whether the agent may start a turn of its own: idle, unpaused, nothing queued."""
        return self._s.promptable() and not self._s.queue.rows and not self._s.queue.paused


def _intent(s: Situation, intent: Intent) -> None:
    """The gate table first, then the capability, then the verb itself."""
    code = gates.cell(intent, s.column())
    if code.startswith("?"):
        code = _CONDITIONS[code](s, intent)
    if code:
        return s.refuse(code)  # pyright: ignore[reportArgumentType]
    need = gates.NEEDS.get(type(intent))
    if need and not s.can(need) and not (isinstance(intent, Reconnect) and not s.ever_ready):
        return s.refuse("unsupported")
    return _INTENTS[type(intent)](s, intent)


_CONDITIONS: Final[dict[str, Callable[[Situation, Any], str]]] = {
    gates.ASK_OPEN: lambda s, _: "" if len(s.asks) else gates.NA,
    gates.ARMED: lambda s, _: "" if s.queue.armed else gates.NA,
    gates.UNARMED: lambda s, _: "already_submitted" if s.queue.armed else "",
    gates.STEERABLE: lambda s, _: gates.NA if s.turn is None or s.turn.cancelled else "",
    gates.TITLE: lambda _, intent: "" if intent.kind == "title" else gates.NA,
    gates.SIGN_IN: lambda _, intent: "" if intent.method is not None else gates.NA,
}


def _submit(s: Situation, intent: Submit) -> None:
    asleep = s.phase == "stopped"
    before = len(s.queue.rows)
    queueing.submit(s, intent)
    if asleep and len(s.queue.rows) > before:
        opening.again(s)


def _steer(s: Situation, intent: Steer) -> None:
    if not intent.text.strip():
        return s.refuse("bad_request", text="the text is empty")
    s.calls[s.cause] = intent
    return s.do(WriteSteer(call=s.cause, text=intent.text))


def _aside(s: Situation, intent: Aside) -> None:
    if not intent.question.strip():
        return s.refuse("bad_request", text="the question is empty")
    s.calls[s.cause] = intent
    return s.do(WriteAside(call=s.cause, question=intent.question))


def _cancel_subagent(s: Situation, intent: CancelSubagent) -> None:
    if intent.agent not in s.roster.running():
        return s.refuse("unknown_subagent", agent=intent.agent)
    s.calls[s.cause] = intent
    return s.do(StopChild(call=s.cause, agent=intent.agent))


def _ending(s: Situation, report: TurnEnded | TurnFailed | PromptBack) -> None:
    if s.turn is None:
        return s.lint("second-ending", type(report).__name__)
    return settlement.settle(s, turns.classify(report, cancelled=s.turn.cancelled))


_INTENTS: Final[dict[type[Intent], Callable[[Situation, Any], None]]] = {
    Submit: _submit,
    QueueEdit: queueing.edit,
    QueueRemove: queueing.remove,
    QueueHold: queueing.hold,
    SendNow: queueing.send_now,
    Disarm: queueing.disarm,
    Steer: _steer,
    Cancel: cancel.cancel,
    Answer: asking.answer,
    Set: setting.change,
    CancelSubagent: _cancel_subagent,
    Aside: _aside,
    Reconnect: opening.reconnect,
    Authenticate: opening.authenticate,
}

_REPORTS: Final[dict[type[Report], Callable[[Situation, Any], None]]] = {
    Event: reports.event,
    Fact: reports.fact,
    TurnEnded: _ending,
    TurnFailed: _ending,
    PromptBack: _ending,
    Gone: opening.gone,
    Opened: opening.opened,
    Returned: reports.returned,
    Foreign: reports.foreign,
    AskOpened: asking.opened,
    AskWithdrawn: asking.withdrawn,
    ToolPatch: reports.tool,
    SteersReturned: reports.steers,
}


# ---- timers: `name:id`; one whose id is over changes nothing


def _timer(s: Situation, given: TimerFired) -> None:
    name, _, subject = given.timer.partition(":")
    act = _TIMERS.get(name)
    if act:
        act(s, subject)


def _quiet(s: Situation, turn: str) -> None:
    """Said when the agent has been quiet for the whole time; fired too early it waits for what is missing."""
    if s.turn is None or s.turn.id != turn:
        return
    quiet, limit = (ns(s.at) - ns(s.heard)) / 1e9, s.settings.quiet_after
    if quiet >= limit and not len(s.asks):
        s.notice("info", f"the agent has been quiet for {round(quiet)} s", "quiet")
    s.do(StartTimer(timer=f"quiet:{turn}", seconds=limit - quiet if quiet < limit else limit))


def _deadline(s: Situation, turn: str) -> None:
    if s.turn is None or s.turn.id != turn:
        return
    s.notice("warning", f"the turn passed its time limit of {s.settings.turn_timeout:g} s", "turn_timeout")
    cancel.cancel_turn(s)
    s.do(StartTimer(timer=f"turn-restart:{turn}", seconds=DEADLINE_TO_RESTART))


def _restart(s: Situation, turn: str) -> None:
    if s.turn is None or s.turn.id != turn:
        return
    late = failure(ProviderError("the turn passed its time limit and did not end", "deadline_exceeded"))
    opening.restart(s, late, opens=s.can("reopen"))


def _cancel_lint(s: Situation, turn: str) -> None:
    if s.turn is not None and s.turn.id == turn and s.turn.cancelled:
        s.lint("unanswered-cancel", turn)


def _prompt_again(s: Situation, row: str) -> None:
    if s.again == row:
        s.again = ""
        turns.drain(s)


_TIMERS: Final[dict[str, Callable[[Situation, str], None]]] = {
    "quiet": _quiet,
    "turn-deadline": _deadline,
    "turn-restart": _restart,
    "cancel-lint": _cancel_lint,
    "prompt-again": _prompt_again,
    "set-timeout": setting.timed_out,
}


def _begin(s: Situation, given: Begin) -> None:
    _ = given
    opening.begin(s)


_INPUTS: Final[dict[type, Callable[[Situation, Any], None]]] = {
    Begin: _begin,
    Close: opening.close,
    TimerFired: _timer,
}
