"""`craze` without a command: the screen.

The agent is started first and Textual is imported while it boots.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from craze.cli import exit_codes, logs, stdio
from craze.cli.answering import of_screen
from craze.cli.app import COMMANDS, PICK, app_of
from craze.cli.attachments import attach
from craze.cli.completing import agent_names, session_ids
from craze.cli.confirm import may_start
from craze.cli.context import Context
from craze.cli.find import session_folder
from craze.cli.live import Flags, LiveSession, start
from craze.cli.plan import Wanted
from craze.cli.run import option_pairs, working_folder
from craze.cli.starting import Underway
from craze.config import agents
from craze.config.near import nearest
from craze.errors import ExitName, UsageError
from craze.store.folder import Folder
from craze.store.session_file import row

app = app_of()
Many = list[str] | None


@app.command()
def screen(
    prompt: Annotated[Many, typer.Argument(metavar="[PROMPT]")] = None,
    agent: Annotated[str, typer.Option(help="A declared agent.", autocompletion=agent_names)] = "",
    agent_command: Annotated[str, typer.Option(metavar="'CMD ARGS'", help="An agent by its command line.")] = "",
    provider: Annotated[str, typer.Option(help="What that command speaks: acp or control.")] = "",
    folder: Annotated[Path | None, typer.Option("-C", metavar="DIR", help="The session's folder.")] = None,
    go_on: Annotated[
        bool, typer.Option("-c", "--continue", help="Go on with the newest session of the folder.")
    ] = False,
    resume: Annotated[
        str,
        typer.Option("-r", "--resume", metavar="ID", help="Go on with this session.", autocompletion=session_ids),
    ] = "",
    model: Annotated[str, typer.Option()] = "",
    mode: Annotated[str, typer.Option()] = "",
    effort: Annotated[str, typer.Option()] = "",
    set_: Annotated[Many, typer.Option("--set", metavar="OPTION=VALUE")] = None,
    title: Annotated[str | None, typer.Option()] = None,
    image: Annotated[list[Path] | None, typer.Option(metavar="FILE")] = None,
    add_dir: Annotated[list[Path] | None, typer.Option(metavar="DIR", help="A further folder of the session.")] = None,
    answers: Annotated[
        str, typer.Option(metavar="PRESET|FILE", help="ask, deny, reads, all, fail, or a file of rules.")
    ] = "",
    theme: Annotated[str, typer.Option(metavar="NAME", help="The colours, for this run.")] = "",
    no_mouse: Annotated[bool, typer.Option("--no-mouse", help="Leave the mouse to the terminal.")] = False,
    trust: Annotated[bool, typer.Option("--trust", help="Take the folder's settings in full, for this run.")] = False,
    no_journal: Annotated[bool, typer.Option("--no-journal")] = False,
    no_wire: Annotated[bool, typer.Option("--no-wire")] = False,
) -> int:
    """The screen: one session with an agent."""
    words = prompt or []
    if len(words) == 1 and (near := nearest(words[0], COMMANDS)):
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
    stored = session_folder(context, go_on=go_on, resume="" if pick else resume, agent=agent)
    held = row(stored) if stored else None
    chosen = agents.choose(
        context.roster,
        context.settings,
        flag=agent,
        command=agent_command,
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
    # From here on Textual is in memory; the agent boots beside it.
    from craze.cli.showing import show

    return await show(wanted, session)
