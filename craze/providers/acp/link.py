"""What the provider needs of the world: an agent's process, files, terminals, time to wait.

One seam, so that a capture can stand in for all of it: `machine` is this computer, a replayer brings its own. Every
method that brings something brings it by a callback, called on the loop, at once or later.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final, Literal, Protocol, TypeAlias

from msgspec import Struct

from craze.engine.ports import Prompt
from craze.transport import MAX_LINE, Command, Hearer, Link, Tap
from craze.transport.jsonrpc import INTERNAL_ERROR

_log = logging.getLogger(__name__)
MAX_BYTES: Final = 15 << 20
MAX_IMAGES: Final = 10
Allowed: TypeAlias = Literal["once", "always", "no", "cancelled", "withdrawn"]


class Call(Struct, frozen=True):
    """A request of the agent for files or terminals. `key` is the JSON text of its id, `params` a wire struct."""

    key: str
    method: str
    params: object


class Answer(Struct, frozen=True):
    """What a request of the agent is answered with; `code` 0 = `result` counts."""

    result: dict[str, object] | None = None
    code: int = 0
    message: str = ""
    data: object = None


def stumbled() -> Answer:
    """The answer to a request that failed inside craze; called while the error is handled."""
    _log.exception("a request of the agent could not be served")
    return Answer(code=INTERNAL_ERROR, message="Internal error")


class Attached(Struct, frozen=True):
    """The content blocks of a prompt, and what a person must know of them."""

    blocks: tuple[dict[str, object], ...]
    notices: tuple[str, ...] = ()
    images: bool = False


class Wanted(Struct, frozen=True):
    """What a prompt may carry. `max_bytes`, `max_images`: limits of one prompt's images."""

    prompt: Prompt
    embed: bool = False
    images: bool = False
    max_bytes: int = MAX_BYTES
    max_images: int = MAX_IMAGES


class Folders(Struct, frozen=True):
    """The folders of a session: where it runs, what else belongs to it, what may be read besides."""

    workspace: str
    dirs: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()


class Outside(Protocol):
    """Everything that is not the protocol."""

    def start(
        self, command: Command, hearer: Hearer, tap: Tap, ready: Callable[[Link], None], limit: int = MAX_LINE
    ) -> None:
        """Start the agent. One that cannot be started is told by `Hearer.ended` alone."""
        ...

    def program(self, name: str) -> str:
        """The absolute path of a program, or its name when none is found."""
        ...

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        """Until the event, at most so long: the waits that only bound a stop."""
        ...

    def folders(self, folders: Folders, ask: Callable[[str], None], said: Callable[[str, str], None]) -> None:
        """A session begins. `ask(key)`: this file request is outside; `said(terminal, line)`: a last line."""
        ...

    def serve(self, call: Call, done: Callable[[Answer], None]) -> None:
        """Do what `fs/*` and `terminal/*` ask for; `done` exactly once."""
        ...

    def settle(self, key: str, allowed: Allowed) -> None:
        """A person's word on the file request that `ask` named, or that the agent took it back."""
        ...

    def attach(self, wanted: Wanted, done: Callable[[Attached], None]) -> None:
        """Read what a prompt mentions and carries."""
        ...

    async def close(self) -> None:
        """End all terminals and file work."""
        ...
