"""`craze sessions list|search|show|rename|delete|export|prune|path`."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import typer

from craze.cli import exit_codes, stdio
from craze.cli.app import app_of
from craze.cli.completing import session_ids
from craze.cli.confirm import confirm
from craze.cli.context import Context
from craze.cli.find import newest_first, short_ids
from craze.codec import ns, stamp
from craze.config import paths
from craze.config.duration import age, seconds
from craze.errors import UsageError
from craze.store import folder as folders
from craze.store import session_file
from craze.store.folder import Folder
from craze.store.history import History, in_order
from craze.store.history import Told as ToldItem
from craze.store.search import PARTS, Part
from craze.store.session_file import Stored
from craze.store.source import find, find_session

app = app_of("List, search, show, rename, delete, export and prune sessions.")
Format = Annotated[Literal["text", "json"], typer.Option("--format")]
Session = Annotated[str, typer.Argument(help="Its id, a beginning of it, or its title.", autocompletion=session_ids)]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@app.command("list")
def list_(
    everywhere: Annotated[bool, typer.Option("--all", help="Of every folder.")] = False,
    agent: Annotated[str, typer.Option(metavar="NAME", help="Of this agent alone.")] = "",
    limit: Annotated[int, typer.Option(metavar="N", min=0, help="At most so many.")] = 50,
    output: Format = "text",
) -> None:
    """This folder's sessions, newest first."""
    context = Context()
    rows = [found for found in newest_first(context, here_only=not everywhere) if agent in ("", found[1].agent)][:limit]
    if output == "json":
        for folder, stored in rows:
            stdio.data(msgspec.json.encode(_listed(folder, stored)) + b"\n")
    elif rows:
        short = short_ids(context)
        stdio.table(
            (
                short[folder.id],
                _age(stored),
                stored.agent,
                *((paths.short(stored.cwd),) if everywhere else ()),
                _title(stored),
            )
            for folder, stored in rows
        )


@app.command()
def show(
    session: Session, events: Annotated[bool, typer.Option("--events", help="Its events, as dump prints them.")] = False
) -> int:
    """The transcript as plain text."""
    context = Context()
    folder = find_session(session, context.sessions, cwd=str(context.folder))
    if events:
        from craze.cli import dumping

        return dumping.bytes_of(find(folder.id, context.sessions))
    from craze.store.transcript import blocks, plain

    for block in blocks(_history(folder)):
        stdio.show(plain(block).removesuffix("\n"))
    return exit_codes.DONE


@app.command()
def search(
    text: str,
    regex: Annotated[bool, typer.Option("--regex", help="The text is a regular expression.")] = False,
    within: Annotated[str, typer.Option("--in", metavar="PARTS", help="Of user,text,thought,tool.")] = ",".join(PARTS),
    since: Annotated[str, typer.Option(metavar="DUR", help="Sessions used since then.")] = "",
    everywhere: Annotated[bool, typer.Option("--all", help="Of every folder.")] = False,
    limit: Annotated[int, typer.Option(metavar="N", min=0, help="At most so many.")] = 100,
    output: Format = "text",
) -> None:
    """Find text in stored sessions.

    One line a match: session, event number, what it is in, and the words around it.
    """
    from craze.store.search import pattern
    from craze.store.search import search as matches

    if not text:
        raise UsageError("there is nothing to search for", hint="craze sessions search TEXT")
    context = Context()
    parts: list[Part] = [part for part in PARTS if part in within.split(",")]
    if set(within.split(",")) - set(PARTS):
        raise UsageError(f"--in {within}: of {', '.join(PARTS)}")
    try:
        wanted = pattern(text, regex=regex)
    except re.error as error:
        raise UsageError(f"{text!r} is no regular expression: {error}") from error
    oldest = stamp(time.time_ns() - int(seconds(since, "--since") * 1e9)) if since else ""
    short = short_ids(context)
    for folder, stored in newest_first(context, here_only=not everywhere):
        if stored.updated_at < oldest:
            continue
        for hit in islice(matches(folder.id, _history(folder), wanted, parts), limit):
            limit -= 1
            if output == "json":
                stdio.data(msgspec.json.encode(hit) + b"\n")
            else:
                stdio.row(short[folder.id], str(hit.seq), hit.type, hit.snippet)


