"""What a person named: a session, a journal, a capture, bare codec lines - decided by the first complete line."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Raw, UnsetType

from craze.errors import SessionNotFound, UsageError
from craze.store.chunks import Peeked, Readable
from craze.store.folder import Folder, all_folders, by_prefix

Form: TypeAlias = Literal["journal", "wire", "codec"]


class Source(msgspec.Struct, frozen=True):
    """Files to read in this order, or a stream; `session` is set when a session was named."""

    form: Form
    paths: tuple[Path, ...] = ()
    session: Folder | None = None
    stream: Readable | None = None

    @property
    def inputs(self) -> tuple[Path | Readable, ...]:
        """What to read, whichever it is."""
        return self.paths if self.stream is None else (self.stream,)


def find(text: str, sessions: Path, *, cwd: str = "", stdin: Readable | None = None) -> Source:
    """The source that `text` names: `-`, a file or a pipe, or a session (`find_session`); a file wins.

    Raises:
        UsageError: The file or stdin is none of the three forms.
        SessionNotFound: Neither a file nor one session.
    """
    if text == "-" and stdin is not None:
        peeked = Peeked(stdin)
        return Source(form_of(peeked.first_line(), "stdin"), stream=peeked)
    path = Path(text)
    if path.is_file():
        with path.open("rb", buffering=0) as file:
            return Source(form_of(Peeked(file).first_line(), text), (path,))
    if path.exists() and not path.is_dir():  # a pipe, which gives what it has only once
        peeked = Peeked(path.open("rb", buffering=0))
        return Source(form_of(peeked.first_line(), text), stream=peeked)
    try:
        session = find_session(text, sessions, cwd=cwd)
    except SessionNotFound as error:
        if path.is_dir():
            raise UsageError(f"{text} is a folder", hint="a session id, or a file with what a session said") from error
        if path.suffix or "/" in text:
            raise SessionNotFound(f"no file {text!r}", hint=error.hint) from error
        raise
    return Source("journal", tuple(ordered(session.journals())), session)


def find_session(text: str, sessions: Path, *, cwd: str = "") -> Folder:
    """The session whose id is or begins with `text`, else the one of folder `cwd` that has it as a pinned title.

    Raises:
        SessionNotFound: None, or several; the hint names them.
    """
    found = by_prefix(sessions, text) or _titled(text, sessions, cwd)
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(folder.id for folder in found[:8]) + (", …" if len(found) > 8 else "")
        raise SessionNotFound(f"{len(found)} sessions match {text!r}", hint=names)
    raise SessionNotFound(f"no session {text!r}", hint="`craze sessions list --all` shows them")


def ordered(journals: list[Path]) -> list[Path]:
    """A session's journals in the order they continue one another; looks inside only when there are several."""
    if len(journals) < 2:
        return journals
    from craze.store.history import in_order  # here, since a single file is dumped without decoding anything

    return in_order(journals)


def form_of(first: bytes, name: str) -> Form:
    """What a file is, by its first line.

    Raises:
        UsageError: None of the three, with what was found.
    """
    if not first:
        raise UsageError(f"{name} is empty")
    try:
        keys = msgspec.json.decode(first, type=_Keys)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise UsageError(_found(name, f"its first line is no JSON object: {_excerpt(first)}")) from None
    for form, names in _MARKS.items():
        if any(getattr(keys, key) is not UNSET for key in names):
            return form
    raise UsageError(_found(name, f"its first line is {_excerpt(first)}"))


class _Keys(msgspec.Struct):
    kind: Raw | UnsetType = UNSET
    dir: Raw | UnsetType = UNSET
    type: Raw | UnsetType = UNSET
    event: Raw | UnsetType = UNSET
    omitted: Raw | UnsetType = UNSET
    after: Raw | UnsetType = UNSET


_MARKS: Final[dict[Form, tuple[str, ...]]] = {
    "journal": ("kind",),
    "wire": ("dir",),
    "codec": ("type", "event", "omitted", "after"),
}


def _titled(title: str, sessions: Path, cwd: str) -> list[Folder]:
    from craze.store.session_file import read

    wanted, here = title.casefold(), cwd and str(Path(cwd).resolve())
    return [
        folder
        for folder in all_folders(sessions)
        if (stored := read(folder))
        and stored.pinned
        and stored.title.casefold() == wanted
        and (stored.cwd == cwd or (stored.cwd and str(Path(stored.cwd).resolve()) == here))
    ]


def _found(name: str, what: str) -> str:
    return f"{name} is no journal, no wire capture and no file of events: {what}"


def _excerpt(line: bytes) -> str:
    text = line[:60].decode("utf-8", "replace")
    return "".join(c if c.isprintable() else "·" for c in text) + ("…" if len(line) > 60 else "")
