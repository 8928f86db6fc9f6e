"""Scripts that choose how the session is told when it is opened again."""

from __future__ import annotations

from craze.demo.turn import Turn


def replay(turn: Turn) -> None:
    _choose(turn, "full", "all of it")


def emptyreplay(turn: Turn) -> None:
    _choose(turn, "empty", "nothing")


def replayresume(turn: Turn) -> None:
    _choose(turn, "resume", "all of it, even when it is only resumed")


def replaythin(turn: Turn) -> None:
    _choose(turn, "thin", "no thoughts, and tools only as they ended")


def _choose(turn: Turn, manner: str, words: str) -> None:
    turn.session.manner = manner
    turn.session.keep_head()
    turn.stream(f"When this session is opened again, I tell {words}.")
