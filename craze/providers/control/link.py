"""What the provider needs of the world: an agent's process, the tools that craze serves, images, time to wait.

One seam, so that a capture can stand in for all of it: `machine` is this computer, a replayer brings its own. Every
method that brings something brings it by a callback, called on the loop, at once or later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from msgspec import Raw, Struct

from craze.engine.ports import Prompt
from craze.transport import MAX_LINE, Command, Hearer, Link, Tap

Content: TypeAlias = str | tuple[dict[str, Any], ...]


class Attached(Struct, frozen=True):
    """The content of a prompt, and what a person must know of it."""

    content: Content
    notices: tuple[str, ...] = ()


class Served(Struct, frozen=True):
    """A message for a server that lives in craze; `key` is the JSON text of the request's id."""

    key: str
    server: str
    message: Raw


class Outside(Protocol):
    """Everything that is not the protocol."""

    def start(
        self, command: Command, hearer: Hearer, tap: Tap, ready: Callable[[Link], None], limit: int = MAX_LINE
    ) -> None:
        """Start the agent. One that cannot be started is told by `Hearer.ended` alone."""
        ...

    def private(self, name: str, data: bytes) -> str:
        """Keep data where only this person can read it, until `close`; gives the path."""
        ...

    def serve(self, served: Served, seconds: float, done: Callable[[Raw], None]) -> None:
        """Have a server answer; `done` at most once, with the body of the reply. `seconds`: its limit, 0 = none."""
        ...

    def withdraw(self, key: str) -> None:
        """The agent does not wait for this answer any more."""
        ...

    def attach(self, prompt: Prompt, done: Callable[[Attached], None]) -> None:
        """Read the images of a prompt."""
        ...

    async def close(self) -> None:
        """End all calls, forget what was kept."""
        ...
