"""The sessions that an agent keeps itself: listed and deleted through a process of their own, outside any session."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from msgspec import Raw, Struct

from craze.codec import Failure, Stamp, exception
from craze.engine.clock import LoopClock
from craze.engine.ports import Mark, Report, Row
from craze.errors import ProviderError
from craze.providers.acp.connection import Connection, Reply
from craze.providers.acp.declaration import Declaration
from craze.providers.acp.decode import read
from craze.providers.acp.failures import exit_failure
from craze.providers.acp.link import Answer, Outside
from craze.providers.acp.lints import LEVELS
from craze.providers.acp.machine import Machine
from craze.providers.acp.opening import Agent, agent_of, initialize_params, initialize_problem
from craze.providers.acp.results import InitializeResult, ListedSession, ListResult
from craze.providers.acp.types import text
from craze.providers.lints import Lints
from craze.transport import Exit, Link, Tap
from craze.transport.jsonrpc import METHOD_NOT_FOUND, NOT_FOUND

_PAGES = 50


class AgentSession(Struct, frozen=True):
    """A row of the agent's own list. `title` is "" where it has none; `updated` is RFC 3339, in UTC without a zone."""

    id: str
    cwd: str = ""
    title: str = ""
    updated: str = ""


async def list_sessions(declaration: Declaration, folder: str, *, cwd: str = "") -> tuple[AgentSession, ...]:
    """What the agent has, newest first as it says; of one folder when `cwd` is given. Nothing where it does not list.

    Raises:
        ProviderError: The agent cannot be started, or fails.
    """
    async with _visit(declaration, folder) as visit:
        if not visit.agent.listing:
            return ()
        rows: list[ListedSession] = []
        cursor = ""
        for _ in range(_PAGES):
            params: dict[str, object] = {key: value for key, value in (("cwd", cwd), ("cursor", cursor)) if value}
            reply = await visit.ask("session/list", params)
            if reply.code == METHOD_NOT_FOUND:
                break  # offered, and yet not known: there is no list
            page = _result(reply, ListResult)
            rows += page.sessions or ()
            cursor = text(page.next_cursor)
            if not cursor:
                break
        return tuple(_row(row) for row in rows)


async def delete_session(declaration: Declaration, folder: str, session: str) -> None:
    """Delete one of the agent's own sessions; one that it does not know counts as deleted.

    Raises:
        ProviderError: The agent cannot be started, does not delete, or refuses.
    """
    async with _visit(declaration, folder) as visit:
        if not visit.agent.delete:
            raise ProviderError("this agent does not delete sessions")
        reply = await visit.ask("session/delete", {"sessionId": session})
        if reply.failed is not None and reply.code != NOT_FOUND:
            raise exception(reply.failed)


def _row(row: ListedSession) -> AgentSession:
    updated = text(row.updated_at)
    zoned = updated.endswith("Z") or "+" in updated[10:] or "-" in updated[10:]
    return AgentSession(
        row.session_id, text(row.cwd), text(row.title), updated if zoned or not updated else updated + "Z"
    )


def _result(reply: Reply, kind: type[ListResult]) -> ListResult:
    if reply.failed is not None:
        raise exception(reply.failed)
    return read(kind, reply.result or b"{}").value or kind()


class _Visit:
    """An agent without a session and without a person: asked a few things, then stopped. It is the connection's peer."""

    def __init__(self, declaration: Declaration) -> None:
        self.agent = Agent()
        self._clock = LoopClock()
        self._waiting: set[asyncio.Future[Any]] = set()
        self._connection = Connection(self, self._clock, Lints(LEVELS), _unheard, declaration.max_line)
        self._declaration = declaration

    async def begin(self, folder: str, outside: Outside) -> None:
        """Start the agent and read what it says of itself."""
        self._clock.bind(self._fired)
        declaration = self._declaration
        ready: asyncio.Future[Link] = self._future()
        tap = Tap(_unkept, self._clock.now)
        outside.start(declaration.command(folder), self._connection, tap, ready.set_result, declaration.max_line)
        self._connection.attach(await ready)
        params = initialize_params(declaration, answers_questions=False)
        reply = await self.ask("initialize", params, declaration.timeouts.initialize)
        if reply.failed is not None:
            raise exception(initialize_problem(reply))
        self.agent = agent_of(read(InitializeResult, reply.result or b"{}").value or InitializeResult())

    async def ask(self, method: str, params: dict[str, object], timeout: float = 30.0) -> Reply:
        answered: asyncio.Future[Reply] = self._future()

        def then(reply: Reply, _at: Stamp) -> list[Report]:
            if not answered.done():
                answered.set_result(reply)
            return []

        self._connection.request(method, params, timeout, then)
        return await answered

    async def end(self) -> None:
        self._clock.stop()
        link = self._connection.link
        if link is not None and not link.over:
            await link.stop()

    def asked(self, request: bytes, method: str, params: Raw, at: Stamp) -> list[Report]:
        self._connection.answer(request, Answer(code=METHOD_NOT_FOUND, message="Method not found"))
        return []

    def told(self, method: str, params: Raw, at: Stamp) -> list[Report]:
        return []

    def said(self, at: Stamp) -> list[Report]:
        return []

    def undelivered(self, number: int, at: Stamp) -> list[Report]:
        return []

    def gone(self, end: Exit, failure: Failure | None, at: Stamp) -> list[Report]:
        for future in self._waiting:
            future.set_exception(exception(failure or exit_failure(end)))
        return []

    def late(self, method: str, result: Raw | None) -> None:
        return

    def _future(self) -> asyncio.Future[Any]:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.add(future)
        future.add_done_callback(self._waiting.discard)
        return future

    def _fired(self, timer: str) -> None:
        _, what, number = timer.split(":", 2)
        self._connection.fired(what, int(number), self._clock.now())


@asynccontextmanager
async def _visit(declaration: Declaration, folder: str) -> AsyncGenerator[_Visit]:
    visit = _Visit(declaration)
    try:
        await visit.begin(folder, Machine())
        yield visit
    finally:
        await visit.end()


def _unheard(_at: Stamp, *_reports: Report) -> None:
    """Nobody listens to what an agent says outside of a session."""


def _unkept(row: Row, payload: bytes, at: Stamp, mark: Mark = "", size: int = 0) -> None:
    """A visit is not captured."""
