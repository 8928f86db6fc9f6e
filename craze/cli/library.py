"""The screen's `Library`: stored sessions, earlier prompts, and what was chosen before. Disk work runs in threads."""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from craze.cli.attachments import copied
from craze.cli.context import Context
from craze.cli.find import moment, newest_first
from craze.cli.given import begun
from craze.cli.live import LiveSession
from craze.codec import Record, stamp
from craze.config import choices, saved
from craze.errors import CrazeError, SessionNotFound
from craze.store import folder as folders
from craze.store import session_file
from craze.store.folder import Folder
from craze.store.history import History, in_order
from craze.store.history import Missing as NotThere
from craze.store.lines import FactLine
from craze.store.prompts import add_prompt, read_prompts
from craze.store.session_file import Stored
from craze.tui.desk import Hit, Opened, Replay, StoredRow

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from craze.cli.agents_own import AgentsOwn

_log = logging.getLogger(__name__)
HITS: Final = 200
RECENT: Final = 5
NO_END: Final = 1 << 62


class CliLibrary:
    """Implements `craze.tui.desk.Library`.

    Args:
        reopen: Starts the agent of a stored session.
        keeps: Whether prompts are remembered.
    """

    def __init__(self, context: Context, reopen: Callable[[Folder, Stored], LiveSession], *, keeps: bool) -> None:
        self._context, self._reopen, self._keeps = context, reopen, keeps
        self._writing: set[asyncio.Task[None]] = set()

    # ---- stored sessions

    @cached_property
    def _own(self) -> AgentsOwn:
        from craze.cli.agents_own import AgentsOwn  # here: the first picture lists no sessions

        return AgentsOwn(self._context)

    async def page(self, *, everywhere: bool, offset: int, limit: int) -> tuple[tuple[StoredRow, ...], int]:
        return await asyncio.to_thread(self._page, everywhere, offset, limit)

    # One in which nothing was ever said has nothing to go back to.
    def _page(self, everywhere: bool, offset: int, limit: int) -> tuple[tuple[StoredRow, ...], int]:
        found = [
            (folder, stored)
            for folder, stored in newest_first(self._context, here_only=not everywhere)
            if stored.turns or stored.title or stored.pending
        ]
        return tuple(itertools.starmap(self._row, found[offset : offset + limit])), len(found)

    def _row(self, folder: Folder, stored: Stored) -> StoredRow:
        return StoredRow(
            id=folder.id,
            title=stored.title,
            agent=stored.agent,
            folder=stored.cwd,
            updated=moment(stored.updated_at),
            turns=stored.turns,
            bytes=folder.size(),
            known=stored.agent in self._context.roster.agents or begun(self._context, folder, stored.agent) is not None,
            running=bool(folder.running()),
        )

    async def of_agent(self, name: str, *, everywhere: bool) -> tuple[StoredRow, ...]:
        return await self._own.rows(name, everywhere=everywhere)

    async def search(self, text: str, *, everywhere: bool) -> tuple[Hit, ...]:
        return await asyncio.to_thread(self._search, text, everywhere)

    def _search(self, text: str, everywhere: bool) -> tuple[Hit, ...]:
        from craze.store.search import PARTS, pattern, search

        wanted = pattern(text)
        return tuple(
            itertools.islice(
                (
                    Hit(session=folder.id, seq=hit.seq, type=hit.type, snippet=hit.snippet)
                    for folder, _ in newest_first(self._context, here_only=not everywhere)
                    for hit in search(folder.id, _history(folder), wanted, list(PARTS))
                ),
                HITS,
            )
        )

    async def rename(self, session: str, title: str) -> None:
        await asyncio.to_thread(session_file.rename, self._folder(session), title, stamp(time.time_ns()))

    async def delete(self, session: str) -> None:
        if not await self._own.delete(session):
            await asyncio.to_thread(folders.remove, self._folder(session))

    async def export(self, session: str, path: str, form: Literal["md", "html", "jsonl"] = "md") -> str:
        return await asyncio.to_thread(self._export, self._folder(session), path, form)

    def _export(self, folder: Folder, path: str, form: Literal["md", "html", "jsonl"]) -> str:
        from craze.cli.exporting import pieces

        target = self._context.folder / Path(path).expanduser()
        try:
            with target.open("xb") as out:
                out.writelines(pieces(self._context, folder, form, redact=False, tools=True, thoughts=False))
        except OSError as error:
            raise CrazeError(f"{target}: {error.strerror}") from error
        return str(target)

    async def open(self, session: str) -> Opened:
        folder = await asyncio.to_thread(self._own.adopt, session) or self._folder(session)
        stored = await asyncio.to_thread(session_file.row, folder)
        if stored is None:
            raise SessionNotFound(f"session {session} cannot be read")
        return Opened(self._reopen(folder, stored), stored.agent)

    async def replay(self, session: str) -> Replay:
        from craze.cli.replaying import replay

        return await replay(self._folder(session))

    async def attach(self, session: str, content: bytes) -> str:
        return str(await asyncio.to_thread(copied, self._folder(session), content))

    def _folder(self, session: str) -> Folder:
        return Folder(self._context.sessions, session)

    # ---- prompts and choices

    async def prompts(self) -> tuple[str, ...]:
        rows = await asyncio.to_thread(read_prompts, self._context.places.history_file)
        here = str(self._context.folder)
        return tuple(row.text for row in sorted(rows, key=lambda row: row.cwd == here))

    def add_prompt(self, text: str) -> None:
        if self._keeps:
            at, cwd = stamp(time.time_ns()), str(self._context.folder)
            self._behind(partial(add_prompt, self._context.places.history_file, at, cwd, text))

    def recent_models(self, agent: str) -> tuple[str, ...]:
        return tuple(self._recent().get(agent, ()))

    def add_model(self, agent: str, model: str) -> None:
        self._behind(partial(self._add_model, agent, model))

    def _add_model(self, agent: str, model: str) -> None:
        recent = self._recent()
        recent[agent] = [model, *(each for each in recent.get(agent, ()) if each != model)][:RECENT]
        saved.write(self._context.places.state / "models.json", msgspec.json.encode(recent))

    def _recent(self) -> dict[str, list[str]]:
        try:
            data = (self._context.places.state / "models.json").read_bytes()
            return msgspec.json.decode(data, type=dict[str, list[str]])
        except (OSError, msgspec.DecodeError):
            return {}

    async def choose(self, name: str, value: str | bool) -> None:
        try:
            await self._in_turn(partial(choices.choose, self._context.places.choices_file, name, value))
        except OSError as error:
            raise CrazeError(f"{error.filename}: {error.strerror}") from error

    @cached_property
    def _keeper(self) -> Executor:
        """One thread: what is kept is read, changed and written, and nothing that was chosen since may be lost."""
        from concurrent.futures import ThreadPoolExecutor  # here: the first picture keeps nothing

        return ThreadPoolExecutor(1, "keep")

    async def _in_turn(self, work: Callable[[], None]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._keeper, work)

    def _behind(self, work: Callable[[], None]) -> None:
        task = asyncio.get_running_loop().create_task(self._logged(work))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def _logged(self, work: Callable[[], None]) -> None:
        try:
            await self._in_turn(work)
        except OSError as error:
            _log.warning("not remembered: %s", error)


def _history(folder: Folder) -> Iterator[Record | FactLine | NotThere]:
    return History(in_order(folder.journals())).read(1, NO_END)
