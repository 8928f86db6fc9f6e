"""Which wish is possible when: the one table that gates verbs.

A session is in the first column, from the left, that applies. A cell is "" (possible), the code of the refusal, or the
name of a condition that the table's reader resolves.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from craze.engine.facts import Can
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

Column: TypeAlias = Literal[
    "closed", "closing", "stopped", "starting", "replaying", "foreign", "working", "error", "idle"
]
COLUMNS: Final[tuple[Column, ...]] = (
    "closed",
    "closing",
    "stopped",
    "starting",
    "replaying",
    "foreign",
    "working",
    "error",
    "idle",
)

NA: Final = "not_accepting"
ASK_OPEN: Final = "?ask_open"
ARMED: Final = "?armed"
UNARMED: Final = "?unarmed"
STEERABLE: Final = "?steerable"
TITLE: Final = "?title"
SIGN_IN: Final = "?sign_in"

_QUEUE: Final = (NA, NA, "", "", "", "", "", "", "")

# closed, closing, stopped, starting, replaying, foreign, working, error, idle
GATES: Final[dict[type[Intent], tuple[str, ...]]] = {
    Submit: (NA, NA, "", "", "", "", "", "", ""),
    SendNow: (NA, NA, NA, NA, NA, "foreign_turn", UNARMED, "", ""),
    Disarm: (NA, NA, NA, NA, NA, NA, ARMED, NA, NA),
    Steer: (NA, NA, NA, NA, NA, NA, STEERABLE, NA, NA),
    Cancel: (NA, NA, ASK_OPEN, ASK_OPEN, ASK_OPEN, "", "", ASK_OPEN, ASK_OPEN),
    QueueEdit: _QUEUE,
    QueueRemove: _QUEUE,
    QueueHold: _QUEUE,
    Answer: ("already_resolved", "", "", "", "", "", "", "", ""),
    Set: (NA, NA, TITLE, TITLE, NA, "", "", "", ""),
    CancelSubagent: (NA, NA, NA, NA, NA, "", "", "", ""),
    Aside: (NA, NA, NA, NA, NA, "", "", "", ""),
    Reconnect: (NA, NA, "", "", "", "", "", "", ""),
    Authenticate: (NA, NA, SIGN_IN, SIGN_IN, SIGN_IN, NA, NA, "", ""),
}

NEEDS: Final[dict[type[Intent], Can]] = {
    Steer: "steer",
    CancelSubagent: "cancel_subagent",
    Aside: "aside",
    Reconnect: "reopen",
}
"""The capability of a verb, checked after the state."""


def cell(intent: Intent, column: Column) -> str:
    return GATES[type(intent)][COLUMNS.index(column)]
