"""What the screen remembers of the stream beside `View`: when things began, and what the last turn brought. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from craze.codec import Event, Failure, Record, ns
from craze.engine.facts import Fact, Notice
from craze.errors import CodecError


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """Times are seconds since 1970, 0 = not now. `answered`: the turn has brought something to see; `said`: its last
    visible event was text; `prompt`: the text of the last turn of ours, offered again when it failed."""

    opened: float = 0.0
    turn_began: float = 0.0
    turn_took: float = 0.0
    foreign_began: float = 0.0
    heard: float = 0.0
    quiet: bool = False
    turn: str = ""
    prompt: str = ""
    answered: bool = False
    said: bool = False
    ended_well: bool = False
    warned: bool = False
    """A warning came during the turn."""
    turns: int = 0
    ended: int = 0
    """Turns that have ended so far."""
    error: Failure | None = None
    """The last failure, until the next turn of ours."""
    notices: tuple[Notice, ...] = ()
    """New ones of the frame."""

    @property
    def silent(self) -> bool:
        """Whether the turn ended normally with nothing to see, and that was worth a warning."""
        return self.ended_well and not self.answered and self.warned


_SEEN = frozenset({"text", "thought", "tool", "plan", "permission", "question", "command"})


def after(moment: Moment, events: Sequence[Record], facts: Sequence[Fact]) -> Moment:
    """The moment after one frame."""
    moment = replace(moment, notices=())
    for record in events:
        try:
            moment = _event(moment, record.event)
        except CodecError:
            continue  # an event that cannot be read is drawn as such by the transcript
    if events:
        moment = replace(moment, heard=_time(events[-1]) or moment.heard, quiet=False)
    for fact in facts:
        moment = _fact(moment, fact)
    return moment


def _event(moment: Moment, event: Event) -> Moment:
    at = ns(event.at) / 1e9 if event.at else 0.0
    if event.type in _SEEN and not event.agent:
        said = event.type == "text"
        return moment if moment.answered and moment.said == said else replace(moment, answered=True, said=said)
    if event.type == "turn" and event.turn:
        turn = event.turn
        if turn.phase == "started":
            return replace(
                moment,
                turn=turn.id,
                prompt=turn.text,
                turn_began=at,
                turns=moment.turns + 1,
                answered=False,
                said=False,
                ended_well=False,
                warned=False,
                error=None,
            )
        took = at - moment.turn_began if moment.turn_began else 0.0
        well = turn.stop_reason == "end_turn" and not turn.err_class
        return replace(moment, turn_began=0.0, turn_took=took, ended_well=well, turn="", ended=moment.ended + 1)
    if event.type == "error" and event.err and not event.agent:
        return replace(moment, error=event.err)
    if event.type == "foreign_turn" and event.foreign_turn:
        return replace(moment, foreign_began=at if event.foreign_turn.running else 0.0)
    return moment


def _fact(moment: Moment, fact: Fact) -> Moment:
    if fact.kind != "notice":
        return moment
    notice = msgspec.json.decode(fact.data, type=Notice)
    return replace(
        moment,
        notices=(*moment.notices, notice),
        quiet=moment.quiet or notice.code == "quiet",
        warned=moment.warned or notice.severity == "warning",
    )


def _time(record: Record) -> float:
    try:
        at = record.event.at
    except CodecError:
        return 0.0
    return ns(at) / 1e9 if at else 0.0
