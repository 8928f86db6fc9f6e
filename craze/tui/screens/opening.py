"""What a chat screen begins with: the session and its surroundings, and what the command line asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from craze.config.shape import Config
from craze.tui.desk import Desk, Session
from craze.tui.screens.stage import Stage
from craze.tui.terminal import Surroundings


class Opening(msgspec.Struct, frozen=True):
    """What a screen begins with.

    Attributes:
        agent: Its declared name.
        prompt: Sent as soon as the agent is ready, with `images` (paths).
        title: The session is to be called so; None = as it is.
        resumed: A stored session goes on.
        pick: The person chooses an agent first.
        replay: The id of a stored session to play instead, from event `first` on, `factor` times as fast as it was
            (0 = at once).
    """

    agent: str = ""
    prompt: str = ""
    images: tuple[str, ...] = ()
    title: str | None = None
    resumed: bool = False
    pick: bool = False
    replay: str = ""
    first: int = 0
    factor: float = 1.0


class Given(NamedTuple):
    """What a chat screen is made from. `now`: seconds since 1970."""

    session: Session
    desk: Desk
    config: Config
    opening: Opening
    stage: Stage
    around: Surroundings
    now: Callable[[], float]
