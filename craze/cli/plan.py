"""What the command line of the screen comes to."""

from __future__ import annotations

import msgspec

from craze.cli.context import Context
from craze.cli.live import Flags
from craze.config.agents import Agent
from craze.store.folder import Folder


class Played(msgspec.Struct, frozen=True):
    """A stored session to be played: from which event on, and how many times as fast (0 = at once)."""

    session: str
    first: int = 1
    factor: float = 1.0


class Wanted(msgspec.Struct, kw_only=True):
    """`agent` None: the person chooses one first; `pick`: a stored session is chosen first. `images` are the session's
    own copies."""

    context: Context
    flags: Flags
    agent: Agent | None = None
    stored: Folder | None = None
    pick: bool = False
    prompt: str = ""
    images: tuple[str, ...] = ()
    title: str | None = None
    replay: Played | None = None
