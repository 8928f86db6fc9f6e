"""What is chosen in the interface (`choices.toml`, a layer of the settings) and what agents' starts have told
(`agents.json`). Both lie in the state folder and are craze's own; the person's files are never written."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import msgspec

from craze.config import files, saved
from craze.config.files import Table


class Starts(msgspec.Struct, frozen=True, omit_defaults=True):
    """The last agent that started, those whose last start asked for a sign-in, and the fetching commands that the
    person has confirmed."""

    last: str = ""
    needs_sign_in: tuple[str, ...] = ()
    confirmed: tuple[str, ...] = ()


def starts(state: Path) -> Starts:
    """What is remembered; an unreadable file is as none, it holds nothing of worth."""
    try:
        return msgspec.json.decode((state / "agents.json").read_bytes(), type=Starts)
    except (OSError, msgspec.DecodeError):
        return Starts()


def keep_starts(state: Path, told: Starts) -> None:
    if told != starts(state):
        saved.write(state / "agents.json", saved.dump(told))


def choose(path: Path, name: str, value: str | bool | int | float | list[str]) -> None:
    """Writes one setting, by dotted name, into `choices.toml`.

    Raises:
        ConfigError: The file there cannot be parsed; it is left alone.
        OSError: It cannot be written.
    """
    source = files.load(path)
    flat = dict(_flat(source.data if source else {})) | {name: value}
    saved.write(path, "".join(f"{key} = {_spell(value)}\n" for key, value in sorted(flat.items())).encode())


def _flat(table: Table, prefix: str = "") -> list[tuple[str, object]]:
    rows: list[tuple[str, object]] = []
    for key, value in table.items():
        rows += _flat(cast(Table, value), f"{prefix}{key}.") if isinstance(value, dict) else [(prefix + key, value)]
    return rows


def _spell(value: object) -> str:
    """A TOML value: JSON's spelling of texts, numbers, switches and lists is TOML's too."""
    return msgspec.json.encode(value).decode()
