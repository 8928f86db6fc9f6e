"""Fills the screen's `Desk`: agents, stored sessions, the folder."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path

import msgspec

from craze import __version__
from craze.cli import stdio
from craze.cli.context import Context
from craze.cli.given import begun
from craze.cli.library import CliLibrary
from craze.cli.live import Flags, LiveSession, start
from craze.cli.workspace import CliWorkspace
from craze.config import choices, paths
from craze.store.folder import Folder
from craze.store.session_file import Stored
from craze.tui.desk import AgentRow, Desk


class CliAgents:
    """Implements `craze.tui.desk.Agents`."""

    def __init__(self, context: Context, flags: Flags) -> None:
        self._context, self._flags = context, flags

    async def rows(self) -> tuple[AgentRow, ...]:
        return await asyncio.to_thread(self._rows)

    def _rows(self) -> tuple[AgentRow, ...]:
        from craze.cli.agents import states

        last = self._context.starts.last
        return tuple(
            AgentRow(
                name=agent.name,
                kind=agent.declaration.provider,
                state=state.word,
                reason=agent.problem or state.reason,
                fix=state.remedy,
                line=shlex.join(agent.declaration.command),
                last=agent.name == last,
            )
            for agent, state in states(self._context)
        )

    async def start(self, name: str, folder: str = "") -> LiveSession:
        return start(self._context, self._context.roster.get(name), self._flags, folder=folder)

    def started(self, name: str, *, sign_in: bool) -> None:
        remember(self._context, name, sign_in=sign_in)


def remember(context: Context, name: str, *, sign_in: bool) -> None:
    """What a start told: the agent of the next start, or that it asked for a sign-in."""
    if name not in context.roster.agents:
        return
    told = choices.starts(context.places.state)
    others = tuple(each for each in told.needs_sign_in if each != name)
    told = msgspec.structs.replace(
        told, last=told.last if sign_in else name, needs_sign_in=(*others, name) if sign_in else others
    )
    try:
        choices.keep_starts(context.places.state, told)
    except OSError as error:
        stdio.say(f"{context.places.state}: {error.strerror}")


def desk_of(context: Context, flags: Flags, folder: Path) -> Desk:
    def reopen(stored_folder: Folder, stored: Stored) -> LiveSession:
        agent = begun(context, stored_folder, stored.agent) or context.roster.get(stored.agent)
        return start(context, agent, flags, stored=stored_folder)

    places = context.places
    keeps = context.settings.config.journal.enabled and flags.journal
    return Desk(
        agents=CliAgents(context, flags),
        library=CliLibrary(context, reopen, keeps=keeps),
        workspace=CliWorkspace(folder, context.environment),
        places={
            "settings": paths.short(places.settings_file),
            "agents": paths.short(places.agents),
            "themes": paths.short(places.config / "themes"),
            "sessions": paths.short(places.sessions),
        },
        version=__version__,
    )
