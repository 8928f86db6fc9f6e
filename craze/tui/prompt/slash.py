"""Slash commands as the composer sees them: which rows count, which one a draft means, what is wrong with it. Pure.

The rows come from the session; only what the screen can run is known here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from craze.codec import SlashItem
from craze.engine.view import View

LOCALS: Final = frozenset(
    (
        *("help", "keys", "new", "sessions", "agents", "clear", "tasks", "export", "theme", "copy", "search"),
        *("editor", "image", "log", "restart", "connect", "quit", "mouse", "answers"),
    )
)
PICKERS: Final = frozenset({"model", "mode"})
METHODS: Final = frozenset({"session.setTitle", "session.set"})
KINDS: Final = frozenset({"prompt", "method", "picker", "aside", "local", "unavailable"})
SOURCES: Final = frozenset({"builtin", "agent", "plugin", "skill"})
BUILTIN: Final = "craze:"

Trouble: TypeAlias = Literal["", "needs", "takes none", "busy", "unknown", "near", "waiting"]


class Meant(Struct, frozen=True):
    """What a draft that begins with `/` means. `row` None: it is a text for the agent, `text` as it is sent."""

    row: SlashItem | None
    arg: str
    text: str
    trouble: Trouble = ""
    near: str = ""


def rows(view: View) -> tuple[SlashItem, ...]:
    """The rows that are shown, the first of each name."""
    found: dict[str, SlashItem] = {}
    for row in view.state.slash.items if view.state.slash else ():
        if _is_shown(row, view):
            found.setdefault(row.name.casefold(), row)
    return tuple(found.values())


def hidden(view: View, name: str) -> bool:
    """Whether the agent has a command of this name that a builtin hides."""
    items = view.state.slash.items if view.state.slash else ()
    return any(row.source == "agent" and row.name.casefold() == name.casefold() for row in items)


def _is_shown(row: SlashItem, view: View) -> bool:
    run = row.run
    if run is None or run.kind not in KINDS or row.source not in SOURCES:
        return False
    if run.arg not in ("", "optional", "required"):
        return False
    known = {
        "local": run.local in LOCALS,
        "picker": run.picker in PICKERS,
        "method": run.method in METHODS and (run.method != "session.set" or run.setting is not None),
    }
    return known.get(run.kind, True) and _holds(row.requires, view)


def _holds(requires: str, view: View) -> bool:
    if requires == "aside":
        return "aside" in view.info.can
    if requires == "effort":
        options = view.state.config.options if view.state.config else ()
        return any(option.category in ("effort", "thought_level") for option in options)
    return requires == ""


_OPEN: Final = re.compile(r"(?:^|(?<=\s))/([^\s/]*)$")


class Open(Struct, frozen=True):
    """A command that is being typed: where its `/` stands in the text, what follows, and whether it comes first."""

    start: int
    query: str
    first: bool


def open_command(text: str, before: str) -> Open | None:
    """The command in front of the cursor; not in a path, an address, or a word that goes on."""
    found = _OPEN.search(before)
    if not found or ((after := text[len(before) : len(before) + 1]) and not after.isspace()):
        return None
    return Open(found.start(), found[1], found.start() == 0 and "\n" not in text)


def matches(shown: Sequence[SlashItem], command: Open) -> list[SlashItem]:
    """Names that begin with the query, then those that contain it, each in the catalog's order."""
    query = command.query.casefold()
    if builtin := query.startswith(BUILTIN):
        query = query.removeprefix(BUILTIN)
    offered = [row for row in shown if command.first or row.source != "builtin"]
    offered = [row for row in offered if row.source == "builtin"] if builtin else offered
    names = [(row.name.casefold(), row) for row in offered]
    starts = [row for name, row in names if name.startswith(query)]
    return starts + [row for name, row in names if query in name and not name.startswith(query)]


def meant(text: str, shown: Sequence[SlashItem], *, working: bool, known: bool) -> Meant | None:
    """What a draft means; None when it is no command.

    Args:
        working: Something runs.
        known: The agent's own commands have come.
    """
    if not text.startswith("/") or text[1:2] in ("", " ", "\n"):
        return None
    word, _, arg = text[1:].partition(" ") if "\n" not in text.split(" ")[0] else (text[1:], "", "")
    arg = arg.strip()
    if word.startswith("/"):
        return Meant(None, arg, text[1:])
    name = word.casefold()
    if name.startswith(BUILTIN):
        row = _named(name.removeprefix(BUILTIN), [row for row in shown if row.source == "builtin"])
    else:
        row = _named(name, shown)
    if row is None or ("\n" in text and row.source == "builtin" and row.run and row.run.kind != "prompt"):
        return _unknown(name, text, shown, known=known)
    assert row.run is not None
    if row.run.arg == "required" and not arg:
        return Meant(row, arg, text, "needs")
    if not row.run.arg and arg and row.source == "builtin":
        return Meant(row, arg, text, "takes none")
    if working and row.run.kind != "prompt" and not row.while_working:
        return Meant(row, arg, text, "busy")
    return Meant(row, arg, text)


def _named(name: str, shown: Sequence[SlashItem]) -> SlashItem | None:
    return next((row for row in shown if name in (row.name.casefold(), row.qualified.casefold() or None)), None)


def _unknown(name: str, text: str, shown: Sequence[SlashItem], *, known: bool) -> Meant:
    near = next((row.name for row in shown if _is_one_off(name, row.name.casefold())), "")
    if near:
        return Meant(None, "", text, "near", near)
    return Meant(None, "", text, "" if known else "waiting")


def _is_one_off(one: str, other: str) -> bool:
    """One letter more, less, changed, or two neighbours swapped."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    a, b = one[at:], other[at:]
    swapped = len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0] and a[2:] == b[2:]
    return a[1:] == b or a == b[1:] or a[1:] == b[1:] or swapped
