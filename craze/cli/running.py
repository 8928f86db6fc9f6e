"""Runs a joined session to its end: signals, what the start has told, tidying up. The options are `run`'s."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

import msgspec

from craze.cli import exit_codes, logs, stdio
from craze.cli.attachments import attach
from craze.cli.context import Context
from craze.cli.join import Joined, Wanted, join
from craze.config import choices
from craze.config.agents import Agent
from craze.errors import ExitName
from craze.headless.out import ThreadedOut
from craze.headless.printer import Printer
from craze.headless.run import Plan, Run

_AGENT_FIRST = 0.05
"""Seconds in which nothing keeps the agent from being started."""


async def go(
    context: Context,
    agent: Agent,
    wanted: Wanted,
    plan: Plan,
    printer: Printer,
    images: tuple[bytes, ...],
) -> ExitName:
    """
    Raises:
        CrazeError: The session cannot be made, or what ended the run is more than its exit name.
    """
    logs.begin(context)
    _on_signals(lambda: None)  # the agent may run before its run does: the loop keeps a signal until that one hears it
    joined = join(context, agent, wanted)
    try:
        plan = msgspec.structs.replace(plan, attachments=attach(joined.folder, images))
        runner = Run(
            joined.session,
            plan,
            printer,
            ThreadedOut(),
            stdio.say,
            number=exit_codes.NUMBERS.__getitem__,
            kill=joined.built.kill,
        )
        _on_signals(runner.interrupt)
        tidying = asyncio.create_task(_tidy(context))
        try:
            return await runner()
        finally:
            await tidying
            _remember(context, agent, joined, runner)
            for text in wanted.answering.unused():
                stdio.say(f"--decide {text} was never used")
    finally:
        await joined.close()


async def _tidy(context: Context) -> None:
    """Removes what the settings no longer keep; imported here, when the agent is on its way."""
    await asyncio.sleep(_AGENT_FIRST)
    from craze.cli.pruning import at_start

    await asyncio.to_thread(at_start, context)


def _on_signals(act: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, act)


def _remember(context: Context, agent: Agent, joined: Joined, runner: Run) -> None:
    """What this start told: the agent that runs when none is named, and who asked for a sign-in."""
    if agent.place == "--agent-command":
        return
    told = context.starts
    asked = runner.progress.login.required
    others = tuple(name for name in told.needs_sign_in if name != agent.name)
    started = bool(joined.session.view.info.provider_session)
    told = msgspec.structs.replace(
        told,
        last=agent.name if started else told.last,
        needs_sign_in=(*others, agent.name) if asked else others if started else told.needs_sign_in,
    )
    try:
        choices.keep_starts(context.places.state, told)
    except OSError as error:
        stdio.say(f"{context.places.state}: {error.strerror}")
