"""Runs the screen over a session that has been started; the only module of the command line that imports Textual."""

from __future__ import annotations

import asyncio
import os
import signal

from craze.cli import stdio
from craze.cli.desk import desk_of
from craze.cli.find import short_ids
from craze.cli.live import LiveSession
from craze.cli.plan import Wanted
from craze.errors import ExitName
from craze.tui.app import CrazeApp, Left
from craze.tui.screens.opening import Opening
from craze.tui.terminal import has_colours
from craze.tui.theme import Themes


async def show(wanted: Wanted, session: LiveSession | None) -> ExitName:
    """Until the person leaves; the terminal is then as it was."""
    context = wanted.context
    opening = Opening(
        agent=wanted.agent.name if wanted.agent else "",
        prompt=wanted.prompt,
        images=wanted.images,
        title=wanted.title,
        resumed=wanted.stored is not None,
        pick=wanted.pick,
        replay=wanted.replay.session if wanted.replay else "",
        first=wanted.replay.first if wanted.replay else 0,
        factor=wanted.replay.factor if wanted.replay else 1.0,
    )
    app = CrazeApp(
        session,
        desk_of(context, wanted.flags, context.folder),
        context.settings.config,
        opening,
        themes=Themes(context.places.config / "themes", colours=has_colours(os.environ)),
    )
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, app.end)
    try:
        left = await app.run_async(mouse=context.settings.config.tui.mouse)
    finally:
        # After a crash of the screen; closing twice is closing once.
        for opened in (session, app.session):
            if opened:
                await opened.close()
    if left is None:
        return "failed"
    if left.error:
        raise left.error
    _say(left, short_ids(context))
    return left.exit


def _say(left: Left, short: dict[str, str]) -> None:
    if left.prompted and left.session:
        id_ = short.get(left.session, left.session)
        try:
            stdio.show(f"session {left.session} · craze -r {id_} to continue")
            stdio.flush()
        except OSError:
            stdio.give_up_stdout()  # the window is closed
