"""Which folders the person trusts: `trust.json` in the state folder. An entry covers what lies below it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from craze.config import saved
from craze.errors import ConfigError


class Entry(msgspec.Struct, frozen=True):
    trusted: bool
    at: str = ""


def load(path: Path) -> dict[str, Entry]:
    """
    Raises:
        ConfigError: The file cannot be read; then nothing may be taken for trusted, and it is not written over.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Entry])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.DecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"{path}: {why}", hint="correct or remove the file") from error


def decision(entries: dict[str, Entry], folder: Path) -> bool | None:
    """What was decided for the folder or the nearest one above it; None = never asked."""
    resolved = folder.resolve()
    for place in (resolved, *resolved.parents):
        if entry := entries.get(str(place)):
            return entry.trusted
    return None


def remember(path: Path, folder: Path, trusted: bool, at: str) -> None:
    entries = load(path) | {str(folder.resolve()): Entry(trusted, at)}
    saved.write(path, saved.dump(entries))
