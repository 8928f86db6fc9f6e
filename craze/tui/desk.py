"""What a screen is given beside its session: the ports `Agents`, `Library` and `Workspace`, bundled as `Desk`.

They are declared here, with their caller, and filled by `craze.cli.desk`; nothing under `tui/` knows disks or processes.
Every method that may take a moment is a coroutine. What a person can act on is raised as a `CrazeError`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

import msgspec

from craze.codec import Record
from craze.engine.facts import Fact
from craze.engine.hub import Subscription
from craze.engine.intents import Intent, Result
from craze.engine.ports import Missing
from craze.engine.view import View


class Session(Protocol):
    """What the screen uses of a session; a live one and a replayed one have it."""

    @property
    def view(self) -> View: ...
    async def send(self, intent: Intent) -> Result: ...
    def subscribe(self, *, lossless: bool = False) -> Subscription: ...
    def history(self, first: int, last: int) -> AsyncIterator[Record | Fact | Missing]: ...
    def keep_draft(self, text: str) -> None: ...
    async def close(self) -> None:
        """Also finishes its files and lets go of its folder."""
        ...


# ---- agents

AgentState: TypeAlias = Literal["ready", "needs setup", "needs sign-in", "not found"]


class AgentRow(msgspec.Struct, frozen=True, kw_only=True):
    """A declared agent. `fix`: the command that would help; `line`: its full command line; `last`: used last."""

    name: str
    kind: str
    state: AgentState = "ready"
    reason: str = ""
    fix: str = ""
    line: str = ""
    last: bool = False


class Agents(Protocol):
    """The declared agents; every fresh session comes from here."""

    async def rows(self) -> tuple[AgentRow, ...]: ...

    async def start(self, name: str, folder: str = "") -> Session:
        """A fresh session that has begun; `folder` "" is the workspace.

        Raises:
            CrazeError: The agent cannot be started.
        """
        ...

    def started(self, name: str, *, sign_in: bool) -> None:
        """What a start told: the agent of the next start without a name, or that it asked for a sign-in."""
        ...


# ---- stored sessions, and what is remembered


class StoredRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the session list. `updated` is ns since 1970; `problem`: why it cannot be opened; `known`: its agent is
    declared; `running`: another process has it open; `agents_own`: the agent keeps it, and craze has not seen it yet."""

    id: str
    title: str = ""
    agent: str = ""
    folder: str = ""
    updated: int = 0
    turns: int = 0
    bytes: int = 0
    known: bool = True
    running: bool = False
    agents_own: bool = False
    problem: str = ""


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A place in a stored session: `type` is what kind of text it is in."""

    session: str
    seq: int
    type: str
    snippet: str


class Control(Protocol):
    """What a person does to a replay."""

    @property
    def playing(self) -> bool: ...
    @property
    def ended(self) -> bool: ...
    def play(self) -> None: ...
    def pause(self) -> None: ...
    def step(self, events: int = 1) -> None: ...
    def speed(self, factor: float, *, cut_idle: bool = True) -> None:
        """Times the recorded speed; 0 = as fast as possible. `cut_idle`: pauses last 2 s at most."""
        ...

    def seek(self, seq: int) -> None: ...


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """A stored session to be played. `times[n]` is the time (ns, 0 = none) of event `n + 1`; `turns` are the numbers of
    the events that start a turn."""

    session: Session
    control: Control
    title: str = ""
    recorded: str = ""
    times: Sequence[int] = ()
    turns: Sequence[int] = ()


class Opened(msgspec.Struct, frozen=True):
    """A stored session that runs again, and the declared name of its agent."""

    session: Session
    agent: str


class Library(Protocol):
    """Stored sessions, earlier prompts and choices."""

    async def page(self, *, everywhere: bool, offset: int, limit: int) -> tuple[tuple[StoredRow, ...], int]:
        """Newest first, and how many there are in all."""
        ...

    async def of_agent(self, name: str, *, everywhere: bool) -> tuple[StoredRow, ...]:
        """What the agent keeps itself and craze has not seen yet; the agent is started to tell."""
        ...

    async def search(self, text: str, *, everywhere: bool) -> tuple[Hit, ...]: ...
    async def rename(self, session: str, title: str) -> None: ...
    async def delete(self, session: str) -> None: ...

    async def export(self, session: str, path: str, form: Literal["md", "html", "jsonl"] = "md") -> str:
        """The path that was written."""
        ...

    async def open(self, session: str) -> Opened:
        """A stored session, live: its agent has been started.

        Raises:
            CrazeError: The agent cannot be started, or the session is open elsewhere.
        """
        ...

    async def replay(self, session: str) -> Replay: ...

    async def attach(self, session: str, content: bytes) -> str:
        """The path of the session's own copy of an image."""
        ...

    async def prompts(self) -> tuple[str, ...]:
        """Earlier prompts, newest last: of other folders first, then of this one."""
        ...

    def add_prompt(self, text: str) -> None:
        """Remember a prompt; written behind the caller's back, a failure is logged."""
        ...

    def recent_models(self, agent: str) -> tuple[str, ...]:
        """Models that were chosen for this agent, newest first."""
        ...

    def add_model(self, agent: str, model: str) -> None: ...

    async def choose(self, name: str, value: str | bool) -> None:
        """Keep a choice (`tui.theme`, …) for later starts."""
        ...


# ---- the folder and the machine


class Ended(msgspec.Struct, frozen=True):
    """How a command ended: exit status (None: killed or out of time), its last output, and what was left out."""

    status: int | None
    output: str
    cut: bool = False


class Workspace(Protocol):
    """The folder of the session and the person's own programs."""

    @property
    def folder(self) -> str: ...

    async def paths(self) -> tuple[str, ...]:
        """Files and folders (with a `/` at the end) below the folder, relative, as git sees them; at most 50 000."""
        ...

    async def branch(self) -> str:
        """The git branch, "" where there is none."""
        ...

    async def run(self, line: str, told: Callable[[str], None]) -> Ended:
        """One shell command of the person's; `told` gets pieces of output. Cancelling it kills the command."""
        ...

    async def edit(self, text: str, suffix: str = ".md") -> str | None:
        """The text after the person's editor had the terminal; None when it left with an error.

        Raises:
            CrazeError: There is no editor.
        """
        ...

    async def interactive(self, command: Sequence[str], env: Mapping[str, str]) -> int:
        """A program that is given the terminal; its exit status."""
        ...

    async def copy(self, text: str) -> bool:
        """Put a text on the clipboard by a program of the desktop; False when there is none."""
        ...

    async def clipboard_image(self) -> bytes | None: ...

    async def read_image(self, path: str) -> bytes:
        """
        Raises:
            CrazeError: It cannot be read, is no image that can be sent, or is too large.
        """
        ...

    async def write(self, path: str, content: bytes) -> str:
        """Save something beside the session's files; the path that was written.

        Raises:
            CrazeError: It exists already, or cannot be written.
        """
        ...

    async def open_link(self, target: str) -> bool:
        """Hand a link to the desktop; False when there is no program for it."""
        ...


class Desk(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a screen may use beside its session. `places`: what help says of where files are."""

    agents: Agents
    library: Library
    workspace: Workspace
    places: Mapping[str, str] = {}
    version: str = ""
