"""A stored session as the screen replays it."""

from __future__ import annotations

import asyncio
import logging
from array import array
from collections.abc import Iterator
from typing import Final

from craze.cli.find import moment
from craze.codec import Event, Record
from craze.engine.facts import Fact, Info
from craze.engine.ports import Missing
from craze.errors import CodecError, StoreError
from craze.providers.replay.pace import Pace
from craze.providers.replay.stored import Stored as Replayed
from craze.store import session_file
from craze.store.folder import Folder
from craze.store.history import History, in_order
from craze.store.history import Missing as NotThere
from craze.store.lines import FactLine
from craze.tui.desk import Replay

_log = logging.getLogger(__name__)
NO_END: Final = 1 << 62
UNCUT: Final = 1e9
"""Seconds that a pause of a replay may last when idle gaps are true."""


async def replay(folder: Folder) -> Replay:
    """Begun, and paused at its beginning."""
    stored = await asyncio.to_thread(session_file.row, folder)
    times, turns = await asyncio.to_thread(_timeline, folder)
    info = Info(session=folder.id, agent=stored.agent if stored else "", workspace=stored.cwd if stored else "")
    history = History(in_order(folder.journals()))
    played = Replayed(lambda first: _items(history, first), info)
    played.control.pause()
    played.begin()
    return Replay(
        session=played,
        control=_Control(played),
        title=stored.title if stored else "",
        recorded=stored.created_at if stored else "",
        times=times,
        turns=turns,
    )


def _items(history: History, first: int) -> Iterator[Record | Fact | Missing]:
    for item in history.read(first, NO_END):
        if isinstance(item, FactLine):
            yield Fact(kind=item.kind, key=item.key, data=item.data)
        else:
            yield Missing(first=item.first, last=item.last) if isinstance(item, NotThere) else item


def _timeline(folder: Folder) -> tuple[array[int], array[int]]:
    """The time of each event, and the numbers of those that start a turn."""
    times, turns = array("q"), array("q")
    try:
        for item in History(in_order(folder.journals())).read(1, NO_END):
            if not isinstance(item, Record) or not item.seq:
                continue
            times.extend([0] * (item.seq - len(times)))
            event = _event(item)
            if event is None:
                continue
            times[item.seq - 1] = moment(event.at)
            if event.turn and event.turn.phase == "started":
                turns.append(item.seq)
    except StoreError:
        _log.exception("a journal could not be read to its end")
    return times, turns


def _event(record: Record) -> Event | None:
    try:
        return record.event
    except CodecError:
        return None


class _Control:
    """The controls of a replay in the screen's own words."""

    def __init__(self, played: Replayed) -> None:
        self._control = played.control

    @property
    def playing(self) -> bool:
        return self._control.playing

    @property
    def ended(self) -> bool:
        return self._control.ended

    def play(self) -> None:
        self._control.play()

    def pause(self) -> None:
        self._control.pause()

    def step(self, events: int = 1) -> None:
        self._control.step(events)

    def speed(self, factor: float, *, cut_idle: bool = True) -> None:
        longest = Pace().max_gap if cut_idle else UNCUT
        self._control.speed(Pace("real", factor=factor, max_gap=longest) if factor else Pace())

    def seek(self, seq: int) -> None:
        self._control.seek(seq)
