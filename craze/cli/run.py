"""`craze run`: the options of one headless run, and the session it runs."""

from __future__ import annotations

import asyncio
import sys

from craze.cli import exit_codes, ids, stdio
from craze.cli import options as of
from craze.cli.answering import Answering, of_run
from craze.cli.app import command_of
from craze.cli.attachments import read_images
from craze.cli.confirm import may_start
from craze.cli.context import Context
from craze.cli.given import Meant, Shared, meant, option_pairs, session_dirs, working_folder
from craze.cli.join import Wanted
from craze.cli.prompts import prompt_text
from craze.cli.running import go
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


class Given(Shared, frozen=True, kw_only=True):
    """The options, and the words of the prompt."""

    prompt: of.RunPrompt = None
    file: of.PromptFile = None
    follow_up: of.FollowUp = None
    output: of.Form = "text"
    envelope: of.Enveloped = False
    answers: of.RunAnswers = ""
    decide: of.Decide = None
    timeout: of.TimeLimit = ""
    drain: of.Drain = ""
    after_short: of.AfterShort = None
    usage: of.Usage = False


def _run(given: Given) -> int:
    """One headless run: a prompt in, text or events out."""
    printer = _printer(given.output, given.envelope)
    context = Context(working_folder(given.folder), trust_run=given.trust)
    config = context.settings.config
    prompts = (prompt_text(given.prompt or (), given.file), *_follow_ups(given.follow_up or []))
    chosen = meant(context, given)
    if chosen.fallback:
        stdio.say(f"no agent is chosen, this is the built-in {chosen.agent.name}")
    may_start(context, chosen.agent)
    wishes = Wishes(
        model=given.model,
        mode=given.mode,
        effort=given.effort,
        options=option_pairs(given.set_),
        title=given.title,
    )
    answering = of_run(given.answers, context.settings, given.decide or (), context.folder)
    plan = Plan(
        prompts=prompts,
        wishes=wishes,
        timeout=_time_limit(given.timeout or config.run.timeout),
        drain=seconds(given.drain or config.run.drain, "--drain"),
        usage=given.usage,
        guarded=answering.guarded,
        login=chosen.agent.declaration.login,
    )
    wanted = _wanted(given, context, chosen, answering, printer)
    images = read_images(given.image or ())
    return exit_codes.NUMBERS[asyncio.run(go(context, chosen.agent, wanted, plan, printer, images))]


def _wanted(given: Given, context: Context, chosen: Meant, answering: Answering, printer: Printer) -> Wanted:
    """The session."""
    config, stored = context.settings.config, chosen.stored
    # A run stops at any ending but `end_turn`, a cancel that the agent tells included.
    policy = given.after_short or config.queue.after_short or "pause"
    return Wanted(
        folder=chosen.folder or Folder(context.sessions, ids.uuid7()),
        workspace=stored.cwd if stored and stored.cwd and not given.folder else str(context.folder),
        origin="run",
        answering=answering,
        after_short=policy,
        after_cancel=policy,
        reopen=chosen.folder is not None,
        dirs=session_dirs(context.folder, chosen.agent, stored, given.add_dir or ()),
        journal=config.journal.enabled and not given.no_journal,
        wire=config.wire.enabled and not given.no_wire,
        listener=printer.row if isinstance(printer, Rows) else None,
    )


app = command_of(Given, _run)


def _time_limit(text: str | None) -> float | None:
    if not text:
        return None
    if not (limit := seconds(text, "--timeout")):
        raise UsageError(f"--timeout {text} leaves no time for anything", hint="write 90s, 10m or 1h")
    return limit


def _printer(output: str, envelope: bool) -> Printer:
    if envelope and output != "json":
        raise UsageError("--envelope goes with --format json")
    if output == "wire":
        return Rows()
    if output == "text":
        return Words(terminal=sys.stdout.isatty())
    return Envelope() if envelope else Bare()


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
