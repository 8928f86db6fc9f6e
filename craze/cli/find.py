"""Which stored session is meant: `-c`, `-r ID`, and the list of a folder."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from craze.cli.context import Context
from craze.codec import ns
from craze.errors import CodecError, SessionNotFound
from craze.store.folder import Folder, all_folders
from craze.store.session_file import Stored, row
from craze.store.source import find_session

SHORT_ID = 8


def session_folder(context: Context, *, go_on: bool, resume: str, agent: str = "") -> Folder | None:
    """The session to go on with, or None for a fresh one. One that nothing was said in comes after all others.

    Raises:
        SessionNotFound: There is none, or several.
    """
    if resume:
        return find_session(resume, context.sessions, cwd=str(context.folder))
    if not go_on:
        return None
    found = [pair for pair in newest_first(context, here_only=True) if agent in ("", pair[1].agent)]
    if found:
        return min(found, key=lambda pair: not (pair[1].turns or pair[1].pending))[0]
    of = f" of {agent}" if agent else ""
    raise SessionNotFound(
        f"there is no session{of} in {context.folder} to go on with", hint="craze sessions list --all"
    )


def newest_first(context: Context, *, here_only: bool) -> list[tuple[Folder, Stored]]:
    """Sessions by the time of their last use."""
    return sorted(_rows(context, here_only), key=lambda found: found[1].updated_at, reverse=True)


def _rows(context: Context, here_only: bool) -> Iterator[tuple[Folder, Stored]]:
    for folder in all_folders(context.sessions):
        stored = row(folder)
        if stored and (not here_only or is_here(stored.cwd, context.folder)):
            yield folder, stored


def is_here(cwd: str, folder: Path) -> bool:
    """Whether a session's folder is this one: as it is written, or where its links lead."""
    return bool(cwd) and (cwd == str(folder) or Path(cwd).resolve() == folder.resolve())


def short_ids(context: Context) -> dict[str, str]:
    """The shortest unique beginning of each id, at least eight characters."""
    ids = sorted(folder.id for folder in all_folders(context.sessions))
    sizes = dict.fromkeys(ids, SHORT_ID)
    for one, other in pairwise(ids):
        same = next(
            (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
        )
        sizes[one], sizes[other] = max(sizes[one], same + 1), max(sizes[other], same + 1)
    return {id_: id_[:size] for id_, size in sizes.items()}


def moment(text: str) -> int:
    """Nanoseconds since 1970; 0 for a text that is no time."""
    try:
        return ns(text) if text else 0
    except CodecError:
        return 0
