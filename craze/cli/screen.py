"""`craze` without a command: the screen.

The agent is started first and Textual is imported while it boots.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer

from craze.cli import exit_codes, logs, stdio
from craze.cli.answering import of_screen
from craze.cli.app import COMMANDS, PICK, app_of
from craze.cli.attachments import attach
from craze.cli.confirm import may_start
from craze.cli.context import Context
from craze.cli.find import session_folder
from craze.cli.live import Flags, LiveSession, start
from craze.cli.options import (
    AddDir,
    AgentName,
    Command,
    Effort,
    GoOn,
    Image,
    Many,
    Mode,
    Model,
    NoJournal,
    NoWire,
    Provider,
    Resume,
    Set,
    Title,
    Trust,
    WorkFolder,
)
from craze.cli.plan import Wanted
from craze.cli.run import option_pairs, working_folder
from craze.cli.starting import Underway
from craze.config import agents
from craze.config.near import nearest
from craze.errors import ExitName, UsageError
from craze.store.folder import Folder
from craze.store.session_file import row

app = app_of()


@app.command()
def screen(
    prompt: Annotated[Many, typer.Argument(metavar="[PROMPT]")] = None,
    agent: AgentName = None,
    agent_command: Command = None,
    provider: Provider = "",
    folder: WorkFolder = None,
    go_on: GoOn = False,
    resume: Resume = None,
    model: Model = "",
    mode: Mode = "",
    effort: Effort = "",
    set_: Set = None,
    title: Title = None,
    image: Image = None,
    add_dir: AddDir = None,
    answers: Annotated[
        str, typer.Option(metavar="PRESET|FILE", help="ask, deny, reads, all, fail, or a file of rules.")
    ] = "",
    theme: Annotated[str, typer.Option(metavar="NAME", help="The colours, for this run.")] = "",
    no_mouse: Annotated[bool, typer.Option("--no-mouse", help="Leave the mouse to the terminal.")] = False,
    trust: Trust = False,
    no_journal: NoJournal = False,
    no_wire: NoWire = False,
) -> int:
    """The screen: one session with an agent."""
    words = prompt or []
    # One word may be a slip of a command's name; words in quotes, and `tour`, are prompts.
    if len(words) == 1 and not words[0].count(" ") and (near := nearest(words[0], COMMANDS, alike=0.65)):
        raise UsageError(f"no command {words[0]!r}", hint=f"did you mean craze {near}?")
    if not stdio.is_terminal():
        raise UsageError("the screen needs a terminal", hint="craze run PROMPT runs without one")
    if words == ["-"]:
        raise UsageError("the screen does not read its prompt from standard input", hint="craze run -")
    if resume and go_on:
        raise UsageError("-c and -r exclude each other")
    values: dict[str, object] = {"tui.theme": theme} if theme else {}
    context = Context(
        working_folder(folder), trust_run=trust, flags=values | ({"tui.mouse": False} if no_mouse else {})
    )
    flags = Flags(
        answering=of_screen(answers, context.settings, context.folder),
        model=model,
        mode=mode,
        effort=effort,
        options=option_pairs(set_ or ()),
        dirs=tuple(add_dir or ()),
        journal=not no_journal,
        wire=not no_wire,
    )
    pick = resume == PICK
    stored = session_folder(context, go_on=go_on, resume="" if pick else resume or "", agent=agent or "")
    held = row(stored) if stored else None
    chosen = agents.choose(
        context.roster,
        context.settings,
        flag=agent or "",
        command=agent_command or "",
        provider=provider,
        stored=held.agent if held else "",
        last=context.starts.last,
    )
    begins = not pick and not chosen.fallback
    if begins:
        may_start(context, chosen.agent)
    wanted = Wanted(
        context=context,
        flags=flags,
        agent=chosen.agent if begins else None,
        stored=stored,
        pick=pick,
        prompt=" ".join(words),
        title=title,
    )
    return exit_codes.NUMBERS[asyncio.run(_go(wanted, tuple(image or ())))]


async def _go(wanted: Wanted, images: tuple[Path, ...]) -> ExitName:
    logs.begin(wanted.context)
    session: LiveSession | None = None
    if wanted.agent:
        underway = Underway()
        session = start(wanted.context, wanted.agent, wanted.flags, stored=wanted.stored, listener=underway)
        await underway.wait()
        wanted.images = attach(Folder(wanted.context.sessions, session.id), images)
    if os.environ.get("NO_COLOR") == "":
        del os.environ["NO_COLOR"]  # empty counts as unset, and Textual asks only whether it is there
    # From here on Textual is in memory; the agent boots beside it.
    from craze.cli.showing import show

    return await show(wanted, session)
