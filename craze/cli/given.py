"""What the flags that a run and the screen share come to: the folders, the agent's options, the session and its agent."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from craze.cli.context import Context, here
from craze.cli.find import session_folder
from craze.config import agents
from craze.config.agents import Agent
from craze.errors import UsageError
from craze.store.folder import Folder
from craze.store.reader import header
from craze.store.session_file import Stored, row

if TYPE_CHECKING:
    from craze.cli import options as of


class Meant(msgspec.Struct, frozen=True):
    """Which session goes on, if one does, and which agent it talks to. `fallback`: nobody chose that agent."""

    agent: Agent
    folder: Folder | None = None
    stored: Stored | None = None
    fallback: bool = False


class Shared(msgspec.Struct, frozen=True, kw_only=True):
    """The options that a run and the screen have in common; `options` describes them, for the parser alone."""

    agent: of.AgentName = None
    agent_command: of.Command = None
    provider: of.Provider = ""
    folder: of.WorkFolder = None
    go_on: of.GoOn = False
    resume: of.Resume = None
    model: of.Model = ""
    mode: of.Mode = ""
    effort: of.Effort = ""
    set_: of.Set = None
    title: of.Title = None
    image: of.Image = None
    add_dir: of.AddDir = None
    trust: of.Trust = False
    no_journal: of.NoJournal = False
    no_wire: of.NoWire = False


def meant(context: Context, given: Shared) -> Meant:
    """
    Raises:
        UsageError: The agent does not exist, or two are named, or two sessions.
        SessionNotFound: There is no such session, or several.
    """
    if given.resume and given.go_on:
        raise UsageError("-c and -r exclude each other")
    agent = given.agent or ""
    folder = session_folder(context, go_on=given.go_on, resume=given.resume or "", agent=agent)
    stored = row(folder) if folder else None
    chosen = agents.choose(
        context.roster,
        context.settings,
        flag=agent,
        command=given.agent_command or "",
        provider=given.provider,
        stored=stored.agent if stored else "",
        begun=begun(context, folder, stored.agent) if folder and stored else None,
        last=context.starts.last,
    )
    return Meant(chosen.agent, folder, stored, chosen.fallback)


def begun(context: Context, folder: Folder, name: str) -> Agent | None:
    """The agent of the `--agent-command` that a stored session last ran; None where `name` is declared, or was.

    Raises:
        StoreError: The journal is of a newer format.
    """
    journals = [] if name in context.roster.agents else folder.journals()
    last = header(journals[-1]) if journals else None
    if last is None or not last.command or last.provider not in ("acp", "control"):
        return None
    agent = agents.from_words(last.command, last.provider)
    return agent if agent.name == name else None


def working_folder(given: Path | None) -> Path:
    """The folder of `-C`, else where we are.

    Raises:
        UsageError: It is not there.
    """
    folder = here(os.environ.get("PWD", ""))
    if not given:
        return folder
    if not given.is_dir():
        raise UsageError(f"-C {given}: there is no such folder")
    return Path(os.path.abspath(folder / given))


def option_pairs(given: Iterable[str] | None) -> tuple[tuple[str, str], ...]:
    """The options of `--set`.

    Raises:
        UsageError: One has no `=`, or no name before it.
    """
    pairs = [text.partition("=") for text in given or ()]
    if wrong := next((name for name, equals, _ in pairs if not equals or not name), None):
        raise UsageError(f"--set {wrong}: OPTION=VALUE is expected")
    return tuple((name, value) for name, _, value in pairs)


def session_dirs(folder: Path, agent: Agent, stored: Stored | None, added: Iterable[Path]) -> tuple[str, ...]:
    """The session's further folders: declared, kept with the session, and asked for; each once.

    Raises:
        UsageError: One is not there.
    """
    dirs: dict[str, None] = {}
    for given in (*agent.declaration.dirs, *(stored.dirs if stored else ()), *map(str, added)):
        path = Path(os.path.abspath(folder / Path(given).expanduser()))
        if not path.is_dir():
            raise UsageError(f"--add-dir {given}: there is no such folder")
        if path != folder:
            dirs[str(path)] = None
    return tuple(dirs)
