"""The agent's coming and going: the first start, ready, failed, gone, started again, signed in, closed."""

from __future__ import annotations

from msgspec.structs import replace

from craze.codec import Event, Failure, Queued, State
from craze.engine import settlement, turns
from craze.engine.facts import Policies
from craze.engine.intents import Accepted, Authenticate, Intent, Reconnect, Refused
from craze.engine.limits import CLOSE_PROVIDER
from craze.engine.ports import Close, CloseAgent, Gone, Open, Opened, SignIn
from craze.engine.queue import Queue
from craze.engine.situation import Situation


def begin(s: Situation) -> None:
    """The first input: what answers asks, what was stored, and the agent is started."""
    s.say_info()
    if s.settings.policies != Policies():
        s.tell(s.settings.policies)
    if s.kept.pinned and s.kept.title:
        s.say(Event("meta", state=State(title=s.kept.title)))
    _restore(s, s.kept.queue)
    s.do(Open(start=s.start))


def _restore(s: Situation, rows: tuple[Queued, ...]) -> None:
    stored = s.kept.attachments
    s.queue = Queue()
    for position, row in enumerate(rows):
        s.say_all(s.queue.put(row, position, stored.get(row.id, ())))
    if rows:
        s.say_all(s.pause("restored"))


def opened(s: Situation, report: Opened) -> None:
    """The agent is ready (the first time since a start), or its `Info` changed."""
    first = s.phase == "starting"
    settlement.end_replay(s)
    s.info = replace(report.info, session=s.info.session, workspace=s.start.workspace)
    if not first:
        return s.say_info()
    s.phase, s.ever_ready = "ready", True
    s.say_info()
    s.say_slash()
    _reconnected(s, Accepted())
    return turns.drain(s)


def open_failed(s: Situation, failure: Failure) -> None:
    """The agent did not come up: said once, prompts wait, `Reconnect` tries again."""
    if s.phase != "starting":
        return
    s.phase = "stopped"
    settlement.settle(s, turns.classify(Gone(failure=failure), cancelled=False))
    s.say_all(s.pause("start_failed"))
    _fail_calls(s, failure)
    s.say_info()


def gone(s: Situation, report: Gone) -> None:
    """The agent is gone, and not by us: everything open ends, the session can be reconnected."""
    if s.phase == "starting":
        return open_failed(s, report.failure)
    if s.phase != "ready":
        return None
    ended = turns.classify(report, cancelled=s.turn is not None and s.turn.cancelled)
    s.phase = "stopped"
    settlement.settle(s, ended)
    _fail_calls(s, report.failure)
    return s.say_info()


def reconnect(s: Situation, intent: Reconnect) -> None:
    """Start the agent again, also out of a turn that hangs; its session is reopened where it has one."""
    _ = intent
    again(s)
    s.reconnecting = s.cause


def again(s: Situation) -> None:
    """Start the agent again because a person wants it."""
    restart(s, Failure(message="the agent was restarted", error_class="closed", code=0))


def restart(s: Situation, failure: Failure, *, opens: bool = True) -> None:
    """What is open ends with `failure`, and the agent is started again, if it can be. A pause stays as it is, unless it
    was the turn that was too late."""
    late = failure.error_class == "deadline_exceeded"
    s.phase = "stopped"
    ended = turns.failed(failure)
    if s.turn is not None and s.turn.cancelled and not late:
        ended = turns.Ended(kind="cancelled", stop_reason="cancelled", synthetic=True, gone="provider")
    settlement.settle(s, replace(ended, pauses=late))
    _fail_calls(s, failure)
    if opens:
        return _open(s)
    s.do(CloseAgent(grace=CLOSE_PROVIDER))
    return s.say_info()


def _open(s: Situation) -> None:
    """Start the agent: anew if it was never up, else its session again."""
    s.phase = "starting"
    s.tools.renew()
    s.say_info()
    chosen = tuple(s.chosen.values())
    kept = tuple(setting for setting in s.start.settings if (setting.kind, setting.id) not in s.chosen)
    s.start = replace(s.start, settings=(*kept, *chosen))
    if s.info.provider_session:
        own = s.start.has_history or s.numbers.get("turn", 0) > 0
        s.start = replace(s.start, reopen=s.info.provider_session, has_history=own)
    s.do(Open(start=s.start))


def authenticate(s: Situation, intent: Authenticate) -> None:
    if intent.method is None and not s.can("logout"):
        return s.refuse("unsupported")
    if intent.method is not None and not s.methods:
        return s.refuse("unsupported")
    if intent.method is not None and all(method.id != intent.method for method in s.methods):
        return s.refuse("bad_request", method=intent.method)
    s.calls[s.cause] = intent
    return s.do(SignIn(call=s.cause, method=intent.method))


def close(s: Situation, given: Close) -> None:
    """The session closes; what the agent still says is taken as ever."""
    _ = given
    if s.phase in ("closing", "closed"):
        return
    s.phase = "closing"
    s.say_info()
    settlement.settle(s, turns.CLOSING)
    _fail_calls(s, Failure(message="the session is closing", error_class="closed", code=0))
    s.do(CloseAgent(grace=CLOSE_PROVIDER))


def closed(s: Situation) -> None:
    """The agent is gone for good; what it began while it was going ends too."""
    settlement.settle(s, turns.CLOSING)
    s.phase = "closed"
    s.say_info()


def _fail_calls(s: Situation, failure: Failure) -> None:
    """What still waits for a `Returned` gets its result."""
    calls: dict[str, Intent] = s.calls
    s.calls, s.sets = {}, []
    for cause in calls:
        s.result(cause, refused(failure))
    _reconnected(s, refused(failure))


def _reconnected(s: Situation, result: Accepted | Refused) -> None:
    cause, s.reconnecting = s.reconnecting, ""
    if cause:
        s.result(cause, result)


def refused(failure: Failure) -> Refused:
    detail = {"message": failure.message, "class": failure.error_class, "code": str(failure.code)}
    return Refused(code="failed", detail=detail)
