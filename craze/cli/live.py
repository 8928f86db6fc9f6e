"""Sessions of the screen: each is started here, with the flags of the command line, and closes its own files."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import msgspec

from craze.cli import ids
from craze.cli.answering import Answering
from craze.cli.context import Context
from craze.cli.given import session_dirs
from craze.cli.join import Joined, Wanted, join
from craze.codec import Record
from craze.config.agents import Agent
from craze.engine.facts import Fact
from craze.engine.hub import Subscription
from craze.engine.intents import Intent, Result
from craze.engine.ports import Missing
from craze.engine.view import View
from craze.store.folder import Folder
from craze.store.session_file import row


class Flags(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line asked of every session of this run."""

    answering: Answering
    model: str = ""
    mode: str = ""
    effort: str = ""
    options: tuple[tuple[str, str], ...] = ()
    dirs: tuple[Path, ...] = ()
    journal: bool = True
    wire: bool = True


class LiveSession:
    """A session with its files: the screen sees one thing that is closed once."""

    def __init__(self, joined: Joined) -> None:
        self._joined, self._session = joined, joined.session
        self._closed = False

    @property
    def view(self) -> View:
        return self._session.view

    @property
    def id(self) -> str:
        return self._joined.folder.id

    async def send(self, intent: Intent) -> Result:
        return await self._session.send(intent)

    def subscribe(self, *, lossless: bool = False) -> Subscription:
        return self._session.subscribe(lossless=lossless)

    def history(self, first: int, last: int) -> AsyncIterator[Record | Fact | Missing]:
        return self._session.history(first, last)

    def keep_draft(self, text: str) -> None:
        self._session.keep_draft(text)

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._session.close()
            await self._joined.close()


def start(
    context: Context,
    agent: Agent,
    flags: Flags,
    *,
    stored: Folder | None = None,
    folder: str = "",
    listener: Callable[[bytes], None] | None = None,
) -> LiveSession:
    """Start an agent with a fresh session, or with a stored one.

    Raises:
        CrazeError: It cannot be started, or the session is open elsewhere.
    """
    held = row(stored) if stored else None
    config = context.settings.config
    wanted = Wanted(
        folder=stored or Folder(context.sessions, ids.uuid7()),
        workspace=folder or (held.cwd if held else "") or str(context.folder),
        origin="tui",
        answering=flags.answering,
        after_short=config.queue.after_short or "continue",
        after_cancel=config.queue.after_cancel,
        reopen=stored is not None,
        screen=True,
        dirs=session_dirs(context.folder, agent, held, flags.dirs),
        journal=config.journal.enabled and flags.journal,
        wire=config.wire.enabled and flags.wire,
        listener=listener,
    )
    joined = join(context, _with_flags(agent, flags), wanted)
    joined.session.begin()
    return LiveSession(joined)


def _with_flags(agent: Agent, flags: Flags) -> Agent:
    """The declaration with what the command line sets for this run."""
    declared = agent.declaration
    changed = msgspec.structs.replace(
        declared,
        model=flags.model or declared.model,
        mode=flags.mode or declared.mode,
        effort=flags.effort or declared.effort,
        options={**declared.options, **dict(flags.options)},
    )
    return msgspec.structs.replace(agent, declaration=changed)