@app.command()
def export(
    session: Session,
    form: Annotated[Literal["md", "html", "jsonl"], typer.Option("--format")] = "md",
    file: Annotated[Path | None, typer.Option("-o", metavar="FILE", help="Write it there, not to stdout.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
    redact: Annotated[bool, typer.Option("--redact", help="Without home folder and known secrets.")] = False,
    no_tools: Annotated[bool, typer.Option("--no-tools", help="Without what the agent did.")] = False,
    thoughts: Annotated[bool, typer.Option("--thoughts", help="With the agent's thoughts.")] = False,
) -> int:
    """A session as a document, or as its events."""
    from craze.cli.exporting import pieces

    context = Context()
    folder = find_session(session, context.sessions, cwd=str(context.folder))
    written = pieces(context, folder, form, redact=redact, tools=not no_tools, thoughts=thoughts)
    if not file or str(file) == "-":
        for piece in written:
            stdio.data(piece)
        return exit_codes.DONE
    try:
        with file.open("wb" if force else "xb") as out:
            out.writelines(written)
    except FileExistsError as error:
        raise UsageError(f"{file} exists", hint="--force replaces it") from error
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file)) from error
    return exit_codes.DONE


@app.command()
def prune(
    older_than: Annotated[str, typer.Option(metavar="DUR", help="Sessions not used for so long, such as 90d.")] = "",
    wire: Annotated[bool, typer.Option("--wire", help="Captures alone.")] = False,
    orphans: Annotated[bool, typer.Option("--orphans", help="Folders without any event, too.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go.")] = False,
    yes: Yes = False,
) -> int:
    """Remove what the settings under [retention] no longer keep."""
    from craze.cli.pruning import plan_of, removed

    context = Context()
    going = plan_of(context, older_than=older_than, wire=wire, orphans=orphans)
    if going and (dry_run or not yes):
        stdio.table((each.folder.id, each.why, size(each.size), each.title) for each in going)
    if dry_run or not going:
        return exit_codes.DONE
    if not confirm(f"remove these {len(going)}", yes=yes):
        return exit_codes.FAILED
    return removed(going)


def _history(folder: Folder) -> Iterator[ToldItem]:
    """All of a session's journals as one, holes said."""
    return History(in_order(folder.journals())).read(1, 1 << 62)


def size(count: int) -> str:
    """Bytes as people say them."""
    length = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if length < 1024:
            return f"{length:.0f} {unit}"
        length /= 1024
    return f"{length:.1f} TiB"


@app.command()
def rename(session: Session, title: str) -> None:
    """Give it a title that stays; an empty one lets go of it."""
    context = Context()
    session_file.rename(find_session(session, context.sessions, cwd=str(context.folder)), title, stamp(time.time_ns()))


@app.command()
def path(session: Session) -> None:
    """Print its folder."""
    context = Context()
    stdio.show(str(find_session(session, context.sessions, cwd=str(context.folder)).path))


@app.command()
def delete(session: Session, yes: Yes = False) -> int:
    """Remove a session and all its files."""
    context = Context()
    folder = find_session(session, context.sessions, cwd=str(context.folder))
    stored = session_file.row(folder)
    if not confirm(f"delete session {folder.id}{f' ({stored.title})' if stored and stored.title else ''}", yes=yes):
        return exit_codes.FAILED
    folders.remove(folder)
    return exit_codes.DONE


def _listed(folder: Folder, stored: Stored) -> dict[str, object]:
    keys = msgspec.to_builtins(stored)
    kept = {key: value for key, value in keys.items() if key not in ("version", "queue", "draft", "paused")}
    return {**kept, "path": str(folder.path), "running": bool(folder.running()), "pending": len(stored.queue)}


def _age(stored: Stored) -> str:
    return age((time.time_ns() - ns(stored.updated_at)) / 1e9) if stored.updated_at else "-"


def _title(stored: Stored) -> str:
    return stored.title or "(no title)"
