"""Asks as they come and go: opened, decided by rules, answered, withdrawn, cancelled."""

from __future__ import annotations

from msgspec.structs import replace

from craze.codec import Queued, Tool
from craze.engine import checks, turns
from craze.engine.answers import AnswerValue, Judge, OpenAsk, Pick, Verdict
from craze.engine.asks import PREFIX, Waiting, rejects, settled_body
from craze.engine.cancel import cancel_turn
from craze.engine.facts import AskFact
from craze.engine.intents import Accepted, Answer
from craze.engine.ports import AskOpened, AskWithdrawn, WriteAnswer
from craze.engine.situation import Situation


def opened(s: Situation, report: AskOpened) -> None:
    """A request of the agent: shown, or settled at once by a cancel, the closing, or the rules."""
    if s.asks.open_key(report.key):
        return s.lint("duplicate-request-id", report.key)
    if s.replaying:
        return s.do(WriteAnswer(key=report.key, answer=None))
    in_turn = report.of_turn and s.turn is not None
    ask = replace(report.ask, turn=s.turn.id if in_turn and s.turn else "")
    if settled := _settled_already(s, report, ask):
        return _settle_unseen(s, report.key, ask, *settled)
    verdict = s.decide(ask, _tool(s, ask), s.used)
    if verdict is not None:
        return _decided(s, report.key, ask, verdict)
    _show(s, report.key, ask)
    return None


def _settled_already(s: Situation, report: AskOpened, ask: OpenAsk) -> tuple[str, str] | None:
    if s.phase in ("closing", "closed"):
        return "closing", "close"
    if s.phase == "stopped":
        return "closing", "provider"
    if report.of_turn and (s.turn.cancelled if s.turn else s.foreign_cancelled):
        return "cancelled", "cancel"
    if report.of_turn and s.turn is None and s.foreign is None:
        return "turn_ended", "turn"
    return None


def _settle_unseen(s: Situation, key: str, ask: OpenAsk, outcome: str, by: str) -> None:
    """It is over before anybody could see it: no opening, but an ending that holds what was asked."""
    known = _with_id(ask, s.next_id(f"{PREFIX[type(ask.body)]}-x"))
    s.say(s.asks.settle_unopened(key, known, outcome, by))
    s.do(WriteAnswer(key=key, answer=None))


def _decided(s: Situation, key: str, ask: OpenAsk, verdict: Verdict) -> None:
    """Rules and presets answer in the step of the opening, so a reader sees both at once and a screen draws neither."""
    for rule in verdict.rules:
        s.used[rule] = s.used.get(rule, 0) + 1
    outcome, by = ("answered", "client") if verdict.by == "client" else ("automatic", "policy")
    if verdict.answer is None:
        outcome, by = "automatic", "unavailable"
    waiting = _show(s, key, replace(ask, body=settled_body(ask.body, verdict.answer)))
    s.say(s.asks.end(waiting, outcome, by, verdict.answer))
    s.do(WriteAnswer(key=key, answer=verdict.answer))
    _answered(s, waiting.ask, verdict.answer)
    if verdict.end_run:
        why = ", and the answer of its rule is not offered" if verdict.misses else ""
        s.notice("warning", f"the run ends here: {_about(s, ask)} was asked{why}", "run_ended_by_ask")
        if s.turn:
            cancel_turn(s)


def _tool(s: Situation, ask: OpenAsk) -> Tool | None:
    """The call that an ask is about."""
    return s.tools.get(ask.tool, ask.agent) if ask.tool else None


def _about(s: Situation, ask: OpenAsk) -> str:
    tool = _tool(s, ask)
    title = (tool.title or tool.name) if tool else getattr(ask.body, "title", "") or getattr(ask.body, "name", "")
    return f"{type(ask.body).__name__.lower()} {title!r}" if title else f"a {type(ask.body).__name__.lower()}"


def _show(s: Situation, key: str, ask: OpenAsk) -> Waiting:
    ask = _with_id(ask, s.next_id(PREFIX[type(ask.body)]))
    waiting, opening = s.asks.open(key, ask)
    s.say(opening)
    if ask.tool or ask.form or ask.person_only:
        s.tell(AskFact(tool=ask.tool, form=ask.form, person_only=ask.person_only), ask.id)
    return waiting


def withdrawn(s: Situation, report: AskWithdrawn) -> None:
    waiting = s.asks.by_key(report.key)
    if waiting is None:
        return s.lint("withdrawn-unknown", report.key)
    return s.say(s.asks.end(waiting, "cancelled", "provider"))


def answer(s: Situation, intent: Answer) -> None:
    waiting = s.asks.get(intent.ask)
    if waiting is None:
        return s.refuse("already_resolved" if _was_issued(s, intent.ask) else "unknown_ask", ask=intent.ask)
    value = checks.normalize(waiting.ask, intent.answer)
    if wrong := checks.validate_answer(waiting.ask, value, _tool(s, waiting.ask), s.info.can):
        return s.refuse("bad_answer", **wrong)
    s.say(s.asks.end(waiting, "answered", "client", value))
    s.do(WriteAnswer(key=waiting.key, answer=value))
    _answered(s, waiting.ask, value)
    return s.result(s.cause, Accepted())


def _answered(s: Situation, ask: OpenAsk, value: AnswerValue | None) -> None:
    """What an answer means beyond the request: a refused call, and feedback that the agent cannot take."""
    if rejects(ask, value) and ask.tool:
        s.tools.refused(ask.tool, ask.agent)
    feedback = value.feedback if isinstance(value, Pick | Judge) else ""
    if feedback and not s.can("feedback"):
        row = Queued(id=s.next_id("q"), text=feedback, queued_at=s.at)
        s.say_all(s.queue.put(row, 0))
        turns.drain(s)


def _was_issued(s: Situation, ask_id: str) -> bool:
    """Ids are numbered: one up to the last number given has been issued, remembered or not."""
    if s.asks.remembers(ask_id):
        return True
    prefix, _, number = ask_id.rpartition("-")
    if number.startswith("x"):
        prefix, number = f"{prefix}-x", number[1:]
    return (
        prefix.removesuffix("-x") in PREFIX.values()
        and number.isdecimal()
        and 0 < int(number) <= s.numbers.get(prefix, 0)
    )


def _with_id(ask: OpenAsk, ask_id: str) -> OpenAsk:
    return replace(ask, id=ask_id, body=replace(ask.body, id=ask_id))
