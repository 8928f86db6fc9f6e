"""A `Desk` in memory: what a screen asks of it is kept, what it gets is set by the test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from craze.errors import CrazeError
from craze.tui.desk import AgentRow, Desk, Ended, Hit, Opened, Replay, Session, StoredRow


class MemoryAgents:
    """`sessions` are handed out one after another; an empty list refuses."""

    def __init__(self, *sessions: Session) -> None:
        self.sessions = list(sessions)
        self.declared: tuple[AgentRow, ...] = (AgentRow(name="demo", kind="acp", last=True),)
        self.starts: list[str] = []
        self.told: list[tuple[str, bool]] = []

    async def rows(self) -> tuple[AgentRow, ...]:
        return self.declared

    async def start(self, name: str, folder: str = "") -> Session:
        self.starts.append(name)
        if not self.sessions:
            raise CrazeError(f"agent {name} cannot be started")
        return self.sessions.pop(0)

    def started(self, name: str, *, sign_in: bool) -> None:
        self.told.append((name, sign_in))


class MemoryLibrary:
    """Stored rows, prompts and choices as lists."""

    def __init__(self) -> None:
        self.rows: list[StoredRow] = []
        self.hits: list[Hit] = []
        self.earlier: list[str] = []
        self.added: list[str] = []
        self.choices: dict[str, str | bool] = {}
        self.models: list[str] = []
        self.exports: list[tuple[str, str]] = []
        self.sessions: dict[str, Session] = {}
        self.replays: dict[str, Replay] = {}
        self.refuses = ""

    async def page(self, *, everywhere: bool, offset: int, limit: int) -> tuple[tuple[StoredRow, ...], int]:
        return tuple(self.rows[offset : offset + limit]), len(self.rows)

    async def of_agent(self, name: str, *, everywhere: bool) -> tuple[StoredRow, ...]:
        return ()

    async def search(self, text: str, *, everywhere: bool) -> tuple[Hit, ...]:
        return tuple(hit for hit in self.hits if text in hit.snippet)

    async def rename(self, session: str, title: str) -> None: ...

    async def delete(self, session: str) -> None:
        self.rows = [row for row in self.rows if row.id != session]

    async def export(self, session: str, path: str, form: Literal["md", "html", "jsonl"] = "md") -> str:
        self.exports.append((path, form))
        return path

    async def open(self, session: str) -> Opened:
        return Opened(self.sessions[session], "demo")

    async def replay(self, session: str) -> Replay:
        return self.replays[session]

    async def attach(self, session: str, content: bytes) -> str:
        return f"/copies/{len(content)}.png"

    async def prompts(self) -> tuple[str, ...]:
        return tuple(self.earlier)

    def add_prompt(self, text: str) -> None:
        self.added.append(text)

    def recent_models(self, agent: str) -> tuple[str, ...]:
        return tuple(self.models)

    def add_model(self, agent: str, model: str) -> None:
        self.models.insert(0, model)

    async def choose(self, name: str, value: str | bool) -> None:
        if self.refuses:
            raise CrazeError(self.refuses)
        self.choices[name] = value


class MemoryWorkspace:
    """A folder that exists by its answers alone."""

    folder = "/work"

    def __init__(self) -> None:
        self.files: tuple[str, ...] = ()
        self.head = ""
        self.images: dict[str, bytes] = {}
        self.clipboard: bytes | None = None
        self.copied: list[str] = []
        self.edits: Callable[[str], str | None] = lambda text: text
        self.ran: list[str] = []
        self.end: asyncio.Future[Ended] | None = None
        self.opened: list[str] = []
        self.copies = True

    async def paths(self) -> tuple[str, ...]:
        return self.files

    async def branch(self) -> str:
        return self.head

    async def run(self, line: str, told: Callable[[str], None]) -> Ended:
        self.ran.append(line)
        told("first\n")
        self.end = asyncio.get_running_loop().create_future()
        return await self.end

    async def edit(self, text: str, suffix: str = ".md") -> str | None:
        return self.edits(text)

    async def interactive(self, command: Sequence[str], env: Mapping[str, str]) -> int:
        self.ran.append(" ".join(command))
        return 0

    async def copy(self, text: str) -> bool:
        self.copied.append(text)
        return self.copies

    async def clipboard_image(self) -> bytes | None:
        return self.clipboard

    async def read_image(self, path: str) -> bytes:
        if path not in self.images:
            raise CrazeError(f"{path}: no such file")
        return self.images[path]

    async def write(self, path: str, content: bytes) -> str:
        return path

    async def open_link(self, target: str) -> bool:
        self.opened.append(target)
        return True


class MemoryDesk:
    """The three of them, and the bundle that a screen gets."""

    def __init__(self, *sessions: Session) -> None:
        self.agents = MemoryAgents(*sessions)
        self.library = MemoryLibrary()
        self.workspace = MemoryWorkspace()

    @property
    def desk(self) -> Desk:
        return Desk(agents=self.agents, library=self.library, workspace=self.workspace, version="0")
