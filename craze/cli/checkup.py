"""The checks of `craze doctor`. Each looks at one thing and says what it found; none changes anything."""

from __future__ import annotations

import importlib.metadata
import locale
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from craze import __version__
from craze.cli.agents import states
from craze.cli.context import Context
from craze.config import settings
from craze.config.paths import Places, short
from craze.errors import CrazeError, StoreError
from craze.store.folder import all_folders
from craze.store.reader import Damage, items
from craze.store.session_file import read

LIBRARIES = ("msgspec", "textual", "rich", "typer", "jsonschema", "platformdirs", "pathspec")
LITTLE_SPACE = 200 << 20
READABLE_BY_OTHERS = 0o077


class Finding(msgspec.Struct, frozen=True):
    """What one check found; `remedy` says what to do about it."""

    level: Literal["ok", "warn", "FAIL"]
    what: str
    text: str
    remedy: str = ""


def versions(context: Context) -> Iterator[Finding]:
    python = ".".join(map(str, sys.version_info[:3]))
    yield Finding("ok" if sys.version_info >= (3, 11) else "FAIL", "python", f"{python}, craze {__version__}", "")
    for name in LIBRARIES:
        try:
            yield Finding("ok", name, importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            yield Finding("FAIL", name, "is not installed", "install craze again")


def terminal(context: Context) -> Iterator[Finding]:
    if not sys.stdout.isatty():
        yield Finding("ok", "terminal", "standard output is none")
        return
    size = shutil.get_terminal_size()
    term = context.environment.get("TERM")
    colours = (
        "none"
        if context.environment.get("NO_COLOR") or term == "dumb"
        else context.environment.get("COLORTERM") or "256"
    )
    small = size.columns < 60 or size.lines < 15
    yield Finding("warn" if small else "ok", "terminal", f"{term}, {size.columns}x{size.lines}, colours {colours}")
    encoding = locale.getpreferredencoding(do_setlocale=False)
    utf8 = encoding.lower().replace("-", "") == "utf8"
    yield Finding(
        "ok" if utf8 else "warn", "locale", encoding, "" if utf8 else "use a UTF-8 locale, such as LANG=C.UTF-8"
    )


def folders(context: Context) -> Iterator[Finding]:
    places = context.places
    for warning in places.warnings:
        yield Finding("warn", "environment", warning, "give an absolute path")
    for name in ("config", "sessions", "state", "cache"):
        yield _folder(name, getattr(places, name))
    free = shutil.disk_usage(_existing(places.sessions)).free
    yield Finding("warn" if free < LITTLE_SPACE else "ok", "space", f"{free >> 20} MiB free")


def configuration(context: Context) -> Iterator[Finding]:
    places = context.places
    try:
        found = settings.read(places, context.environment, context.folder)
    except CrazeError as error:
        yield Finding("FAIL", "configuration", str(error), "correct the file")
        return
    for warning in found.warnings:
        yield Finding("warn", "configuration", warning)
    for name in found.untrusted:
        yield Finding("warn", "configuration", f"{name} of the project is ignored: the folder is not trusted")
    if not found.warnings and not found.untrusted:
        yield Finding("ok", "configuration", _files(places))


def agents(context: Context) -> Iterator[Finding]:
    try:
        rows = states(context)
    except CrazeError:
        return  # `configuration` has told it
    for agent, state in rows:
        wanted = not agent.built_in or state.word != "not found"
        if wanted:
            level = "ok" if state.word == "ready" else "warn"
            yield Finding(level, f"agent {agent.name}", state.reason or state.word, state.remedy)


def programs(context: Context) -> Iterator[Finding]:
    for name, use in (("git", "shows the branch"), ("rg", "makes file search faster")):
        path = shutil.which(name, path=context.environment.get("PATH"))
        yield Finding("ok" if path else "warn", name, path or "is not installed", "" if path else f"it {use}")


def sessions(context: Context) -> Iterator[Finding]:
    try:
        found = list(all_folders(context.sessions))
    except OSError as error:
        yield Finding("FAIL", "sessions", f"{context.sessions}: {error.strerror}", "move what stands in its place")
        return
    size = count = 0
    for folder in found:
        count += 1
        size += folder.size()
        if folder.session_file.exists() and read(folder) is None:
            yield Finding(
                "warn", f"session {folder.id}", "session.json cannot be read", "it is made again when it is opened"
            )
        if folder.path.stat().st_mode & READABLE_BY_OTHERS:
            yield Finding("warn", f"session {folder.id}", "others can read its folder", f"chmod 700 {folder.path}")
        for journal in folder.journals():
            if torn := _damage(journal):
                yield Finding("warn", journal.name, torn, "the rest of it can be read")
        for stale in folder.path.glob(".session.json.*"):
            yield Finding("warn", f"session {folder.id}", f"{stale.name} was left behind", "remove it")
    yield Finding("ok", "sessions", f"{count}, {size >> 20} MiB")


def _damage(journal: Path) -> str:
    try:
        broken = [item for item in items(journal) if isinstance(item, Damage)]
    except (StoreError, OSError) as error:
        return str(error)
    return f"{len(broken)} damaged lines, the first is {broken[0].number} ({broken[0].reason})" if broken else ""


def _folder(name: str, path: Path) -> Finding:
    if not path.exists():
        near = _existing(path)
        can = os.access(near, os.W_OK)
        return Finding(
            "ok" if can else "FAIL",
            name,
            f"{short(path)} is made when it is needed",
            "" if can else f"make {near} writable",
        )
    mode = path.stat().st_mode & 0o777
    if not os.access(path, os.W_OK):
        return Finding("FAIL", name, f"{short(path)} cannot be written ({mode:o})", f"chmod u+w {path}")
    return Finding("ok", name, f"{short(path)} ({mode:o})")


def _existing(path: Path) -> Path:
    return next(near for near in (path, *path.parents) if near.exists())


def _files(places: Places) -> str:
    return short(places.settings_file) if places.settings_file.exists() else "defaults"
