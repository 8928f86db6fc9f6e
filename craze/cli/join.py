"""Makes a session out of its parts: the only place where agent, engine and disk meet.

joined = join(context, agent, Wanted(...))       locked folder, journal, capture, provider, session; an agent
                                                 may boot already, but nobody hears it
joined.session.begin()                           opens the session
await joined.close()                             after the session's own close: files finished, lock released
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw

from craze import __version__
from craze.cli import ids, stdio
from craze.cli.answering import Answering
from craze.cli.chosen import chosen
from craze.cli.context import Context
from craze.cli.disk import IndexErrors, StoreLog, kept_of
from craze.cli.providers import Built, Started, provider_of
from craze.cli.spent import spent
from craze.codec import EVENT_CODEC
from craze.config import agents
from craze.config.agents import Agent
from craze.config.duration import seconds
from craze.engine.clock import LoopClock
from craze.engine.intents import Set
from craze.engine.ports import Log, Start
from craze.errors import AgentNotFound, ConfigError
from craze.store.folder import Folder, Lock
from craze.store.incarnation import before, file_stamp
from craze.store.journal import Journal
from craze.store.lines import FORMAT, Header
from craze.store.memory import MemoryLog
from craze.store.session_file import SessionFile, Stored, load
from craze.store.wire import Head, Recorder

if TYPE_CHECKING:
    from craze.engine.session import Session
    from craze.engine.situation import Policy, Settings
    from craze.transport import Ahead

CLOSE_FILES = 0.5
"""Seconds the capture and `session.json` get to be finished."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What the caller asks for. `folder`: the session's own, known to exist when `reopen`."""

    folder: Folder
    workspace: str
    origin: str
    answering: Answering
    after_short: Policy
    after_cancel: Policy
    reopen: bool = False
    screen: bool = False
    greets_only: bool = False
    dirs: tuple[str, ...] = ()
    journal: bool = True
    wire: bool = True
    listener: Callable[[bytes], None] | None = None


class Joined(msgspec.Struct, frozen=True):
    """A session that has not begun, and what must be finished after it."""

    session: Session
    built: Built
    ahead: Ahead
    lock: Lock
    folder: Folder
    recorder: Recorder | None
    file: SessionFile

    async def close(self) -> None:
        """Finish the files and let go of the folder; one that holds nothing is removed."""
        self.ahead.drop()
        await self.built.kill.settled(CLOSE_FILES)
        if self.recorder:
            await self.recorder.close(CLOSE_FILES)
        await self.file.close(CLOSE_FILES)
        _let_go(self.folder, self.lock)


def join(context: Context, agent: Agent, wanted: Wanted) -> Joined:
    """
    Raises:
        SessionBusy: Another process has the session open.
        ConfigError: The declaration uses a variable that is not set.
        AgentNotFound: The agent's program is not here.
    """
    from craze.transport import Ahead  # here: commands that only name a session know no processes

    wanted.folder.make()
    lock, ahead = Lock(wanted.folder), Ahead()
    try:
        return _Join(context, agent, wanted).joined(lock, ahead)
    except BaseException:
        ahead.drop()
        _let_go(wanted.folder, lock)
        raise


