"""What the menu offers for the text at the cursor, and what taking a row does to it. Pure but for the editor it reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from craze.codec import SlashItem
from craze.engine.view import View
from craze.tui.prompt import mentions, slash
from craze.tui.prompt.menu import Row
from craze.tui.scrub import line
from craze.tui.told import details

Kind: TypeAlias = Literal["", "slash", "mention", "history"]


class Offer(Struct, frozen=True):
    """Rows and, for each, what is put in place of the `size` characters in front of the cursor."""

    kind: Kind = ""
    rows: tuple[Row, ...] = ()
    puts: tuple[str, ...] = ()
    size: int = 0
    exact: int = -1
    """The row that already stands there whole, -1 = none does."""


NOTHING = Offer()


def offered(
    text: str, before: str, view: View, shown: Sequence[SlashItem], paths: Sequence[str], *, busy: bool
) -> Offer:
    """The commands or files that fit what is being typed."""
    if command := slash.open_command(text, before):
        return _commands(command, before, view, shown, busy=busy)
    row = before.rpartition("\n")[2]
    if mention := mentions.open_mention(row, len(row)):
        found = mentions.ranked(paths, mention.query)
        puts = tuple(mentions.spelled(path, done=not path.endswith("/")) for path in found)
        rows = tuple(Row(line(path)) for path in found)
        return Offer("mention", rows, puts, len(row) - mention.start) if found else NOTHING
    return NOTHING


def _commands(command: slash.Open, before: str, view: View, shown: Sequence[SlashItem], *, busy: bool) -> Offer:
    found = slash.matches(shown, command)
    if not found:
        return NOTHING
    abouts = details(view, "commands").get("commands")
    prefix = "/" + (slash.BUILTIN if command.query.casefold().startswith(slash.BUILTIN) else "")
    rows = tuple(_row(item, view, abouts, prefix, busy=busy) for item in found)
    query = command.query.casefold().removeprefix(slash.BUILTIN)
    exact = next(
        (at for at, item in enumerate(found) if query in (item.name.casefold(), item.qualified.casefold())), -1
    )
    puts = tuple(f"{prefix}{item.name} " for item in found)
    return Offer("slash", rows, puts, len(before) - command.start, exact)


def _row(item: SlashItem, view: View, abouts: object, prefix: str, *, busy: bool) -> Row:
    assert item.run is not None
    blocked = busy and item.run.kind != "prompt" and not item.while_working
    about = line(item.description)
    if item.run.kind == "unavailable":
        about, blocked = line(item.run.reason), True
    if item.source == "builtin" and slash.hidden(view, item.name):
        about += f" · agent's own: //{item.name}"
    tag = "after this turn" if blocked and busy else "" if item.source == "builtin" else item.source
    return Row(f"{prefix}{line(item.name)}", _hint(item), about or _more(abouts, item.name), tag, blocked)


def _hint(item: SlashItem) -> str:
    run = item.run
    if run is None or not run.arg:
        return ""
    said = line(run.arg_hint) or "text"
    return f"<{said}>" if run.arg == "required" else f"[{said}]"


def _more(abouts: object, name: str) -> str:
    """What the agent tells of a command beside its row."""
    found = abouts.get(name) if isinstance(abouts, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return line(found) if isinstance(found, str) else ""
