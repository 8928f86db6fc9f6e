"""What an agent says of itself: started in an empty folder, opened, listed, closed."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from craze.cli import exit_codes, ids, logs, stdio
from craze.cli.answering import Answering
from craze.cli.confirm import may_start
from craze.cli.context import Context
from craze.cli.join import Joined, Wanted, join
from craze.cli.providers import LintRow
from craze.codec import Record
from craze.config.agents import Agent
from craze.config.duration import seconds
from craze.engine.facts import Fact, Login
from craze.engine.hub import Snapshot
from craze.engine.intents import Submit
from craze.engine.view import View
from craze.errors import CrazeError
from craze.store.folder import Folder


def of_agent(context: Context, name: str, *, timeout: str, prompt: str) -> int:
    """Start it, print what it offers and what it does that it should not.

    Raises:
        CrazeError: It does not start, or not in time.
    """
    agent = context.roster.get(name)
    may_start(context, agent)
    with tempfile.TemporaryDirectory(prefix="craze-check-") as place:
        return asyncio.run(_checked(context, agent, Path(place), seconds(timeout, "--timeout"), prompt))


def of_capture(path: Path) -> int:
    """The lints of a stored capture; nothing is started."""
    from craze.cli.strict import lints_of

    return _print_lints(lints_of(path))


async def _checked(context: Context, agent: Agent, place: Path, limit: float, prompt: str) -> int:
    work = place / "work"
    work.mkdir()
    wanted = Wanted(
        folder=Folder(place / "sessions", ids.uuid7()),
        workspace=str(work),
        origin="run",
        answering=Answering(),
        after_short="pause",
        after_cancel="pause",
        journal=False,
        wire=False,
    )
    logs.begin(context)
    joined = join(context, agent, wanted)
    try:
        return await _told(joined, limit, prompt)
    finally:
        await joined.close()


async def _told(joined: Joined, limit: float, prompt: str) -> int:
    session = joined.session
    stream = session.subscribe(lossless=True)
    failures: list[str] = []
    session.begin()
    try:
        async with asyncio.timeout(limit):
            async for item in stream:
                failures += _failure(item)
                if session.view.status != "starting" or _login(session.view).required:
                    break
            if prompt and session.view.status == "idle":
                await session.send(Submit(text=prompt))
                async for item in stream:
                    failures += _failure(item)
                    if isinstance(item, Record) and item.event.turn and item.event.turn.phase == "ended":
                        break
    except TimeoutError:
        failures.append(f"no answer within {limit:g} s")
    view = session.view
    stream.close()
    await session.close()
    stdio.table(_facts(view))
    code = _print_lints(joined.built.lints())
    if failures:
        raise CrazeError(failures[0])
    return code


def _failure(item: Record | Fact | Snapshot) -> list[str]:
    error = item.event.err if isinstance(item, Record) and item.body else None
    return [error.message] if error else []


def _login(view: View) -> Login:
    told = view.facts.get(("login", ""))
    return msgspec.json.decode(told.data, type=Login) if told else Login()


def _facts(view: View) -> Iterator[tuple[str, str]]:
    info, state = view.info, view.state
    yield "agent", f"{info.agent or '?'} {info.version}".strip()
    login = _login(view)
    yield "state", "needs sign-in" if login.required and view.status == "starting" else view.status
    yield "can", ", ".join(sorted(info.can)) or "-"
    if login.label:
        yield "signed in", login.label
    for method in login.methods:
        yield "sign-in", " ".join(filter(None, (method.id, method.name, " ".join(method.command))))
    for option in state.config.options if state.config else ():
        values = ", ".join(
            f"[{each.value}]" if each.value == option.current else each.value for each in option.select_values
        )
        yield option.category or option.id, values
    if state.commands:
        yield "commands", " ".join(f"/{command.name}" for command in state.commands.commands)


def _print_lints(lints: Iterable[LintRow]) -> int:
    rows = list(lints)
    for row in rows:
        stdio.row(f"{row.level:<5} {row.name:<24} {row.count:>4} {row.example}")
    return exit_codes.FAILED if any(row.level == "error" for row in rows) else exit_codes.DONE
