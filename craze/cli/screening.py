"""Opens the screen: what its options come to.

The agent is started first and Textual is imported while it boots. How the options are parsed and explained is named here
for `command_of` and never imported: a start whose options need no parser does without one (`quick`).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from craze.cli import exit_codes, logs, stdio
from craze.cli.answering import of_screen
from craze.cli.attachments import attach, read_images
from craze.cli.commands import COMMANDS, PICK
from craze.cli.confirm import may_start
from craze.cli.context import Context
from craze.cli.given import Shared, meant, option_pairs, working_folder
from craze.cli.live import Flags, LiveSession, start
from craze.cli.plan import Wanted
from craze.cli.starting import Underway
from craze.config.near import nearest
from craze.errors import ExitName, UsageError
from craze.store.folder import Folder

if TYPE_CHECKING:
    from craze.cli import options as of


class Given(Shared, frozen=True, kw_only=True):
    """The options, and the words of the first prompt."""

    prompt: of.ScreenPrompt = None
    answers: of.ScreenAnswers = ""
    theme: of.Theme = ""
    no_mouse: of.NoMouse = False


def open_screen(given: Given) -> int:
    """The screen: one session with an agent."""
    prompt = _prompt(given.prompt or [])
    pick = given.resume == PICK
    if pick and given.go_on:
        raise UsageError("-c and -r exclude each other")
    context = Context(working_folder(given.folder), trust_run=given.trust, flags=_settings(given))
    flags = Flags(
        answering=of_screen(given.answers, context.settings, context.folder),
        model=given.model,
        mode=given.mode,
        effort=given.effort,
        options=option_pairs(given.set_),
        dirs=tuple(given.add_dir or ()),
        journal=not given.no_journal,
        wire=not given.no_wire,
    )
    chosen = meant(context, replace(given, resume=None) if pick else given)
    images = read_images(given.image or ())
    begins = not pick and not chosen.fallback
    if begins:
        may_start(context, chosen.agent)
    wanted = Wanted(
        context=context,
        flags=flags,
        agent=chosen.agent if begins else None,
        stored=chosen.folder,
        pick=pick,
        prompt=prompt,
        title=given.title,
    )
    return exit_codes.NUMBERS[asyncio.run(_go(wanted, images))]


def _settings(given: Given) -> dict[str, object]:
    """Those of this run, by dotted name."""
    values: dict[str, object] = {"tui.theme": given.theme} if given.theme else {}
    return values | ({"tui.mouse": False} if given.no_mouse else {})


def _prompt(words: Sequence[str]) -> str:
    """
    Raises:
        UsageError: The screen cannot begin with it, or not here.
    """
    # One word may be a slip of a command's name; words in quotes, and `tour`, are prompts.
    if len(words) == 1 and not words[0].count(" ") and (near := nearest(words[0], COMMANDS, alike=0.65)):
        raise UsageError(f"no command {words[0]!r}", hint=f"did you mean craze {near}?")
    if not stdio.is_terminal():
        raise UsageError("the screen needs a terminal", hint="craze run PROMPT runs without one")
    if list(words) == ["-"]:
        raise UsageError("the screen does not read its prompt from standard input", hint="craze run -")
    return " ".join(words)


async def _go(wanted: Wanted, images: tuple[bytes, ...]) -> ExitName:
    logs.begin(wanted.context, screen=True)
    session = await _started(wanted, images) if wanted.agent else None
    if os.environ.get("NO_COLOR") == "":
        del os.environ["NO_COLOR"]  # empty counts as unset, and Textual asks only whether it is there
    # From here on Textual is in memory; the agent boots beside it.
    from craze.cli.showing import show

    return await show(wanted, session)


async def _started(wanted: Wanted, images: tuple[bytes, ...]) -> LiveSession:
    assert wanted.agent is not None
    underway = Underway()
    session = start(wanted.context, wanted.agent, wanted.flags, stored=wanted.stored, listener=underway)
    try:
        await underway.wait()
        wanted.images = attach(Folder(wanted.context.sessions, session.id), images)
    except BaseException:
        await session.close()
        raise
    return session
