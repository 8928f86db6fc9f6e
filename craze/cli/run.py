"""`craze run`: the options of one headless run, and the session it runs."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import typer

from craze.cli import exit_codes, ids, stdio
from craze.cli.answering import of_run
from craze.cli.app import app_of
from craze.cli.confirm import may_start
from craze.cli.context import Context, here
from craze.cli.find import session_folder
from craze.cli.join import Wanted
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
from craze.cli.prompts import prompt_text
from craze.cli.running import go
from craze.config import agents
from craze.config.agents import Agent
from craze.config.duration import seconds
from craze.engine.limits import QUEUE_ROWS, QUEUE_TEXT
from craze.errors import UsageError
from craze.headless.json import Bare, Envelope
from craze.headless.printer import Printer
from craze.headless.run import Plan
from craze.headless.text import Words
from craze.headless.wire import Rows
from craze.headless.wishes import Wishes
from craze.store.folder import Folder
from craze.store.session_file import Stored, row

app = app_of()


@app.command()
def run(
    prompt: Annotated[Many, typer.Argument(metavar="[PROMPT]...", help="- or nothing: read standard input.")] = None,
    file: Annotated[Path | None, typer.Option("-f", metavar="FILE", help="Read the prompt from a file.")] = None,
    follow_up: Annotated[Many, typer.Option(metavar="TEXT", help="A next prompt. Repeatable.")] = None,
    agent: AgentName = None,
    agent_command: Command = None,
    provider: Provider = "",
    folder: WorkFolder = None,
    model: Model = "",
    mode: Mode = "",
    effort: Effort = "",
    set_: Set = None,
    image: Image = None,
    go_on: GoOn = False,
    resume: Resume = None,
    title: Title = None,
    output: Annotated[
        Literal["text", "json", "wire"],
        typer.Option("--format", help="The agent's words, every event, or the wire capture."),
    ] = "text",
    envelope: Annotated[bool, typer.Option("--envelope", help="With json: numbers, facts and a result.")] = False,
    answers: Annotated[
        str,
        typer.Option(
            metavar="PRESET|FILE", help="Who answers the agent: deny (the default), reads, all, fail, a file of rules."
        ),
    ] = "",
    decide: Annotated[
        Many,
        typer.Option(
            metavar="KIND=WHAT",
            help="Answer one ask: permission=allow_once, question=2, plan=accept. Repeatable.",
        ),
    ] = None,
    timeout: Annotated[str, typer.Option(metavar="DUR", help="For the whole run: 90s, 10m, 1h.")] = "",
    drain: Annotated[str, typer.Option(metavar="DUR", help="How long to wait for sub-agents at the end (10m).")] = "",
    add_dir: AddDir = None,
    trust: Trust = False,
    after_short: Annotated[
        Literal["pause", "continue"] | None,
        typer.Option(help="Whether follow-ups go on behind a turn that ended short (pause)."),
    ] = None,
    usage: Annotated[bool, typer.Option("--usage", help="Print tokens, cost and time at the end, on stderr.")] = False,
    no_journal: NoJournal = False,
    no_wire: NoWire = False,
) -> int:
    """One headless run: a prompt in, text or events out."""
    if sum((bool(resume), go_on)) > 1:
        raise UsageError("-c and -r exclude each other")
    if envelope and output != "json":
        raise UsageError("--envelope goes with --format json")
    context = Context(working_folder(folder), trust_run=trust)
    config = context.settings.config
    prompts = (prompt_text(prompt or (), file), *_follow_ups(follow_up or []))
    stored = session_folder(context, go_on=go_on, resume=resume or "", agent=agent or "")
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
    if chosen.fallback:
        stdio.say(f"no agent is chosen, this is the built-in {chosen.agent.name}")
    may_start(context, chosen.agent)
    answering = of_run(answers, context.settings, decide or (), context.folder)
    target = stored or Folder(context.sessions, ids.uuid7())
    plan = Plan(
        prompts=prompts,
        wishes=Wishes(model=model, mode=mode, effort=effort, options=option_pairs(set_ or ()), title=title),
        timeout=_time_limit(timeout or config.run.timeout),
        drain=seconds(drain or config.run.drain, "--drain"),
        usage=usage,
        guarded=answering.guarded,
        login=chosen.agent.declaration.login,
    )
    rows = Rows()
    wanted = Wanted(
        folder=target,
        workspace=held.cwd if held and held.cwd and not folder else str(context.folder),
        origin="run",
        answering=answering,
        # A run stops at any ending but `end_turn`, a cancel that the agent tells included.
        after_short=(policy := after_short or config.queue.after_short or "pause"),
        after_cancel=policy,
        reopen=stored is not None,
        dirs=session_dirs(context.folder, chosen.agent, held, add_dir or ()),
        journal=config.journal.enabled and not no_journal,
        wire=config.wire.enabled and not no_wire,
        listener=rows.row if output == "wire" else None,
    )
    printer = rows if output == "wire" else _printer(output, envelope)
    return exit_codes.NUMBERS[asyncio.run(go(context, chosen.agent, wanted, plan, printer, tuple(image or ())))]


def _time_limit(text: str | None) -> float | None:
    if not text:
        return None
    if not (limit := seconds(text, "--timeout")):
        raise UsageError(f"--timeout {text} leaves no time for anything", hint="write 90s, 10m or 1h")
    return limit


def _printer(output: str, envelope: bool) -> Printer:
    if output == "text":
        return Words(terminal=sys.stdout.isatty())
    return Envelope() if envelope else Bare()


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


def _follow_ups(texts: list[str]) -> list[str]:
    """Follow-ups are rows of the queue, which has its limits."""
    if len(texts) > QUEUE_ROWS:
        raise UsageError(f"{len(texts)} follow-ups are too many", hint=f"at most {QUEUE_ROWS}")
    for text in texts:
        if not text.strip():
            raise UsageError("--follow-up is empty")
        if len(text.encode()) > QUEUE_TEXT:
            raise UsageError(f"a follow-up of {len(text.encode())} bytes is too long", hint=f"at most {QUEUE_TEXT}")
    return texts


def option_pairs(given: Iterable[str]) -> tuple[tuple[str, str], ...]:
    pairs = [text.partition("=") for text in given]
    if wrong := next((name for name, equals, _ in pairs if not equals or not name), None):
        raise UsageError(f"--set {wrong}: OPTION=VALUE is expected")
    return tuple((name, value) for name, _, value in pairs)


def session_dirs(folder: Path, agent: Agent, stored: Stored | None, added: Iterable[Path]) -> tuple[str, ...]:
    """The session's further folders: declared, kept with the session, and asked for; each once."""
    dirs: dict[str, None] = {}
    for given in (*agent.declaration.dirs, *(stored.dirs if stored else ()), *map(str, added)):
        path = Path(os.path.abspath(folder / Path(given).expanduser()))
        if not path.is_dir():
            raise UsageError(f"--add-dir {given}: there is no such folder")
        if path != folder:
            dirs[str(path)] = None
    return tuple(dirs)
