"""Makes a session out of its parts: the only place where agent, engine and disk meet.

joined = join(context, agent, Wanted(...))       locked folder, journal, capture, provider, session; nothing runs
joined.session.begin()                           starts the agent
await joined.close()                             after the session's own close: files finished, lock released
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress

import msgspec
from msgspec import Raw

from craze import __version__
from craze.cli import ids, stdio
from craze.cli.answering import Answering
from craze.cli.chosen import chosen
from craze.cli.context import Context
from craze.cli.providers import Built, Started, provider_of
from craze.codec import EVENT_CODEC, BadTime, Queued, Record, Stamp, canonical
from craze.config import agents
from craze.config.agents import Agent
from craze.config.duration import seconds
from craze.engine.clock import LoopClock
from craze.engine.core import Core
from craze.engine.facts import Fact
from craze.engine.intents import Set
from craze.engine.ports import Kept, Log, Missing, Start
from craze.engine.session import Session, no_capture
from craze.engine.situation import Policy, Settings
from craze.errors import AgentNotFound, ConfigError
from craze.store.folder import Folder, Lock
from craze.store.history import Missing as NotThere
from craze.store.incarnation import before, file_stamp
from craze.store.journal import Journal
from craze.store.lines import FORMAT, FactLine, Header
from craze.store.memory import MemoryLog
from craze.store.session_file import SessionFile, Stored, load
from craze.store.wire import Head, Recorder

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
    dirs: tuple[str, ...] = ()
    journal: bool = True
    wire: bool = True
    listener: Callable[[bytes], None] | None = None


class Joined(msgspec.Struct, frozen=True):
    """A session that has not begun, and what must be finished after it."""

    session: Session
    built: Built
    lock: Lock
    folder: Folder
    recorder: Recorder | None
    file: SessionFile

    async def close(self) -> None:
        """Finish the files and let go of the folder; one that holds nothing is removed."""
        await self.built.kill.settled(CLOSE_FILES)
        if self.recorder:
            await self.recorder.close(CLOSE_FILES)
        await self.file.close(CLOSE_FILES)
        if not any(name != "lock" for name in os.listdir(self.folder.path)):
            with suppress(OSError):
                os.unlink(self.folder.path / "lock")
                self.folder.path.rmdir()
        self.lock.release()


def join(context: Context, agent: Agent, wanted: Wanted) -> Joined:
    """
    Raises:
        SessionBusy: Another process has the session open.
        ConfigError: The declaration uses a variable that is not set.
    """
    wanted.folder.make()
    lock = Lock(wanted.folder)
    try:
        return _joined(context, agent, wanted, lock)
    except BaseException:
        lock.release()
        raise


def _joined(context: Context, agent: Agent, wanted: Wanted, lock: Lock) -> Joined:
    clock = LoopClock()
    began = clock.now()
    incarnation, stamp = ids.uuid7(), file_stamp(began)
    earlier = before(wanted.folder)
    numbers = earlier.numbers
    stored = load(wanted.folder, stdio.say) or Stored(craze_id=wanted.folder.id)
    kept = _kept(stored)
    start = Start(
        workspace=wanted.workspace,
        dirs=wanted.dirs,
        reopen=stored.session_id if wanted.reopen else "",
        has_history=earlier.has_history,
        answers_questions=wanted.answering.answers_questions,
        settings=(*_start_settings(agent), *(chosen(earlier.journals) if wanted.reopen else ())),
    )
    settings = _engine_settings(context, wanted)
    command, variables = _command(agent, context)
    preset = wanted.answering.preset
    started = Started(command=command, environment=variables, preset=preset, screen=wanted.screen)
    built = provider_of(agent, context.settings, started, clock)
    session: Session | None = None

    def index_error(text: str) -> None:
        if session:
            session.index_error(text)

    identity = {"provider": agent.declaration.provider, "agent": agent.name}
    log: Log = MemoryLog()  # pyright: ignore[reportAssignmentType] - its facts are the engine's own
    if wanted.journal:
        head = Header(
            ts=began,
            format=FORMAT,
            event_codec=EVENT_CODEC,
            incarnation=incarnation,
            craze_id=wanted.folder.id,
            craze=__version__,
            os=sys.platform,
            arch=os.uname().machine,
            pid=os.getpid(),
            command=command,
            cwd=wanted.workspace,
            origin=wanted.origin,
            continues=earlier.continues,
            numbers=numbers,
            **identity,
        )
        path = wanted.folder.journal(stamp, incarnation)
        log = JournalLog(
            Journal(path, head, now=clock.now, on_error=index_error, before=earlier.journals, warn=stdio.say)
        )
    recorder: Recorder | None = None
    if (wanted.wire and wanted.journal) or wanted.listener:
        recorder = Recorder(
            wanted.folder.wire(stamp, incarnation) if wanted.wire and wanted.journal else None,
            Head(
                command=command,
                cwd=wanted.workspace,
                incarnation=incarnation,
                craze=__version__,
                environment=tuple(sorted(agent.declaration.env)),
                settings=_raw(settings),
                kept=_raw(kept),
                numbers=numbers,
                start=_raw(start),
                declaration=built.declaration,
                **identity,
            ),
            began,
            say=stdio.say,
            max_bytes=context.settings.config.wire.max_bytes,
            listener=wanted.listener,
        )
    file = SessionFile(
        wanted.folder,
        msgspec.structs.replace(
            stored, cwd=wanted.workspace, origin=stored.origin or wanted.origin, dirs=wanted.dirs, **identity
        ),
        now=clock.now,
        private=not wanted.journal,
        on_error=index_error,
    )
    core = Core(
        settings,
        session=wanted.folder.id,
        start=start,
        decider=wanted.answering.decider(wanted.workspace),
        kept=kept,
        numbers=numbers,
    )
    session = Session(core, built.provider, clock=clock, log=log, keep=file, capture=recorder or no_capture, kept=kept)
    return Joined(session, built, lock, wanted.folder, recorder, file)


class JournalLog:
    """The journal as the engine's `Log`: its lines of facts are the engine's facts."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    @property
    def last(self) -> Mapping[str, int]:
        return self._journal.last

    def append(self, line: Record | Fact) -> None:
        self._journal.append(line)

    async def read(self, first: int, last: int) -> AsyncIterator[Record | Fact | Missing]:
        async for item in self._journal.read(first, last):
            if isinstance(item, FactLine):
                yield Fact(kind=item.kind, key=item.key, data=item.data)
            else:
                yield Missing(first=item.first, last=item.last) if isinstance(item, NotThere) else item

    async def close(self, timeout: float) -> None:
        await self._journal.close(timeout)


