"""What a stored session has spent so far, as its last usage fact says, for agents that count anew in each process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from craze.errors import StoreError
from craze.store.lines import FactLine
from craze.store.reader import items


class _Usage(msgspec.Struct):
    session: dict[str, int | bool] | None = None


def spent(journals: Iterable[Path]) -> Mapping[str, int]:
    """The counts of the newest fact that has them, by the names of the fact's own keys; empty for none."""
    for path in reversed(tuple(journals)):
        try:
            told = [item.data for item in items(path) if isinstance(item, FactLine) and item.kind == "usage"]
        except StoreError:
            continue
        for data in reversed(told):
            if session := _read(data):
                return session
    return {}


def _read(data: msgspec.Raw) -> dict[str, int]:
    try:
        session = msgspec.json.decode(data, type=_Usage).session or {}
    except msgspec.DecodeError:
        return {}
    return {name: count for name, count in session.items() if not isinstance(count, bool)}
