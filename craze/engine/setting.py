"""Settings that the person changes, one after another, and the sections that the agent reports.

A setter never writes a section itself: the new value comes by the inbound lane, pushed or in the answer, in wire order.
"""

from __future__ import annotations

from msgspec.structs import replace

from craze.codec import ConfigOption, Event, Failure, State
from craze.engine.intents import Accepted, Refused, Set
from craze.engine.limits import SET_TIMEOUT
from craze.engine.ports import StartTimer, WriteSet
from craze.engine.situation import Situation
from craze.engine.view import merge, without_known


def change(s: Situation, intent: Set) -> None:
    if intent.kind == "title":
        return _title(s, intent)
    if wrong := _not_offered(s, intent):
        return s.refuse("bad_request", value=wrong)
    s.calls[s.cause] = intent
    return _in_line(s, intent)


def returned(s: Situation, call: str, intent: Set, failure: Failure | None) -> None:
    """A setting is over; one the agent refused is told to every reader, and the value stays."""
    if failure is None:
        s.chosen[intent.kind, intent.id] = intent
    else:
        delta = State(reason="set_refused", detail=failure.message)
        s.say(Event("meta", state=delta, cause=call))
    forget(s, call)


def timed_out(s: Situation, call: str) -> None:
    """The view is what the agent last said; whether the value holds is not known."""
    if s.calls.pop(call, None) is not None:
        s.result(call, Refused(code="failed", detail={"message": "outcome_unknown"}))
    forget(s, call)


def forget(s: Situation, call: str) -> None:
    was_first = bool(s.sets) and s.sets[0][0] == call
    s.sets = [(cause, setting) for cause, setting in s.sets if cause != call]
    if was_first and s.sets:
        _write_next(s)


def meta(s: Situation, event: Event) -> None:
    """Sections that the agent reports: what is held already is not said again; the slash section follows."""
    if event.state is None:
        return s.say(event)
    delta = event.state
    if delta.title is not None:
        s.agent_title = delta.title
        delta = replace(delta, title=None) if s.kept.pinned else delta
    rest = without_known(s.state, delta)
    if rest is None:
        return None
    if rest.title is not None:
        s.retitle(rest.title or s.first_prompt or s.kept.title, pinned=False)
    if rest.commands is not None or rest.plugins is not None:
        rest = replace(rest, slash=None)
    mode = event.mode if rest.mode is not None else ""
    text = event.text if rest.title is not None else ""
    _say_with_slash(s, replace(event, state=rest, mode=mode, text=text))
    return None


def _say_with_slash(s: Situation, event: Event) -> None:
    delta = event.state
    assert delta is not None
    section = s.slash(merge(s.state, delta))
    restate = delta.commands is not None or delta.plugins is not None
    if restate or (s.phase == "ready" and section != s.state.slash):
        event = replace(event, state=replace(delta, slash=section))
    s.say(event)


def _title(s: Situation, intent: Set) -> None:
    """A title set by the person is pinned and wins over the agent's; "" unpins."""
    pinned = intent.value.strip()
    title = pinned or s.agent_title
    s.retitle(title or s.first_prompt, pinned=bool(pinned))
    s.say(Event("meta", state=State(title=title)))
    if s.phase == "ready":
        _in_line(s, intent)
    s.result(s.cause, Accepted())


def _in_line(s: Situation, intent: Set) -> None:
    """One setting at a time is with the provider."""
    s.sets.append((s.cause, intent))
    if len(s.sets) == 1:
        _write_next(s)


def _write_next(s: Situation) -> None:
    call, setting = s.sets[0]
    s.do(WriteSet(call=call, setting=setting))
    s.do(StartTimer(timer=f"set-timeout:{call}", seconds=SET_TIMEOUT))


def _not_offered(s: Situation, intent: Set) -> str:
    """Only advertised values are sent: why this one is not."""
    options = s.state.config.options if s.state.config else ()
    if intent.kind == "config":
        option = next((option for option in options if option.id == intent.id), None)
    else:
        option = option_of(options, intent.kind)
    if option is not None:
        offered = {choice.value for choice in option.select_values}
        return "" if intent.value in offered or not offered else f"{option.name or option.id} has no {intent.value!r}"
    models = s.state.catalog.models if s.state.catalog and intent.kind == "model" else ()
    if any(model.id == intent.value for model in models):
        return ""
    return f"this agent offers no {intent.id or intent.kind} {intent.value!r}"


def option_of(options: tuple[ConfigOption, ...], category: str) -> ConfigOption | None:
    """The first option of a category; of modes also one that has the id and no category."""
    by_category = next((option for option in options if option.category == category), None)
    return by_category or next((option for option in options if option.id == category and not option.category), None)