def _kept(stored: Stored) -> Kept:
    return Kept(
        title=stored.title,
        pinned=stored.pinned,
        turns=stored.turns,
        queue=tuple(
            Queued(id=row.id, text=row.text, queued_at=_time(row.queued_at), version=row.version)
            for row in stored.queue
        ),
        attachments={row.id: row.attachments for row in stored.queue if row.attachments},
        paused=stored.paused,
        draft=stored.draft,
        provider_session=stored.session_id,
    )


def _start_settings(agent: Agent) -> tuple[Set, ...]:
    declared = agent.declaration
    sets = [Set(kind="model", value=declared.model)] if declared.model else []
    sets += [Set(kind="mode", value=declared.mode)] if declared.mode else []
    sets += [Set(kind="config", id="effort", value=declared.effort)] if declared.effort else []
    return (*sets, *(Set(kind="config", id=id_, value=_text(value)) for id_, value in declared.options.items()))


def _engine_settings(context: Context, wanted: Wanted) -> Settings:
    config = context.settings.config
    return Settings(
        after_cancel=wanted.after_cancel,
        after_short=wanted.after_short,
        turn_timeout=seconds(config.turn.timeout) if config.turn.timeout else None,
        quiet_after=seconds(config.turn.quiet_after),
        decide=wanted.answering.decide,
        rules=wanted.answering.rules,
        policies=wanted.answering.policies,
        alone=not wanted.screen,
        journaled=wanted.journal,
    )


def _command(agent: Agent, context: Context) -> tuple[tuple[str, ...], dict[str, str]]:
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
        raise AgentNotFound(f"agent {agent.name}: {command[0]} was not found", hint=hint)
    return command, variables


def _time(text: str) -> Stamp:
    try:
        return canonical(text)
    except BadTime:
        return Stamp("")


def _text(value: str | bool | int) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _raw(value: object) -> Raw:
    return Raw(msgspec.json.encode(value))