class _Join:
    """The parts of one session, made in the order in which they need one another."""

    def __init__(self, context: Context, agent: Agent, wanted: Wanted) -> None:
        self.context, self.agent, self.wanted = context, agent, wanted
        self.command, self.variables = command_of(agent, context)
        self.clock = LoopClock()
        self.began = self.clock.now()
        self.incarnation = ids.uuid7()
        self.earlier = before(wanted.folder)
        self.stored = load(wanted.folder, stdio.say) or Stored(craze_id=wanted.folder.id)
        self.kept = kept_of(self.stored)
        self.errors = IndexErrors()
        self.who = {"provider": agent.declaration.provider, "agent": agent.name}

    def joined(self, lock: Lock, ahead: Ahead) -> Joined:
        wanted, start = self.wanted, self.start()
        built = self.provider(ahead)
        from craze.engine.core import Core  # here: the agent boots meanwhile
        from craze.engine.session import Session, no_capture

        settings = self.settings()
        recorder, file = self.recorder(built, start, settings), self.file()
        core = Core(
            settings,
            session=wanted.folder.id,
            start=start,
            decider=wanted.answering.decider(wanted.workspace),
            kept=self.kept,
            numbers=self.earlier.numbers,
        )
        session = Session(
            core,
            built.provider,
            clock=self.clock,
            log=self.log(),
            keep=file,
            capture=recorder or no_capture,
            kept=self.kept,
            began=self.began,
        )
        self.errors.session = session
        return Joined(session, built, ahead, lock, wanted.folder, recorder, file)

    def start(self) -> Start:
        """A session that is opened again gets back what the person had chosen in it, over what is declared."""
        wanted = self.wanted
        again = chosen(self.earlier.journals) if wanted.reopen else ()
        return Start(
            workspace=wanted.workspace,
            dirs=wanted.dirs,
            reopen=self.stored.session_id if wanted.reopen else "",
            has_history=self.earlier.has_history,
            greets_only=wanted.greets_only,
            answers_questions=wanted.answering.answers_questions,
            settings=(*_start_settings(self.agent), *again),
        )

    def settings(self) -> Settings:
        from craze.engine.situation import Settings

        config, wanted = self.context.settings.config, self.wanted
        return Settings(
            decide=wanted.answering.decide,
            rules=wanted.answering.rules,
            policies=wanted.answering.policies,
            alone=wanted.answering.alone,
            after_cancel=wanted.after_cancel,
            after_short=wanted.after_short,
            turn_timeout=seconds(config.turn.timeout) if config.turn.timeout else None,
            quiet_after=seconds(config.turn.quiet_after),
            journaled=wanted.journal,
        )

    def provider(self, ahead: Ahead) -> Built:
        started = Started(
            command=self.command,
            environment=self.variables,
            preset=self.wanted.answering.permission,
            screen=self.wanted.screen,
            workspace=self.wanted.workspace,
            session=self.wanted.folder.id,
            incarnation=self.incarnation,
            served=self.context.served,
            spent=spent(self.earlier.journals) if self.agent.declaration.provider == "control" else {},
        )
        return provider_of(self.agent, self.context.settings, started, self.clock, ahead)

    def log(self) -> Log:
        wanted = self.wanted
        if not wanted.journal:
            return StoreLog(MemoryLog())
        header = Header(
            ts=self.began,
            format=FORMAT,
            event_codec=EVENT_CODEC,
            incarnation=self.incarnation,
            craze_id=wanted.folder.id,
            craze=__version__,
            os=sys.platform,
            arch=os.uname().machine,
            pid=os.getpid(),
            command=self.command,
            cwd=wanted.workspace,
            origin=wanted.origin,
            continues=self.earlier.continues,
            numbers=self.earlier.numbers,
            **self.who,
        )
        journal = Journal(
            wanted.folder.journal(file_stamp(self.began), self.incarnation),
            header,
            now=self.clock.now,
            on_error=self.errors,
            before=self.earlier.journals,
            warn=stdio.say,
        )
        return StoreLog(journal)

    def recorder(self, built: Built, start: Start, settings: Settings) -> Recorder | None:
        """Into its file, to the listener of `--format wire`, to both or to nobody."""
        wanted = self.wanted
        path = wanted.folder.wire(file_stamp(self.began), self.incarnation) if wanted.wire and wanted.journal else None
        if not path and not wanted.listener:
            return None
        head = Head(
            command=self.command,
            cwd=wanted.workspace,
            incarnation=self.incarnation,
            craze=__version__,
            environment=tuple(sorted(self.agent.declaration.env)),
            settings=_raw(settings),
            kept=_raw(self.kept),
            numbers=self.earlier.numbers,
            start=_raw(start),
            declaration=built.declaration,
            **self.who,
        )
        limit = self.context.settings.config.wire.max_bytes
        return Recorder(path, head, self.began, say=stdio.say, max_bytes=limit, listener=wanted.listener)

    def file(self) -> SessionFile:
        wanted = self.wanted
        stored = msgspec.structs.replace(
            self.stored,
            cwd=wanted.workspace,
            origin=self.stored.origin or wanted.origin,
            dirs=wanted.dirs,
            **self.who,
        )
        return SessionFile(wanted.folder, stored, now=self.clock.now, private=not wanted.journal, on_error=self.errors)


def _let_go(folder: Folder, lock: Lock) -> None:
    """Release the folder; one that holds nothing is removed, and one that somebody took away is nobody's loss."""
    with suppress(OSError):
        if os.listdir(folder.path) == ["lock"]:
            os.unlink(folder.path / "lock")
            folder.path.rmdir()
    lock.release()


def _start_settings(agent: Agent) -> tuple[Set, ...]:
    declared = agent.declaration
    sets = [Set(kind="model", value=declared.model)] if declared.model else []
    sets += [Set(kind="mode", value=declared.mode)] if declared.mode else []
    sets += [Set(kind="config", id="effort", value=declared.effort)] if declared.effort else []
    return (*sets, *(Set(kind="config", id=id_, value=_text(value)) for id_, value in declared.options.items()))


def command_of(agent: Agent, context: Context) -> tuple[tuple[str, ...], dict[str, str]]:
    """What starts the agent, and its environment.

    Raises:
        ConfigError: The declaration uses a variable that is not set.
        AgentNotFound: The agent's program is not here.
    """
    try:
        variables = agents.environment_of(agent.declaration, context.environment)
        command = agents.command_of(agent.declaration, context.environment)
    except agents.UnsetError as unset:
        raise ConfigError(f"agent {agent.name}: {unset}", hint=f"set {unset.name} ({agent.place} uses it)") from unset
    # A relative path counts from the session's folder, which only the start itself can tell.
    here = os.path.isabs(command[0]) or "/" not in command[0]
    if here and not shutil.which(command[0], path=variables.get("PATH")):
        install = agent.declaration.install
        hint = f"install it: {install}" if install else "craze agents list shows which agents are here"
        what = "cannot be run as a program" if os.path.exists(command[0]) else "was not found"
        raise AgentNotFound(f"agent {agent.name}: {command[0]} {what}", hint=hint)
    return command, variables


def _text(value: str | bool | int) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _raw(value: object) -> Raw:
    return Raw(msgspec.json.encode(value))
