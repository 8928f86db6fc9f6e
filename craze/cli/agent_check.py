"""What an agent says of itself: started in an empty folder, greeted, mostly opened, listed, closed."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterable, Iterator
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
from craze.engine.facts import Login
from craze.engine.hub import Subscription
from craze.engine.intents import Refused, Submit
from craze.engine.session import Session
from craze.engine.view import View
from craze.errors import CrazeError
from craze.store.folder import Folder


def of_agent(context: Context, name: str, *, timeout: str, prompt: str, session: bool = True) -> int:
    """Start it, print what it offers and what it does that it should not; without a `session` as far as its greeting
    tells.

    Raises:
        CrazeError: It does not start, or not in time.
    """
    agent = context.roster.get(name)
    may_start(context, agent)
    with tempfile.TemporaryDirectory(prefix="craze-check-") as place:
        wanted = _wanted(Path(place), greets_only=not session)
        return asyncio.run(_checked(context, agent, wanted, seconds(timeout, "--timeout"), prompt))


def of_capture(path: Path) -> int:
    """The lints of a stored capture; nothing is started."""
    from craze.cli.strict import lints_of

    return _print_lints(lints_of(path))


def _wanted(place: Path, *, greets_only: bool) -> Wanted:
    work = place / "work"
    work.mkdir()
    return Wanted(
        folder=Folder(place / "sessions", ids.uuid7()),
        workspace=str(work),
        origin="run",
        answering=Answering(),
        after_short="pause",
        after_cancel="pause",
        journal=False,
        wire=False,
        greets_only=greets_only,
    )


async def _checked(context: Context, agent: Agent, wanted: Wanted, limit: float, prompt: str) -> int:
    logs.begin(context)
    joined = join(context, agent, wanted)
    try:
        return await _told(joined, agent.name, limit, prompt)
    finally:
        await joined.close()


async def _told(joined: Joined, declared: str, limit: float, prompt: str) -> int:
    session = joined.session
    stream = session.subscribe(lossless=True)
    failures: list[str] = []
    session.begin()
    try:
        async with asyncio.timeout(limit):
            await _story(session, stream, prompt, failures)
    except TimeoutError:
        failures.append(f"no answer within {limit:g} s")
    view = session.view
    stream.close()
    await session.close()
    stdio.table(_facts(view, declared))
    code = _print_lints(joined.built.lints())
    if failures:
        raise CrazeError(failures[0])
    return code


async def _story(session: Session, stream: Subscription, prompt: str, failures: list[str]) -> None:
    """Until the agent is up, or is not; then one turn."""
    await _until(lambda view: view.status != "starting" or _login(view).required, session, stream, failures)
    if not prompt or session.view.status != "idle":
        return
    if isinstance(result := await session.send(Submit(text=prompt)), Refused):
        failures.append(f"the prompt was refused ({result.code})")
    else:
        await _until(lambda view: not view.turn, session, stream, failures)


async def _until(holds: Callable[[View], bool], session: Session, stream: Subscription, failures: list[str]) -> None:
    """Read what is said until `holds`, to the end of what was said by then."""
    seen = 0
    async for item in stream:
        if isinstance(item, Record):
            seen = item.seq
            failures += [item.event.err.message] if item.body and item.event.err else []
        if seen >= session.view.seq and holds(session.view):
            return


def _login(view: View) -> Login:
    told = view.facts.get(("login", ""))
    return msgspec.json.decode(told.data, type=Login) if told else Login()


def _facts(view: View, declared: str) -> Iterator[tuple[str, str]]:
    info, state = view.info, view.state
    yield "agent", f"{info.agent or declared} {info.version}".strip()
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
        yield option.id, values
    if state.commands:
        yield "commands", " ".join(f"/{command.name}" for command in state.commands.commands)


def _print_lints(lints: Iterable[LintRow]) -> int:
    rows = list(lints)
    for row in rows:
        stdio.row(f"{row.level:<5} {row.name:<24} {row.count:>4} {row.example}")
    return exit_codes.FAILED if any(row.level == "error" for row in rows) else exit_codes.DONE
