"""The commands that an agent advertises, as rows whose names are one word; pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from craze.codec import CommandInfo
from craze.providers.acp.types import AdvertisedCommand, text


class Known(NamedTuple):
    """The rows, the free-form list for `details` (with hints and names of several words), and the names refused."""

    commands: tuple[CommandInfo, ...]
    told: list[dict[str, str]]
    bad: list[str]


def known_commands(advertised: Iterable[AdvertisedCommand]) -> Known:
    """A name of several words is no row: its first word is, with what follows it as hint."""
    rows: dict[str, dict[str, str]] = {}
    longer: list[dict[str, str]] = []
    bad: list[str] = []
    for command in advertised:
        name = command.name.removeprefix("/").strip()
        if not name or not name.isprintable():
            bad.append(command.name)
            continue
        row = {
            "name": name,
            "description": text(command.description),
            "hint": text(command.input and command.input.hint),
        }
        if len(name.split()) == 1:
            rows.setdefault(name, row)
        else:
            longer.append(row)
    for row in longer:
        first, rest = row["name"].split(maxsplit=1)
        made = rows.setdefault(first, {"name": first, "description": row["description"], "hint": ""})
        hints = [hint for hint in made["hint"].split(" | ") if hint]
        rows[first] = {**made, "hint": " | ".join([*hints, rest])}
    commands = tuple(CommandInfo(name=row["name"], description=row["description"]) for row in rows.values())
    return Known(commands, [*rows.values(), *longer], bad)
