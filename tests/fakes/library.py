"""Stored sessions and agents in memory, for pickers and the replay screen."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from msgspec.structs import replace

from craze.errors import CrazeError
from craze.tui.desk import AgentRow, Hit, StoredRow


class Shelf:
    """The part of a `Library` that the session list uses."""

    def __init__(
        self, rows: Sequence[StoredRow], elsewhere: Sequence[StoredRow] = (), hits: Sequence[Hit] = ()
    ) -> None:
        self.rows, self.elsewhere, self.hits = list(rows), list(elsewhere), tuple(hits)
        self.pages: list[tuple[int, int]] = []
        self.searched: list[str] = []
        self.trouble = ""
        self.own: list[StoredRow] = []
        self.told = asyncio.Event()
        """The agent may tell what it has."""
        self.told.set()
        self.read = asyncio.Event()

    async def page(self, *, everywhere: bool, offset: int, limit: int) -> tuple[tuple[StoredRow, ...], int]:
        self.pages.append((offset, limit))
        rows = [*self.rows, *self.elsewhere] if everywhere else self.rows
        return tuple(rows[offset : offset + limit]), len(rows)

    async def of_agent(self, name: str, *, everywhere: bool) -> tuple[StoredRow, ...]:
        await self.told.wait()
        if self.trouble:
            raise CrazeError(self.trouble)
        return tuple(row for row in self.own if row.agent == name)

    async def search(self, text: str, *, everywhere: bool) -> tuple[Hit, ...]:
        self.searched.append(text)
        return self.hits

    async def rename(self, session: str, title: str) -> None:
        if self.trouble:
            raise CrazeError(self.trouble)
        self.rows = [replace(row, title=title) if row.id == session else row for row in self.rows]

    async def delete(self, session: str) -> None:
        if self.trouble:
            raise CrazeError(self.trouble)
        self.rows = [row for row in self.rows if row.id != session]
        self.own = [row for row in self.own if row.id != session]


class Crew:
    """Declared agents."""

    def __init__(self, *rows: AgentRow) -> None:
        self._rows = rows

    async def rows(self) -> tuple[AgentRow, ...]:
        return self._rows
