"""The sessions that an agent keeps and craze has not seen yet: listed, taken over, deleted. Each visit is a process."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from craze.cli import ids
from craze.cli.context import Context
from craze.cli.find import moment, newest_first
from craze.cli.join import command_of
from craze.cli.providers import Started, acp_declaration
from craze.codec import stamp
from craze.config.agents import Agent
from craze.store import session_file
from craze.store.folder import Folder
from craze.store.session_file import Stored
from craze.tui.desk import StoredRow

if TYPE_CHECKING:
    from craze.providers.acp.declaration import Declaration

_MARK = "agent:"
"""Before the agent's id: no session of craze is called so."""


class AgentsOwn:
    """Remembers what was listed, so that a row can be taken over by its id."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._listed: dict[str, tuple[Agent, StoredRow]] = {}

    async def rows(self, name: str, *, everywhere: bool) -> tuple[StoredRow, ...]:
        """None of an agent that is not declared, lists nothing or speaks another protocol.

        Raises:
            CrazeError: The agent cannot be started, or fails.
        """
        context = self._context
        agent = context.roster.agents.get(name)
        if agent is None or agent.declaration.provider != "acp":
            return ()
        from craze.providers.acp.library import list_sessions

        here = str(context.folder)
        found = await list_sessions(self._declaration(agent), here, cwd="" if everywhere else here)
        known = await asyncio.to_thread(self._known, name)
        rows = tuple(
            StoredRow(
                id=_MARK + row.id,
                title=row.title or row.id,
                agent=name,
                folder=row.cwd or here,
                updated=moment(row.updated),
                agents_own=True,
            )
            for row in found
            if row.id not in known
        )
        self._listed |= {row.id: (agent, row) for row in rows}
        return rows

    def adopt(self, id_: str) -> Folder | None:
        """A session of craze's for a row that was listed; the agent tells its transcript when it is opened. None when
        the id is none of the agent's own."""
        if (found := self._listed.pop(id_, None)) is None:
            return None
        agent, row = found
        folder = Folder(self._context.sessions, ids.uuid7())
        at = stamp(row.updated or time.time_ns())
        own = id_.removeprefix(_MARK)
        session_file.save(
            folder,
            Stored(
                craze_id=folder.id,
                session_id=own,
                provider="acp",
                agent=agent.name,
                cwd=row.folder,
                origin="tui",
                created_at=at,
                updated_at=at,
                title=row.title if row.title != own else "",
            ),
        )
        return folder

    async def delete(self, id_: str) -> bool:
        """Whether the id was one of the agent's own.

        Raises:
            CrazeError: The agent cannot be started, does not delete, or refuses.
        """
        if id_ not in self._listed:
            return False
        from craze.providers.acp.library import delete_session

        agent, _ = self._listed[id_]
        await delete_session(self._declaration(agent), str(self._context.folder), id_.removeprefix(_MARK))
        del self._listed[id_]
        return True

    def _known(self, name: str) -> set[str]:
        return {stored.session_id for _, stored in newest_first(self._context, here_only=False) if stored.agent == name}

    def _declaration(self, agent: Agent) -> Declaration:
        command, environment = command_of(agent, self._context)
        started = Started(command=command, environment=environment, preset="deny", screen=False)
        return acp_declaration(agent, self._context.settings, started)
